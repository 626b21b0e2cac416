"""The gradients: against central differences, identities and hand results."""

import numpy as np
import pytest

import attnlib as al
from attnlib import autograd as ag

RNG = np.random.default_rng(5)


def draw(*shape):
    return RNG.normal(size=shape)


# Each case: a function of named arrays, and those arrays. Every size is a
# different prime, so that a swapped axis cannot pass.
MASK = np.array(
    [[True, True, False], [False, False, False]] + [[True] * 3] * 3
)
IDS = np.array([[2, 0, 2], [1, 2, 2]])
TARGETS = np.array([[4, 0, 1], [0, 0, 6]])
CASES = {
    "add": (lambda a, b: ag.add(a, b), {"a": draw(2, 3, 5), "b": draw(3, 5)}),
    "add a column": (
        lambda a, b: ag.add(a, b),
        {"a": draw(3, 5), "b": draw(3, 1)},
    ),
    "add to itself": (lambda a: ag.add(a, ag.add(a, a)), {"a": draw(2, 3)}),
    "linear": (
        ag.linear,
        {"x": draw(2, 3, 5), "w": draw(5, 7), "b": draw(7)},
    ),
    "linear without bias": (ag.linear, {"x": draw(3, 5), "w": draw(5, 7)}),
    "split": (
        lambda x: ag.add(ag.split(x, 3)[0], ag.split(x, 3)[2]),
        {"x": draw(2, 3, 15)},
    ),
    "embed": (lambda table: ag.embed(table, IDS), {"table": draw(5, 7)}),
    "layer_norm": (
        ag.layer_norm,
        {"x": draw(2, 3, 5), "gain": draw(5), "bias": draw(5)},
    ),
    "gelu": (ag.gelu, {"x": 3 * draw(3, 11)}),
    "dropout": (
        lambda x: ag.dropout(x, 0.3, np.random.default_rng(2)),
        {"x": draw(5, 7)},
    ),
    "attend": (
        lambda q, k, v: ag.attend(q, k, v)[0],
        {"q": draw(2, 5, 7), "k": draw(2, 3, 7), "v": draw(2, 3, 7)},
    ),
    "attend with heads and a mask": (
        lambda q, k, v: ag.attend(q, k, v, 2, MASK)[0],
        {"q": draw(5, 6), "k": draw(3, 6), "v": draw(3, 6)},
    ),
    "attend to itself": (
        lambda x: ag.attend(x, x, x, 3, al.create_causal_mask(5))[0],
        {"x": draw(2, 5, 6)},
    ),
    "cross_entropy": (
        lambda logits: ag.cross_entropy(logits, TARGETS),
        {"logits": draw(2, 3, 7)},
    ),
    "cross_entropy with padding": (
        lambda logits: ag.cross_entropy(logits, TARGETS, ignore=0),
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
    np.testing.assert_array_equal(ag.linear(x, w, b), al.linear(x, w, b))
    np.testing.assert_array_equal(ag.gelu(x), al.gelu(x))
    np.testing.assert_allclose(
        ag.layer_norm(x, x[0, 0], x[0, 1]),
        al.layer_norm(x, x[0, 0], x[0, 1]),
        rtol=1e-14,
    )
    q, k, v = draw(5, 6), draw(3, 6), draw(3, 6)
    output, weights = ag.attend(q, k, v, 2, MASK)
    heads = [al.split_heads(x, 2) for x in (q, k, v)]
    expected, maps = al.scaled_dot_product_attention(*heads, MASK)
    np.testing.assert_array_equal(output, al.merge_heads(expected))
    np.testing.assert_array_equal(weights, maps)


def test_hidden_keys_get_no_gradient():
    q, k, v = (ag.Tensor(draw(3, 7)) for _ in range(3))
    output, _ = ag.attend(q, k, v, mask=np.array([True, True, False]))
    output.backward()
    assert (k.grad[2] == 0).all()
    assert (v.grad[2] == 0).all()
    assert (v.grad[:2] != 0).all()


def test_cross_entropy_of_equal_logits_is_the_log_of_their_number():
    loss = ag.cross_entropy(np.zeros((2, 3, 7)), TARGETS)
    np.testing.assert_allclose(loss, np.log(7))


def test_cross_entropy_ignores_padding():
    logits = draw(2, 3, 7)
    counted = TARGETS != 0
    np.testing.assert_allclose(
        ag.cross_entropy(logits, TARGETS, ignore=0),
        ag.cross_entropy(logits[counted], TARGETS[counted]),
    )
    leaf = ag.Tensor(logits)
    ag.cross_entropy(leaf, TARGETS, ignore=0).backward()
    assert (leaf.grad[~counted] == 0).all()
    assert (leaf.grad[counted] != 0).all()


def test_cross_entropy_survives_huge_logits():
    logits = np.array([[1e4, 0.0], [-1e4, 0.0]], np.float32)
    loss = ag.cross_entropy(ag.Tensor(logits), np.array([0, 0]))
    assert loss.value == 5000
    assert loss.value.dtype == np.float32


def test_all_padding_costs_nothing():
    leaf = ag.Tensor(draw(2, 7))
    loss = ag.cross_entropy(leaf, np.array([0, 0]), ignore=0)
    loss.backward()
    assert loss.value == 0
    assert (leaf.grad == 0).all()


def test_unused_parameters_get_zeros():
    params = {"used": draw(3, 5), "unused": draw(2)}

    def loss(p):
        return ag.cross_entropy(p["used"], np.array([0, 1, 4]))

    _, grads = ag.gradients(loss, params)
    assert (grads["unused"] == 0).all()
    assert (grads["used"] != 0).all()


def test_float32_stays_float32():
    x, w = draw(3, 5).astype("f"), draw(5, 6).astype("f")
    ones = np.ones(6, "f")

    def loss(p):
        h = ag.gelu(ag.linear(x, p["w"]))
        h = ag.layer_norm(h, p["gain"], p["bias"])
        h = ag.dropout(ag.attend(h, h, h, 2)[0], 0.5, np.random.default_rng(0))
        return ag.cross_entropy(h, np.array([0, 1, 2]))

    _, grads = ag.gradients(loss, {"w": w, "gain": ones, "bias": ones})
    assert {g.dtype for g in grads.values()} == {np.dtype(np.float32)}


def test_dropout_keeps_the_mean_and_drops_the_share():
    x = np.ones((100, 100))
    y = ag.dropout(x, 0.2, np.random.default_rng(3))
    assert set(np.unique(y)) == {0, 1.25}
    assert abs(y.mean() - 1) < 0.02
    assert ag.dropout(x, 0.2, None) is x
    assert ag.dropout(x, 0.0, np.random.default_rng(3)) is x


def test_first_adam_step_has_the_size_of_the_rate():
    # mean = g and spread = |g| after one step: every number moves by rate.
    params = {"a": np.zeros((2, 3)), "b": np.zeros(5)}
    grads = {"b": np.array([1.0, -2, 3, -4, 5]), "a": np.full((2, 3), -7.0)}
    ag.Adam(params).step(grads, rate=0.01)
    np.testing.assert_allclose(params["a"], 0.01)
    np.testing.assert_allclose(params["b"], -0.01 * np.sign(grads["b"]))


def test_second_adam_step_by_hand():
    # Gradients 1 then 3, betas 1/2 and 3/4: the mean is 1.75 / 0.75, that of
    # the squares (3/16 + 9/4) / (7/16) = 39/7.
    params = {"w": np.zeros(1)}
    adam = ag.Adam(params, betas=(0.5, 0.75), eps=0.0)
    adam.step({"w": np.array([1.0])}, rate=1.0)
    np.testing.assert_allclose(params["w"], -1)
    adam.step({"w": np.array([3.0])}, rate=1.0)
    np.testing.assert_allclose(params["w"], -1 - 1.75 / 0.75 / (39 / 7) ** 0.5)


def test_learning_rate_rises_then_falls_to_zero():
    rates = [
        ag.learning_rate(i, peak=0.5, warmup=10, steps=100) for i in range(101)
    ]
    assert rates[0] == pytest.approx(0.05)
    assert max(rates) == rates[9] == rates[10] == 0.5
    assert rates[55] == pytest.approx(0.25)
    assert rates[100] == 0
    assert ag.learning_rate(0, peak=2.0, warmup=0, steps=4) == 2.0


def test_a_long_chain_does_not_recurse():
    x = leaf = ag.Tensor(np.zeros(1))
    for _ in range(5000):
        x = ag.add(x, 1.0)
    x.backward()
    assert leaf.grad == [1]
