"""The icons of the pages: drawn here, shown as masks in the text's colour.

The theme asks for Font Awesome by the names of classes; a page gets these
strokes on a grid of 24 by 24 instead, which weigh as much as a sentence.
"""

import re
from urllib.parse import quote

CIRCLE = "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z"
SHEET = "M6 3h8l4 4v14H6zM14 3v4h4"
GLASS = "M10 4a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM14.5 14.5l6 6"
BULB = "M9 17c0-3-3-4-3-8a6 6 0 0 1 12 0c0 4-3 5-3 8zM10 21h4"
TRIANGLE = "M12 3.5 22 20.5H2zM12 10v5M12 17.8v.01"
DRAWINGS = {
    "angle-down": "M5 9l7 7 7-7",
    "angle-left": "M15 5l-7 7 7 7",
    "angle-right": "M9 5l7 7-7 7",
    "arrow-right": "M4 12h16M13 5l7 7-7 7",
    "arrow-up": "M12 20V4M5 11l7-7 7 7",
    "bars": "M4 6h16M4 12h16M4 18h16",
    "bell": "M6 17v-6a6 6 0 0 1 12 0v6l2 1H4l2-1zM10 21h4",
    "circle-half-stroke": f"{CIRCLE}M12 4v16M13.5 5v14M15 5v14M17 7v10",
    "code": "M8 7l-5 5 5 5M16 7l5 5-5 5",
    "cross": f"{CIRCLE}M9 9l6 6M15 9l-6 6",
    "download": "M12 4v11M7 10.5l5 5 5-5M4 20h16",
    "file": SHEET,
    "file-pdf": f"{SHEET}M9 12h6M9 16h6",
    "github": "M7 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM7 20a2 2 0 1 0 0-4 2 2 0 0 0"
    " 0 4zM17 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM7 8v8M17 8c0 4-3 5-10 5",
    "info": f"{CIRCLE}M12 11v6M12 7.5v.01",
    "lightbulb": BULB,
    "list": "M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01",
    "magnifying-glass": GLASS,
    "magnifying-glass-minus": f"{GLASS}M7 10h6",
    "moon": "M19 15A8 8 0 1 1 9 5a6.5 6.5 0 0 0 10 10z",
    "pencil-alt": "M4 20l1-5L16 4l4 4L9 19zM13 7l4 4",
    "rocket": "M12 3c4 3 5 7 5 12H7c0-5 1-9 5-12zM12 9v.01M7 11l-3 4v4l4-3"
    "M17 11l3 4v4l-4-3M10 20h4",
    "sun": "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2"
    "M5 5l1.4 1.4M17.6 17.6 19 19M5 19l1.4-1.4M17.6 6.4 19 5",
    "warning": TRIANGLE,
}
# What the theme puts before a text by its style sheet, and in which icon.
SLOTS = {
    ".admonition": "bell",
    ".admonition:is(.attention, .caution, .important, .warning)": "warning",
    ".admonition:is(.danger, .error)": "cross",
    ".admonition:is(.hint, .tip)": "lightbulb",
    ".admonition.note": "info",
    ".admonition.seealso": "arrow-right",
    ".admonition.exercise": "pencil-alt",
    ".onthispage": "angle-down",
    ".highlight-link": "magnifying-glass-minus",
}
LOOK = """
.al-icon,
.admonition > .admonition-title::after,
div.admonition > .admonition-title::after,
div#searchbox p.highlight-link a::before,
.bd-sidebar-secondary.hide:not(:hover) .onthispage::after {
  background: currentcolor;
  content: "" !important;
  display: inline-block;
  flex: none;
  forced-color-adjust: preserve-parent-color;
  height: 1.15em;
  mask: var(--icon) center / contain no-repeat;
  print-color-adjust: exact;
  vertical-align: -0.2em;
  width: 1.15em;
}
.bd-header-article .btn .al-icon { height: 1.4rem; width: 1.4rem }
.bd-header-article .dropdown-item .al-icon { height: 1.2rem; width: 1.2rem }
.sidebar-secondary-item .al-icon { margin-right: 0.25rem; padding: 0 }
#pst-back-to-top .al-icon { margin-inline-end: 0.5em }
#pst-search-dialog[open] .al-icon { font-size: var(--pst-font-size-icon) }
.admonition > .admonition-title::after,
div.admonition > .admonition-title::after {
  background: var(--icon-color, var(--pst-color-info));
  height: 1.1rem;
  margin: 0 0.5rem;
  top: 0.65rem;
  width: 1.1rem;
}
div.solution > .admonition-title::after { display: none }
.admonition:is(.attention, .caution, .important, .warning) {
  --icon-color: var(--pst-color-warning);
}
.admonition:is(.danger, .error) { --icon-color: var(--pst-color-danger) }
.admonition:is(.hint, .seealso, .tip) {
  --icon-color: var(--pst-color-success);
}
"""


def mask(drawing):
    """Return an icon as a value of CSS."""
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" '
        'fill="none" stroke="#000" stroke-width="2" stroke-linecap="round" '
        f'stroke-linejoin="round"><path d="{drawing}"/></svg>'
    ).replace('"', "'")
    data = quote(svg, safe=" /:='")
    return f'url("data:image/svg+xml,{data}")'


def css():
    """Return the style sheet of all icons."""
    rules = [
        f"{selector} {{ --icon: {mask(DRAWINGS[name])} }}"
        for selector, name in [
            *((f".al-icon-{name}", name) for name in DRAWINGS),
            *SLOTS.items(),
        ]
    ]
    return "\n".join([LOOK, *rules])


def renamed(classes):
    """Return the names of an icon's classes, without those of the font.

    >>> renamed(["theme-switch", "fa-solid", "fa-sun", "fa-lg"])
    ['theme-switch', 'al-icon', 'al-icon-sun']
    """
    looks = ["fa-lg", "fa-solid"]
    names = [c[3:] for c in classes if c[:3] == "fa-" and c not in looks]
    for name in names:
        if name not in DRAWINGS:
            raise SystemExit(f"book/_ext/icons.py draws no icon for fa-{name}")
    others = [c for c in classes if not re.match(r"fa(s|b|r|-.*)?$", c)]
    return [*others, "al-icon", *(f"al-icon-{name}" for name in names)]


def replace(page):
    """Let each element that asks for the font ask for a drawing."""
    for element in [*page.find("i"), *page.find("span")]:
        if any(c.startswith("fa-") for c in element.classes):
            page.set(element, "class", " ".join(renamed(element.classes)))
