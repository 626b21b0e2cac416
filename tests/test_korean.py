"""The Korean catalogues: cut from the English pages, and true to them."""

import json

import catalogues as korean
import pieces
import pytest

PAGES = korean.pages()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_cut_and_rejoined_is_the_same_to_the_byte(name):
    path = PAGES[name]
    again = korean.translated(path, lambda kind, words, old: old)
    assert again == path.read_text("utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_every_page_has_texts_and_none_of_them_is_blank(name):
    found = korean.texts(PAGES[name])
    assert found
    assert all(words.strip() == words for _, words in found)


@pytest.mark.parametrize("name", PAGES)
def test_all_is_translated_and_keeps_numbers_formulas_code_and_links(name):
    assert korean.check({name: PAGES[name]}) == []


def words_of(text):
    return [(piece.kind, piece.words) for piece in pieces.cut(text)]


def test_markdown_is_cut_where_its_parser_sees_a_text():
    text = (
        "# A title\n\nOne line\nand another.\n\n- [ ] I can.\n- $x$\n\n"
        "| a word | $y$ |\n| --- | --- |\n| `z` | 0.5 |\n\n"
        "````{exercise} Try it\n:label: ex-1\n\nDo this.\n\n"
        "```{dropdown} Hint 1\nLook.\n```\n````\n\n"
        "```python\ncode\n```\n\n$$\n\\text{formula}\n$$\n"
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
    ]


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
    again = korean.translated(page, lambda kind, words, old: words.upper())
    (new,) = json.loads(again)["cells"]
    assert "".join(new["source"]) == (
        'explorers.predict(\n    "WHICH ONE?", {})\n'
    )


def test_a_changed_text_becomes_fuzzy_and_is_reported(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Head\n\nIt has `code` and 3 numbers.\n", "utf-8")
    korean.update("page", page, tmp_path)
    catalogue = korean.read("page", tmp_path)
    assert [list(korean.faults(m)) for m in catalogue if m.id] == [
        ["not translated"],
        ["not translated"],
    ]
    text = (tmp_path / "page.po").read_text("utf-8")
    first, second = 'msgstr "머리"', 'msgstr "`code`와 숫자 3개가 있습니다."'
    text = text.replace('msgstr ""', first, 1).replace('msgstr ""', second)
    (tmp_path / "page.po").write_text(text, "utf-8")
    assert not any(
        list(korean.faults(m)) for m in korean.read("page", tmp_path) if m.id
    )
    page.write_text("# Head\n\nIt has `code` and 4 numbers.\n", "utf-8")
    korean.update("page", page, tmp_path)
    changed = korean.read("page", tmp_path)["It has `code` and 4 numbers."]
    assert list(korean.faults(changed)) == ["fuzzy: the English has changed"]
    assert changed.string == "`code`와 숫자 3개가 있습니다."
    assert "#| msgid" in (tmp_path / "page.po").read_text("utf-8")


def test_a_number_word_may_become_a_digit_but_no_digit_is_made_up():
    catalogue = korean.Catalog(locale="ko")
    fine = catalogue.add("a power of two", "2의 거듭제곱")
    assert list(korean.faults(fine)) == []
    words = catalogue.add("two of 3 keys", "키 3개 가운데 두 개")
    assert list(korean.faults(words)) == []
    (fault,) = korean.faults(catalogue.add("a power", "2의 거듭제곱"))
    assert fault == "numbers: lost [], added ['2']"


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
    message = korean.Catalog(locale="ko").add(english, translated)
    (found,) = korean.faults(message)
    assert found.startswith(fault)
