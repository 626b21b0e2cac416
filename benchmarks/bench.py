"""Speed and memory of attention, as ratios measured side by side.

`make bench` runs it. Each row interleaves its competitors, round after
round, in one process, and compares their fastest rounds; absolute times
depend on the machine, the ratios much less. torch takes part if installed.
"""

import os

# A thread that spins while it waits takes a core from whoever comes next.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import math
import time
import tracemalloc

import explorers
import numpy as np
import visits

import attnlib as al
from attnlib import grammar, toydata
from attnlib.efficient import features
from attnlib.training import train
from attnlib.translator import Translator

try:
    import torch
except ImportError:
    torch = None

SMALL = [(5, 4), (8, 16, 16), (8, 64, 64)]
SHAPES = [(1, 8, 512, 64), (1, 8, 2048, 64), (1, 1, 8192, 64)]


def textbook(q, k, v, mask=None):
    """Attention as tutorials write it, kept in float32."""
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, np.float32(-1e9))
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = scores / scores.sum(axis=-1, keepdims=True)
    return weights @ v, weights


def two_products(q, k, v):
    """Compute the two matrix products and nothing else: NumPy's floor."""
    return (q @ k.swapaxes(-1, -2)) @ v


def random(*shape, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal(shape, dtype=np.float32)


def race(competitors, seconds=1.5):
    """Interleave the competitors; return each one's fastest time."""
    times = {name: [] for name in competitors}
    for run in competitors.values():
        run()  # warms up
    start = time.perf_counter()
    while time.perf_counter() - start < seconds * len(competitors):
        for name, run in competitors.items():
            begin = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - begin)
    return {name: min(rounds) for name, rounds in times.items()}


def extra_memory(run):
    """Return the peak of what NumPy allocates during a call, in bytes."""
    tracemalloc.start()
    run()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def row(label, times, base, others):
    cells = "".join(f"{times[name] / times[base]:>12.2f}" for name in others)
    print(f"{label:<34}{times[base] * 1e3:>10.1f} ms{cells}")


def head(title, base, others):
    print(f"\n{title}\n")
    print(f"{'':<34}{base:>13}" + "".join(f"{name:>12}" for name in others))


def attention_speed():
    base = "torch" if torch else "products"
    others = ["textbook", "products", "plain", "tiled"]
    head(f"attention, float32: time relative to {base}", base, others)
    for shape in SHAPES:
        for causal in (False, True):
            q, k, v = (random(*shape, seed=s) for s in range(3))
            mask = al.create_causal_mask(shape[-2]) if causal else None
            times = race(attention_runs(q, k, v, mask, causal))
            row(f"{shape}{' causal' * causal}", times, base, others)


def attention_runs(q, k, v, mask, causal):
    runs = {
        "textbook": lambda: textbook(q, k, v, mask),
        "products": lambda: two_products(q, k, v),
        "plain": lambda: al.scaled_dot_product_attention(q, k, v, mask),
        "tiled": lambda: al.memory_efficient_attention(q, k, v, causal=causal),
    }
    if torch:
        attend = torch.nn.functional.scaled_dot_product_attention
        tensors = [torch.from_numpy(x) for x in (q, k, v)]
        runs["torch"] = lambda: attend(*tensors, is_causal=causal)
    return runs


def small_attention_speed():
    """Report what the checks and guarantees cost where they cost most."""
    others = ["attnlib"]
    head(
        "small attention, float32: time relative to textbook",
        "textbook",
        others,
    )
    for shape in SMALL:
        for causal in (False, True):
            q, k, v = (random(*shape, seed=s) for s in range(3))
            mask = al.create_causal_mask(shape[-2]) if causal else None
            runs = {
                "textbook": textbook,
                "attnlib": al.scaled_dot_product_attention,
            }
            times = race(
                {
                    name: lambda run=run, x=(q, k, v, mask): many(run, *x)
                    for name, run in runs.items()
                }
            )
            label = f"100 times {shape}{' causal' * causal}"
            row(label, times, "textbook", others)


def many(run, *arguments):
    """Call 100 times: one call is shorter than the clock is exact."""
    for _ in range(100):
        run(*arguments)


def attention_memory():
    others = ["textbook", "plain", "tiled", "linear"]
    print("\nextra memory in MB, one head of width 64, float32\n")
    print(f"{'n':>8}" + "".join(f"{name:>12}" for name in others))
    for n in (1024, 4096, 16384):
        q, k, v = (random(n, 64, seed=s) for s in range(3))
        runs = [
            lambda q=q, k=k, v=v: textbook(q, k, v),
            lambda q=q, k=k, v=v: al.scaled_dot_product_attention(q, k, v),
            lambda q=q, k=k, v=v: al.memory_efficient_attention(q, k, v),
            lambda q=q, k=k, v=v: al.linear_attention(q, k, v),
        ]
        cells = (f"{extra_memory(run) / 1e6:>12.1f}" for run in runs)
        print(f"{n:>8}" + "".join(cells))


def multi_head_speed():
    x = random(4, 512, 512)
    ours = al.MultiHeadAttention(512, 8, rng=0)

    def loop():
        """One head after the other, three projections each."""
        heads = []
        for h in range(8):
            c = slice(64 * h, 64 * h + 64)
            projections = (ours.W_q[:, c], ours.W_k[:, c], ours.W_v[:, c])
            heads.append(textbook(*(x @ w for w in projections))[0])
        return np.concatenate(heads, axis=-1) @ ours.W_o

    runs = {"loop": loop, "attnlib": lambda: ours(x)}
    base = "attnlib"
    if torch:
        theirs = torch.nn.MultiheadAttention(
            512, 8, bias=False, batch_first=True
        ).eval()
        t = torch.from_numpy(x)
        base = "torch"
        runs["torch"] = torch.inference_mode()(lambda: theirs(t, t, t))
        runs["all weights"] = torch.inference_mode()(
            lambda: theirs(t, t, t, average_attn_weights=False)
        )
        runs["no weights"] = torch.inference_mode()(
            lambda: theirs(t, t, t, need_weights=False)
        )
    others = [name for name in runs if name != base]
    head(
        "multi-head attention, batch 4, n 512, width 512, 8 heads\n"
        "(torch returns weights averaged over heads, or all, or none; "
        "attnlib all)",
        base,
        others,
    )
    row("time relative to " + base, race(runs), base, others)


def linear_token_by_token(q, k, v):
    q, k = features(q), features(k)
    state, total = np.zeros((64, 64), np.float32), np.zeros(64, np.float32)
    output = np.empty_like(v)
    for i in range(len(q)):
        state += np.outer(k[i], v[i])
        total += k[i]
        output[i] = q[i] @ state / (q[i] @ total)
    return output


def linear_cumulative_sum(q, k, v):
    q, k = features(q), features(k)
    state = np.cumsum(k[:, :, None] * v[:, None, :], axis=0)
    top = np.matmul(q[:, None, :], state)[:, 0]
    return top / (q * np.cumsum(k, axis=0)).sum(-1, keepdims=True)


def linear_speed():
    q, k, v = (random(4096, 64, seed=s) for s in range(3))
    runs = {
        "chunks": lambda: al.linear_attention(q, k, v, causal=True),
        "tokens": lambda: linear_token_by_token(q, k, v),
        "cumsum": lambda: linear_cumulative_sum(q, k, v),
        "tiled": lambda: al.memory_efficient_attention(q, k, v, causal=True),
    }
    np.testing.assert_allclose(runs["chunks"](), runs["tokens"](), atol=1e-3)
    np.testing.assert_allclose(runs["chunks"](), runs["cumsum"](), atol=1e-3)
    others = ["tokens", "cumsum", "tiled"]
    head("causal linear attention, one head, n 4096", "chunks", others)
    row("time relative to chunks", race(runs), "chunks", others)


def cache_speed():
    x = random(512, 256)
    attend = al.MultiHeadAttention(256, 8, rng=0)

    def cached():
        cache = al.KVCache()
        return [attend(x[i : i + 1], cache=cache)[0] for i in range(512)]

    def recomputed():
        last = []
        for i in range(1, 513):
            mask = al.create_causal_mask(i)
            last.append(attend(x[:i], mask=mask)[0][-1:])
        return last

    np.testing.assert_allclose(
        np.vstack(cached()), np.vstack(recomputed()), atol=1e-4
    )
    head("generating 512 tokens, width 256", "recomputed", ["cached"])
    times = race({"cached": cached, "recomputed": recomputed})
    row("time relative to recomputing", times, "recomputed", ["cached"])


def training_speed():
    split = grammar.split_sentences(0, test=1)
    words = [toydata.vocabulary(e[i] for e in split.train) for i in (0, 1)]
    head(
        "one training step of the translator, batch 64",
        "torch" if torch else "attnlib",
        ["attnlib"],
    )
    for layers in (0, 1):
        rng = np.random.default_rng(0)
        model = Translator(*words, encoder_layers=layers, hide=0, rng=rng)
        batch = model.batches(split.train, rng)()
        steps = train(model, lambda batch=batch: batch, steps=10**6, rng=rng)
        runs = {"attnlib": lambda steps=steps: next(steps)}
        if torch:
            runs["torch"] = torch_step(model, batch)
        base = "torch" if torch else "attnlib"
        row(f"{layers} encoder layers", race(runs, 4), base, ["attnlib"])


def torch_step(model, batch):
    import torch_translator

    params = {k: torch.tensor(a) for k, a in model.params.items()}
    for array in params.values():
        array.requires_grad_()
    adam = torch.optim.Adam([*params.values()], lr=1e-5, betas=(0.9, 0.98))
    tensors = [torch.from_numpy(x) for x in batch]
    return lambda: torch_translator.step(model, params, adam, *tensors)


def main():
    version = torch.__version__ if torch else "not installed"
    print(f"NumPy {np.__version__}, torch {version}, {os.cpu_count()} cores")
    attention_speed()
    small_attention_speed()
    attention_memory()
    multi_head_speed()
    linear_speed()
    cache_speed()
    training_speed()
    explorers.main()
    visits.main()


if __name__ == "__main__":
    main()
