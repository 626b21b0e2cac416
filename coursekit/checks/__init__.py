"""Checks of the exercises: they say what is right, and name what is wrong.

Each check takes the function that you wrote and answers in words. It never
fails itself, whatever the function does.

To add a check, make a `Check` in the module of its chapter: a right
function, a few small examples, and wrong functions with words. Import it in
``coursekit/checks/__init__.py`` and add it to ``__all__``. The tests then ask
for a learner's function: ``tests/learners_*.py`` holds right ones, in several
styles, and for each mistake the edit that plants it.
"""

from coursekit.checks.biases import check_causal_alibi, check_clipped_bias
from coursekit.checks.blocks import check_post_norm_block, check_rms_norm
from coursekit.checks.bugs import (
    check_mended_attention,
    check_mended_causal,
    check_mended_chunks,
    check_mended_encoding,
    check_mended_heads,
    check_mended_softmax,
)
from coursekit.checks.cross_attention import (
    check_alignment_share,
    check_cross_attention,
)
from coursekit.checks.efficient import (
    check_cache_bytes,
    check_window_attention,
)
from coursekit.checks.engine import Answer, Check, Mistake, Report
from coursekit.checks.heads import (
    check_count_parameters,
    check_merge_heads,
    check_shuffle_heads,
    check_split_heads,
)
from coursekit.checks.intuition import (
    check_sat_weights,
    check_share_out,
    check_top_keys,
)
from coursekit.checks.language import (
    check_induction_score,
    check_keep_head,
    check_shift_targets,
)
from coursekit.checks.linear import check_linear_causal
from coursekit.checks.lookups import check_hard_lookup, check_slow_lookup
from coursekit.checks.masks import (
    check_causal_mask,
    check_is_attention,
    check_padding_mask,
    check_weight_bytes,
)
from coursekit.checks.multi_head import check_multi_head, check_multi_head_loop
from coursekit.checks.online import check_add_key, check_merge_states
from coursekit.checks.positions import (
    check_late_scores,
    check_positional_encoding,
    check_rope,
)
from coursekit.checks.real_heads import check_head_parts, check_lucky_head
from coursekit.checks.real_maps import (
    check_distance_score,
    check_hide_key,
    check_without_first,
)
from coursekit.checks.self_attention import (
    check_attention,
    check_mini_attention,
    check_softmax,
)
from coursekit.checks.sequences import (
    check_causal_self_attention,
    check_chunked_attention,
)
from coursekit.checks.training import (
    check_attention_gradient,
    check_mean_loss,
    check_teacher_forcing,
)

__all__ = [
    "Answer",
    "Check",
    "Mistake",
    "Report",
    "check_add_key",
    "check_alignment_share",
    "check_attention",
    "check_attention_gradient",
    "check_cache_bytes",
    "check_causal_alibi",
    "check_causal_mask",
    "check_causal_self_attention",
    "check_chunked_attention",
    "check_clipped_bias",
    "check_count_parameters",
    "check_cross_attention",
    "check_distance_score",
    "check_hard_lookup",
    "check_head_parts",
    "check_hide_key",
    "check_induction_score",
    "check_is_attention",
    "check_keep_head",
    "check_late_scores",
    "check_linear_causal",
    "check_lucky_head",
    "check_mean_loss",
    "check_mended_attention",
    "check_mended_causal",
    "check_mended_chunks",
    "check_mended_encoding",
    "check_mended_heads",
    "check_mended_softmax",
    "check_merge_heads",
    "check_merge_states",
    "check_mini_attention",
    "check_multi_head",
    "check_multi_head_loop",
    "check_padding_mask",
    "check_positional_encoding",
    "check_post_norm_block",
    "check_rms_norm",
    "check_rope",
    "check_sat_weights",
    "check_share_out",
    "check_shift_targets",
    "check_shuffle_heads",
    "check_slow_lookup",
    "check_softmax",
    "check_split_heads",
    "check_teacher_forcing",
    "check_top_keys",
    "check_weight_bytes",
    "check_window_attention",
    "check_without_first",
]
