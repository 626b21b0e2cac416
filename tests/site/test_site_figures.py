"""Figures on the pages: what they say, and whether they can be read."""

import json
import re
from html import unescape

import project
import pytest
from browsing import DESK, PHONE
from pages import CHAPTERS, DOCUMENTS, NOTEBOOKS, html_pages

MOST_BYTES = 60_000
SMALLEST = 9  # pixels of a letter's height, on a phone

every_document = pytest.mark.parametrize(
    "tabs", [f"{name}.html" for name in DOCUMENTS], indirect=True
)
every_chapter = pytest.mark.parametrize(
    "tabs", [f"{name}.html" for name in CHAPTERS], indirect=True
)


def pictures_of(site, name):
    """Return the inline pictures of a page, as text."""
    html = (site / f"{name}.html").read_text("utf-8")
    return re.findall(r'<svg class="al-pic".*?</svg>', html, flags=re.DOTALL)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_figure_of_a_notebook_is_inline_and_says_what_it_shows(
    site, name
):
    cells = json.loads((project.ROOT / f"{name}.ipynb").read_text("utf-8"))
    expected = []
    for cell in cells["cells"]:
        source = "".join(cell["source"])
        if "widget" in cell["metadata"].get("tags", []):
            continue  # an explorer, whose frames say what they show
        if "figure" in cell["metadata"].get("mystnb", {}):
            expected.append(cell["metadata"]["mystnb"]["image"]["alt"])
        elif "explorers.predict(" in source and "plt." in source:
            expected.append(None)  # its words are in the code
    labels = [
        unescape(re.search(r'aria-label="([^"]*)"', svg)[1])
        for svg in pictures_of(site, name)
    ]
    assert len(labels) == len(expected)
    for label, alt in zip(labels, expected, strict=True):
        assert len(label) >= 20
        assert alt in (None, label)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_figures_are_small(site, name):
    sizes = [len(svg.encode()) for svg in pictures_of(site, name)]
    assert max(sizes, default=0) < MOST_BYTES


def test_no_file_of_a_figure_is_left(site):
    assert not list((site / "_images").glob("*.svg"))
    for name in html_pages(site):
        assert "_images/" not in (site / name).read_text("utf-8"), name


def test_figures_are_numbered_in_chapters_only(site):
    for name in DOCUMENTS:
        html = (site / f"{name}.html").read_text("utf-8")
        numbers = re.findall(r'"caption-number">Fig\. ([\d.]+) <', html)
        names = re.findall(r'<figure[^>]* id="fig-', html)
        if name in CHAPTERS:
            chapter = int(name.split("/")[-1][:2])
            expected = [f"{chapter}.{i + 1}" for i in range(len(names))]
            assert numbers == expected
        else:
            assert numbers == []


# --- in the browser ----------------------------------------------------------

SHOW = """() => {
    document.querySelectorAll('details').forEach(d => { d.open = true; });
    document.querySelectorAll('.toggle-hidden')
        .forEach(d => d.classList.remove('toggle-hidden'));
    document.querySelectorAll('.al-then')
        .forEach(e => { e.style.display = 'block'; });
}"""


def shown(tab, size):
    """Return a tab's page at a size, unfolded, with all that is hidden."""
    tab.page.set_viewport_size(size)
    tab.page.evaluate(SHOW)
    tab.page.evaluate("document.fonts.ready.then(() => true)")
    return tab.page


# For every text: its size, and its corners, less what is above and below its
# letters. Two texts overlap if no side of either keeps them apart.
READ = """smallest => [...document.querySelectorAll('svg.al-pic')].map(svg => {
    const area = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll('text')].map(text => {
        const { x, y, width, height } = text.getBBox();
        const matrix = text.getScreenCTM();
        const places = [[x, y + height / 5], [x + width, y + height / 5],
            [x + width, y + height * 0.8], [x, y + height * 0.8]];
        const corners = places.map(([a, b]) =>
            new DOMPoint(a, b).matrixTransform(matrix));
        const parts = [text, ...text.querySelectorAll('tspan')];
        const sizes = parts.map(e => parseFloat(getComputedStyle(e).fontSize));
        const scale = area.width / svg.viewBox.baseVal.width;
        return { words: text.textContent, corners,
            size: Math.min(...sizes) * scale };
    });
    const apart = (a, b) => [a, b].some(({ corners: c }) =>
        [0, 1].some(side => {
            const dx = c[side + 1].x - c[side].x;
            const dy = c[side + 1].y - c[side].y;
            const length = Math.hypot(dx, dy);
            const along = t => t.corners
                .map(p => (p.x * dx + p.y * dy) / length);
            const [one, other] = [along(a), along(b)];
            return Math.max(...one) <= Math.min(...other) + 1
                || Math.max(...other) <= Math.min(...one) + 1;
        }));
    const outside = texts.filter(t => t.corners.some(p => p.x < area.left - 1
        || p.x > area.right + 1 || p.y < area.top - 1
        || p.y > area.bottom + 1));
    const pairs = texts.flatMap((a, i) => texts.slice(0, i)
        .filter(b => !apart(a, b)).map(b => `${b.words} | ${a.words}`));
    return {
        label: svg.getAttribute('aria-label'), width: area.width,
        natural: Number(svg.getAttribute('width')),
        small: texts.filter(t => t.size < smallest).map(t => t.words),
        outside: outside.map(t => t.words), pairs,
    };
})"""


@every_document
def test_text_of_figures_can_be_read_on_a_phone(tabs):
    for found in shown(tabs.dark, PHONE).evaluate(READ, SMALLEST):
        assert found["width"] > 150, found["label"]
        for fault in ("small", "outside", "pairs"):
            assert found[fault] == [], (fault, found["label"])


@every_document
def test_figures_have_their_natural_size_on_a_desk(tabs):
    for found in shown(tabs.light, DESK).evaluate(READ, SMALLEST):
        assert abs(found["width"] - found["natural"]) < 1, found["label"]
        for fault in ("outside", "pairs"):
            assert found[fault] == [], (fault, found["label"])


# The colour of each text, and of all that is filled below its middle.
CONTRASTS = """() => {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d');
    const rgb = colour => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const on = (below, colour, share) =>
        rgb(colour).map((c, i) => c * share + below[i] * (1 - share));
    const light = colour => {
        const [r, g, b] = colour.map(c => c / 255).map(c =>
            c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
    };
    const { backgroundColor } = getComputedStyle(document.body);
    const found = [];
    for (const svg of document.querySelectorAll('svg.al-pic')) {
        let shapes = [];
        for (const e of svg.querySelectorAll('path, text')) {
            const look = getComputedStyle(e);
            const share = Number(look.fillOpacity);
            if (e.closest('defs') || look.fill === 'none') continue;
            if (e.matches('path')) {
                if (!/url/.test(look.fill)) shapes.push([e, look, share]);
                continue;
            }
            const box = e.getBBox();
            const middle = new DOMPoint(box.x + box.width / 2,
                box.y + box.height / 2).matrixTransform(e.getScreenCTM());
            let ground = rgb(backgroundColor);
            for (const [shape, { fill }, part] of shapes) {
                const place = middle.matrixTransform(
                    shape.getScreenCTM().inverse());
                if (!shape.isPointInFill(place)) continue;
                ground = on(ground, fill, part);
            }
            const ends = [light(on(ground, look.fill, share)), light(ground)];
            found.push([Math.max(...ends) / Math.min(...ends), e.textContent,
                look.fill, svg.getAttribute('aria-label')]);
        }
    }
    return found;
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
@every_document
def test_text_of_figures_stands_out_in_both_themes(tabs, theme):
    page = shown(getattr(tabs, theme), DESK)
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    found = page.evaluate(CONTRASTS)
    assert len(found) == page.locator("svg.al-pic text").count()
    assert [f for f in found if f[0] < 4.5] == []


# --- cells -------------------------------------------------------------------


@every_document
def test_no_code_runs_off_the_page_on_a_desk(tabs):
    page = shown(tabs.light, DESK)
    wide = page.evaluate(
        """() => [...document.querySelectorAll('article div.highlight pre')]
            .filter(e => !e.closest('.cell_output'))
            .filter(e => e.scrollWidth > e.clientWidth)
            .map(e => e.textContent.slice(0, 200))"""
    )
    assert wide == []


@every_document
def test_a_wide_output_scrolls_in_its_own_box_on_a_phone(tabs):
    page = shown(tabs.dark, PHONE)
    stuck = page.evaluate(
        """() => [...document.querySelectorAll('div.cell_output pre')]
            .filter(e => e.scrollWidth > e.clientWidth + 1)
            .filter(e => { e.scrollLeft = 9; return e.scrollLeft === 0; })
            .map(e => e.textContent.slice(0, 80))"""
    )
    assert stuck == []


@every_chapter
def test_the_opening_picture_comes_before_its_code(tabs):
    (cell,) = tabs.light.page.locator("article .tag_opening").all()
    order = cell.evaluate(
        "e => [...e.children].map(c => c.matches('.cell_output')"
        " ? 'picture' : c.matches('details') ? 'code' : c.className)"
    )
    assert order == ["picture", "code"]
    picture = cell.locator("figure :is(svg.al-pic, form.al-explorer)")
    assert picture.count() == 1


@every_chapter
def test_a_prediction_shows_no_code_that_answers_it(tabs):
    page = tabs.light.page
    cells = page.locator("article .tag_predict")
    assert cells.count() >= 2
    assert cells.locator(".cell_input, details").count() == 0
    assert page.locator("text=explorers.predict(").count() == 0
