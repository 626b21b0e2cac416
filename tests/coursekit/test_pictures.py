"""Inline pictures: what becomes of the SVG that Matplotlib writes."""

import re
from io import StringIO
from xml.etree import ElementTree

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

from attnlib import plots
from coursekit import set_language
from coursekit.explorers import pictures
from coursekit.explorers.style import style


@pytest.fixture(autouse=True)
def _style():
    mpl.use("agg")
    with mpl.rc_context():
        plots.use_style()
        yield
    plt.close("all")


def picture(draw, alt="It grows."):
    """Draw on the axes of a small figure; return its elements."""
    fig, ax = plt.subplots(figsize=(3, 2))
    draw(ax)
    return ElementTree.fromstring(pictures.drawn(fig, alt))


def tags(root, tag):
    return [e.attrib for e in root.iter() if e.tag == tag]


def colour_of_line(colour):
    root = picture(lambda ax: ax.plot([0, 1], [0, 1], color=colour, lw=3))
    (line,) = [p for p in tags(root, "path") if p.get("stroke-width") == "3"]
    return line["stroke"], line.get("stroke-opacity")


def test_black_is_the_ink_and_grey_is_a_share_of_it():
    assert colour_of_line("black") == ("currentcolor", None)
    assert colour_of_line("0.6") == ("currentcolor", "0.5")
    assert colour_of_line("0.1") == ("currentcolor", None)  # 9/8 of it


def test_white_is_the_ground_and_other_colours_stay():
    assert colour_of_line("white") == ("var(--al-ground)", None)
    assert colour_of_line("#123456") == ("#123456", None)


def test_every_colour_of_the_palette_has_a_name_that_the_sheet_knows():
    for colour in plots.CYCLE:
        variable, _ = colour_of_line(colour)
        name = re.fullmatch(r"var\((--al-\w+)\)", variable)[1]
        # Lines and letters, light and dark.
        assert len(re.findall(rf"{name}: ?#", style("pictures.css"))) == 3


def test_text_without_a_colour_and_what_is_filled_black_are_ink():
    root = picture(lambda ax: ax.bar([0], [1], color="black"))
    assert root.get("fill") == "currentcolor"
    assert not [t for t in tags(root, "text") if "fill" in t]


def test_no_white_sheet_is_left_below():
    root = picture(lambda ax: ax.set_axis_on())
    fills = {e.get("fill") for e in root.iter()}
    assert "var(--al-ground)" not in fills


def test_a_clip_is_kept_only_where_it_cuts():
    def line(top):
        def draw(ax):
            ax.plot([0, 1, 2], [0, top, 1], "o-")
            ax.set_ylim(-1, 3)

        return picture(draw)

    assert not tags(line(2), "clipPath")
    cut = line(7)
    (clip,) = tags(cut, "clipPath")
    using = [e for e in cut.iter() if "clip-path" in e.attrib]
    assert {e.get("clip-path") for e in using} == {f"url(#{clip['id']})"}
    assert len(using) == 2  # the line, and its markers


def test_a_clip_of_another_shape_is_kept():
    def draw(ax):
        circle = plt.Circle((0.5, 0.5), 0.5, transform=ax.transData)
        ax.imshow(np.eye(3)).set_clip_path(circle)

    (clip,) = picture(draw).iter("clipPath")
    assert [e.tag for e in clip] == ["path"]


def test_markers_share_one_definition_with_their_colours():
    root = picture(lambda ax: ax.plot([0, 1, 2], [3, 5, 7], "o", color="C1"))
    uses = [u for u in tags(root, "use") if u["href"].startswith("#")]
    assert all(set(u) == {"href", "x", "y"} for u in uses)
    marks = {p["id"]: p for p in tags(root, "path") if "id" in p}
    assert {u["href"][1:] for u in uses} == set(marks)


def test_text_keeps_its_words_place_and_turn():
    def draw(ax):
        ax.set_xlabel("a & b < c")
        ax.set_ylabel("나는")
        ax.text(0.5, 0.5, "code", family="monospace", size=14, style="italic")

    root = picture(draw)
    texts = {e.text: e.attrib for e in root.iter("text")}
    assert "transform" not in texts["a & b < c"]
    assert texts["나는"]["transform"].startswith("rotate(-90 ")
    assert texts["code"]["font-family"] == "monospace"
    assert texts["code"]["font-size"] == "14"
    assert texts["code"]["font-style"] == "italic"
    assert "DejaVu" not in ElementTree.tostring(root, "unicode")


def test_size_is_that_of_the_figure_in_pixels_of_the_page():
    root = picture(lambda ax: ax.plot([0, 1]))
    width, height = (float(n) for n in root.get("viewBox").split()[2:])
    assert abs(float(root.get("width")) - width * 4 / 3) < 1
    assert abs(float(root.get("height")) - height * 4 / 3) < 1


def test_alt_is_escaped():
    root = picture(lambda ax: None, alt='"<&>')
    assert root.get("aria-label") == '"<&>'
    assert root.get("role") == "img"


def test_a_picture_is_less_than_half_of_what_matplotlib_writes():
    fig, ax = plt.subplots()
    ax.pcolormesh(np.eye(7), edgecolors="white")
    ax.plot(np.random.default_rng(0).normal(size=200))
    out = StringIO()
    with mpl.rc_context({"svg.fonttype": "none"}):
        fig.savefig(out, format="svg")
    before = out.getvalue()
    assert len(pictures.inline(before, "noise")) < len(before) / 2


def test_hatching_is_drawn_in_ink():
    root = picture(lambda ax: ax.bar([0], [1], hatch="//", fc="0.92"))
    (pattern,) = root.iter("pattern")
    assert {e.get("fill") for e in pattern} == {"currentcolor"}
    used = {p.get("fill") for p in tags(root, "path")}
    assert f"url(#{pattern.get('id')})" in used


def test_a_scale_is_not_rounded_away():
    fig, ax = plt.subplots()
    ax.imshow(np.eye(2))
    with mpl.rc_context({"svg.fonttype": "path"}):
        out = StringIO()
        fig.savefig(out, format="svg")
    text = pictures.inline(out.getvalue(), "letters drawn as paths")
    scales = {float(s) for s in re.findall(r"scale\(([\d.]+)\)", text)}
    assert scales == {1 / 64}  # in which Matplotlib draws letters


def test_the_words_of_a_map_are_said_in_the_language_of_the_course():
    def words():
        axes = plots.visualize_attention(np.eye(2)[None].repeat(2, 0))
        svg = ElementTree.fromstring(pictures.drawn(axes[0].figure, "Maps."))
        return {e.text for e in svg.iter() if e.text}

    assert {"query", "key", "head 1"} <= words()
    set_language("ko")
    try:
        found = words()
    finally:
        set_language("en")
    assert {"쿼리", "키", "1번 헤드"} <= found
    assert not {"query", "key", "head 1"} & found
