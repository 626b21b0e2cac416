"""What a page knows of its explorers: the widget state saved in it."""

import json
import re

MIME = "application/vnd.jupyter.widget"


class Saved:
    """The explorers of one page, as the kernel left them."""

    def __init__(self, html):
        found = re.findall(
            rf'<script type="{re.escape(MIME)}-(state|view)\+json">(.*?)'
            r"</script>",
            html,
            re.DOTALL,
        )
        loaded = [(kind, json.loads(text)) for kind, text in found]
        self.models = {}
        for kind, data in loaded:
            if kind == "state":
                self.models |= data["state"]
        views = [d["model_id"] for kind, d in loaded if kind == "view"]
        self.explorers = [
            view
            for view in views
            if "al-explorer" in self.of(view).get("_dom_classes", [])
        ]
        self.links = {
            self.of(name)["target"][0]: self.of(name)["source"][0]
            for name, model in self.models.items()
            if model["model_name"] == "DirectionalLinkModel"
        }

    def of(self, name):
        """Return a model's state, by its id or by a reference to it."""
        return self.models[name.removeprefix("IPY_MODEL_")]["state"]

    def kind(self, name):
        return self.models[name.removeprefix("IPY_MODEL_")]["model_name"]

    def controls(self, explorer):
        """Return the references of an explorer's controls."""
        return self.of(self.of(explorer)["children"][1])["children"]

    def start(self, explorer):
        """Return the index of each control at first."""
        return {c: self.of(c)["index"] for c in self.controls(explorer)}

    def frame(self, explorer, indices):
        """Follow the links from the controls to the frame they choose."""
        name = self.of(explorer)["children"][2]
        while self.kind(name) == "StackModel":
            chosen = indices[self.links[name]]
            name = self.of(name)["children"][chosen]
        return self.of(name)["value"]
