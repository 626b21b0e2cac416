"""Cut the pages into pieces of text that translators translate, and rejoin.

A piece is a paragraph, an item of a list, a row of a table, a heading, a
title, a caption, a text alternative, a text of a quiz or of a prediction, or
a word inside the code of a figure. It is known by where it stands in its
text, so that all that is no piece stays byte for byte as it was. Code is no
piece, except strings that a reader sees: it cannot drift.
"""

import ast
import re
from dataclasses import dataclass

from markdown_it.renderer import RendererHTML
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser

# As in _config.yml; `smartquotes` only changes how a text is shown.
EXTENSIONS = {
    "amsmath",
    "attrs_block",
    "attrs_inline",
    "colon_fence",
    "deflist",
    "dollarmath",
    "substitution",
    "tasklist",
}
PARSER = create_md_parser(
    MdParserConfig(enable_extensions=EXTENSIONS), RendererHTML
)
# Directives whose content is text, and those whose argument is a title.
TEXTS = {"dropdown", "exercise", "solution", "grid-item-card", "div", "grid"}
TEXTS |= {"button-ref", "solution-start"}
TITLED = {"dropdown", "exercise", "grid-item-card"}
# What draws words, and under which names it is given them.
DRAWING = {"text", "set_title", "set_xlabel", "set_ylabel", "annotate"}
NAMED = {"xlabel", "ylabel", "label", "title", "alt"}
# Formulas, code, roles' targets and tags hold no words of their own.
WORDLESS = re.compile(r"\$[^$]*\$|`[^`]*`|<[^>]*>|\{\w+\}|\]\([^)]*\)")


@dataclass(frozen=True)
class Piece:
    """A piece of a text, from `start` to `end`, and the words it holds."""

    start: int
    end: int
    kind: str
    words: str


def has_words(text):
    """Say whether there is anything to translate.

    >>> has_words("$x$ and `y`"), has_words("| $x$ | `y` | 0.5 |")
    (True, False)
    """
    return bool(re.search(r"[^\W\d_]{2}", WORDLESS.sub(" ", text)))


def cut(text):
    """Return the pieces of a Markdown text, in order."""
    starts = [0, *(m.end() for m in re.finditer("\n", text)), len(text)]
    return list(_pieces(text, starts))


def _pieces(text, starts):
    kind, row = "paragraph", None
    for token in PARSER.parse(text):
        if token.type == "heading_open":
            kind = "heading"
        elif token.type in {"paragraph_open", "dt_open", "dd_open"}:
            kind = "paragraph"
        elif token.type == "tr_open":
            row = token.map
            yield from _row(text, starts, row)
        elif token.type == "table_close":
            row = None
        elif token.content.startswith(".. "):
            continue  # a directive of reStructuredText
        elif token.type == "inline" and row is None:
            yield from _lines(text, starts, token, kind)
        elif token.type in {"fence", "colon_fence"}:
            yield from _directive(text, starts, token)


def _row(text, starts, lines):
    start, end = starts[lines[0]], starts[lines[0] + 1]
    words = text[start:end].strip()
    if has_words(words):
        start = text.index(words, start)
        yield Piece(start, start + len(words), "row", words)


def _lines(text, starts, token, kind):
    """Find the lines of a paragraph, without what marks a list or a quote."""
    # The space behind the box of a task is no part of its text.
    content = [line.strip() for line in token.content.split("\n")]
    if not token.map or not has_words(token.content):
        return
    start = text.index(content[0], starts[token.map[0]])
    end = start + len(content[0])
    for line in content[1:]:
        end = text.index(line, end) + len(line)
    yield Piece(start, end, kind, " ".join(content))


def _directive(text, starts, token):
    name = re.match(r"\{([\w-]+)\}\s*(.*)", token.info)
    if not name:
        return
    first = starts[token.map[0]]
    if name[1] in TITLED and has_words(name[2]):
        start = text.index(name[2], first)
        yield Piece(start, start + len(name[2]), "title", name[2])
    if name[1] not in TEXTS | {"glossary"}:
        return
    start = starts[token.map[0] + 1]
    while text.startswith(":", start) and not text.startswith(":::", start):
        start = text.index("\n", start) + 1  # an option
    end = starts[token.map[1] - 1]
    inner = _glossary if name[1] == "glossary" else cut
    for piece in inner(text[start:end]):
        yield Piece(
            piece.start + start, piece.end + start, piece.kind, piece.words
        )


def _glossary(text):
    """Return the definitions; terms are names, which other pages link to."""
    for match in re.finditer(r"(?:^  +\S.*\n?)+", text, flags=re.M):
        lines = [line.strip() for line in match[0].strip().split("\n")]
        start = match.start() + len(match[0]) - len(match[0].lstrip())
        end = start + len(match[0].strip())
        yield Piece(start, end, "definition", " ".join(lines))


def join(text, pieces, translate):
    """Put ``translate(piece)`` in the place of each piece."""
    parts, end = [], 0
    for piece in pieces:
        parts += [text[end : piece.start], translate(piece)]
        end = piece.end
    return "".join([*parts, text[end:]])


# --- strings of code ---------------------------------------------------------


def cut_code(source, everything=False):
    """Return the strings of a code cell that a reader sees.

    With `everything`, as in a prediction, all that are said; otherwise what
    is drawn: titles, labels and texts.
    """
    lines = source.splitlines(keepends=True)
    starts = [sum(map(len, lines[:i])) for i in range(len(lines) + 1)]

    def place(line, column):
        # Columns count bytes.
        before = lines[line - 1].encode()[:column].decode()
        return starts[line - 1] + len(before)

    found = {}
    for node in ast.walk(ast.parse(source)):
        for value in _said(node, everything):
            start = place(value.lineno, value.col_offset)
            end = place(value.end_lineno, value.end_col_offset)
            if has_words(value.value):
                found[start] = Piece(start, end, "code", value.value)
    return [found[start] for start in sorted(found)]


def _said(node, everything):
    """Yield the plain strings of a call that are shown."""
    if not isinstance(node, ast.Call):
        return
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    values = [k.value for k in node.keywords if k.arg in NAMED]
    if name in DRAWING or (everything and name == "predict"):
        values += node.args
    for value in values:
        inside = (
            value.keys + value.values
            if isinstance(value, ast.Dict)
            else [value]
        )
        for part in inside:
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part


# --- quizzes -----------------------------------------------------------------

TEXT = re.compile(r"^(ask|text|why) = '(.*)'$", flags=re.M)


def cut_quiz(text):
    """Return the questions, answers and reasons of a quiz file."""
    return [
        Piece(match.start(2), match.end(2), match[1], match[2])
        for match in TEXT.finditer(text)
        if has_words(match[2])
    ]
