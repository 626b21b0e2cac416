"""Every code cell of every notebook, run in the page from first to last.

What a cell prints must be what the notebook stores. A cell that is marked
long runs only if others need it, with a few steps, as the page offers it;
what these print is not compared.
"""

import pytest
import running
from exercising import code_of, stored_text
from pages import NOTEBOOKS

# What differs for a good reason, by the id of the cell.
EXCEPTIONS = {
    "mis-1e9-1c": "NumPy 2.0 writes a float32 of 1e+09 with all its digits",
}
# What a cell says when it has run; after a report it says nothing.
FINE = ("Done.", "Trained with fewer steps")
SLOW = 8  # s in the page: such a cell should be marked long
# Still fewer steps: that the cells run is all that is looked at.
TINY = {
    "ch05-train-run": "STEPS = 2",
    "ch05-mixing-class": "2",
    "ch05-control": "2",
    "ch06-train-code": "steps=52",
    "ch06-variants": "steps=2",
    "ch06-clock": "steps=2",
    "ch06-peek": "steps=20",
    "ch06-author-code": "steps=25",
    "ch07-curves-02": "sizes = [64, 128]",
    "ch07-rank-01": "runs[:1]",
}
# What fails after so few steps, and is left out.
UNLEARNED = {
    "ch05-explore": "the model begins with padding",
    "ch05-mixing-fig": "it shows a sentence that two models translate",
}

CODE = """() => [...document.querySelectorAll('.cell[data-cell]')]
    .filter(cell => cell.querySelector('.py-run'))
    .map(cell => ({
        code: cell.querySelector('.cell_input pre').textContent.trimEnd(),
        needs: cell.dataset.needs.split(' ').filter(Boolean).map(Number),
        number: Number(cell.dataset.cell),
    }))"""
OFFER = """([number, fewer]) => {
    const cell = document.querySelector(`[data-cell="${number}"]`);
    cell.dataset.fewer = JSON.stringify(fewer);
}"""
RUN = f"""async number => {{
    {running.LIVE}
    const cell = document.querySelector(`[data-cell="${{number}}"]`);
    const agree = () => cell.querySelector('[data-py="fewer"]')?.click();
    const watch = new MutationObserver(agree);
    watch.observe(cell, {{ childList: true, subtree: true }});
    const start = performance.now();
    await live.act('run', cell.querySelector('.py-run'));
    watch.disconnect();
    const seconds = (performance.now() - start) / 1000;
    const texts = cell.querySelectorAll('.py-output pre');
    return {{
        seconds,
        status: cell.querySelector('.py-status').textContent,
        text: [...texts].map(pre => pre.textContent).join(''),
    }};
}}"""


def marks(cell):
    """Return what the page says of a long cell."""
    return cell["metadata"].get("page", {})


@pytest.mark.parametrize("page", [f"{name}.html" for name in NOTEBOOKS])
def test_every_cell_runs_and_prints_what_is_stored(visit, page):
    cells = code_of(page.removesuffix(".html"))
    tab = visit(page)
    for number, cell in enumerate(cells):
        if "fewer" in marks(cell):
            old, less = marks(cell)["fewer"]
            fewer = [old, TINY.get(cell["id"], less)]
            tab.page.evaluate(OFFER, [number, fewer])
    shown = tab.page.evaluate(CODE)
    needed = {number for found in shown for number in found["needs"]}
    long = {i for i, cell in enumerate(cells) if marks(cell)}
    for found in shown:
        number, cell = found["number"], cells[found["number"]]
        assert found["code"] == cell["source"].rstrip(), cell["id"]
        if number in long - needed or cell["id"] in UNLEARNED:
            continue
        ran = tab.page.evaluate(RUN, number)
        if ran["seconds"] > SLOW:
            print(f"{cell['id']}: {ran['seconds']:.0f} s in the page")
        fine = ran["status"] == "" or ran["status"].startswith(FINE)
        assert fine, f"{cell['id']}: {ran}"
        differs = long & {number, *found["needs"]} or cell["id"] in EXCEPTIONS
        if "nbval-ignore-output" not in cell["tags"] and not differs:
            assert ran["text"].strip() == stored_text(cell).strip(), cell["id"]
    assert (tab.errors, tab.foreign) == ([], [])


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_fewer_steps_are_offered_where_the_code_has_them(name):
    for cell in code_of(name):
        if "fewer" in marks(cell):
            assert marks(cell)["seconds"] >= 10
            old, less = marks(cell)["fewer"]
            assert old in cell["source"]
            assert old != less
