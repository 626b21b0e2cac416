import numpy as np
import pytest

import attnlib as al

mpl = pytest.importorskip("matplotlib")  # a browser's Python has none
plt = pytest.importorskip("matplotlib.pyplot")
plots = pytest.importorskip("attnlib.plots")

DARK = [("#ced6dd", "#121212")]  # the ink and the ground of the dark page
HANGUL = ["나는", "학교에", "간다"]


@pytest.fixture(autouse=True)
def _close_figures():
    mpl.use("agg")
    yield
    plt.close("all")


def causal_weights(n, *heads):
    x = np.random.default_rng(0).normal(size=(*heads, n, 7))
    mask = al.create_causal_mask(n)
    return al.scaled_dot_product_attention(x, x, x, mask)[1]


def tick_labels(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def texts(ax):
    return [text.get_text() for text in ax.texts]


def hatched(ax):
    """Return the cells (row, column) that are hatched."""
    kind = mpl.collections.PatchCollection
    (patches,) = [c for c in ax.collections if isinstance(c, kind)]
    assert patches.get_hatch()
    corners = (path.get_extents().min for path in patches.get_paths())
    return {(int(y), int(x)) for x, y in corners}


def test_one_map_has_tokens_values_and_hatching():
    weights = causal_weights(3)
    ax = al.visualize_attention(weights, HANGUL)
    assert isinstance(ax, plt.Axes)
    assert tick_labels(ax.xaxis) == tick_labels(ax.yaxis) == HANGUL
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("key", "query")
    assert hatched(ax) == {(0, 1), (0, 2), (1, 2)}
    assert texts(ax) == [f"{w:.2f}" for w in weights[weights > 0]]


def test_first_query_is_the_top_row():
    ax = al.visualize_attention(causal_weights(3))
    top, bottom = ax.get_ylim()[::-1]
    assert top < bottom
    assert tick_labels(ax.yaxis) == ["0", "1", "2"]


def test_values_stand_in_their_cells():
    weights = al.softmax(np.random.default_rng(1).normal(size=(3, 5)))
    ax = al.visualize_attention(weights)
    for text in ax.texts:
        column, row = (int(x) for x in text.xy)
        assert text.get_text() == f"{weights[row, column]:.2f}"


def test_values_can_be_left_out_and_are_where_they_do_not_fit():
    assert not texts(al.visualize_attention(causal_weights(3), values=False))
    assert not texts(al.visualize_attention(causal_weights(61)))


def test_written_values_fit_into_their_cells():
    for n in (3, 7, 11, 13, 17):
        ax = al.visualize_attention(causal_weights(n))
        ax.figure.draw_without_rendering()
        cell = ax.get_window_extent().width / n
        for text in ax.texts:
            assert text.get_window_extent().width < cell


def contrast(a, b):
    """Compute the contrast ratio of two colours as WCAG defines it."""
    light = []
    for colour in (a, b):
        rgb = [
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
            for c in mpl.colors.to_rgb(colour)
        ]
        light.append(0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2])
    return (max(light) + 0.05) / (min(light) + 0.05)


@pytest.mark.parametrize(
    ("ink", "ground"), [("black", "white"), ("#323232", "white"), *DARK]
)
def test_values_can_be_read_on_every_cell_in_light_and_dark(ink, ground):
    ground = np.array(mpl.colors.to_rgb(ground))
    for weight in np.linspace(0, 1, 49):
        *colour, alpha = plots.SEQUENTIAL(weight)
        cell = alpha * np.array(colour) + (1 - alpha) * ground
        assert contrast(ink, cell) >= 4.5


def test_values_are_written_in_ink():
    ax = al.visualize_attention(np.linspace(0.1, 0.9, 9).reshape(3, 3))
    assert len(ax.texts) == 9
    assert {text.get_color() for text in ax.texts} == {"black"}


def test_nothing_is_transparent_in_both_maps():
    assert plots.SEQUENTIAL(0.0)[3] == 0
    assert plots.DIVERGING(0.5)[3] < 0.01
    assert plots.DIVERGING(0.0)[3] == plots.DIVERGING(1.0)[3] > 0.8


def test_heads_make_a_grid():
    axes = al.visualize_attention(causal_weights(3, 5), HANGUL)
    assert axes.shape == (5,)
    assert [ax.get_title() for ax in axes] == [f"head {h}" for h in range(5)]
    assert len(axes[0].figure.axes) == 5


def test_draws_on_given_axes_and_returns_them():
    _, ax = plt.subplots()
    assert al.visualize_attention(causal_weights(3), ax=ax) is ax
    _, grid = plt.subplots(2, 2)
    axes = al.visualize_attention(causal_weights(3, 4), ax=grid)
    assert list(axes) == list(grid.flat)


def test_a_masked_array_says_what_is_hidden():
    weights = np.ma.array([[1.0, 0.0]], mask=[[True, False]])
    ax = al.visualize_attention(weights)
    assert hatched(ax) == {(0, 0)}
    assert texts(ax) == ["0.00"]


def test_hangul_is_drawn_without_a_missing_glyph_warning(tmp_path):
    # warnings are errors here
    ax = al.visualize_attention(causal_weights(3), HANGUL)
    ax.figure.savefig(tmp_path / "map.png")
    ax.figure.savefig(tmp_path / "map.svg")
    assert "NanumGothic" in ax.get_xticklabels()[0].get_fontfamily()


def test_tokens_are_not_read_as_mathematics(tmp_path):
    ax = al.visualize_attention(np.eye(2) + 0.0, [r"$\bad$", "$a$"])
    ax.figure.savefig(tmp_path / "map.png")


def test_figures_of_readers_keep_their_own_settings():
    before = dict(mpl.rcParams)
    al.visualize_attention(causal_weights(3), HANGUL)
    assert dict(mpl.rcParams) == before


def test_use_style_lets_any_figure_show_hangul(tmp_path, caplog):
    with mpl.rc_context():
        plots.use_style()
        fig, ax = plt.subplots()
        ax.set_xlabel("나는 학교에 간다")
        ax.set_ylabel("나는", weight="bold")
        fig.savefig(tmp_path / "figure.png")
    assert not caplog.records  # Matplotlib logs a font that it cannot find


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((np.ones((2, 3, 4, 5)),), ValueError, r"\(2, 3, 4, 5\)"),
        ((np.full((2, 2), 7.0),), ValueError, "between 0 and 1.*7"),
        ((np.full((2, 2), np.nan),), ValueError, "between 0 and 1"),
        ((np.eye(3), ["a", "b"]), ValueError, "query_tokens has 2 .* 3"),
        ((np.eye(3), None, ["a"]), ValueError, "key_tokens has 1 .* 3"),
        (("map",), TypeError, "weights"),
        ((np.eye(3), "abc"), TypeError, "query_tokens .*str"),
        ((np.eye(3), None, 5), TypeError, "key_tokens .*int"),
    ],
)
def test_misuse_is_named(arguments, error, message):
    with pytest.raises(error, match=message):
        al.visualize_attention(*arguments)


@pytest.mark.parametrize("ax", ["x", 5, [None]])
def test_something_else_than_axes_is_named(ax):
    with pytest.raises(TypeError, match="ax must be Axes"):
        al.visualize_attention(causal_weights(3), ax=ax)


def test_number_of_axes_must_be_that_of_heads():
    _, grid = plt.subplots(1, 3)
    with pytest.raises(ValueError, match=r"3 Axes .*\(4, 3, 3\)"):
        al.visualize_attention(causal_weights(3, 4), ax=grid)
