"""The pages to work on with a pencil: their paper, and their answers.

The expected numbers are computed as one does by hand, without `attnlib`.
"""

import re
from math import cos, exp, log, pi, sin

import project
import pytest
from pages import DOCUMENTS

PAGES = [name for name in DOCUMENTS if "/by-hand/" in name]


def soft(*scores):
    """Return the weights as text, as they stand in the answers."""
    powers = [exp(s) for s in scores]
    return listed(*(p / sum(powers) for p in powers))


def listed(*numbers):
    """Write numbers as a regular expression, with three digits at most."""
    texts = [f"{x:.3f}".rstrip("0") for x in numbers]
    return r"\s+".join(re.escape(text) + "0*" for text in texts)


POSITION = [(sin(p), cos(p), sin(p / 100), cos(p / 100)) for p in range(4)]
FALLING = [exp(-d / 4) for d in (3, 2, 1, 0)]
ANSWERS = {
    "01-lookup": [
        rf"weight {exp(1) / (1 + exp(1) + exp(2)):.3f}",
        soft(0, 4, 2),
        soft(0, 1, 0.5),
        rf"T = 2, 0 added: {exp(1):.3f} times",
        rf"ln 3 = {log(3):.3f}",
        listed(4 / 9, 1 / 3, 2 / 9),
        r"36 patches, 1,296 scores",
        r"144 patches, 20,736 scores",
    ],
    "02-attention": [
        soft(1, 0, 1),
        soft(0, 2, 1),
        rf"{37.2 / 8:.2f} {30 / 8:.2f}\] -> \[{soft(37.2 / 8, 30 / 8)}",
        soft(37.2, 30),
        rf"{soft(0, 1)}\s+0\.",
        soft(-3, -2, 0),
        rf"{3 * 512 * 64:,} numbers",
        r"4,000,000 bytes",
    ],
    "03-heads": [
        r"joined \[ 3\. -1\.\]  output \[ 2\. -2\.\]",
        soft(2, 1),
        rf"{soft(2, 4)}.*result {(exp(4) - exp(2)) / (exp(4) + exp(2)):.3f}",
        r"heads first \(3, 5, 4\)\s+weights \(3, 5, 5\)",
        r"\[\[2, 3\], \[12, 13\]\]",
        r"width of a head 4, 16,384 parameters",
        r"GPT-3: width of a head 128",
    ],
    "04-positions": [
        *(listed(*row) for row in POSITION),
        rf"1 with 2: {cos(1) + cos(0.01):.3f}",
        rf"1 with 3: {cos(2) + cos(0.02):.3f}",
        rf"{2 * pi:.2f} and {200 * pi:.1f} positions",
        rf"5, 3: .* score {cos(2):.3f}",
        listed(*(w / sum(FALLING) for w in FALLING)),
        r"512 tokens: 1,023 distances",
    ],
}


def test_each_core_chapter_has_its_page():
    assert [name.split("/")[-1] for name in PAGES] == [*ANSWERS]


@pytest.mark.parametrize("name", PAGES)
def test_answers_are_right_and_folded(site, name):
    html = (site / f"{name}.html").read_text("utf-8")
    folded = re.findall(
        r"<details class=\"[^\"]*hide.*?</details>", html, re.S
    )
    source = (project.ROOT / f"{name}.md").read_text("utf-8")
    tasks = re.findall(r"^## \d\. ", source, re.M)
    assert len(folded) == len(tasks)
    printed = re.findall(r"<pre>(.*?)</pre>", "".join(folded), re.S)
    text = "\n".join(re.sub(r"<[^>]+>", "", p) for p in printed)
    text = text.replace("&gt;", ">")
    for answer in ANSWERS[name.split("/")[-1]]:
        assert re.search(answer, text), answer


@pytest.mark.parametrize("name", PAGES)
def test_prints_one_sheet_of_questions_and_one_of_answers(visit, name):
    page = visit(f"{name}.html").page
    paper = page.pdf(format="A4", prefer_css_page_size=True)
    assert paper.count(b"/Type /Page\n") == 2
    page.emulate_media(media="print")
    outputs = page.locator("#answers div.cell_output").all()
    assert all(output.is_visible() for output in outputs)
    assert page.locator("div.cell_input:visible").count() == 0
