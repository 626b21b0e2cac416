"""The mathematics of attention in NumPy: exact, fast and readable.

Arrays are ``(..., n, d)``, heads ``(..., heads, n, d)``, projections are
``x @ W``. Masks are boolean and True means *may attend*.
"""

from attnlib.attention import (
    scaled_dot_product_attention,
    self_attention,
    validate_attention,
)
from attnlib.cache import KVCache
from attnlib.efficient import linear_attention, memory_efficient_attention
from attnlib.masks import (
    create_causal_mask,
    create_padding_mask,
    create_padding_mask_from_ids,
    create_window_mask,
)
from attnlib.multihead import (
    MultiHeadAttention,
    grouped_query_attention,
    merge_heads,
    split_heads,
)
from attnlib.ops import gelu, layer_norm, linear, softmax
from attnlib.positions import (
    add_positional_encoding,
    alibi_bias,
    alibi_slopes,
    apply_rope,
    positional_encoding,
    relative_position_bias,
    relative_position_bucket,
)

__all__ = [
    "KVCache",
    "MultiHeadAttention",
    "add_positional_encoding",
    "alibi_bias",
    "alibi_slopes",
    "apply_rope",
    "create_causal_mask",
    "create_padding_mask",
    "create_padding_mask_from_ids",
    "create_window_mask",
    "gelu",
    "grouped_query_attention",
    "layer_norm",
    "linear",
    "linear_attention",
    "memory_efficient_attention",
    "merge_heads",
    "positional_encoding",
    "relative_position_bias",
    "relative_position_bucket",
    "scaled_dot_product_attention",
    "self_attention",
    "softmax",
    "split_heads",
    "validate_attention",
    "visualize_attention",
]

__version__ = "0.1.0"


def __getattr__(name):
    """Load Matplotlib only for the one function that draws."""
    if name == "visualize_attention":
        from attnlib.plots import visualize_attention

        return visualize_attention
    raise AttributeError(f"module 'attnlib' has no attribute {name!r}")
