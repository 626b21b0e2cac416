"""Every code cell of every notebook, run in the page from its first to last.

What a cell prints must be what the notebook stores. A cell that is marked
long is run with very few steps of training, so that those after it can run;
what they print is not compared.
"""

import json

import pytest
import running
from exercising import code_of, stored_text
from pages import NOTEBOOKS

# What differs for a good reason, by the id of the cell.
EXCEPTIONS = {
    "mis-1e9-1c": "NumPy 2.0 writes a float32 of 1e+09 with all its digits",
}
SLOW = 8  # s in the page; a cell above it should be marked long

RUN = f"""async number => {{
    {running.LIVE}
    const cell = document.querySelector(`[data-cell="${{number}}"]`);
    const look = () => cell.querySelector('[data-py="fewer"]')?.click();
    const watch = new MutationObserver(look);
    watch.observe(cell, {{ childList: true, subtree: true }});
    const start = performance.now();
    await live.act('run', cell.querySelector('.py-run'));
    watch.disconnect();
    const texts = cell.querySelectorAll('.py-output pre');
    return {{
        seconds: (performance.now() - start) / 1000,
        status: cell.querySelector('.py-status').textContent,
        text: [...texts].map(pre => pre.textContent).join(''),
    }};
}}"""
CODE = """() => [...document.querySelectorAll('.cell[data-cell]')]
    .filter(cell => cell.querySelector('.py-run'))
    .map(cell => [
        Number(cell.dataset.cell),
        cell.querySelector('.cell_input pre').textContent.trimEnd(),
        cell.dataset.needs.split(' ').filter(Boolean).map(Number),
    ])"""
