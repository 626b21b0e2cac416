"""The translator's loss in eager PyTorch, from the same parameters.

A second implementation, for two purposes: a reference for the gradients
(tests) and a competitor for the speed of training (`make bench`).
"""

import torch

import attnlib as al

F = torch.nn.functional


def linear(p, name, x):
    return x @ p[f"{name}.W"] + p[f"{name}.b"]


def norm(p, name, x):
    gain, bias = p[f"{name}.norm.gain"], p[f"{name}.norm.bias"]
    return F.layer_norm(x, x.shape[-1:], gain, bias)


def attend(q, k, v, num_heads, mask):
    q, k, v = (
        x.unflatten(-1, (num_heads, -1)).transpose(1, 2) for x in (q, k, v)
    )
    mixed = F.scaled_dot_product_attention(q, k, v, mask)
    return mixed.transpose(1, 2).flatten(2)


def block(p, name, x, num_heads, mask, drop, memory=None, memory_mask=None):
    h = norm(p, f"{name}.self", x)
    q, k, v = linear(p, f"{name}.self.qkv", h).chunk(3, dim=-1)
    mixed = attend(q, k, v, num_heads, mask)
    x = x + drop(linear(p, f"{name}.self.out", mixed))
    if memory is not None:
        q = linear(p, f"{name}.cross.q", norm(p, f"{name}.cross", x))
        k, v = linear(p, f"{name}.cross.kv", memory).chunk(2, dim=-1)
        mixed = attend(q, k, v, 1, memory_mask)
        x = x + drop(linear(p, f"{name}.cross.out", mixed))
    h = linear(p, f"{name}.feed.in", norm(p, f"{name}.feed", x))
    h = F.gelu(h, approximate="tanh")
    return x + drop(linear(p, f"{name}.feed.out", h))


def embed(table, ids):
    places = al.positional_encoding(ids.shape[1], table.shape[1])
    return table[ids] + torch.from_numpy(places).to(table.dtype)


def loss(model, p, source, target, dropout=0.0):
    """Return the loss of `attnlib.translator.Translator`, in torch."""

    def drop(x):
        return F.dropout(x, dropout)

    seen = (source != 0)[:, None, None]
    memory = drop(embed(p["source"], source))
    for i in range(model.encoder_layers):
        memory = block(p, f"encoder{i}", memory, model.num_heads, seen, drop)
    words, wanted = target[:, :-1], target[:, 1:]
    causal = torch.ones(words.shape[1], words.shape[1]).tril().bool()
    x = drop(embed(p["target"], words))
    x = block(p, "decoder", x, model.num_heads, causal, drop, memory, seen)
    logits = linear(p, "out", norm(p, "out", x))
    return F.cross_entropy(
        logits.flatten(0, 1), wanted.flatten(), ignore_index=0
    )


def step(model, p, optimiser, source, target):
    """Take one step of training."""
    optimiser.zero_grad()
    loss(model, p, source, target, model.dropout).backward()
    optimiser.step()
