"""What a page may load and run: its Content-Security-Policy, in one place.

A static host sends no headers of ours, so the policy stands in the page, as
the first thing in its head. Whatever is not named here the browser refuses:
no other host, no handler in an attribute, no script in the page's own text but
the one that is known by its hash.
"""

import base64
import hashlib

import scripts

POLICY = {
    "default-src": ["'self'"],
    # Python in the page is WebAssembly, in a worker that this page makes from
    # a line of text: made so, it is bound by this policy too.
    "script-src": ["'self'", "'wasm-unsafe-eval'"],
    "worker-src": ["'self'", "blob:"],
    # Style attributes carry numbers, as in style="--w:.5".
    "style-src": ["'self'", "'unsafe-inline'"],
    "img-src": ["'self'", "data:"],
    "font-src": ["'self'", "data:"],  # formulas.css holds its fonts
    "object-src": ["'none'"],
    "base-uri": ["'self'"],
    "form-action": ["'self'"],
}
# The runtime of a stock ipywidget compiles the schema of what it reads.
WIDGETS = {"script-src": ["'unsafe-eval'"]}
STATE = "application/vnd.jupyter.widget-state+json"


def policy(widgets=False):
    """Return the policy of a page, with or without stock widgets.

    >>> policy().split("; ")[0]
    "default-src 'self'"
    """
    rules = {name: list(sources) for name, sources in POLICY.items()}
    known = hashlib.sha256(scripts.first().encode()).digest()
    rules["script-src"].append(f"'sha256-{base64.b64encode(known).decode()}'")
    for name, sources in WIDGETS.items() if widgets else ():
        rules[name] = [*rules.get(name, []), *sources]
    return "; ".join(f"{name} {' '.join(s)}" for name, s in rules.items())


def add(page):
    """Put the policy before all else; the page's redirect has no head."""
    kinds = [script.attributes.get("type") for script in page.find("script")]
    rules = policy(widgets=STATE in kinds)
    place = page.find("head")[0].inner if page.find("head") else 0
    meta = f'<meta http-equiv="Content-Security-Policy" content="{rules}">'
    page.insert(place, meta)
