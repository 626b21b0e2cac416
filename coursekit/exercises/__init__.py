"""The exercises of the course, one module a chapter.

Each is a `Check` or an `Answer`: what to write, a right answer, examples, and
the mistakes that learners make, as words and as edits of the right answer. To
add one, write it into the module of its chapter and name it here; then write
answers as a learner would, right ones and wrong ones, into
``tests/coursekit/learners_*.py``.
"""

from coursekit.exercises.biases import (
    check_causal_alibi,
    check_clipped_bias,
)
from coursekit.exercises.cross_attention import (
    check_alignment_share,
    check_cross_attention,
)
from coursekit.exercises.gradient import check_attention_gradient
from coursekit.exercises.intuition import (
    check_hard_lookup,
    check_sat_weights,
    check_share_out,
    check_slow_lookup,
    check_top_keys,
)
from coursekit.exercises.positions import check_positional_encoding
from coursekit.exercises.rotary import (
    check_late_scores,
    check_rope,
)
from coursekit.exercises.training import (
    check_mean_loss,
    check_teacher_forcing,
)

__all__ = [
    "check_alignment_share",
    "check_attention_gradient",
    "check_causal_alibi",
    "check_clipped_bias",
    "check_cross_attention",
    "check_hard_lookup",
    "check_late_scores",
    "check_mean_loss",
    "check_positional_encoding",
    "check_rope",
    "check_sat_weights",
    "check_share_out",
    "check_slow_lookup",
    "check_teacher_forcing",
    "check_top_keys",
]
