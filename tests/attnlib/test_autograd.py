"""The gradients: against central differences, identities and hand results."""

import numpy as np
import pytest

import attnlib as al
from attnlib import autograd as ag
from attnlib import functional as fn
from attnlib import training

RNG = np.random.default_rng(5)


def draw(*shape):
    return np.asarray(RNG.normal(size=shape))


# Each case: a function of named arrays, and those arrays. Every size is a
# different prime, so that a swapped axis cannot pass.
MASK = np.array(
    [[True, True, False], [False, False, False]] + [[True] * 3] * 3
)
IDS = np.array([[2, 0, 2], [1, 2, 2]])
TARGETS = np.array([[4, 0, 1], [0, 0, 6]])
CASES = {
    "add": (lambda a, b: fn.add(a, b), {"a": draw(2, 3, 5), "b": draw(3, 5)}),
    "add a column": (
        lambda a, b: fn.add(a, b),
        {"a": draw(3, 5), "b": draw(3, 1)},
    ),
    "add a number": (
        lambda a, b: fn.add(a, b),
        {"a": draw(3, 5), "b": draw()},
    ),
    "add to itself": (lambda a: fn.add(a, fn.add(a, a)), {"a": draw(2, 3)}),
    "linear": (
        fn.linear,
        {"x": draw(2, 3, 5), "w": draw(5, 7), "b": draw(7)},
    ),
    "linear without bias": (fn.linear, {"x": draw(3, 5), "w": draw(5, 7)}),
    "split": (
        lambda x: fn.add(fn.split(x, 3)[0], fn.split(x, 3)[2]),
        {"x": draw(2, 3, 15)},
    ),
    "embed": (lambda table: fn.embed(table, IDS), {"table": draw(5, 7)}),
    "layer_norm": (
        fn.layer_norm,
        {"x": draw(2, 3, 5), "gain": draw(5), "bias": draw(5)},
    ),
    "gelu": (fn.gelu, {"x": 3 * draw(3, 11)}),
    "dropout": (
        lambda x: fn.dropout(x, 0.3, np.random.default_rng(2)),
        {"x": draw(5, 7)},
    ),
    "attend": (
        lambda q, k, v: fn.attend(q, k, v)[0],
        {"q": draw(2, 5, 7), "k": draw(2, 3, 7), "v": draw(2, 3, 7)},
    ),
    "attend with heads and a mask": (
        lambda q, k, v: fn.attend(q, k, v, 2, MASK)[0],
        {"q": draw(5, 6), "k": draw(3, 6), "v": draw(3, 6)},
    ),
    "attend to keys that all share": (
        lambda q, k, v: fn.attend(q, k, v, 2)[0],
        {"q": draw(7, 5, 6), "k": draw(3, 6), "v": draw(1, 3, 6)},
    ),
    "attend to itself": (
        lambda x: fn.attend(x, x, x, 3, al.create_causal_mask(5))[0],
        {"x": draw(2, 5, 6)},
    ),
    "cross_entropy": (
        lambda logits: training.cross_entropy(logits, TARGETS),
        {"logits": draw(2, 3, 7)},
    ),
    "cross_entropy with padding": (
        lambda logits: training.cross_entropy(logits, TARGETS, ignore=0),
        {"logits": draw(2, 3, 7)},
    ),
}


def total(function, direction, arrays):
    """Return one number: the result, weighted by a fixed direction."""
    value = function(**arrays)
    return float((getattr(value, "value", value) * direction).sum())


@pytest.mark.parametrize("name", CASES)
def test_gradient_agrees_with_central_differences(name):
    function, arrays = CASES[name]
    leaves = {key: ag.Tensor(array) for key, array in arrays.items()}
    result = function(**leaves)
    direction = np.random.default_rng(7).normal(size=result.value.shape)
    result.grad = None
    # d(sum(direction * result)): start the walk back with the direction.
    start = ag.Tensor(np.array(0.0), (result,), lambda g: (g * direction,))
    start.backward()
    for key, array in arrays.items():
        expected = np.empty_like(array)
        for place in np.ndindex(array.shape):
            moved = []
            for step in (1e-6, -1e-6):
                other = array.copy()
                other[place] += step
                moved.append(total(function, direction, arrays | {key: other}))
            expected[place] = (moved[0] - moved[1]) / 2e-6
        np.testing.assert_allclose(
            leaves[key].grad, expected, rtol=1e-6, atol=1e-7
        )


@pytest.mark.parametrize("name", CASES)
def test_arrays_give_the_same_value_and_no_tensor(name):
    function, arrays = CASES[name]
    plain = function(**arrays)
    taped = function(**{k: ag.Tensor(a) for k, a in arrays.items()})
    assert isinstance(plain, np.ndarray)
    np.testing.assert_array_equal(plain, taped.value)


def test_values_are_those_of_the_package():
    x, w, b = draw(2, 3, 5), draw(5, 7), draw(7)
    np.testing.assert_array_equal(fn.linear(x, w, b), al.linear(x, w, b))
    np.testing.assert_array_equal(fn.gelu(x), al.gelu(x))
    x32 = x.astype("f")  # a gain of float64 leaves it float32
    for a in (x, x32):
        ours = fn.layer_norm(a, x[0, 0], x[0, 1])
        np.testing.assert_array_equal(ours, al.layer_norm(a, x[0, 0], x[0, 1]))
        assert ours.dtype == a.dtype
    q, k, v = draw(5, 6), draw(3, 6), draw(3, 6)
    output, weights = fn.attend(q, k, v, 2, MASK)
    heads = [al.split_heads(x, 2) for x in (q, k, v)]
    expected, maps = al.scaled_dot_product_attention(*heads, MASK)
    np.testing.assert_array_equal(output, al.merge_heads(expected))
    np.testing.assert_array_equal(weights, maps)


def test_hidden_keys_get_no_gradient():
    q, k, v = (ag.Tensor(draw(3, 7)) for _ in range(3))
    output, _ = fn.attend(q, k, v, mask=np.array([True, True, False]))
    output.backward()
    assert (k.grad[2] == 0).all()
    assert (v.grad[2] == 0).all()
    assert (v.grad[:2] != 0).all()


def slopes(q, k, v, mask, g):
    """Return the gradients of q, k and v, given that of the output."""
    leaves = [ag.Tensor(x) for x in (q, k, v)]
    output, _ = fn.attend(*leaves, 2, mask)
    ag.Tensor(np.array(0.0), (output,), lambda one: (one * g,)).backward()
    return [leaf.grad for leaf in leaves]


@pytest.mark.parametrize("as_float", [False, True])
@pytest.mark.parametrize("poison", [np.nan, np.inf, 1e308])
@pytest.mark.parametrize("poisoned", ["k", "v", "kv"])
def test_a_hidden_key_leaks_into_no_gradient(poison, poisoned, as_float):
    q, k, v, g = draw(5, 6), draw(3, 6), draw(3, 6), draw(5, 6)
    mask = np.array([[True, False, True]] * 5)
    if as_float:
        mask = np.where(mask, 0.5, -np.inf)
    clean = slopes(q, k, v, mask, g)
    dirty_k, dirty_v = k.copy(), v.copy()
    if "k" in poisoned:
        dirty_k[1] = poison
    if "v" in poisoned:
        dirty_v[1] = poison
    dirty = slopes(q, dirty_k, dirty_v, mask, g)
    for got, want in zip(dirty, clean, strict=True):
        np.testing.assert_array_equal(got, want)
    assert not dirty[1][1].any()
    assert not dirty[2][1].any()


def test_the_future_leaks_into_no_gradient():
    q, k, v, g = draw(5, 6), draw(5, 6), draw(5, 6), draw(5, 6)
    mask = al.create_causal_mask(5)
    clean, *_ = slopes(q, k, v, mask, g)
    k[4], v[4] = np.nan, np.inf
    dirty, *_ = slopes(q, k, v, mask, g)
    np.testing.assert_array_equal(dirty[:4], clean[:4])
    assert np.isnan(dirty[4]).all()


@pytest.mark.parametrize("place", ["q", "g"])
def test_a_broken_query_reaches_only_the_keys_that_it_sees(place):
    q, k, v, g = draw(5, 6), draw(5, 6), draw(5, 6), draw(5, 6)
    mask = np.eye(5, dtype=bool) | np.eye(5, k=-1, dtype=bool)
    clean = slopes(q, k, v, mask, g)
    {"q": q, "g": g}[place][0] = np.nan  # it sees the first key only
    dirty = slopes(q, k, v, mask, g)
    for got, want in zip(dirty, clean, strict=True):
        np.testing.assert_array_equal(got[1:], want[1:])


def test_cross_entropy_of_equal_logits_is_the_log_of_their_number():
    loss = training.cross_entropy(np.zeros((2, 3, 7)), TARGETS)
    np.testing.assert_allclose(loss, np.log(7))


def test_cross_entropy_ignores_padding():
    logits = draw(2, 3, 7)
    counted = TARGETS != 0
    np.testing.assert_allclose(
        training.cross_entropy(logits, TARGETS, ignore=0),
        training.cross_entropy(logits[counted], TARGETS[counted]),
    )
    leaf = ag.Tensor(logits)
    training.cross_entropy(leaf, TARGETS, ignore=0).backward()
    assert (leaf.grad[~counted] == 0).all()
    assert (leaf.grad[counted] != 0).all()


def test_cross_entropy_survives_huge_logits():
    logits = np.array([[1e4, 0.0], [-1e4, 0.0]], np.float32)
    loss = training.cross_entropy(ag.Tensor(logits), np.array([0, 0]))
    assert loss.value == 5000
    assert loss.value.dtype == np.float32


def test_all_padding_costs_nothing():
    leaf = ag.Tensor(draw(2, 7))
    loss = training.cross_entropy(leaf, np.array([0, 0]), ignore=0)
    loss.backward()
    assert loss.value == 0
    assert (leaf.grad == 0).all()


def test_unused_parameters_get_zeros():
    params = {"used": draw(3, 5), "unused": draw(2)}

    def loss(p):
        return training.cross_entropy(p["used"], np.array([0, 1, 4]))

    _, grads = ag.gradients(loss, params)
    assert (grads["unused"] == 0).all()
    assert (grads["used"] != 0).all()


def test_float32_stays_float32():
    x, w = draw(3, 5).astype("f"), draw(5, 6).astype("f")
    ones = np.ones(6, "f")

    def loss(p):
        h = fn.gelu(fn.linear(x, p["w"]))
        h = fn.layer_norm(h, p["gain"], p["bias"])
        h = fn.dropout(fn.attend(h, h, h, 2)[0], 0.5, np.random.default_rng(0))
        return training.cross_entropy(h, np.array([0, 1, 2]))

    _, grads = ag.gradients(loss, {"w": w, "gain": ones, "bias": ones})
    assert {g.dtype for g in grads.values()} == {np.dtype(np.float32)}


def test_dropout_keeps_the_mean_and_drops_the_share():
    x = np.ones((100, 100))
    y = fn.dropout(x, 0.2, np.random.default_rng(3))
    assert set(np.unique(y)) == {0, 1.25}
    assert abs(y.mean() - 1) < 0.02
    assert fn.dropout(x, 0.2, None) is x
    assert fn.dropout(x, 0.0, np.random.default_rng(3)) is x


def test_first_adam_step_has_the_size_of_the_rate():
    # mean = g and spread = |g| after one step: every number moves by rate.
    params = {"a": np.zeros((2, 3)), "b": np.zeros(5)}
    grads = {"b": np.array([1.0, -2, 3, -4, 5]), "a": np.full((2, 3), -7.0)}
    training.Adam(params).step(grads, rate=0.01)
    np.testing.assert_allclose(params["a"], 0.01)
    np.testing.assert_allclose(params["b"], -0.01 * np.sign(grads["b"]))


def test_second_adam_step_by_hand():
    # Gradients 1 then 3, betas 0.9 and 0.98: the mean is
    # (0.09 + 0.3) / 0.19, that of the squares (0.0196 + 0.18) / 0.0396.
    params = {"w": np.zeros(1)}
    adam = training.Adam(params)
    adam.step({"w": np.array([1.0])}, rate=1.0)
    np.testing.assert_allclose(params["w"], -1)
    adam.step({"w": np.array([3.0])}, rate=1.0)
    second = (0.39 / 0.19) / (0.1996 / 0.0396) ** 0.5
    np.testing.assert_allclose(params["w"], -1 - second)


def test_adam_hardly_follows_a_gradient_of_nearly_zero():
    # g / (sqrt(g**2) + 1e-9) is 1/2 for g = 1e-9.
    params = {"w": np.zeros(1)}
    training.Adam(params).step({"w": np.array([1e-9])}, rate=1.0)
    np.testing.assert_allclose(params["w"], -0.5)


def test_adam_keeps_the_type_of_the_parameters():
    params = {"w": np.zeros(3, "f")}
    training.Adam(params).step({"w": np.ones(3)}, rate=0.5)
    assert params["w"].dtype == np.float32
    np.testing.assert_allclose(params["w"], -0.5)


def test_learning_rate_rises_then_falls_to_zero():
    rates = [
        training.learning_rate(i, peak=0.5, warmup=10, steps=100)
        for i in range(101)
    ]
    assert rates[0] == pytest.approx(0.05)
    assert max(rates) == rates[9] == rates[10] == 0.5
    assert rates[55] == pytest.approx(0.25)
    assert rates[100] == 0
    assert training.learning_rate(101, peak=0.5, warmup=10, steps=100) == 0
    assert training.learning_rate(0, peak=2.0, warmup=0, steps=4) == 2.0


def test_a_second_walk_back_gives_the_same_gradients():
    x = ag.Tensor([1.0])
    y = fn.add(x, x)
    z = fn.add(y, y)
    for _ in range(3):
        z.backward()
        assert x.grad == [4]


def test_a_second_walk_back_leaves_what_the_first_gave():
    x = ag.Tensor(draw(3, 10))
    one, other = fn.split(x, 2)
    fn.add(one, other).backward()
    first = x.grad
    one.backward()  # only this half, now
    assert (first == 1).all()
    np.testing.assert_array_equal(x.grad, [[1] * 5 + [0] * 5] * 3)


def test_changing_one_gradient_changes_no_other():
    params = {"a": draw(), "b": draw()}
    _, grads = ag.gradients(lambda p: fn.add(p["a"], p["b"]), params)
    grads["a"] *= 5
    assert (grads["a"], grads["b"]) == (5, 1)


def test_gradients_have_the_type_of_their_arrays():
    kinds = {"x": "f4", "w": "f8", "b": "f4", "gain": "f8", "bias": "f4"}
    sizes = {"x": (3, 5), "w": (5, 7), "b": 7, "gain": 7, "bias": 7}
    params = {k: np.ones(n, kinds[k]) for k, n in sizes.items()}

    def loss(p):
        h = fn.linear(p["x"], p["w"], p["b"])
        h = fn.layer_norm(h, p["gain"], p["bias"])
        return training.cross_entropy(h, [0, 1, 6])

    _, grads = ag.gradients(loss, params)
    assert {k: g.dtype for k, g in grads.items()} == {
        k: np.dtype(kind) for k, kind in kinds.items()
    }


def test_a_loss_of_no_parameter_has_no_slope():
    loss, grads = ag.gradients(lambda p: np.float32(7), {"w": draw(2, 3)})
    assert loss == 7
    np.testing.assert_array_equal(grads["w"], np.zeros((2, 3)))


def test_an_ignored_target_may_be_impossible():
    # Hand calculation: two equal logits are left in the one row that counts.
    logits = ag.Tensor([[0.0, 0.0, -np.inf], [-np.inf, 0.0, -np.inf]])
    for targets, ignore in ([[0, 2], 2], [[0, -100], -100]):
        loss = training.cross_entropy(logits, targets, ignore=ignore)
        loss.backward()
        np.testing.assert_allclose(loss.value, np.log(2))
        np.testing.assert_allclose(logits.grad, [[-0.5, 0.5, 0], [0, 0, 0]])


@pytest.mark.parametrize("dtype", ["f", "d"])
def test_huge_numbers_have_the_slopes_of_the_limit(dtype):
    x = ag.Tensor(np.array([-1e20, -1e15, 1e15, 1e20], dtype))
    fn.gelu(x).backward()
    np.testing.assert_array_equal(x.grad, [0, 0, 1, 1])


@pytest.mark.parametrize(("dtype", "huge"), [("f", 2.0**66), ("d", 2.0**600)])
def test_layer_norm_of_huge_rows_has_small_slopes(dtype, huge):
    # Stretching a row changes nothing, so the slope shrinks as it grows.
    small, ones = np.array([[8.0, 16, 0], [0, 0, 0]], dtype), np.ones(3, dtype)
    slopes, values = [], []
    for factor in (2.0**20, huge):
        factor = small.dtype.type(factor)
        x = ag.Tensor(small * factor)
        y = fn.layer_norm(x, ones, ones)
        ag.Tensor(0.0, (y,), lambda g: (np.array([[1, 0, 0]] * 2),)).backward()
        slopes.append(x.grad[0] * factor)
        values.append(y.value)
        # A row of zeros is divided by the root of eps, beside any other.
        even = np.array([2, -1, -1]) / 3 / 1e-5**0.5
        np.testing.assert_allclose(x.grad[1], even, rtol=1e-5)
    assert (slopes[0] != 0).all()
    np.testing.assert_allclose(slopes[0], slopes[1], rtol=1e-5)
    np.testing.assert_allclose(values[0], values[1], rtol=1e-5)


def test_lists_do_as_well_as_arrays():
    x, w, b = draw(3, 5), draw(5, 7), draw(7)
    leaf = ag.Tensor(w)
    loss = training.cross_entropy(
        fn.linear(x.tolist(), leaf, b.tolist()), [0, 1, 6]
    )
    loss.backward()
    other = ag.Tensor(w)
    training.cross_entropy(
        fn.linear(x, other, b), np.array([0, 1, 6])
    ).backward()
    np.testing.assert_array_equal(leaf.grad, other.grad)
    table = ag.Tensor(w.tolist())
    fn.embed(table, [[1, 4]]).backward()
    np.testing.assert_array_equal(table.grad.sum(axis=1), [0, 7, 0, 0, 7])


def test_dropout_takes_a_seed_or_a_generator():
    x = np.ones((5, 7))
    np.testing.assert_array_equal(
        fn.dropout(x, 0.5, 3), fn.dropout(x, 0.5, np.random.default_rng(3))
    )


X, ONE = np.ones((2, 3, 5)), np.ones(1)
PARAMS = {"w": np.ones((2, 3))}
WRONG = {
    "add: shapes": (lambda: fn.add(X, np.ones(7)), r"a \(2, 3, 5\), b \(7,\)"),
    "add: words": (lambda: fn.add(X, "ab"), "b must hold"),
    "split: width": (lambda: fn.split(X, 3), r"parts .* \(2, 3, 5\)"),
    "split: parts": (lambda: fn.split(X, 0), "parts"),
    "linear: w": (lambda: fn.linear(X, X), r"w \(2, 3, 5\)"),
    "linear: b": (lambda: fn.linear(X, np.ones((5, 7)), ONE), r"b \(1,\)"),
    "embed: negative": (lambda: fn.embed(X[0], [-1]), "ids .* 0 to 2.* -1"),
    "embed: too large": (lambda: fn.embed(X[0], [[3]]), "ids .* 0 to 2.* 3"),
    "embed: floats": (lambda: fn.embed(X[0], [0.0]), "ids must hold integers"),
    "embed: bools": (lambda: fn.embed(X[0], [True]), "ids .* dtype bool"),
    "embed: table": (lambda: fn.embed(X, [0]), r"table .* \(2, 3, 5\)"),
    "layer_norm: gain": (lambda: fn.layer_norm(X, ONE, X[0, 0]), "gain"),
    "layer_norm: bias": (lambda: fn.layer_norm(X, X[0, 0], X[0]), "bias"),
    "dropout: 1": (lambda: fn.dropout(X, 1, 0), "rate .* 1.0"),
    "dropout: -1": (lambda: fn.dropout(X, -0.1, None), "rate .* -0.1"),
    "dropout: a word": (lambda: fn.dropout(X, "0.1", 0), "rate"),
    "dropout: rng": (lambda: fn.dropout(X, 0.1, "a"), "rng"),
    "attend: heads": (lambda: fn.attend(X, X, X, 2), "num_heads = 2"),
    "attend: widths": (
        lambda: fn.attend(X, X[..., :2], X),
        "q and k .* width",
    ),
    "attend: lengths": (
        lambda: fn.attend(X, X, X[:, :2]),
        "k and v .* length",
    ),
    "attend: batches": (
        lambda: fn.attend(X, np.ones((7, 3, 5)), X),
        "batch axes of q, k and v",
    ),
    "targets: too few": (
        lambda: training.cross_entropy(X, [1]),
        r"logits \(2, 3, 5\), targets \(1,\)",
    ),
    "targets: turned": (
        lambda: training.cross_entropy(X, np.ones((3, 2), int)),
        r"targets \(3, 2\)",
    ),
    "targets: negative": (
        lambda: training.cross_entropy(X[0], [0, 1, -1]),
        "targets .* 0 to 4.* -1",
    ),
    "targets: too large": (
        lambda: training.cross_entropy(X[0], [0, 5, -1], ignore=-1),
        "targets .* 0 to 4.* 5",
    ),
    "targets: floats": (
        lambda: training.cross_entropy(X[0], [0.0, 1.0, 2.0]),
        "targets must hold integers",
    ),
    "targets: bools": (
        lambda: training.cross_entropy(X[0], [True, False, True]),
        "targets .* dtype bool",
    ),
    "logits: a number": (
        lambda: training.cross_entropy(1.0, 0),
        r"logits \(\)",
    ),
    "Tensor: integers": (lambda: ag.Tensor([1, 2]), "value must hold floats"),
    "gradients: shape": (
        lambda: ag.gradients(lambda p: p["w"], PARAMS),
        r"loss .* single number, got shape \(2, 3\)",
    ),
    "gradients: nothing": (
        lambda: ag.gradients(lambda p: None, PARAMS),
        "loss must hold",
    ),
    "Adam: a list": (lambda: training.Adam({"w": [1.0]}), r"params\['w'\]"),
    "Adam: integers": (
        lambda: training.Adam({"w": np.ones(2, int)}),
        "floats",
    ),
    "Adam: shape": (
        lambda: training.Adam(PARAMS).step({"w": np.ones((3, 2))}, 0.1),
        "names and shapes of params.*'w'",
    ),
    "Adam: missing": (lambda: training.Adam(PARAMS).step({}, 0.1), "'w'"),
    "Adam: unknown": (
        lambda: training.Adam(PARAMS).step(PARAMS | {"v": ONE}, 0.1),
        r"\['v'\]",
    ),
    "Adam: rate": (lambda: training.Adam(PARAMS).step(PARAMS, np.nan), "rate"),
    "rate: step": (
        lambda: training.learning_rate(-1, peak=1, warmup=2, steps=3),
        "step must be from 0",
    ),
    "rate: warmup": (
        lambda: training.learning_rate(0, peak=1, warmup=-2, steps=3),
        "warmup must be from 0",
    ),
    "rate: steps": (
        lambda: training.learning_rate(0, peak=1, warmup=2, steps=0),
        "steps must be from 1",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_argument_is_named(name):
    call, message = WRONG[name]
    with pytest.raises((TypeError, ValueError), match=message):
        call()


def test_a_long_chain_does_not_recurse():
    x = leaf = ag.Tensor(np.zeros(1))
    for _ in range(5000):
        x = fn.add(x, 1.0)
    x.backward()
    assert leaf.grad == [1]
