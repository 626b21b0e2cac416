"""The one rewriting of the pages, on small pieces of HTML."""

import io

import formulas
import frontend
import goals
import lettering
import locking
import pytest
import staging
from fontTools.ttLib import TTFont
from markup import Page


def test_what_is_not_edited_stays_byte_for_byte():
    html = (
        "<!DOCTYPE html>\n<html>\n<head><meta charset=utf-8><title>a</title>"
        "<script>if (1 < 2 && '</p>') { x = `<b>`; }</script></head>\n"
        '<svg viewBox="0 0 1 1" preserveAspectRatio=none><path d="M0 0"/>'
        "<clipPath id='A'></clipPath></svg><br><br/>\n"
        "<pre>  two\n\n\tthree &lt;&nbsp;&#8217;</pre><P CLASS=Big>x</P>"
        "<math><mi>a</mi></math><p>unclosed<ul><li>one<li>two</ul></html>\n"
    )
    page = Page(html)
    assert page.result() == html
    [svg] = page.find("svg")
    page.insert(svg.inner, "<title>t</title>")
    assert page.result() == html.replace("none>", "none><title>t</title>", 1)


def test_edits_at_one_place_keep_their_order():
    page = Page("<p>x</p>")
    [p] = page.find("p")
    page.insert(p.close, "1")
    page.edit(p.inner, p.close, "y")
    page.insert(p.close, "2")
    assert page.result() == "<p>y12</p>"


def test_formulas_of_html_are_read_back_as_tex():
    number = '<span class="eqno">(1)<a href="#e">#</a></span>'
    math = 'class="math notranslate nohighlight"'
    page = Page(
        rf"<p><span {math}>\(a &lt; b\)</span></p>"
        rf"<div {math}>{number}\[a &amp; b\]</div>"
    )
    found = [formula.source for formula in formulas.formulas_of(page)]
    assert found == [("a < b", False), ("a & b", True)]
    [_, display] = formulas.formulas_of(page)
    page.edit(display.start, display.end, "<b>html</b>")
    assert f"{number}<b>html</b></div>" in page.result()


@pytest.fixture(scope="module")
def packages():
    """Fetch the front-end packages, unless they are there."""
    with locking.locked(staging.LOCK):
        frontend.fetch()


@pytest.mark.usefixtures("packages")
def test_what_katex_does_not_understand_is_named_with_its_page(
    tmp_path, caplog
):
    math = 'class="math notranslate nohighlight"'
    texts = [r"\softmax(x \in \R)", r"\nosuch{x}", "나"]
    html = "".join(rf"<span {math}>\({tex}\)</span>" for tex in texts)
    page = Page(f"<head></head>{html}")
    formulas.add({"book/a": page}, tmp_path)
    bad = [(r.location, r.getMessage()) for r in caplog.records]
    assert [where for where, _ in bad] == ["book/a", "book/a"]
    assert r"cannot render \nosuch{x}: " in bad[0][1]
    assert "cannot render 나: " in bad[1][1]
    made = page.result()
    assert made.count('class="katex"') == 1
    assert '<link rel="stylesheet" href="../_static/formulas.css?v=' in made


@pytest.mark.usefixtures("packages")
def test_fonts_are_cut_down_to_the_letters_of_the_formulas():
    css = (lettering.KATEX / "dist" / "katex.min.css").read_text("utf-8")
    table = formulas.render(
        [(r"x \in \mathbf{R}", False), (r"\sum_i \big( \text{a}", True)]
    )
    html = [answer["html"] for answer in table.values()]
    used = lettering.letters_of_faces(html, css)
    letters = {face: "".join(sorted(used[face])) for face in used}
    assert letters.pop(("KaTeX_Main", "normal", "400")) == "a\u200b∈"
    assert letters == {
        ("KaTeX_Math", "italic", "400"): "ix",
        ("KaTeX_Main", "normal", "700"): "R",
        ("KaTeX_Size1", "normal", "400"): "(",
        ("KaTeX_Size2", "normal", "400"): "∑",
    }
    small = lettering.embed(css, used)
    assert small.count("@font-face") == 5
    assert "url(fonts/" not in small
    font = lettering.KATEX / "dist" / "fonts" / "KaTeX_Main-Regular.woff2"
    cut = TTFont(io.BytesIO(lettering.cut(font, "a∈")))
    assert set(map(chr, cut.getBestCmap())) == {"a", "∈"}


def box(goal, inner=""):
    start = '<li><p><input class="task-list-item-checkbox" type="checkbox">'
    return f"{start} {goal}</p>{inner}</li>"


def label(html):
    """Label the boxes of a page of chapter 1; return it and the names."""
    page = Page(html)
    names = goals.label_boxes(page, "01")
    return page.result(), names


def test_boxes_are_labelled_by_their_own_words():
    plain = '<li><input class="task-list-item-checkbox"> I can.<ul>more</ul>'
    html, _ = label(f"<ul>{plain}</li></ul>")
    boxed = plain.replace("<input", "<label><input")
    boxed = boxed.replace("<ul>more", "</label><ul>more")
    assert html == f"<ul>{boxed}</li></ul>"
    html, _ = label(f"<ul>{box('One', '<ul>' + box('Two') + '</ul>')}</ul>")
    assert html.count(" One</label></p><ul>") == 1
    assert html.count(" Two</label></p></li></ul>") == 1


def summary(*texts):
    boxes = "".join(map(box, texts))
    inner = "<section><p>inner</p></section>"
    return f'{boxes}<section id="summary">{inner}{boxes}</section>{boxes}'


def test_goals_are_named_by_their_words_and_only_in_the_summary():
    html, names = label(summary("I can.", "I <b>know</b>."))
    assert html.count("data-goal=") == len(set(names)) == 2
    assert html.count("<label>") == 6
    assert all(f'data-goal="{name}"' in html for name in names)
    _, again = label(summary("I can!", "I know more."))
    assert again[0] == names[0], "a sign is no other wording"
    assert again[1] != names[1], "another wording is lost, and no other"
    other = goals.label_boxes(Page(summary("I can.", "I know.")), "02")
    assert not set(other) & set(names)


def test_progress_counts_the_goals_and_exercises_of_each_chapter():
    html = goals.progress_list(
        [
            ("a.html#summary", "A & B", ["a:1", "a:2"], ["ex-a-1"]),
            ("b.html", "B", [], ["ex-b-1", "ex-b-2"]),
        ]
    )
    assert 'data-goals="a:1 a:2" data-exercises="ex-a-1"' in html
    first = '<a href="a.html#summary">A &amp; B</a> '
    assert f"{first}<span>2 goals, 1 exercises<" in html
    assert '<a href="b.html">B</a> <span>2 exercises<' in html
