"""The style sheets: files beside this one, written into every output."""

import re
from importlib.resources import files

__all__ = ["EXPLORERS", "QUESTIONS"]


def _sheet(name):
    """Return a style sheet as a style element, without what is for people."""
    text = files("coursekit.explorers").joinpath(name).read_text("utf-8")
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return f"<style>{' '.join(text.split())}</style>"


EXPLORERS = _sheet("explorers.css")
QUESTIONS = _sheet("questions.css")
