"""Files that both editions load stand in the site once.

What the Korean build made byte for byte as the English one did is taken away,
and the Korean pages load the English file.
"""

import filecmp
import re

STATIC = re.compile(r"(?P<root>(?:\.\./)*)_static/(?P<name>[^\"'?#\s]+)")


def same(site, edition):
    """Return the names of the files in `_static` that are in both."""
    own = edition / "_static"
    names = [p.relative_to(own) for p in own.rglob("*") if p.is_file()]
    return {
        name.as_posix()
        for name in names
        if (site / "_static" / name).is_file()
        and filecmp.cmp(own / name, site / "_static" / name, shallow=False)
    }


def share(site, edition):
    """Remove what is there twice; let the pages load what is left."""
    shared = same(site, edition)

    def moved(match):
        up = "../" * (match["name"] in shared)
        return f"{match['root']}{up}_static/{match['name']}"

    for page in edition.rglob("*.html"):
        if "_static" not in page.relative_to(edition).parts:
            text = page.read_text("utf-8")
            page.write_text(STATIC.sub(moved, text), "utf-8")
    for name in shared:
        (edition / "_static" / name).unlink()
    folders = [p for p in (edition / "_static").rglob("*") if p.is_dir()]
    for folder in sorted(folders, reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()
