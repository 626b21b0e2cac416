"""The Korean catalogues: cut from the English pages, and true to them."""

import ast
import json
from collections import defaultdict

import catalogues
import edition
import pieces
import pytest

PAGES = catalogues.pages()
NOTEBOOKS = {n: p for n, p in PAGES.items() if p.suffix == ".ipynb"}
FOLDED = {"hide-input", "opening", "predict"}
# Short answers to different questions, and an item of two unlike lists.
TWO_WAYS = {
    "All of them",
    "No",
    "{cite:t}`ainslie2023gqa`: grouped queries, and how to convert a trained "
    "model to them.",
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_cut_and_rejoined_is_the_same_to_the_byte(name):
    path = PAGES[name]
    again = catalogues.translated(path, lambda kind, words, old: old)
    assert again == path.read_text("utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_every_page_has_texts_and_none_of_them_is_blank(name):
    found = catalogues.texts(PAGES[name])
    assert found
    assert all(words.strip() == words for _, words in found)


@pytest.mark.parametrize("name", PAGES)
def test_all_is_translated_and_keeps_numbers_formulas_code_and_links(name):
    assert catalogues.check({name: PAGES[name]}) == []


def test_the_same_english_is_the_same_korean_on_every_page():
    found = defaultdict(set)
    for name, path in PAGES.items():
        known = edition.words_of(name)
        for kind, words in catalogues.texts(path):
            if kind != "term":  # which carries its English
                found[words].add(known[words])
    assert {w for w in found if len(found[w]) > 1} == TWO_WAYS


def code_of(path):
    cells = json.loads(path.read_text("utf-8"))["cells"]
    for cell in cells:
        if cell["cell_type"] == "code":
            tags = {*cell["metadata"].get("tags", [])}
            words = cell["metadata"].get("words", [])
            yield "".join(cell["source"]), tags, words


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_words_of_a_figure_are_in_its_cell_once_and_the_cell_is_folded(name):
    for source, tags, words in code_of(NOTEBOOKS[name]):
        assert not words or tags & FOLDED, source
        found = pieces.cut_code(source, words=words)
        said = [piece.words for piece in found]
        assert [said.count(word) for word in words] == [1] * len(words)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_string_of_code_put_back_is_the_same_code(name):
    for source, tags, words in code_of(NOTEBOOKS[name]):
        found = pieces.cut_code(source, "predict" in tags, words)
        again = pieces.join(
            source, found, lambda p: pieces.literal(p.kind, p.words)
        )
        assert ast.dump(ast.parse(again)) == ast.dump(ast.parse(source))


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_code_that_is_shown_is_the_same_in_korean(name, tmp_path):
    known = edition.words_of(name)
    page = tmp_path / "page.ipynb"
    text = catalogues.translated(
        NOTEBOOKS[name], lambda k, words, o: known[words]
    )
    page.write_text(text, "utf-8")
    pairs = zip(code_of(NOTEBOOKS[name]), code_of(page), strict=True)
    for (old, tags, _), (new, _, _) in pairs:
        ast.parse(new)
        assert old == new or tags & FOLDED


def words_of(text):
    return [(piece.kind, piece.words) for piece in pieces.cut(text)]


def test_markdown_is_cut_where_its_parser_sees_a_text():
    text = (
        "# A title\n\nOne line\nand another.\n\n- [ ] I can.\n- $x$\n\n"
        "| a word | $y$ |\n| --- | --- |\n| `z` | 0.5 |\n\n"
        "````{exercise} Try it\n:label: ex-1\n\nDo this.\n\n"
        "```{dropdown} Hint 1\nLook.\n```\n````\n\n"
        "```python\ncode\n```\n\n$$\nx_\\text{symbol}\n$$\n\n"
        "$$\nx \\text{ if } y\n$$ (label)\n\n"
        '```{code-cell} ipython3\n:mystnb:\n:  code_prompt_show: "Answer 1"\n'
        "\nprint()\n```\n\n```{glossary}\nhead\n  One\n  of many.\n```\n"
    )
    assert words_of(text) == [
        ("heading", "A title"),
        ("paragraph", "One line and another."),
        ("paragraph", "I can."),
        ("row", "| a word | $y$ |"),
        ("title", "Try it"),
        ("paragraph", "Do this."),
        ("title", "Hint 1"),
        ("paragraph", "Look."),
        ("formula", "$$\nx \\text{ if } y\n$$"),
        ("prompt", "Answer 1"),
        ("term", "head"),
        ("definition", "One of many."),
    ]


def test_a_term_is_translated_but_stays_in_the_text(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```{glossary}\nhead\n  One of many.\n```\n", "utf-8")
    assert ("term", "head") in catalogues.texts(page)
    again = catalogues.translated(page, lambda kind, words, old: words.upper())
    assert again == "```{glossary}\nhead\n  ONE OF MANY.\n```\n"


def test_what_unfolds_a_cell_is_translated(tmp_path):
    prompts = {"code_prompt_show": "Look", "code_prompt_hide": "Away"}
    cell = {"cell_type": "code", "metadata": {"mystnb": prompts}, "source": []}
    page = tmp_path / "page.ipynb"
    page.write_text(json.dumps({"cells": [cell]}), "utf-8")
    again = catalogues.translated(page, lambda kind, words, old: words.upper())
    (new,) = json.loads(again)["cells"]
    assert [*new["metadata"]["mystnb"].values()] == ["LOOK", "AWAY"]


def test_a_template_is_cut_with_its_gaps_and_put_back_as_one():
    source = 'ax.set(xlabel="one\\n"\n  f"of {n:{w}.2f} {{x}} {d[\'k\']}")'
    (piece,) = pieces.cut_code(source)
    words = "one\nof {n:{w}.2f} {{x}} {d['k']}"
    assert (piece.kind, piece.words) == ("template", words)
    again = pieces.join(
        source, [piece], lambda p: pieces.literal(p.kind, words)
    )
    assert ast.dump(ast.parse(again)) == ast.dump(ast.parse(source))
    assert pieces.cut_code('ax.text(0, 0, f"{word}: {share:.2f}")') == []


def test_words_that_code_carries_about_are_cut_where_they_are_marked():
    source = (
        'names = {"whole": 1, "part": 2}\nlabel = f"head {i}"\nx["whole"]\n'
        'ax.set_yticks([0, 1], ["first", "0.5"])'
    )
    found = pieces.cut_code(source, words=["whole", "head {i}"])
    assert [p.words for p in found] == ["whole", "head {i}", "first"]


def test_code_is_cut_at_what_is_drawn_and_a_prediction_at_what_is_said():
    source = 'ax.plot(x, "C0", label="loss")\nax.text(0, 0, f"{n}")\n'
    assert [p.words for p in pieces.cut_code(source)] == ["loss"]
    source = (
        'explorers.predict(\n    "Which "\n    "one?", {"한 word": "No."})'
    )
    found = pieces.cut_code(source, everything=True)
    assert [p.words for p in found] == ["Which one?", "한 word", "No."]


def test_a_translated_string_of_code_is_one_literal(tmp_path):
    cell = {"cell_type": "code", "metadata": {"tags": ["predict"]}}
    cell["source"] = ['explorers.predict(\n    "Which "\n    "one?", {})\n']
    page = tmp_path / "page.ipynb"
    page.write_text(json.dumps({"cells": [cell]}), "utf-8")
    again = catalogues.translated(page, lambda kind, words, old: words.upper())
    (new,) = json.loads(again)["cells"]
    assert "".join(new["source"]) == (
        'explorers.predict(\n    "WHICH ONE?", {})\n'
    )


def test_a_changed_text_becomes_fuzzy_and_is_reported(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Head\n\nIt has `code` and 3 numbers.\n", "utf-8")
    catalogues.update("page", page, tmp_path)
    catalogue = catalogues.read("page", tmp_path)
    assert [list(catalogues.faults(m)) for m in catalogue if m.id] == [
        ["not translated"],
        ["not translated"],
    ]
    text = (tmp_path / "page.po").read_text("utf-8")
    first, second = 'msgstr "머리"', 'msgstr "`code`와 숫자 3개가 있습니다."'
    text = text.replace('msgstr ""', first, 1).replace('msgstr ""', second)
    (tmp_path / "page.po").write_text(text, "utf-8")
    assert not any(
        list(catalogues.faults(m))
        for m in catalogues.read("page", tmp_path)
        if m.id
    )
    page.write_text("# Head\n\nIt has `code` and 4 numbers.\n", "utf-8")
    catalogues.update("page", page, tmp_path)
    changed = catalogues.read("page", tmp_path)["It has `code` and 4 numbers."]
    assert list(catalogues.faults(changed)) == [
        "fuzzy: the English has changed"
    ]
    assert changed.string == "`code`와 숫자 3개가 있습니다."
    assert "#| msgid" in (tmp_path / "page.po").read_text("utf-8")


def test_a_number_word_may_become_a_digit_but_no_digit_is_made_up():
    catalogue = catalogues.Catalog(locale="ko")
    fine = catalogue.add("a power of two", "2의 거듭제곱")
    assert list(catalogues.faults(fine)) == []
    words = catalogue.add("two of 3 keys", "키 3개 가운데 두 개")
    assert list(catalogues.faults(words)) == []
    (fault,) = catalogues.faults(catalogue.add("a power", "2의 거듭제곱"))
    assert fault == "numbers: lost [], added ['2']"


@pytest.mark.parametrize(
    ("english", "good", "bad"),
    [
        ("a third of it", "3분의 1", "2분의 1"),
        ("two thirds of it", "3분의 2", "3분의 1"),
        ("half of it", "2분의 1", "3분의 1"),
        ("half of it", "절반", "4분의 2"),
        ("175 billion", "1,750억", "175억"),
        ("175 billion", "1750억", "175"),
        ("124 million", "1억 2,400만", "1억 2,500만"),
        ("58 of 175 billion", "1,750억 가운데 580억", "1,750억 가운데 58억"),
        ("13.4 million", "1,340만", "1,34만"),
        ("a million zeros", "0이 100만 개", "1이 100만 개"),
        ("a hundred words", "단어 100개", "단어 1,000개"),
        ("only 2 of 3", "3개 가운데 2만", "3개 가운데 2억"),
        ("1 in 8", "8분의 1", "9분의 1"),
    ],
)
def test_numbers_are_compared_by_value(english, good, bad):
    catalogue = catalogues.Catalog(locale="ko")
    assert list(catalogues.faults(catalogue.add(english, good))) == []
    assert list(
        catalogues.faults(catalogues.Catalog(locale="ko").add(english, bad))
    )


@pytest.mark.parametrize(
    ("english", "good", "bad"),
    [
        ("$x \\text{ if } y$", "$x \\text{는 } y \\text{일 때}$", "$x y'$"),
        ("$d_\\text{model}$", "$d_\\text{model}$", "$d_\\text{모델}$"),
        ("{n:.2f} of {a.b}", "{a.b} 가운데 {n:.2f}", "{a.b} 가운데 {n:.1f}"),
        ("{n} heads", "헤드 {n}개", "{n}개, 헤드 {n}개"),
    ],
)
def test_formulas_keep_all_but_words_and_templates_their_gaps(
    english, good, bad
):
    catalogue = catalogues.Catalog(locale="ko")
    assert list(catalogues.faults(catalogue.add(english, good))) == []
    assert list(
        catalogues.faults(catalogues.Catalog(locale="ko").add(english, bad))
    )


@pytest.mark.parametrize(
    ("english", "translated", "fault"),
    [
        ("see `x`", "`y`를 보세요", "code: lost ['`x`'], added ['`y`']"),
        ("$a$ is 1", "$a$입니다", "numbers: lost ['1'], added []"),
        ("{term}`key`s", "{term}`키 <keys>`", "targets: "),
        ("in {numref}`fig-a`", "그림에서", "roles: "),
        ("[it](a.html)", "[그것](b.html)", "links: "),
    ],
)
def test_what_a_translation_loses_is_named(english, translated, fault):
    message = catalogues.Catalog(locale="ko").add(english, translated)
    (found,) = catalogues.faults(message)
    assert found.startswith(fault)
