"""Fixtures: the built site, served from below a sub-path, and a browser."""

import contextlib
import functools
import http.server
import os
import threading

import browser as chromium
import course
import pytest
import trial
from browsing import READY, Visit
from pages import run_build
from playwright.sync_api import expect, sync_playwright

SUBPATH = "/some/sub/path"
expect.set_options(timeout=30_000)  # a busy machine is no failure


@pytest.fixture(scope="session")
def site():
    """Return the folder of the built site, which is built if it is stale."""
    run_build()
    return course.ROOT / "_build" / "html"


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


@contextlib.contextmanager
def serve(folder):
    """Serve a folder on a free port; give its address."""
    handler = functools.partial(Handler, directory=str(folder))
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
    contexts = []

    def opener(
        path, html=None, site_url=base_url, init_script=None, **options
    ):
        context = browser.new_context(reduced_motion="reduce", **options)
        contexts.append(context)
        if init_script:
            context.add_init_script(init_script)
        tab = Visit(context, site_url)
        if html is not None:
            tab.page.route(
                site_url + path,
                lambda route: route.fulfill(
                    body=html, content_type="text/html; charset=utf-8"
                ),
            )
        tab.page.goto(site_url + path, wait_until="load")
        if options.get("java_script_enabled", True):
            tab.page.wait_for_function(READY)
        return tab

    yield opener
    for context in contexts:
        context.close()
