"""The style sheet of formulas: KaTeX's, with the letters of this book only.

All its fonts together have 300 KB; the book shows a hundred letters of them.
The fonts are cut down to these and stand in the style sheet itself: a formula
is laid out with its own letters as soon as the sheet is there.
"""

import base64
import hashlib
import io
import logging
import re
from collections import defaultdict
from html.parser import HTMLParser

import frontend
from fontTools import subset

logging.getLogger("fontTools").setLevel(logging.WARNING)
NAME = "formulas.css"
KATEX = frontend.MODULES / "katex"
PLAIN = {"font-family": "KaTeX_Main", "font-style": "normal"}
PLAIN |= {"font-weight": "400"}


class Letters(HTMLParser):
    """The letters that are seen in HTML, by the classes of what they are in.

    >>> letters = Letters()
    >>> letters.feed('<i class="a"><b class=c>x</b></i>')
    >>> dict(letters.found)
    {(frozenset({'a'}), frozenset({'c'})): {'x'}}
    """

    def __init__(self):
        """Start with no letter."""
        super().__init__()
        self.stack, self.found = [], defaultdict(set)

    def handle_starttag(self, tag, attributes):
        """Go into an element."""
        names = dict(attributes).get("class") or ""
        self.stack.append(frozenset(names.split()))

    def handle_startendtag(self, tag, attributes):
        """Pass over an element without content: a path of a drawing."""

    def handle_endtag(self, tag):
        """Leave an element."""
        self.stack.pop()

    def handle_data(self, data):
        """Note letters, unless they are there for screen readers only."""
        if not any("katex-mathml" in names for names in self.stack):
            self.found[tuple(self.stack)] |= set(data)


def rules_of(css):
    """Return (selectors, declarations) of each rule that concerns a font."""
    rules = []
    for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", css):
        pairs = [pair.partition(":") for pair in body.split(";")]
        wanted = {k: v.strip('"') for k, _, v in pairs if k in PLAIN}
        if wanted:
            rules.append((selectors.split(","), wanted))
    return rules


def matches(selector, chain):
    """Say whether each part of a selector is met in a chain of classes."""
    parts = re.findall(r"\.[\w.-]+", selector)
    wanted = [set(part[1:].split(".")) for part in parts]
    return all(any(names <= have for have in chain) for names in wanted)


def letters_of_faces(formulas, css):
    """Return the letters that each (family, style, weight) must have."""
    letters = Letters()
    for html in formulas:
        letters.feed(html)
    rules = [rule for rule in rules_of(css) if rule[0] != ["@font-face"]]
    used = defaultdict(set)
    for chain, found in letters.found.items():
        look = dict(PLAIN)
        for selectors, wanted in rules:
            if any(matches(selector, chain) for selector in selectors):
                look |= wanted
        used[tuple(look.values())] |= found
    return used


def cut(path, letters):
    """Return a font with some letters only, as WOFF2."""
    options = subset.Options(flavor="woff2", hinting=False)
    options.layout_features = []
    options.bidi_closure = False
    cutter = subset.Subsetter(options)
    cutter.populate(text="".join(letters))
    file = io.BytesIO()
    with subset.load_font(path, options) as font:
        cutter.subset(font)
        subset.save_font(font, file, options)
    return file.getvalue()


def embed(css, used):
    """Return the style sheet with the fonts that are used, and no others."""

    def replace(match):
        [(_, look)] = rules_of(match[0])
        letters = used.get(tuple((PLAIN | look).values()))
        if not letters:
            return ""
        file = re.search(r"fonts/[\w-]+\.woff2", match[0])[0]
        font = base64.b64encode(cut(KATEX / "dist" / file, letters)).decode()
        source = f'src:url(data:font/woff2;base64,{font}) format("woff2")'
        return re.sub(r"src:[^}]*", source, match[0])

    return re.sub(r"@font-face\{[^}]*\}", replace, css)


def write(formulas, more, static):
    """Write the style sheet, with more rules at its end; return its hash."""
    css = (KATEX / "dist" / "katex.min.css").read_text("utf-8")
    css = f"{embed(css, letters_of_faces(formulas, css))}\n{more}"
    (static / NAME).write_text(css, "utf-8")
    notice = (KATEX / "LICENSE").read_text("utf-8")
    (static / f"{NAME}.LICENSE.txt").write_text(notice, "utf-8")
    return hashlib.sha256(css.encode()).hexdigest()[:8]
