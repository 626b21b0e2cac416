"""Python in the page: pressed as a reader does, or asked by its module."""

import exercising

# The module that the buttons load; a page has one of it.
LIVE = """const { dataset } = document.documentElement;
const root = dataset.content_root ?? './';
const live = await import(new URL(root + dataset.live, document.baseURI));
"""
ASK = f"""async sources => {{
    {LIVE}
    const found = [];
    for (const [i, source] of sources.entries()) {{
        const pieces = [];
        const show = piece => pieces.push(piece);
        const end = await live.python.run(source, `cell ${{i + 1}}`, show);
        const texts = pieces.map(piece => piece.text ?? '');
        found.push({{ ok: end.ok, text: texts.join('') }});
    }}
    return found;
}}"""


def ask(page, sources):
    """Run pieces of code in the page's Python; return what each of them says.

    Each answer is a dict of `ok` and `text`.
    """
    return page.evaluate(ASK, sources)


def cell(page, number):
    """Return a code cell of a page, by its number."""
    return page.locator(f'.cell[data-cell="{number}"]')


def exercise(page, label):
    """Return the code cell of an exercise."""
    return page.locator(f'.cell[data-exercise="{label}"]')


def press(cell, name):
    """Press a button of a cell."""
    cell.get_by_role("button", name=name, exact=True).click()


def number_of(name, cell_id):
    """Return a cell's number among the code cells of its notebook."""
    ids = [c["id"] for c in exercising.code_of(name)]
    return ids.index(cell_id)


def status(cell):
    """Return where a cell says how its run goes."""
    return cell.locator(".py-status")


def output(cell):
    """Return what a cell's run has shown."""
    return cell.locator(".py-output")
