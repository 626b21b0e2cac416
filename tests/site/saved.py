"""What a page knows of its explorers: their controls, and frames as data."""

import json
from html.parser import HTMLParser
from math import prod

KINDS = {"al-slide": "slider", "al-choose": "buttons", "al-menu": "menu"}
TEXTS = ("span", "legend", "option", "script")


class Control:
    """A control as it stands in the page."""

    def __init__(self, kind):
        self.kind, self.label, self.labels, self.index = kind, "", [], 0


class Explorer:
    """An explorer as it stands in the page, without its first frame."""

    def __init__(self):
        self.controls, self.data = [], None

    @property
    def start(self):
        """The index of each control at first."""
        return [control.index for control in self.controls]

    @property
    def counts(self):
        return [len(control.labels) for control in self.controls]

    @property
    def frames(self):
        """The different frames, with None for the one in the page."""
        return self.data["frames"]

    def frame(self, indices):
        """Return the frame of a choice, or None for the one in the page."""
        choices = self.data["choices"]
        assert len(choices) == prod(self.counts)
        number = 0
        for index, count in zip(indices, self.counts, strict=True):
            number = number * count + index
        return self.frames[choices[number]]


class Saved(HTMLParser):
    """The explorers of a page, read as a browser reads them."""

    def __init__(self, html):
        super().__init__()
        self.explorers, self.inside, self.text = [], None, None
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        classes = (found.get("class") or "").split()
        if tag == "form" and "al-explorer" in classes:
            self.explorers.append(Explorer())
            self.inside = self.explorers[-1]
        if self.inside is None:
            return
        if "al-control" in classes:
            [kind] = [KINDS[c] for c in classes if c in KINDS]
            self.inside.controls.append(Control(kind))
        elif found.get("type") == "range":
            control = self.inside.controls[-1]
            control.labels = json.loads(found["data-labels"])
            control.index = int(found["value"])
            assert (found["min"], int(found["max"])) == (
                "0",
                len(control.labels) - 1,
            )
            assert found["aria-valuetext"] == control.labels[control.index]
        elif tag == "option" or found.get("type") == "radio":
            control = self.inside.controls[-1]
            if "selected" in found or "checked" in found:
                control.index = len(control.labels)
            control.labels.append("")
        if tag in TEXTS:
            self.text = ""

    def handle_data(self, data):
        if self.text is not None:
            self.text += data

    def handle_endtag(self, tag):
        if tag == "form":
            self.inside = None
        if self.inside is None or self.text is None:
            return
        if tag == "script":
            self.inside.data = json.loads(self.text)
        elif tag in TEXTS and self.inside.controls:
            control = self.inside.controls[-1]
            if not control.label:
                control.label = self.text
            elif "" in control.labels:
                control.labels[control.labels.index("")] = self.text
        if tag in TEXTS:
            self.text = None
