"""Fixtures: the built site, served from below a sub-path, and a browser."""

import contextlib
import functools
import http.server
import os
import threading

import browser as chromium
import project
import pytest
import trial
from browsing import Tabs, Visit
from pages import run_build
from playwright.sync_api import expect, sync_playwright

SUBPATH = "/some/sub/path"
expect.set_options(timeout=30_000)  # a busy machine is no failure


@pytest.fixture(scope="session")
def site():
    """Return the folder of the built site, which is built if it is stale.

    Of several processes one builds, and the others wait for it.
    """
    run_build()
    return project.BUILD / "html"


@pytest.fixture(scope="session")
def trial_site(site, tmp_path_factory):
    """Return the folder of a throwaway site with every explorer."""
    return trial.build(tmp_path_factory.mktemp("trial"))


class Handler(http.server.SimpleHTTPRequestHandler):
    """A plain file server whose root is not the site's root."""

    def translate_path(self, path):
        if not path.startswith(SUBPATH + "/"):
            return os.devnull + "/missing"
        return super().translate_path(path.removeprefix(SUBPATH))

    def log_message(self, *arguments):
        """Say nothing."""


class Shaky:
    """What a server does wrong, by the name of the file, and what it sent."""

    def __init__(self):
        self.faults, self.sent = {}, []
        self.go_on = threading.Event()  # for a file that comes slowly

    def large(self):
        """Return the files of Python that were sent, not found unchanged."""
        return [name for name in self.sent if "/python/" in name]


class ShakyHandler(Handler):
    """A file server that can lose, cut off, garble or delay a file."""

    def __init__(self, *arguments, state, **settings):
        self.state = state
        super().__init__(*arguments, **settings)

    def send_head(self):
        """Refuse a file that is missing."""
        if self.state.faults.get(self.path.split("/")[-1]) == "missing":
            return self.send_error(404)
        return super().send_head()

    def copyfile(self, source, outputfile):
        """Send a file, with its fault."""
        self.state.sent.append(self.path.removeprefix(SUBPATH))
        fault = self.state.faults.get(self.path.split("/")[-1])
        content = source.read()
        half = len(content) // 2
        if fault == "garbled":
            content = content[:half] + b"?" + content[half + 1 :]
        elif fault in ("cut", "slow"):
            outputfile.write(content[:half])
            outputfile.flush()
            content = content[half:] if fault == "slow" else b""
        if fault == "slow":
            self.state.go_on.wait()
        with contextlib.suppress(ConnectionError):  # the page may have left
            outputfile.write(content)


@contextlib.contextmanager
def serve(folder, handler=Handler, **settings):
    """Serve a folder on a free port; give its address."""
    handler = functools.partial(handler, directory=str(folder), **settings)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}{SUBPATH}/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def base_url(site):
    """Serve the site; return its address."""
    with serve(site) as address:
        yield address


@pytest.fixture
def shaky(site):
    """Serve the site so that a test can disturb it."""
    state = Shaky()
    with serve(site, ShakyHandler, state=state) as address:
        state.url = address
        yield state
        state.go_on.set()


@pytest.fixture(scope="session")
def trial_url(trial_site):
    """Serve the throwaway site; return its address."""
    with serve(trial_site) as address:
        yield address


# For each module, so that Playwright's event loop has ended when the
# notebooks run.
@pytest.fixture(scope="module")
def browser():
    path = chromium.find()
    if path is None:
        pytest.fail("no Chromium here: run `make test`", pytrace=False)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=path, args=chromium.QUIET
        )
        yield started
        started.close()


@pytest.fixture
def visit(browser, base_url):
    """Return a function that opens a page in a new context."""
    with contextlib.ExitStack() as opened:

        def opener(
            path, html=None, site_url=base_url, init_script=None, **options
        ):
            tab = Visit(browser, site_url, **options)
            opened.callback(tab.close)
            if init_script:
                tab.context.add_init_script(init_script)
            return tab.open(path, html)

        yield opener


@pytest.fixture(scope="module")
def tabs(request, browser, base_url):
    """Return a page, opened once for all tests that only look at it."""
    found = Tabs(browser, base_url, request.param)
    yield found
    found.close()
