"""Sphinx extension: cells of a page that is no notebook.

`playground` is an empty cell with examples to start from. `ask-python` is a
form: what a reader types stands in a line or two of Python, which is there to
be read and changed. `known-words` lists what the translator has learned.
"""

import tomllib
from html import escape

from docutils import nodes
from docutils.parsers.rst import Directive, directives
from project import ROOT

from coursekit.sentences import grammar

EXAMPLES = ROOT / "book" / "playground"
NEEDED = """<noscript><p><strong>This needs scripts.</strong> Python runs in
the page itself, and your browser lets no script start it.</p></noscript>"""


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


class Playground(Directive):
    """`playground`: a cell to write in, and examples to start from."""

    has_content = True

    def run(self):
        """Return the menu and the cell."""
        menu = options({t: {"code": c} for t, c in examples().items()})
        form = (
            '<form class="py-form" data-py="load" hidden>'
            f"<label>Start from an example <select>{menu}</select></label>"
            " <button>Load</button></form>"
        )
        box = code_box("\n".join(self.content))
        cell = nodes.container("", raw(form), box, classes=["cell", "py-free"])
        return [raw(NEEDED), cell]


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
            {c["label"]: {k: c[k] for k in ("code", "words")} for c in choices}
        )
        first, button = choices[0], escape(self.options["button"])
        look = " hidden" * (len(choices) == 1)
        form = (
            '<form class="py-form" data-py="ask" hidden>'
            f'<label{look}>Weights <select data-py="choose">{menu}</select>'
            f"</label> <label>{escape(self.arguments[0])} "
            '<input autocomplete="off" spellcheck="false" maxlength="200" '
            f'value="{escape(first["words"])}"></label> '
            f"<button>{button}</button></form>"
        )
        code = first["code"].replace("{words}", f'"{first["words"]}"')
        behind = [
            raw("<details><summary>Show the Python behind this</summary>"),
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
        language = self.arguments[0]
        side = grammar().keys() if language == "Korean" else grammar().values()
        words = sorted({word for sentence in side for word in sentence})
        text = escape(" ".join(words))
        return [
            raw(
                f"<details><summary>The {len(words)} {language} words"
                f"</summary><p>{text}</p></details>"
            )
        ]


def marks(page):
    """Return the cells that the directives made, and their data."""
    cells = [
        cell
        for cell in page.find("div", "cell")
        if {"py-free", "py-ask"} & set(cell.classes)
    ]
    kept = {"exercise": "playground", "title": "the playground"}
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
