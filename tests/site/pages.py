"""Which pages there are, by the table of contents."""

import course
import yaml

TOC = yaml.safe_load((course.ROOT / "_toc.yml").read_text("utf-8"))
DOCUMENTS = [
    TOC["root"],
    *(c["file"] for part in TOC["parts"] for c in part["chapters"]),
]
NOTEBOOKS = [d for d in DOCUMENTS if (course.ROOT / f"{d}.ipynb").is_file()]
MADE_BY_SPHINX = ["search"]


def html_pages(site):
    """Return the names of all pages that were built."""
    names = {p.relative_to(site).as_posix() for p in site.rglob("*.html")}
    return {name for name in names if not name.startswith("_static/")}
