"""The catalogues of the Korean edition: one a page, and two of the tools.

English pages are the only source. `pieces` cuts them into texts; a catalogue
in `book/_korean` holds the Korean for each. A text that is new is empty there,
and one that has changed is `fuzzy`, with the English that it was translated
from.
"""

import json
import re
from collections import Counter

import numerals
import pieces
import spoken
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po
from project import ROOT

BOOK = ROOT / "book"
CATALOGUES = BOOK / "_korean"
# Whoever imports the package, on Binder too, finds its words in it.
TOOLS = ROOT / "coursekit" / "korean.po"
# Predictions are all words; a figure's folded code has some. Code that is
# shown is the same in both languages.
SAID, DRAWN = "predict", {"hide-input", "opening"}
# In this order: what was found is taken out before the next is looked for.
KEPT = {
    "formulas": r"\$\$.*?\$\$|\$[^$\n]+\$",
    "roles": r"\{(?:numref|cite[:\w]*|eq)\}`[^`]*`",
    "targets": r"\{(?:ref|doc|term)\}`(?:[^`<]*<)?([^`>]+)>?`",
    "code": r"`[^`]+`",
    "links": r"\]\(([^)]+)\)",
    "tags": r"</?[a-z]+[^<>]*>",
    "gaps": pieces.GAP,
}


def pages(book=BOOK):
    """Return the pages that are translated, by the name of their catalogue."""
    found = [p for e in ("ipynb", "md", "rst") for p in book.glob(f"*.{e}")]
    found += [*book.glob("by-hand/*.md"), *book.glob("quizzes/*.toml")]
    return {name_of(path, book): path for path in sorted(found)}


def everything():
    """Return, by name of its catalogue, what has texts to translate.

    That is pages, as paths, and the tools' words, as functions.
    """
    tools = {"coursekit": spoken.of_coursekit, "site": spoken.of_site}
    return {**pages(), **tools}


def name_of(path, book=BOOK):
    """Return the name of a page's catalogue: `quizzes-01-intuition`."""
    return "-".join(path.relative_to(book).with_suffix("").parts)


# --- a page and its pieces ---------------------------------------------------


def translated(path, translate):
    """Return a page with ``translate(kind, words, old)`` for each piece.

    `old` is the piece as it stands in the page. A term of the glossary is
    translated but stays as it is: other pages link to it. The build shows its
    Korean.
    """
    text = path.read_text("utf-8")
    if path.suffix == ".toml":
        return _join(text, pieces.cut_quiz(text), translate)
    if path.suffix != ".ipynb":
        return _join(text, pieces.cut(text), translate)
    notebook = json.loads(text)
    for cell in notebook["cells"]:
        source = _translated_cell(cell, translate)
        cell["source"] = source.splitlines(keepends=True)
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def _join(text, found, translate):
    def put(piece):
        old = text[piece.start : piece.end]
        new = translate(piece.kind, piece.words, old)
        return old if piece.kind == "term" else new

    return pieces.join(text, found, put)


def _translated_cell(cell, translate):
    source, metadata = "".join(cell["source"]), cell["metadata"]
    if cell["cell_type"] == "markdown":
        return _join(source, pieces.cut(source), translate)
    _translate_settings(metadata.get("mystnb", {}), translate)
    tags = {*metadata.get("tags", [])}
    if not tags & {SAID, *DRAWN}:
        return source

    def literal(piece):
        old = source[piece.start : piece.end]
        new = translate(piece.kind, piece.words, piece.words)
        return old if new == piece.words else pieces.literal(piece.kind, new)

    words = metadata.get("words", [])
    found = pieces.cut_code(source, SAID in tags, words)
    return pieces.join(source, found, literal)


def _translate_settings(about, translate):
    """Translate, in place, what is said about a picture or a folded cell."""
    figure, image = about.get("figure", {}), about.get("image", {})
    for part, key, kind in (
        (figure, "caption", "caption"),
        (image, "alt", "alt"),
        (about, "code_prompt_show", "prompt"),
        (about, "code_prompt_hide", "prompt"),
    ):
        if part.get(key):
            part[key] = translate(kind, part[key], part[key])


def texts(path):
    """Return the (kind, words) of a page, each text once, in order."""
    if callable(path):
        return [("phrase", words) for words in dict.fromkeys(path())]
    found = {}

    def note(kind, words, old):
        found.setdefault(words, kind)
        return old

    translated(path, note)
    return [(kind, words) for words, kind in found.items()]


# --- catalogues --------------------------------------------------------------


def file_of(name, folder):
    """Return the file of a catalogue."""
    return TOOLS if name == "coursekit" else folder / f"{name}.po"


def read(name, folder=CATALOGUES):
    """Return the catalogue of a page, empty if there is none."""
    file = file_of(name, folder)
    if not file.is_file():
        return Catalog(locale="ko")
    with file.open("rb") as stream:
        return read_po(stream, locale="ko", charset="utf-8")


def update(name, path, folder=CATALOGUES):
    """Bring the catalogue of a page up to date with its English."""
    template = Catalog(locale="ko")
    for kind, words in texts(path):
        template.add(words, auto_comments=[kind])
    catalogue = read(name, folder)
    catalogue.update(template)
    catalogue.obsolete.clear()
    for message in catalogue:  # braces here are MyST's
        message.flags -= {"python-brace-format", "python-format"}
    folder.mkdir(exist_ok=True)
    with file_of(name, folder).open("wb") as stream:
        # No header: its dates would change every file.
        write_po(
            stream, catalogue, width=0, omit_header=True, include_previous=True
        )


def kept(text):
    """Count what a translation must keep: formulas, code, links, gaps.

    Words in formulas may change, and where they stand. The text is returned
    too, without what was found.

    >>> found, rest = kept("see `x` and $y$ for 3")
    >>> sorted(found["code"]), rest.split()
    (['`x`'], ['see', 'and', 'for', '3'])
    """
    found = {}
    for name, pattern in KEPT.items():
        parts = re.findall(pattern, text, flags=re.DOTALL)
        if name == "formulas":
            parts = map(pieces.without_words, parts)
        found[name] = Counter(parts)
        text = re.sub(pattern, " ", text, flags=re.DOTALL)
    return found, text


def faults(message):
    """Yield what is wrong with the translation of a text."""
    if not message.string:
        yield "not translated"
    elif message.fuzzy:
        yield "fuzzy: the English has changed"
    else:
        (old, english), (new, korean) = kept(message.id), kept(message.string)
        changes = {n: (old[n] - new[n], new[n] - old[n]) for n in KEPT}
        changes["numbers"] = numerals.difference(english, korean)
        for name, (lost, more) in changes.items():
            if lost or more:
                yield f"{name}: lost {[*lost]}, added {[*more]}"


def check(chosen, folder=CATALOGUES):
    """Return (page, text, fault) for all that is not as it should be.

    `chosen` are pages by the name of their catalogue.
    """
    found = []
    for name, path in chosen.items():
        catalogue = read(name, folder)
        for _, words in texts(path):
            message = catalogue.get(words)
            if message is None:
                found.append((name, words, "not in the catalogue"))
            else:
                found += [(name, words, f) for f in faults(message)]
    return found
