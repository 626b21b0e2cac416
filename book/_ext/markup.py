"""Read a page once, and edit it in place: all else stays byte for byte.

A tree that is written out again changes what it should not (the case of
`viewBox`, white space, entities). Here a parser only finds where the elements
are; edits are then made in the text, at these places.
"""

import re
from bisect import bisect_left
from html import escape
from html.parser import HTMLParser

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input"}
VOID |= {"link", "meta", "source", "track", "wbr"}


class Element:
    """A tag: where it starts, where its content starts, ends, and it ends."""

    def __init__(self, tag, attributes, parent, start, inner):
        """Take what is known at the start tag."""
        self.tag = tag
        self.attributes = attributes
        self.parent = parent
        self.start, self.inner = start, inner
        self.close = self.end = inner

    @property
    def classes(self):
        """Return the names in `class`."""
        return (self.attributes.get("class") or "").split()

    def within(self, other):
        """Say whether this element is part of another."""
        return other.inner <= self.start < other.close


class Page(HTMLParser):
    """A page's text, its elements in order, and the edits to make."""

    def __init__(self, html):
        """Parse the text; nothing is changed yet."""
        super().__init__()
        self.html = html
        self.lines = [0, *(m.end() for m in re.finditer("\n", self.html))]
        self.elements, self.stack = [], []
        self.places, self.texts = [], []
        self.edits = []
        self.feed(self.html)
        self.close()
        for element in self.stack:
            element.close = element.end = len(self.html)

    def here(self):
        """Return where the parser is in the text."""
        line, column = self.getpos()
        return self.lines[line - 1] + column

    def handle_starttag(self, tag, attributes):
        """Open an element."""
        self.handle_startendtag(tag, attributes)
        if tag not in VOID:
            self.stack.append(self.elements[-1])

    def handle_startendtag(self, tag, attributes):
        """Note an element that has no content, or none yet."""
        start = self.here()
        parent = self.stack[-1] if self.stack else None
        inner = start + len(self.get_starttag_text())
        element = Element(tag, dict(attributes), parent, start, inner)
        self.elements.append(element)

    def handle_endtag(self, tag):
        """Close the innermost element of this name, and all in it."""
        place = self.here()
        if not any(element.tag == tag for element in self.stack):
            return
        while True:
            element = self.stack.pop()
            element.close = element.end = place
            if element.tag == tag:
                element.end = self.html.index(">", place) + 1
                return

    def handle_data(self, data):
        """Keep the text, entities resolved, and where it is."""
        self.places.append(self.here())
        self.texts.append(data)

    def find(self, tag, name=None):
        """Return the elements of a tag, and of a class if one is given."""
        return [
            element
            for element in self.elements
            if element.tag == tag and (name is None or name in element.classes)
        ]

    def text(self, start, end):
        """Return the text between two places, without tags."""
        first, last = (bisect_left(self.places, at) for at in (start, end))
        return "".join(self.texts[first:last])

    def edit(self, start, end, text):
        """Replace a piece; of two at one place, the first stays first."""
        self.edits.append((start, end, text))

    def set(self, element, name, value):
        """Give an attribute that an element has another value."""
        tag = self.html[element.start : element.inner]
        start = element.start + tag.index(f' {name}="') + 1
        end = self.html.index('"', start + len(name) + 2) + 1
        # As a whole: `sheets` looks for classes in what was put in.
        self.edit(start, end, f'{name}="{escape(value)}"')

    def remove(self, element):
        """Take an element out, and the end of its line."""
        end = element.end + self.html.startswith("\n", element.end)
        self.edit(element.start, end, "")

    def insert(self, place, text):
        """Insert a text."""
        self.edit(place, place, text)

    def pieces(self):
        """Return what the page was, and all that was put into it."""
        return [self.html, *(text for _, _, text in self.edits)]

    def result(self):
        """Return the page with all edits made."""
        parts, done = [], 0
        for start, end, text in sorted(self.edits, key=lambda e: e[:2]):
            assert start >= done, "two edits overlap"
            parts += [self.html[done:start], text]
            done = end
        return "".join([*parts, self.html[done:]])
