"""Formulas as MathML, beside the TeX, for readers without scripts."""

import json
import subprocess
from pathlib import Path

import frontend

HERE = Path(__file__).parent
STYLE = (HERE / "noscript.css").read_text("utf-8").strip()
HIDE_TEX = f"<noscript><style>{STYLE}</style></noscript>"


def formulas_of(page):
    """Return (element, TeX, display?, number) of each formula of a page."""
    numbers = page.find("span", "eqno")
    found = []
    for element in [*page.find("span", "math"), *page.find("div", "math")]:
        start, number = element.inner, ""
        for eqno in numbers:
            if eqno.within(element):
                start = eqno.end
                number = page.text(eqno.inner, eqno.close).strip("#¶")
        tex = page.text(start, element.close).strip()
        display = tex.startswith("\\[")
        found.append((element, tex[2:-2].strip(), display, number))
    return found


def mathml(formulas, macros):
    """Return the MathML of each (TeX, display?), made by MathJax."""
    done = subprocess.run(
        [
            *frontend.command("node"),
            str(HERE / "mathml.cjs"),
            str(frontend.PACKAGES),
        ],
        input=json.dumps({"macros": macros, "formulas": formulas}),
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    if done.returncode:
        raise SystemExit(
            "MathJax could not turn the book's formulas into MathML. It said:"
            f"\n{done.stderr[-2000:]}"
        )
    return dict(zip(formulas, json.loads(done.stdout), strict=True))


def add(pages, macros):
    """Put MathML behind each formula, and hide TeX where scripts are off."""
    found = [(page, formulas_of(page)) for page in pages]
    wanted = {formula[1:3] for _, inner in found for formula in inner}
    table = mathml(sorted(wanted), macros) if wanted else {}
    for page, inner in found:
        for element, tex, display, number in inner:
            made = table[tex, display]
            page.insert(element.end, f"<noscript>{number}{made}</noscript>")
        if inner:
            page.insert(page.find("head")[0].close, HIDE_TEX)
