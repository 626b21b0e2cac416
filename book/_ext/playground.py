"""Sphinx extension: cells of a page that is no notebook.

`playground` is an empty cell with examples to start from. `ask-python` is a
form: what a reader types stands in a line or two of Python, which is there to
be read and changed. `known-words` lists what the translator has learned.
"""

import re
import tomllib
from html import escape

from docutils import nodes
from docutils.parsers.rst import Directive, directives
from edition import phrase
from project import ROOT

from coursekit.sentences import grammar

EXAMPLES = ROOT / "book" / "playground"
PAGE = ROOT / "book" / "playground.md"


def raw(html):
    """Return a node that is HTML already."""
    return nodes.raw("", html, format="html")


def code_box(code):
    """Return the code of a cell as MyST-NB shows it."""
    block = nodes.literal_block(code, code, language="ipython3")
    return nodes.container("", block, classes=["cell_input"])


def options(choices):
    """Return the options of a menu, from labels and their data."""
    lines = []
    for label, facts in choices.items():
        data = "".join(
            f' data-{name}="{escape(text)}"' for name, text in facts.items()
        )
        lines.append(f"<option{data}>{escape(label)}</option>")
    return "".join(lines)


def examples(folder=EXAMPLES):
    """Return the code of each example, by the title in its first line."""
    texts = [p.read_text("utf-8") for p in sorted(folder.glob("*.py"))]
    parts = [text.strip().split("\n", 1) for text in texts]
    return {title.removeprefix("# "): code for title, code in parts}


def said(page=PAGE):
    """Yield what the menus and forms of the playground's page say."""
    text = page.read_text("utf-8")
    yield from examples()
    for pattern in [r"^```\{ask-python\} (.*)", r"^:button: (.*)"]:
        yield from re.findall(pattern, text, re.M)
    yield from re.findall(r'^label = "(.*)"', text, re.M)


class Playground(Directive):
    """`playground`: a cell to write in, and examples to start from."""

    has_content = True

    def run(self):
        """Return the menu and the cell."""
        menu = options(
            {phrase(title): {"code": c} for title, c in examples().items()}
        )
        label, button = phrase("Start from an example"), phrase("Load")
        form = (
            '<form class="py-form" data-py="load" hidden>'
            f"<label>{label} <select>{menu}</select></label>"
            f" <button>{button}</button></form>"
        )
        needed = phrase(
            "<strong>This needs scripts.</strong> Python runs in\n"
            "the page itself, and your browser lets no script start it."
        )
        box = code_box("\n".join(self.content))
        cell = nodes.container("", raw(form), box, classes=["cell", "py-free"])
        return [raw(f"<noscript><p>{needed}</p></noscript>"), cell]


class AskPython(Directive):
    """`ask-python`: a form that fills in a line or two of Python.

    The content is TOML: a `[[choice]]` has a `label`, its `code` in which
    `{words}` stands for what is typed, and an example of that as `words`.
    """

    has_content = True
    required_arguments, final_argument_whitespace = 1, True
    option_spec = {  # noqa: RUF012
        "button": directives.unchanged_required
    }

    def run(self):
        """Return the form, and the code of its first choice, folded."""
        choices = tomllib.loads("\n".join(self.content))["choice"]
        menu = options(
            {
                phrase(c["label"]): {k: c[k] for k in ("code", "words")}
                for c in choices
            }
        )
        first, look = choices[0], " hidden" * (len(choices) == 1)
        weights, words = phrase("Weights"), phrase(self.arguments[0])
        button = escape(phrase(self.options["button"]))
        form = (
            '<form class="py-form" data-py="ask" hidden>'
            f'<label{look}>{weights} <select data-py="choose">{menu}</select>'
            f"</label> <label>{escape(words)} "
            '<input autocomplete="off" spellcheck="false" maxlength="200" '
            f'value="{escape(first["words"])}"></label> '
            f"<button>{button}</button></form>"
        )
        code = first["code"].replace("{words}", f'"{first["words"]}"')
        summary = phrase("Show the Python behind this")
        behind = [
            raw(f"<details><summary>{summary}</summary>"),
            code_box(code.strip()),
            raw("</details>"),
        ]
        return [
            nodes.container("", raw(form), *behind, classes=["cell", "py-ask"])
        ]


class KnownWords(Directive):
    """`known-words`: all words of one language in the toy grammar."""

    required_arguments = 1

    def run(self):
        """Return a folded list."""
        korean = self.arguments[0] == "Korean"
        side = grammar().keys() if korean else grammar().values()
        words = sorted({word for sentence in side for word in sentence})
        text, count = escape(" ".join(words)), len(words)
        summary = (
            phrase("The {count} Korean words", count=count)
            if korean
            else phrase("The {count} English words", count=count)
        )
        return [
            raw(
                f"<details><summary>{summary}</summary><p>{text}</p></details>"
            )
        ]


def marks(page):
    """Return the cells that the directives made, and their data."""
    cells = [
        cell
        for cell in page.find("div", "cell")
        if {"py-free", "py-ask"} & set(cell.classes)
    ]
    kept = {"exercise": "playground", "title": phrase("the playground")}
    return [
        (cell, {"cell": i} | (kept if "py-free" in cell.classes else {}))
        for i, cell in enumerate(cells)
    ]


def setup(app):
    """Add the directives."""
    app.add_directive("playground", Playground)
    app.add_directive("ask-python", AskPython)
    app.add_directive("known-words", KnownWords)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
