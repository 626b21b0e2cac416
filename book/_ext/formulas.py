"""Formulas, rendered by KaTeX when the book is built: no script does it later.

Sphinx writes a formula as TeX in an element of class `math`, and so does
`coursekit` in its questions. Once all pages are written, one process renders
all of them, each once; the pages get the HTML, which holds MathML for readers
who do not see it, and the style sheet that it needs.
"""

import json
import subprocess
from pathlib import Path

import frontend
import lettering
from sphinx.ext.mathjax import html_visit_displaymath, html_visit_math
from sphinx.util import logging

from coursekit.explorers.cards import MACROS

HERE = Path(__file__).parent
STYLE = (HERE / "formulas.css").read_text("utf-8")
DELIMITERS = {r"\(": r"\)", r"\[": r"\]"}
logger = logging.getLogger(__name__)


class Formula:
    """One formula of a page: its TeX, and the place for what is made of it."""

    def __init__(self, page, element):
        """Read the TeX, which stands behind the number if there is one."""
        self.start, self.end = element.inner, element.close
        for number in page.find("span", "eqno"):
            if number.within(element):
                self.start = number.end
        tex = page.text(self.start, self.end).strip()
        if DELIMITERS.get(tex[:2]) == tex[-2:]:
            tex = tex[2:-2].strip()
        self.source = (tex, element.tag == "div")


def formulas_of(page):
    """Return the formulas of a page."""
    elements = [*page.find("span", "math"), *page.find("div", "math")]
    return [Formula(page, element) for element in elements]


def render(sources):
    """Return what KaTeX makes of each (TeX, display?): HTML, or an error."""
    node = frontend.command("node")
    done = subprocess.run(
        [*node, str(HERE / "katex.cjs"), str(frontend.MODULES)],
        input=json.dumps({"macros": MACROS, "formulas": sources}),
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    if done.returncode:
        said = done.stderr[-2000:]
        raise SystemExit(f"KaTeX does not run. It said:\n{said}")
    return dict(zip(sources, json.loads(done.stdout), strict=True))


def add(pages, static):
    """Render the formulas of all pages, given by name; fill the folder.

    What KaTeX does not understand is a warning, and so ends the build.
    """
    found = {name: formulas_of(page) for name, page in pages.items()}
    wanted = sorted({f.source for inner in found.values() for f in inner})
    if not wanted:
        return
    table = render(wanted)
    made = [answer["html"] for answer in table.values() if "html" in answer]
    version = lettering.write(made, STYLE, static)
    for name, inner in found.items():
        for formula in inner:
            answer = table[formula.source]
            if "error" in answer:
                tex, why = formula.source[0], answer["error"]
                logger.warning("cannot render %s: %s", tex, why, location=name)
                continue
            pages[name].edit(formula.start, formula.end, answer["html"])
        if inner:
            link(pages[name], name, version)


def link(page, name, version):
    """Let a page load the style sheet."""
    path = "../" * name.count("/") + f"_static/{lettering.NAME}?v={version}"
    tag = f'<link rel="stylesheet" href="{path}">\n'
    page.insert(page.find("head")[0].close, tag)


def setup(app):
    """Let Sphinx write TeX as for MathJax, but load no MathJax."""
    app.add_html_math_renderer(
        "katex",
        inline_renderers=(html_visit_math, None),
        block_renderers=(html_visit_displaymath, None),
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
