"""Style sheets: files beside this one. Pages link them, notebooks hold them.

The build of the book tells its kernels by a variable that their outputs are
for a page.
"""

import os
import re
from functools import cache
from importlib.resources import files

__all__ = ["on_page", "style"]

PAGE = "COURSEKIT_PAGE"


def on_page():
    """Say whether what is shown goes to a page, which has no kernel."""
    return bool(os.environ.get(PAGE))


def style(name):
    """Return a style sheet as an element; on a page, which links it, none."""
    return "" if on_page() else _sheet(name)


@cache
def _sheet(name):
    text = files("coursekit.explorers").joinpath(name).read_text("utf-8")
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return f"<style>{' '.join(text.split())}</style>"
