"""Read the numbers out of an explorer's frame, as a reader would."""

import re
from html.parser import HTMLParser
from typing import NamedTuple


class Cell(NamedTuple):
    """A cell of a table, an item of a list: its text and its attributes."""

    text: str
    tag: str
    attributes: dict

    @property
    def number(self):
        return float(self.text.replace("−", "-").replace("∞", "inf"))


class Frame(HTMLParser):
    """Tables by caption, curves, list items and the words of a frame."""

    CELLS = ("td", "th", "li")

    def __init__(self, html):
        super().__init__()
        self.tables, self.curves, self.items = {}, [], []
        self.words, self.titles, self.squares, self.lines = "", [], [], []
        self.rows = self.inside = None
        self.feed(html)
        self.end_cell()

    def end_cell(self):
        if self.inside and self.inside[0] in self.CELLS:
            tag, attributes, text = self.inside
            cell = Cell(text.strip(), tag, attributes)
            (self.items if tag == "li" else self.rows[-1]).append(cell)
        self.inside = None

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if tag == "polyline":
            pairs = [p.split(",") for p in found["points"].split()]
            self.curves.append([(float(x), float(y)) for x, y in pairs])
        elif tag == "path" and "fill-opacity" in found:
            for x, y in re.findall(r"M(\d+) (\d+)h1v1h-1z", found["d"]):
                opacity = float(found["fill-opacity"])
                self.squares[-1][int(y), int(x)] = opacity
        elif tag == "path" and "stroke-width" in found:
            start, *_, end, _ = re.findall(r"[\d.]+", found["d"])
            ends = (int(float(x) - 0.5) for x in (start, end))
            self.lines.append((*ends, float(found["stroke-width"])))
        elif tag == "svg":
            self.squares.append({})
        elif tag in (*self.CELLS, "tr", "caption", "p"):
            self.end_cell()
            if tag == "tr":
                self.rows.append([])
            else:
                self.inside = [tag, found, ""]
        elif tag == "table":
            self.rows = []

    def handle_endtag(self, tag):
        if tag == "caption":
            self.tables[self.inside[2]] = self.rows
            self.inside = None
        elif tag == "p" and self.inside:
            self.words = self.inside[2]
            self.inside = None
        elif tag in ("table", "ul"):
            self.end_cell()

    def handle_data(self, data):
        if self.inside:
            self.inside[2] += data

    def body(self, caption, first=1):
        """Return the numbers of a table without its headings."""
        rows = [r for r in self.tables[caption][1:] if r[0].tag == "th"]
        return [[c.number for c in row[first:] if c.text] for row in rows]
