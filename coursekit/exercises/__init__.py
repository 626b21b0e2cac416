"""The exercises of the course, one module a chapter.

Each is a `Check` or an `Answer`: what to write, a right answer, examples, and
the mistakes that learners make, as words and as edits of the right answer. To
add one, write it into the module of its chapter and name it here; then write
answers as a learner would, right ones and wrong ones, into
``tests/coursekit/learners_*.py``.
"""

from coursekit.exercises.biases import check_causal_alibi, check_clipped_bias
from coursekit.exercises.blocks import check_keep_head, check_post_norm_block
from coursekit.exercises.bug_hunt import (
    check_fixed_attention,
    check_fixed_causal,
    check_fixed_chunks,
    check_fixed_encoding,
    check_fixed_heads,
    check_fixed_softmax,
)
from coursekit.exercises.cross_attention import (
    check_alignment_share,
    check_hide_word,
    check_unread_words,
)
from coursekit.exercises.efficient import (
    check_cache_bytes,
    check_window_attention,
)
from coursekit.exercises.gradient import check_scale_gradient
from coursekit.exercises.heads import (
    check_merge_heads,
    check_shuffle_heads,
    check_split_heads,
)
from coursekit.exercises.intuition import (
    check_needed_lead,
    check_sat_weights,
    check_top_keys,
)
from coursekit.exercises.language import (
    check_induction_score,
    check_shift_targets,
)
from coursekit.exercises.linear import check_linear_causal
from coursekit.exercises.lookups import check_hard_lookup, check_slow_lookup
from coursekit.exercises.masks import (
    check_causal_mask,
    check_is_attention,
    check_weight_bytes,
)
from coursekit.exercises.multi_head import (
    check_count_parameters,
    check_multi_head,
)
from coursekit.exercises.norms import check_rms_norm
from coursekit.exercises.online import (
    check_merge_states,
    check_swapped_traffic,
)
from coursekit.exercises.positions import check_positional_encoding
from coursekit.exercises.real_heads import (
    check_distance_score,
    check_head_parts,
    check_lucky_head,
)
from coursekit.exercises.real_maps import check_hide_key, check_without_first
from coursekit.exercises.rotary import check_late_scores, check_rope
from coursekit.exercises.self_attention import (
    check_attention,
    check_mini_attention,
)
from coursekit.exercises.training import check_mean_loss

__all__ = [
    "check_alignment_share",
    "check_attention",
    "check_cache_bytes",
    "check_causal_alibi",
    "check_causal_mask",
    "check_clipped_bias",
    "check_count_parameters",
    "check_distance_score",
    "check_fixed_attention",
    "check_fixed_causal",
    "check_fixed_chunks",
    "check_fixed_encoding",
    "check_fixed_heads",
    "check_fixed_softmax",
    "check_hard_lookup",
    "check_head_parts",
    "check_hide_key",
    "check_hide_word",
    "check_induction_score",
    "check_is_attention",
    "check_keep_head",
    "check_late_scores",
    "check_linear_causal",
    "check_lucky_head",
    "check_mean_loss",
    "check_merge_heads",
    "check_merge_states",
    "check_mini_attention",
    "check_multi_head",
    "check_needed_lead",
    "check_positional_encoding",
    "check_post_norm_block",
    "check_rms_norm",
    "check_rope",
    "check_sat_weights",
    "check_scale_gradient",
    "check_shift_targets",
    "check_shuffle_heads",
    "check_slow_lookup",
    "check_split_heads",
    "check_swapped_traffic",
    "check_top_keys",
    "check_unread_words",
    "check_weight_bytes",
    "check_window_attention",
    "check_without_first",
]
