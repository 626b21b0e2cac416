"""The page's side of Python: cells that run as in a notebook.

In a Python of this machine; tests/site runs all cells in a browser.
"""

import json

import in_page
import pytest


def pieces(*sources):
    """Run cells; return what the last one sent."""
    return in_page.run(*sources)[-1]["pieces"]


def test_the_last_expression_is_shown_and_state_stays():
    first, second = in_page.run("x = [1, 2]\nx", "x.append(3); print(len(x))")
    assert first["pieces"] == [{"kind": "result", "text": "[1, 2]"}]
    assert [p["kind"] for p in second["pieces"]] == ["text", "text"]
    assert in_page.text_of(second) == "3\n"


@pytest.mark.parametrize("code", ["1;", "None", "x = 1", "", "# a remark"])
def test_nothing_is_shown_without_a_value(code):
    assert in_page.run(code) == [{"ok": True, "pieces": []}]


def test_what_is_printed_comes_before_the_result():
    found = pieces("import sys\nprint('a')\nprint('b', file=sys.stderr)\n1")
    assert [p["text"] for p in found] == ["a", "\nb\n", "1"]
    assert [p["kind"] for p in found] == ["text", "text", "result"]


def test_much_text_is_cut():
    printed = pieces("for i in range(200_000): print(i)")
    assert sum(len(p["text"]) for p in printed) < 250_000
    assert printed[-1]["text"].endswith("… (more is not shown)\n")
    (result,) = pieces("'a' * 300_000")
    assert result["text"].endswith("… (300,002 characters)\n")


ERRORS = {
    "a = 1\n\nb = a / 0": (3, "ZeroDivisionError: division by zero"),
    "def f():\n    return 1 / 0\n\nf()": (2, "ZeroDivisionError"),
    "import json\n\njson.loads('?')": (3, "JSONDecodeError"),
    "print(1\n": (1, "SyntaxError: '(' was never closed"),
    "x = 1\n  y = 2": (2, "IndentationError"),
    "raise SystemExit": (1, "SystemExit"),
    "eval('1 +')": (1, "SyntaxError"),
}


@pytest.mark.parametrize("code", ERRORS)
def test_an_error_names_the_readers_line(code):
    (answer,) = in_page.run(code)
    assert not answer["ok"]
    (error,) = answer["pieces"]
    line, words = ERRORS[code]
    assert (error["kind"], error["line"]) == ("error", line)
    assert words in error["text"]
    assert "coursekit/page" not in error["text"]


def test_an_error_in_a_cell_above_shows_both_lines():
    (error,) = pieces("def f(x):\n    return 1 / x", "\nf(0)")
    assert error["line"] == 2
    assert 'File "<cell 1>", line 2, in f' in error["text"]
    assert 'File "<cell 2>", line 2, in <module>' in error["text"]


def test_an_error_after_an_error_is_no_older_one():
    found = in_page.run_fresh([["1 / 0"], ["print('fine')"]])
    ((failed,), (fine,)) = found
    assert not failed["ok"]
    assert fine["ok"]
    assert in_page.text_of(fine) == "fine\n"


CHECK = """import numpy as np
from coursekit import exercises

def causal_mask(n_q, n_k):
    {body}

exercises.check_causal_mask(causal_mask)"""


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("return ...", "not attempted"),
        ("return np.tri(n_q, n_k, n_k - n_q, dtype=bool)", "right"),
        ("return np.tri(n_q, n_k, dtype=bool)", "wrong"),
        ("return np.no_such_name", "wrong"),
    ],
)
def test_a_report_of_a_check_has_its_status(body, status):
    (report,) = pieces(CHECK.format(body=body))
    assert (report["kind"], report["status"]) == ("report", status)
    if "no_such_name" in body:
        assert "in line 5, `return np.no_such_name`" in report["text"]


def test_a_display_can_be_shown_anew():
    first, second, third = pieces(
        "from IPython.display import DisplayHandle, Pretty, display\n"
        "handle = DisplayHandle()\n"
        "handle.display(Pretty('a'))\n"
        "display(1)\n"
        "handle.update(Pretty('b'))"
    )
    assert first["slot"] == third["slot"]
    assert [p["text"] for p in (first, second, third)] == ["a", "1", "b"]
    assert "slot" not in second


def test_an_explorer_is_html():
    (piece,) = pieces(
        "from coursekit import explorers\nexplorers.explore_flash()"
    )
    assert piece["kind"] == "html"
    assert piece["html"].startswith("<form")


# --- figures -----------------------------------------------------------------

PLOT = "import matplotlib.pyplot as plt\nimport numpy as np\n"
MAP = "import attnlib as al\nimport numpy as np\n"


def test_a_map_is_drawn():
    (piece,) = pieces(MAP + "al.visualize_attention(np.eye(2), ['<b>', 'c'])")
    assert piece["kind"] == "html"
    assert "&lt;b&gt;" in piece["html"]
    assert "<b>" not in piece["html"]
    assert "The largest weight is 1.00" in piece["html"]


def test_a_map_for_each_head_has_its_title():
    (piece,) = pieces(MAP + "al.visualize_attention(np.eye(3)[None] / 2)")
    assert "head 0" in piece["html"]


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ("np.ones(3)", "weights must have shape"),
        ("2 * np.eye(2)", "weights must lie between 0 and 1"),
        ("np.eye(2), ['a']", "query_tokens has 1 tokens for 2 positions"),
    ],
)
def test_a_map_of_other_arrays_is_refused(weights, words):
    (error,) = pieces(MAP + f"al.visualize_attention({weights})")
    assert words in error["text"]


def test_another_figure_is_left_to_the_page():
    code = "fig, ax = plt.subplots()\nax.plot([1, 2])\nax.set(xlabel='x')\n"
    assert pieces(PLOT + code + "plt.show()") == [{"kind": "figure"}]
    assert pieces(PLOT + code + "ax") == [{"kind": "figure"}]


def test_a_map_too_large_for_the_page_is_left_to_it():
    code = MAP + "al.visualize_attention(np.eye(100), values=False)"
    assert pieces(code) == [{"kind": "figure"}]


def test_panels_have_the_shape_that_pyplot_gives():
    shapes = [
        "np.shape(plt.subplots()[1])",
        "plt.subplots(1, 3)[1].shape",
        "plt.subplots(2, 1)[1].shape",
        "plt.subplots(2, 3)[1].shape",
        "plt.subplots(1, 1, squeeze=False)[1].shape",
    ]
    (answer,) = in_page.run(PLOT + f"print([{', '.join(shapes)}])")
    said = in_page.text_of(answer)
    assert said == "[(), (3,), (2,), (2, 3), (1, 1)]\n"


def test_what_stands_in_for_matplotlib_says_what_it_lacks():
    (error,) = pieces(PLOT + "plt.subplots()[1].violinplot([1])")
    assert "knows no Axes.violinplot" in error["text"]
    assert "in the notebook" in error["text"]


def test_a_figure_of_a_cell_that_failed_is_forgotten():
    script = """
import coursekit.page as page
from coursekit.page import figures, outputs
outputs.to_page = lambda text: None
page.run("import matplotlib.pyplot as plt; plt.subplots(); 1 / 0", "cell 1")
print(len(figures.open_figures))
"""
    assert in_page.python(script) == "0\n"


# --- completion --------------------------------------------------------------

COMPLETE = """
import coursekit.page as page
from coursekit.page import outputs
outputs.to_page = lambda text: None
page.run("import numpy as np\\nnumbers = [1]", "cell 1")
for text in {texts}:
    print(page.complete(text))
"""


def completed(*texts):
    lines = in_page.python(COMPLETE.format(texts=texts)).splitlines()
    return [json.loads(line) for line in lines]


def test_names_attributes_and_words_are_completed():
    names, attributes, words, nothing, hidden = completed(
        "print(numb", "np.linalg.matrix_r", "whil", "nowhere.a", "np.__vers"
    )
    assert names == ["numbers"]
    assert attributes == ["matrix_rank"]
    assert words == ["while"]
    assert nothing == []
    assert hidden == ["__version__"]


def test_completion_calls_nothing():
    assert completed("numbers.pop().real", "numbers.") != [[], []]
    (kept,) = completed("numbers.app")
    assert kept == ["append"]


# --- the package -------------------------------------------------------------


def test_the_examples_of_the_package_hold():
    script = """
import doctest
from coursekit.page import cells, display, figures, outputs
for module in (cells, display, figures, outputs):
    print(doctest.testmod(module).failed)
"""
    assert in_page.python(script).split() == ["0"] * 4


def test_the_clock_of_the_processor_runs_in_a_browser_too():
    script = "import time, coursekit.page\n"
    script += "print(time.process_time is time.perf_counter)"
    assert in_page.python(script) == "True\n"
