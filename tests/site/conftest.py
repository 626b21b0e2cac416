"""Fixtures: the built site, served from below a sub-path."""

import functools
import http.server
import os
import threading

import course
import pytest
from pages import run_build

SUBPATH = "/some/sub/path"


@pytest.fixture(scope="session")
def site():
    """Return the folder of the built site, which is built if it is stale."""
    run_build()
    return course.ROOT / "_build" / "html"


class Handler(http.server.SimpleHTTPRequestHandler):
    """A plain file server whose root is not the site's root."""

    def translate_path(self, path):
        if not path.startswith(SUBPATH + "/"):
            return os.devnull + "/missing"
        return super().translate_path(path.removeprefix(SUBPATH))

    def log_message(self, *arguments):
        """Say nothing."""


@pytest.fixture(scope="session")
def base_url(site):
    """Serve the site on a free port; return its address."""
    handler = functools.partial(Handler, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}{SUBPATH}/"
        server.shutdown()
        thread.join()
