"""Checks of the exercises: they say what is right, and name what is wrong.

Each check takes the function that you wrote and answers in words. It never
fails itself, whatever the function does.

To add a check, make a `Check` in the module of its chapter: a right
function, a few small examples, and wrong functions with words. Import it in
``attnlib/checks/__init__.py`` and add it to ``__all__``. The tests then ask
for a learner's function: ``tests/learners_*.py`` holds right ones, in several
styles, and for each mistake the edit that plants it.
"""

from attnlib.checks.bugs import (
    check_mended_attention,
    check_mended_causal,
    check_mended_chunks,
    check_mended_encoding,
    check_mended_heads,
    check_mended_softmax,
)
from attnlib.checks.engine import Answer, Check, Mistake, Report
from attnlib.checks.intuition import (
    check_hard_lookup,
    check_sat_weights,
    check_share_out,
    check_slow_lookup,
    check_top_keys,
)
from attnlib.checks.masks import (
    check_causal_mask,
    check_is_attention,
    check_padding_mask,
    check_weight_bytes,
)
from attnlib.checks.multi_head import (
    check_count_parameters,
    check_merge_heads,
    check_multi_head,
    check_multi_head_loop,
    check_shuffle_heads,
    check_split_heads,
)
from attnlib.checks.positions import (
    check_causal_alibi,
    check_clipped_bias,
    check_late_scores,
    check_positional_encoding,
    check_rope,
)
from attnlib.checks.self_attention import (
    check_attention,
    check_causal_self_attention,
    check_chunked_attention,
    check_mini_attention,
    check_softmax,
)

__all__ = [
    "Answer",
    "Check",
    "Mistake",
    "Report",
    "check_attention",
    "check_causal_alibi",
    "check_causal_mask",
    "check_causal_self_attention",
    "check_chunked_attention",
    "check_clipped_bias",
    "check_count_parameters",
    "check_hard_lookup",
    "check_is_attention",
    "check_late_scores",
    "check_mended_attention",
    "check_mended_causal",
    "check_mended_chunks",
    "check_mended_encoding",
    "check_mended_heads",
    "check_mended_softmax",
    "check_merge_heads",
    "check_mini_attention",
    "check_multi_head",
    "check_multi_head_loop",
    "check_padding_mask",
    "check_positional_encoding",
    "check_rope",
    "check_sat_weights",
    "check_share_out",
    "check_shuffle_heads",
    "check_slow_lookup",
    "check_softmax",
    "check_split_heads",
    "check_top_keys",
    "check_weight_bytes",
]
