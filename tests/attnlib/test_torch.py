"""Agreement with PyTorch, where it is installed."""

import numpy as np
import pytest

import attnlib as al
from attnlib import grammar, toydata
from attnlib.autograd import gradients
from attnlib.training import Adam
from attnlib.translator import Translator

torch = pytest.importorskip("torch", exc_type=ImportError)
F = torch.nn.functional

BATCH, HEADS, N_Q, N_K, D_HEAD = 2, 3, 5, 7, 11
D_MODEL = HEADS * D_HEAD
rng = np.random.default_rng(0)


def to_torch(*arrays):
    return [torch.from_numpy(np.array(a)) for a in arrays]


def qkv():
    shapes = (N_Q, D_HEAD), (N_K, D_HEAD), (N_K, 13)
    return [rng.normal(size=(BATCH, HEADS, *s)) for s in shapes]


@pytest.mark.parametrize("kind", [None, "bool", "float"])
def test_attention_agrees(kind):
    q, k, v = qkv()
    mask = None
    if kind == "bool":
        mask = rng.random((BATCH, 1, N_Q, N_K)) < 0.6
        mask[..., 0] = True
    if kind == "float":
        mask = rng.normal(size=(N_Q, N_K))
    torch_mask = None if mask is None else to_torch(mask)[0]
    want = F.scaled_dot_product_attention(*to_torch(q, k, v), torch_mask)
    for function in (
        lambda *a: al.scaled_dot_product_attention(*a)[0],
        lambda *a: al.memory_efficient_attention(*a, block_size=2),
    ):
        got = function(q, k, v, mask)
        np.testing.assert_allclose(got, want.numpy(), atol=1e-12)


def test_causal_attention_agrees_for_equal_lengths():
    q = k = v = rng.normal(size=(BATCH, HEADS, 17, 4))
    want = F.scaled_dot_product_attention(*to_torch(q, k, v), is_causal=True)
    got = al.memory_efficient_attention(q, k, v, causal=True, block_size=3)
    np.testing.assert_allclose(got, want.numpy(), atol=1e-12)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("cross", [False, True])
def test_multi_head_attention_agrees(bias, cross):
    ours = al.MultiHeadAttention(
        D_MODEL, HEADS, bias=bias, rng=1, dtype=np.float64
    )
    theirs = torch.nn.MultiheadAttention(
        D_MODEL, HEADS, bias=bias, batch_first=True, dtype=torch.float64
    )
    if bias:
        for name in ("b_q", "b_k", "b_v", "b_o"):
            setattr(ours, name, rng.normal(size=D_MODEL))
    with torch.no_grad():
        # torch multiplies by the transposed matrix
        stacked = np.vstack([ours.W_q.T, ours.W_k.T, ours.W_v.T])
        theirs.in_proj_weight[:] = torch.from_numpy(stacked)
        theirs.out_proj.weight[:] = torch.from_numpy(ours.W_o.T.copy())
        if bias:
            stacked = np.hstack([ours.b_q, ours.b_k, ours.b_v])
            theirs.in_proj_bias[:] = torch.from_numpy(stacked)
            theirs.out_proj.bias[:] = torch.from_numpy(ours.b_o.copy())
    x = rng.normal(size=(BATCH, N_Q, D_MODEL))
    y = rng.normal(size=(BATCH, N_K, D_MODEL)) if cross else x
    padding = np.array([[False] * 4 + [True] * (y.shape[1] - 4)] * BATCH)
    tx, ty, tp = to_torch(x, y, padding)
    with torch.no_grad():  # torch writes True for blocked
        want = theirs(
            tx, ty, ty, key_padding_mask=tp, average_attn_weights=False
        )
    got = ours(x, y, mask=~padding[:, None, None])
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b.detach().numpy(), atol=1e-12)


def test_grouped_queries_agree():
    q = rng.normal(size=(BATCH, 6, N_Q, D_HEAD))
    k, v = rng.normal(size=(2, BATCH, 2, N_K, D_HEAD))
    want = F.scaled_dot_product_attention(*to_torch(q, k, v), enable_gqa=True)
    got, _ = al.grouped_query_attention(q, k, v)
    np.testing.assert_allclose(got, want.numpy(), atol=1e-12)


def test_small_operations_agree():
    x = rng.normal(size=(BATCH, N_Q, 13)) * 3
    gain, bias = rng.normal(size=(2, 13))
    tx, tg, tb = to_torch(x, gain, bias)
    np.testing.assert_allclose(
        al.softmax(x, axis=1), F.softmax(tx, dim=1).numpy(), atol=1e-14
    )
    np.testing.assert_allclose(
        al.layer_norm(x, gain, bias),
        F.layer_norm(tx, (13,), tg, tb).numpy(),
        atol=1e-12,
    )
    np.testing.assert_allclose(
        al.gelu(x), F.gelu(tx, approximate="tanh").numpy(), atol=1e-12
    )


def test_causal_linear_attention_agrees_with_a_cumulative_sum():
    q, k = rng.normal(size=(2, BATCH, 300, 7))
    v = rng.normal(size=(BATCH, 300, 5))
    fq, fk = (F.elu(t) + 1 for t in to_torch(q, k))
    tv = to_torch(v)[0]
    state = torch.cumsum(fk[..., None] * tv[..., None, :], dim=1)
    total = torch.cumsum(fk, dim=1)
    top = torch.einsum("bnd,bndv->bnv", fq, state)
    want = top / torch.einsum("bnd,bnd->bn", fq, total)[..., None]
    got = al.linear_attention(q, k, v, causal=True)
    np.testing.assert_allclose(got, want.numpy(), atol=1e-12)


def small_translator(layers):
    split = grammar.split_sentences(0, train=300, test=1)
    words = [toydata.vocabulary(e[i] for e in split.train) for i in (0, 1)]
    model = Translator(*words, encoder_layers=layers, rng=0, dropout=0.0)
    model.params = {k: a.astype(float) for k, a in model.params.items()}
    return model, model.batches(split.train, rng, size=7)()


@pytest.mark.parametrize("layers", [0, 2])
def test_every_gradient_of_the_translator_agrees(layers):
    import torch_translator

    model, batch = small_translator(layers)
    loss, grads = gradients(lambda p: model.loss(p, batch), model.params)
    params = {k: torch.tensor(a) for k, a in model.params.items()}
    for array in params.values():
        array.requires_grad_()
    want = torch_translator.loss(model, params, *to_torch(*batch))
    want.backward()
    assert loss == pytest.approx(want.item(), rel=1e-12)
    for name, gradient in grads.items():
        expected = params[name].grad
        expected = 0 if expected is None else expected.numpy()
        np.testing.assert_allclose(gradient, expected, atol=1e-12)


def test_adam_agrees():
    start = rng.normal(size=(3, 5))
    params, theirs = {"w": start.copy()}, torch.tensor(start)
    theirs.requires_grad_()
    adam = Adam(params)
    other = torch.optim.Adam([theirs], lr=0.01, betas=(0.9, 0.98), eps=1e-9)
    for _ in range(5):
        gradient = rng.normal(size=(3, 5))
        adam.step({"w": gradient}, rate=0.01)
        theirs.grad = torch.tensor(gradient)
        other.step()
    np.testing.assert_allclose(params["w"], theirs.detach(), rtol=1e-12)
