"""The catalogues of the Korean edition: one a page, and two of the tools.

English pages are the only source. `pieces` cuts them into texts; a catalogue
in `book/_korean` holds the Korean for each. A text that is new is empty there,
and one that has changed is `fuzzy`, with the English that it was translated
from.
"""

import json
import re
from collections import Counter

import pieces
import spoken
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po
from project import ROOT

BOOK = ROOT / "book"
CATALOGUES = BOOK / "_korean"
# Whoever imports the package, on Binder too, finds its words in it.
TOOLS = ROOT / "coursekit" / "korean.po"
# Predictions are all words; a figure's folded code has some.
SAID, DRAWN = "predict", {"hide-input", "opening", "widget"}
NUMBERS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
]
# In this order: what was found is taken out before the next is looked for.
KEPT = {
    "formulas": r"\$\$.*?\$\$|\$[^$\n]+\$",
    "roles": r"\{(?:numref|cite[:\w]*|eq)\}`[^`]*`",
    "targets": r"\{(?:ref|doc|term)\}`(?:[^`<]*<)?([^`>]+)>?`",
    "code": r"`[^`]+`",
    "links": r"\]\(([^)]+)\)",
    "tags": r"</?[a-z]+[^<>]*>",
    "gaps": r"\{\w*\}",
    "numbers": r"\d+(?:[.,]\d+)*",
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

    `old` is the piece as it stands in the page.
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
    return pieces.join(
        text,
        found,
        lambda p: translate(p.kind, p.words, text[p.start : p.end]),
    )


def _translated_cell(cell, translate):
    source, metadata = "".join(cell["source"]), cell["metadata"]
    if cell["cell_type"] == "markdown":
        return _join(source, pieces.cut(source), translate)
    _translate_figure(metadata.get("mystnb", {}), translate)
    tags = {*metadata.get("tags", [])}
    if not tags & {SAID, *DRAWN}:
        return source

    def literal(piece):
        old = source[piece.start : piece.end]
        new = translate(piece.kind, piece.words, piece.words)
        same = new == piece.words
        return old if same else json.dumps(new, ensure_ascii=False)

    found = pieces.cut_code(source, everything=SAID in tags)
    return pieces.join(source, found, literal)


def _translate_figure(about, translate):
    """Translate, in place, the caption and the words for a picture."""
    for part, key in (("figure", "caption"), ("image", "alt")):
        if about.get(part, {}).get(key):
            old = about[part][key]
            about[part][key] = translate(key, old, old)


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


def translations(name):
    """Return the Korean of each text of a catalogue."""
    return {m.id: m.string for m in read(name) if m.id}


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
    """Count what a translation must keep: formulas, code, links, numbers.

    >>> sorted(kept("see `x` and $y$ for 3")["numbers"])
    ['3']
    """
    found = {}
    for name, pattern in KEPT.items():
        found[name] = Counter(re.findall(pattern, text, flags=re.DOTALL))
        text = re.sub(pattern, " ", text, flags=re.DOTALL)
    return found


def faults(message):
    """Yield what is wrong with the translation of a text."""
    if not message.string:
        yield "not translated"
    elif message.fuzzy:
        yield "fuzzy: the English has changed"
    else:
        old, new = kept(message.id), kept(message.string)
        for name in old:
            lost, more = old[name] - new[name], new[name] - old[name]
            if name == "numbers":
                more -= spelt(message.id)
            if lost or more:
                yield f"{name}: lost {[*lost]}, added {[*more]}"


def spelt(text):
    """Count the digits that a translation may write for English words.

    >>> spelt("Two of the three, and a power of two")["2"]
    2
    """
    words = re.findall(r"[a-z]+", text.lower())
    return Counter(str(NUMBERS.index(w)) for w in words if w in NUMBERS)


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
