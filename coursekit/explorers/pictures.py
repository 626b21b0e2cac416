"""Matplotlib's SVG, made small, and dressed in the colours of its page.

On a page a picture is inline: its text is text, in the page's font, and its
colours are those of the theme. What is black becomes the page's ink, white
its ground, grey a share of the ink; pictures.css knows the other colours.
"""

import hashlib
import re
from collections import Counter
from html import escape
from io import StringIO
from xml.etree import ElementTree

from coursekit.phrases import later, phrase

__all__ = ["drawn", "inline"]

# The palette of attnlib.plots.
NAMES = {"#0072b2": "blue", "#d55e00": "orange", "#009e73": "green"}
NAMES |= {"#cc79a7": "pink", "#e69f00": "amber", "#56b4e9": "sky"}
DEFAULTS = {"opacity": "1", "fill-opacity": "1", "stroke-opacity": "1"}
DEFAULTS |= {"stroke": "none", "stroke-width": "1", "stroke-dashoffset": "0"}
LINK = "{http://www.w3.org/1999/xlink}href"
DRAWN = {later("key"), later("query"), later("weight")}
UNSEEN = {"metadata", "style"}
DEFINED = {"clipPath", "pattern"}
PLACES = {"d", "x", "y", "width", "height", "transform", "stroke-dasharray"}


def drawn(figure, alt):
    """Return a figure as an inline picture, and close it."""
    import matplotlib.pyplot as plt

    settings = {"svg.fonttype": "none", "svg.hashsalt": "attention"}
    out = StringIO()
    with plt.rc_context(settings):
        figure.savefig(out, format="svg", bbox_inches="tight", pad_inches=0.06)
    plt.close(figure)
    return inline(out.getvalue(), alt)


def inline(svg, alt):
    """Return Matplotlib's SVG as a small element that says what it shows.

    Parameters
    ----------
    svg : str
        What Matplotlib wrote, with ``svg.fonttype: none``.
    alt : str
        What the picture shows, in words.

    Examples
    --------
    >>> svg = '<svg width="72pt" height="36pt" viewBox="0 0 72 36" '
    >>> svg += 'xmlns="http://www.w3.org/2000/svg"><path d="M 0 0.04 L 9 9" '
    >>> svg += 'style="fill: none; stroke: #0072b2"/></svg>'
    >>> inline(svg, "It grows.").partition(">")[2]
    '<path d="M0 0L9 9" fill="none" stroke="var(--al-blue)"/></svg>'
    """
    root = ElementTree.fromstring(svg)
    _take_off_grounds(root)
    _take_off_clips(root)
    _share_styles(root)
    sizes = Counter(_style(e).get("font-size") for e in root.iter())
    del sizes[None]
    size = max(sizes, key=sizes.get, default="10px")
    names = _Names(root)
    body = "".join(_write(child, names, size) for child in root)
    width, height = map(float, root.get("viewBox").split()[2:])
    own = hashlib.sha256((body + alt).encode()).hexdigest()[:6]
    return (
        f'<svg class="al-pic" role="img" aria-label="{escape(alt)}" '
        f'width="{width * 4 / 3:.0f}" height="{height * 4 / 3:.0f}" '
        f'viewBox="0 0 {width:.1f} {height:.1f}" fill="currentcolor" '
        f'stroke-linejoin="round" font-size="{_plain(size)}">'
        f"{body.replace(_Names.OWN, f'al-{own}')}</svg>"
    )


def _tag(element):
    return element.tag.rpartition("}")[2]


def _style(element):
    """Return the declarations of a style attribute as a dict."""
    pairs = re.findall(r"([\w-]+):([^;]+)", element.get("style", ""))
    return {name: value.strip() for name, value in pairs}


def _numbers(text):
    return [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", text)]


def _take_off_grounds(root):
    """Remove the white sheets below the figure and below its axes."""
    for group in root.iter():
        if re.match(r"figure_|axes_", group.get("id", "")):
            for child in [*group][:1]:
                white = [_style(e).get("fill") == "#ffffff" for e in child]
                if child.get("id", "").startswith("patch_") and all(white):
                    group.remove(child)


def _take_off_clips(root):
    """Remove the clip paths of all that lies within them anyway."""
    boxes = {}
    for clip in root.iterfind(".//{*}clipPath[{*}rect]"):
        sides = ("x", "y", "width", "height")
        x, y, width, height = (float(clip[0].get(side)) for side in sides)
        boxes[f"url(#{clip.get('id')})"] = x, y, x + width, y + height
    for element in root.iter():
        box = boxes.get(element.get("clip-path"))
        if box and all(_inside(e, box) for e in [element, *element]):
            del element.attrib["clip-path"]


def _inside(element, box, slack=1.0):
    """Say whether a path, a marker or an image lies within a box."""
    if _tag(element) == "image":
        return True  # Matplotlib cuts its images itself
    if _tag(element) == "use":
        places = float(element.get("x", 0)), float(element.get("y", 0))
    else:
        places = _numbers(element.get("d", ""))
    xs, ys = places[::2], places[1::2]
    left, top, right, bottom = box
    return all(left - slack <= x <= right + slack for x in xs) and all(
        top - slack <= y <= bottom + slack for y in ys
    )


def _share_styles(root):
    """Let a marker carry the style that all its uses have."""
    uses = {}
    for use in root.iterfind(".//{*}use"):
        uses.setdefault(use.get(LINK), []).append(use)
    for link, places in uses.items():
        styles = {use.get("style", "") for use in places}
        if len(styles) == 1:
            mark = root.find(f".//*[@id='{link[1:]}']")
            mark.set("style", f"{mark.get('style', '')};{styles.pop()}")
            for use in places:
                use.attrib.pop("style", None)


class _Names:
    """Short ids for what is used in a picture; all others are dropped."""

    OWN = "\ue000"  # a place for the picture's own name; no text has it

    def __init__(self, root):
        used = {}
        for element in root.iter():
            values = " ".join(element.attrib.values())
            for name in re.findall(r"url\(#([^)]+)\)", values):
                used.setdefault(name, len(used))
            if element.get(LINK, "").startswith("#"):
                used.setdefault(element.get(LINK)[1:], len(used))
        self.short = {name: f"{self.OWN}-{i}" for name, i in used.items()}

    def renamed(self, value):
        return re.sub(r"#([\w.-]+)", lambda m: f"#{self.short[m[1]]}", value)


def _said(words):
    """Say in the course's language what `attnlib.plots` writes in English."""
    head = re.fullmatch(r"head (\d+)", words)
    if head:
        return phrase("head {head}", head=head[1])
    return phrase(words) if words in DRAWN else words


def _write(element, names, size, digits=1):
    """Return an element and all in it as text."""
    tag = _tag(element)
    name = element.get("id")
    if tag in UNSEEN or (tag in DEFINED and name not in names.short):
        return ""
    digits = 2 if tag == "defs" else digits
    words = (element.text or "") if tag in {"text", "tspan"} else ""
    words = _said(words)
    content = escape(words, quote=False) if words.strip() else ""
    content += "".join(_write(e, names, size, digits) for e in element)
    attributes = _attributes(element, names, size, digits)
    if tag in {"g", "defs"} and not content:
        return ""
    if tag == "g" and not attributes:
        return content
    start = "".join(f' {key}="{value}"' for key, value in attributes.items())
    if not content:
        return f"<{tag}{start}/>"
    return f"<{tag}{start}>{content}</{tag}>"


def _attributes(element, names, size, digits):
    """Return the attributes that are worth writing, in a fixed order."""
    kept = {}
    if element.get("id") in names.short:
        kept["id"] = names.short[element.get("id")]
    style = _style(element)
    for key, value in element.attrib.items():
        if key == LINK:
            own = value.startswith("#")
            kept["href"] = names.renamed(value) if own else value
        elif key in PLACES:
            # A scale multiplies what is in it, and so would its error.
            scaled = re.search("scale|matrix", value)
            kept[key] = _rounded(value, 6 if scaled else digits)
        elif key == "clip-path":
            kept[key] = names.renamed(value)
        elif key == "fill":
            style[key] = value
        elif key == "patternUnits":
            kept[key] = value
    if kept.get("transform", "").startswith("rotate(-0 "):
        del kept["transform"]
    return kept | _looks(style, names, size, digits)


def _looks(style, names, size, digits):
    """Return a style as attributes, in the colours of the theme."""
    looks = {}
    for key, value in style.items():
        if key in {"fill", "stroke"}:
            looks |= _paint(key, value, names)
        elif key == "font-family":
            if "mono" in value.lower():
                looks[key] = "monospace"
        elif key == "font-size":
            if value != size:
                looks[key] = _plain(value)
        elif key == "image-rendering":
            looks["style"] = f"{key}:{value}"
        elif key.endswith("-opacity") and key in looks:
            looks[key] = f"{float(looks[key]) * float(value):.2g}"
        else:
            looks[key] = _rounded(value, 2)
    return {k: v for k, v in looks.items() if DEFAULTS.get(k) != v}


def _paint(key, value, names):
    """Return the attributes of a colour."""
    if value in NAMES:
        return {key: f"var(--al-{NAMES[value]})"}
    if value.startswith("url"):
        return {key: names.renamed(value)}
    if value == "#ffffff":
        return {key: "var(--al-ground)"}
    if re.fullmatch(r"#(..)\1\1", value):
        # The page's ink is not quite black: hence a quarter more of it.
        share = min(1, 1.25 * (1 - int(value[1:3], 16) / 255))
        return {key: "currentcolor", f"{key}-opacity": f"{share:.2g}"}
    return {key: value}


def _plain(value):
    return f"{float(value.removesuffix('px')):g}"


def _rounded(value, digits):
    """Round the numbers of a path or a place, and close the gaps."""
    value = re.sub(
        r"-?\d+\.\d+(?:e-?\d+)?",
        lambda m: f"{round(float(m[0]), digits) + 0:g}",
        value,
    )
    return " ".join(re.sub(r"\s*([A-Za-z,(])\s*", r"\1", value).split())
