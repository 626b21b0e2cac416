"""Cut the pages into pieces of text that translators translate, and rejoin.

A piece is a paragraph, an item of a list, a row of a table, a heading, a
title, a caption, a text alternative, a formula with words, what unfolds a
cell, a text of a quiz or of a prediction, or a word inside the code of a
figure. It is known by where it stands in its text, so that all that is no
piece stays byte for byte as it was. Code is no piece, except strings that a
reader sees: it cannot drift.
"""

import ast
import json
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
DRAWING |= {"set_xticks", "set_yticks", "legend"}
NAMED = {"xlabel", "ylabel", "label", "title", "alt"}
# A directive of reStructuredText; a link that `korean_book` turns round.
NO_TEXT = (".. ", '<a class="other-edition"')
# Formulas, code, roles' targets and tags hold no words of their own.
WORDLESS = re.compile(r"\$[^$]*\$|`[^`]*`|<[^>]*>|\{\w+\}|\]\([^)]*\)")
PROMPT = re.compile(r'^:  code_prompt_(?:show|hide): "(.*)"$', flags=re.M)
# Words in a formula; what is written right after _ or ^ is part of a symbol.
TEX_WORDS = re.compile(r"(?<![_^])\\text\{([^{}]*)\}")
# A gap of a template, with what formats it: {name}, {x.size:.2f}, {n:{width}}.
GAP = r"\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}"


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


def without_words(formula):
    r"""Return what a formula has besides words, if it has any.

    >>> without_words(r"$x \text{ if } y$"), without_words(r"$d_\text{model}$")
    ('$xy$', '$d_\\text{model}$')
    """
    if not TEX_WORDS.search(formula):
        return formula
    return "".join(TEX_WORDS.sub("", formula).split())


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
        elif token.content.startswith(NO_TEXT):
            continue
        elif token.type == "inline" and row is None:
            yield from _lines(text, starts, token, kind)
        elif token.type in {"fence", "colon_fence"}:
            yield from _directive(text, starts, token)
        elif token.type in {"math_block", "math_block_label"}:
            yield from _formula(text, starts, token)


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


def _formula(text, starts, token):
    if any(map(has_words, TEX_WORDS.findall(token.content))):
        start = text.index("$$", starts[token.map[0]])
        end = text.index("$$", start + 2) + 2
        yield Piece(start, end, "formula", text[start:end])


def _directive(text, starts, token):
    name = re.match(r"\{([\w-]+)\}\s*(.*)", token.info)
    if not name:
        return
    first = starts[token.map[0]]
    if name[1] in TITLED and has_words(name[2]):
        start = text.index(name[2], first)
        yield Piece(start, start + len(name[2]), "title", name[2])
    if name[1] == "code-cell":
        yield from _prompts(text, first, starts[token.map[1]])
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


def _prompts(text, start, end):
    """Find what unfolds a cell, among the options of its directive."""
    for match in PROMPT.finditer(text, start, end):
        yield Piece(match.start(1), match.end(1), "prompt", match[1])


def _glossary(text):
    """Return the terms and their definitions."""
    for match in re.finditer(r"(?:^  +\S.*\n?)+|^\S.*$", text, flags=re.M):
        kind = "definition" if match[0].startswith(" ") else "term"
        lines = [line.strip() for line in match[0].strip().split("\n")]
        start = match.start() + len(match[0]) - len(match[0].lstrip())
        end = start + len(match[0].strip())
        yield Piece(start, end, kind, " ".join(lines))


def join(text, pieces, translate):
    """Put ``translate(piece)`` in the place of each piece."""
    parts, end = [], 0
    for piece in pieces:
        parts += [text[end : piece.start], translate(piece)]
        end = piece.end
    return "".join([*parts, text[end:]])


# --- strings of code ---------------------------------------------------------

STRING = re.compile(r"""(f?)(["'])((?:\\.|(?!\2).)*)\2""", flags=re.DOTALL)
INSIDE = re.compile(rf"(\{{\{{|\}}\}}|{GAP})")


def cut_code(source, everything=False, words=()):
    """Return the strings of a code cell that a reader sees.

    With `everything`, as in a prediction, all that are said; otherwise what
    is drawn: titles, labels and texts. `words` are strings that are shown,
    too, though by no call that names them. What stands between brackets, as
    in `found["whole"]`, is looked up and never shown.
    """
    lines = source.splitlines(keepends=True)
    starts = [sum(map(len, lines[:i])) for i in range(len(lines) + 1)]

    def place(line, column):
        # Columns count bytes.
        before = lines[line - 1].encode()[:column].decode()
        return starts[line - 1] + len(before)

    found = {}
    tree = ast.parse(source)
    said = {id(v) for n in ast.walk(tree) for v in _said(n, everything)}
    for value in _strings(tree):
        start = place(value.lineno, value.col_offset)
        end = place(value.end_lineno, value.end_col_offset)
        piece = _string(value, start, end, source)
        bare = re.sub(GAP, " ", piece.words)
        if has_words(bare) and (id(value) in said or piece.words in words):
            found[start] = piece
    return [found[start] for start in sorted(found)]


def _strings(tree):
    """Yield the strings of a code, and its templates whole, but no keys."""
    if isinstance(tree, ast.JoinedStr) or (
        isinstance(tree, ast.Constant) and isinstance(tree.value, str)
    ):
        yield tree
        return
    looked_up = isinstance(tree, ast.Subscript)
    inside = [tree.value] if looked_up else ast.iter_child_nodes(tree)
    for child in inside:
        yield from _strings(child)


def _said(node, everything):
    """Yield what a call shows, and what is in lists and dicts of it."""
    if not isinstance(node, ast.Call):
        return
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    values = [k.value for k in node.keywords if k.arg in NAMED]
    if name in DRAWING or (everything and name == "predict"):
        values += node.args
    for value in values:
        if isinstance(value, ast.Dict):
            yield from value.keys + value.values
        elif isinstance(value, ast.List):
            yield from value.elts
        else:
            yield value


def _string(value, start, end, source):
    if isinstance(value, ast.Constant):
        return Piece(start, end, "code", value.value)
    parts = STRING.findall(source[start:end])
    words = "".join(_template(*part) for part in parts)
    return Piece(start, end, "template", words)


def _template(mark, quote, inner):
    """Return the text of one string of a template, with its gaps."""

    def plain(text):
        return ast.literal_eval(f"{quote * 3}{text}{quote * 3}")

    if not mark:
        return plain(inner).replace("{", "{{").replace("}", "}}")
    parts = INSIDE.split(inner)
    parts[::2] = map(plain, parts[::2])
    return "".join(parts)


def literal(kind, words):
    r"""Return the code of a string: plain, or a template with its gaps.

    >>> print(literal("template", "“{a['b']:.2f}”\n\"c\""))
    f"“{a['b']:.2f}”\n\"c\""
    """
    if kind != "template":
        return json.dumps(words, ensure_ascii=False)
    parts = INSIDE.split(words)
    parts[::2] = [json.dumps(p, ensure_ascii=False)[1:-1] for p in parts[::2]]
    return f'f"{"".join(parts)}"'


# --- quizzes -----------------------------------------------------------------

TEXT = re.compile(r"^(ask|text|why) = '(.*)'$", flags=re.M)


def cut_quiz(text):
    """Return the questions, answers and reasons of a quiz file."""
    return [
        Piece(match.start(2), match.end(2), match[1], match[2])
        for match in TEXT.finditer(text)
        if has_words(match[2])
    ]
