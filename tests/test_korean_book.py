"""The Korean book: what is written of it, what runs, and what is searched."""

import functools
import json
import shutil
import subprocess
import sys

import ahead
import anchors
import catalogues
import edition
import editions
import frontend
import kept
import korean_book
import korean_search
import nbformat
import pytest
import sharing
import yaml
from docutils import nodes
from docutils.core import publish_doctree
from pages import NOTEBOOKS
from project import ROOT

from coursekit import exercises


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    return korean_book.write(tmp_path_factory.mktemp("ko"))


# --- what is written ---------------------------------------------------------


def test_all_is_translated_so_there_is_a_korean_edition():
    assert korean_book.complete()


def test_one_missing_text_and_there_is_no_korean_edition(
    tmp_path, monkeypatch
):
    shutil.copytree(catalogues.CATALOGUES, tmp_path / "ko")
    file = tmp_path / "ko" / "index.po"
    text = file.read_text("utf-8")
    first = text.index('msgstr "') + len('msgstr "')
    file.write_text(text[:first] + text[text.index('"\n', first) :], "utf-8")
    check = functools.partial(catalogues.check, folder=tmp_path / "ko")
    monkeypatch.setattr(catalogues, "check", check)
    assert not korean_book.complete()
    monkeypatch.setattr(catalogues, "CATALOGUES", tmp_path / "none")
    assert not korean_book.complete()


def test_settings_differ_in_language_and_words_alone(book):
    def read(folder):
        text = (folder / "_config.yml").read_text("utf-8")
        return yaml.safe_load(text)

    english, korean = read(ROOT), read(book)
    assert korean["sphinx"]["config"].pop("language") == "ko"
    assert english["sphinx"]["config"].pop("language") == "en"
    options = korean["sphinx"]["config"]["html_theme_options"]
    assert options["search_bar_text"] == "이 책에서 찾기"
    assert (
        korean["title"]
        == options["logo"]["text"]
        == "밑바닥부터 배우는 어텐션"
    )
    for settings in (english, korean):
        settings.pop("title")
        settings["sphinx"].pop("local_extensions")
        theme = settings["sphinx"]["config"]["html_theme_options"]
        theme.pop("logo"), theme.pop("search_bar_text")
    assert korean == english


def test_the_contents_list_the_same_pages(book):
    def files(folder):
        text = (folder / "_toc.yml").read_text("utf-8")
        parts = yaml.safe_load(text)["parts"]
        return [c["file"] for part in parts for c in part["chapters"]]

    assert files(book) == files(ROOT)
    for file in files(book):
        assert list(book.glob(f"{file}.*")), file


def test_writing_again_changes_nothing(book):
    before = {p: p.stat().st_mtime_ns for p in book.rglob("*") if p.is_file()}
    korean_book.write(book)
    assert before == {p: p.stat().st_mtime_ns for p in before}


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_the_tools_are_told_the_language_before_they_speak(book, name):
    notebook = nbformat.read(book / f"{name}.ipynb", as_version=4)
    told = False
    for cell in ahead.code_of(notebook):
        told |= 'set_language("ko")' in cell.source
        speaks = "explorers." in cell.source or "exercises." in cell.source
        assert told or not speaks, cell.source
    setup = [c for c in ahead.code_of(notebook) if "setup" in ahead.tags_of(c)]
    assert 'set_language("ko")' in setup[0].source


def test_a_stored_answer_of_a_check_is_said_in_korean():
    cell = {
        "source": ["exercises.check_rope(rope)"],
        "outputs": [{"data": {"text/plain": ["… (`speed` still is `...`.)"]}}],
    }
    korean_book.answer_in_korean(cell)
    text = "".join(cell["outputs"][0]["data"]["text/plain"])
    assert text.startswith("아직 풀지 않았습니다:")
    assert "`speed`" in text
    english = str(exercises.check_rope.not_attempted("speed"))
    assert english.startswith("Not attempted yet:"), "the language is put back"


# --- what runs ---------------------------------------------------------------

CELLS = [
    ("setup", "from coursekit import explorers\nn = 2"),
    ("plain", "print('slow', n)"),
    ("plain", "m = n + 1\nprint(m)"),
    ("widget", "print('seen', m)"),
]
RUN = """
import sys
from pathlib import Path
import ahead, execution, nbformat
here = Path(sys.argv[1])
ahead.ROOT = here
execution.execution_cache = lambda: here / "cache"
path = here / "ko" / "a.ipynb"
notebook = nbformat.read(path, as_version=4)
result = ahead.run_korean(path, notebook, 600)
assert result.err is None, result.exc_string
nbformat.write(result.nb, here / "done.ipynb")
"""


def made(sources, outputs=()):
    new = nbformat.v4
    kernel = {"display_name": "Python 3", "name": "python3"}
    book = new.new_notebook(metadata={"kernelspec": kernel})
    for i, (tag, source) in enumerate(sources):
        cell = new.new_code_cell(source, metadata={"tags": [tag]})
        if outputs:
            cell.outputs = [
                new.new_output("stream", name="stdout", text=outputs[i])
            ]
        book.cells.append(cell)
    return book


def run_twins(tmp_path, outputs):
    """Run a Korean notebook whose English twin has printed `outputs`."""
    for folder in ("book", "ko"):
        (tmp_path / folder).mkdir()
    nbformat.write(made(CELLS), tmp_path / "book" / "a.ipynb")
    store = f"""
import nbformat
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
nb = nbformat.reads({nbformat.writes(made(CELLS, outputs))!r}, as_version=4)
get_cache({str(tmp_path / "cache")!r}).cache_notebook_bundle(
    CacheBundleIn(nb, {str(tmp_path / "book" / "a.ipynb")!r}, data={{}}),
    check_validity=False, overwrite=True)
"""
    korean = [(tag, source) for tag, source in CELLS]
    korean[0] = ("setup", CELLS[0][1].replace("n = 2", "n = 2; k = 'ko'"))
    nbformat.write(made(korean), tmp_path / "ko" / "a.ipynb")
    where = {"cwd": ROOT / "book" / "_ext", "capture_output": True}
    subprocess.run([sys.executable, "-c", store], check=True, **where)
    return subprocess.run(
        [sys.executable, "-c", RUN, str(tmp_path)], text=True, **where
    )


def test_only_what_speaks_runs_again_with_what_it_needs(tmp_path):
    done = run_twins(tmp_path, ["", "slow: English", "3\n", "seen: English"])
    assert done.returncode == 0, done.stderr
    cells = nbformat.read(tmp_path / "done.ipynb", as_version=4).cells
    said = [ahead.printed(cell) for cell in cells]
    assert said == ["", "slow: English", "3\n", "seen 3\n"]
    assert [c.source for c in cells][1:] == [source for _, source in CELLS[1:]]


def test_a_cell_that_prints_something_else_in_korean_ends_the_build(tmp_path):
    done = run_twins(tmp_path, ["", "", "4\n", ""])
    assert done.returncode == 1
    assert "in Korean a cell prints something else" in done.stderr


# --- anchors, descriptions and files -----------------------------------------


def test_a_renamed_section_is_found_by_its_new_anchor():
    tree = publish_doctree("정리\n====\n\n- a\n\n다음\n====\n\n- b\n")
    sections = list(tree.findall(nodes.section))
    anchors.rename(tree, sections[0], ["summary"])
    assert sections[0]["ids"] == ["summary"]
    assert tree.ids["summary"] is sections[0]
    assert tree.nameids["정리"] == "summary"
    assert tree.nameids["다음"] == sections[1]["ids"][0] != "summary"


def test_a_description_ends_with_a_word():
    tree = publish_doctree("word " * 60)
    text = editions.description(tree)
    assert text.endswith("word …")
    assert len(text) <= editions.LONGEST + 2
    assert (
        editions.description(publish_doctree("Two *words*.")) == "Two words."
    )


def test_what_is_the_same_is_kept_once_and_still_found(tmp_path):
    for folder in ("", "ko/"):
        static = tmp_path / f"{folder}_static" / "deep"
        static.mkdir(parents=True)
        (static / "same.css").write_text("a")
        (static.parent / "other.css").write_text(folder)
    page = tmp_path / "ko" / "book" / "a.html"
    page.parent.mkdir()
    page.write_text(
        '<html data-live="_static/deep/same.css">'
        '<link href="../_static/deep/same.css?v=1">'
        '<link href="../_static/other.css">'
    )
    sharing.share(tmp_path, tmp_path / "ko")
    assert page.read_text() == (
        '<html data-live="../_static/deep/same.css">'
        '<link href="../../_static/deep/same.css?v=1">'
        '<link href="../_static/other.css">'
    )
    assert not (tmp_path / "ko" / "_static" / "deep").exists()
    assert (tmp_path / "ko" / "_static" / "other.css").read_text() == "ko/"


# --- lines -------------------------------------------------------------------


def tree_of(*parts):
    return nodes.paragraph("", "", *parts)


def test_a_particle_stays_with_a_short_formula_or_code():
    text = tree_of(nodes.math("", "n"), nodes.Text("개를 셉니다"))
    kept.hang(text[0])
    box, rest = text.children
    assert box["classes"] == ["kept"]
    assert box.astext() == "n개를"
    assert rest.astext() == " 셉니다"
    code = tree_of(nodes.literal("", "softmax"), nodes.Text(").끝"))
    kept.hang(code[0])
    assert code.astext() == "softmax).끝"
    assert len(code.children) == 1


@pytest.mark.parametrize(
    "text", [" 다음", "(key)", "“다음", ""], ids=["space", "(", "“", "nothing"]
)
def test_what_does_not_hang_on_a_formula_may_leave_it(text):
    tree = tree_of(nodes.math("", "n"), nodes.Text(text))
    kept.hang(tree[0])
    assert isinstance(tree[0], nodes.math)


def test_long_code_may_break():
    tree = tree_of(nodes.literal("", "x" * 40), nodes.Text("은"))
    kept.hang(tree[0])
    assert isinstance(tree[0], nodes.literal)


def test_a_bracket_holds_its_particle_and_nothing_else_changes():
    assert kept.join("값(value)은 [1]에서 “나는”이 5%입니다 (a) 나") == (
        "값(value)\u2060은 [1]\u2060에서 “나는”\u2060이 5%\u2060입니다 (a) 나"
    )


# --- search ------------------------------------------------------------------

FORMS = {
    "어텐션": "어텐션 어텐션은 어텐션이 어텐션을 어텐션의 어텐션에서는",
    "쿼리": "쿼리 쿼리는 쿼리가 쿼리를 쿼리와 쿼리로 쿼리마다",
    "값": "값 값은 값을 값으로 값들의",
    "학습": "학습 학습한 학습합니다 학습하면 학습할",
    "온도": "온도 온도를 온도에서",
    "길이": "길이 길이가 길이로",
    "층": "층 층은 층마다",
}


@pytest.mark.parametrize("stem", FORMS)
def test_all_forms_of_a_word_have_one_stem(stem):
    assert {korean_search.stem(form) for form in FORMS[stem].split()} == {stem}


def test_words_that_only_look_like_a_word_with_a_particle_stay():
    for word in ["사이", "차이", "정도", "그리고", "마스크", "나이", "토큰"]:
        assert len(korean_search.stem(word)) >= 2


def test_the_page_stems_and_splits_as_the_index_does():
    texts = [
        text
        for name in catalogues.pages()
        for text in edition.words_of(name).values()
    ]
    found = {w for t in texts for w in korean_search.WORDS.findall(t)}
    words = sorted(filter(korean_search.is_korean, found))
    language = korean_search.SearchKorean({})
    script = (
        f"{korean_search.script()}\nconst given = JSON.parse("
        'require("node:fs").readFileSync(0, "utf-8"));\n'
        "const stemmer = new Stemmer();\nconsole.log(JSON.stringify({stems: "
        "given.words.map((w) => stemmer.stemWord(w)), split: "
        "given.texts.map(splitQuery)}));"
    )
    texts = [*texts[:200], "GPT는 softmax를", "n_k개 x²", "는 GPT"]
    done = subprocess.run(
        [*frontend.command("node"), "-e", script],
        input=json.dumps({"words": words, "texts": texts}),
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    assert found["stems"] == [language.stem(w) for w in words]
    assert len(words) > 5000
    for text, split in zip(texts, found["split"], strict=True):
        assert split == language.split(text), text
