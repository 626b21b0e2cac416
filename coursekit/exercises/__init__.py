"""The exercises of the course, one module a chapter.

Each is a `Check` or an `Answer`: what to write, a right answer, examples, and
the mistakes that learners make, as words and as edits of the right answer. To
add one, write it into the module of its chapter and name it here; then write
answers as a learner would, right ones and wrong ones, into
``tests/coursekit/learners_*.py``.
"""

from coursekit.exercises.blocks import (
    check_keep_head,
    check_post_norm_block,
)
from coursekit.exercises.efficient import (
    check_cache_bytes,
    check_window_attention,
)
from coursekit.exercises.intuition import (
    check_hard_lookup,
    check_sat_weights,
    check_share_out,
    check_slow_lookup,
    check_top_keys,
)
from coursekit.exercises.language import (
    check_induction_score,
    check_shift_targets,
)
from coursekit.exercises.linear import check_linear_causal
from coursekit.exercises.norms import check_rms_norm
from coursekit.exercises.online import (
    check_add_key,
    check_merge_states,
)
from coursekit.exercises.real_heads import (
    check_distance_score,
    check_head_parts,
    check_lucky_head,
)
from coursekit.exercises.real_maps import (
    check_hide_key,
    check_without_first,
)

__all__ = [
    "check_add_key",
    "check_cache_bytes",
    "check_distance_score",
    "check_hard_lookup",
    "check_head_parts",
    "check_hide_key",
    "check_induction_score",
    "check_keep_head",
    "check_linear_causal",
    "check_lucky_head",
    "check_merge_states",
    "check_post_norm_block",
    "check_rms_norm",
    "check_sat_weights",
    "check_share_out",
    "check_shift_targets",
    "check_slow_lookup",
    "check_top_keys",
    "check_window_attention",
    "check_without_first",
]
