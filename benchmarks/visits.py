"""Weight and speed of the pages on a slow phone; `make bench` runs it.

A phone of 390 pixels, four times slower than this machine, at 1.6 Mbit/s and
150 ms, that has nothing of the site yet. Times are medians of three visits.
"""

import contextlib
import functools
import gzip
import http.server
import itertools
import statistics
import sys
import threading
from pathlib import Path

import weight

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "_build" / "html"
VISITS = 3
SLOW = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1.6e6 / 8,
    "uploadThroughput": 1.6e6 / 8,
}
CONTROL = ".al-explorer input, .al-explorer select"
# Noted from the first moment on: long tasks and shifts of the layout.
WATCH = """window.seen = { tasks: [], shift: 0 };
for (const type of ['longtask', 'layout-shift']) {
    new PerformanceObserver(list => {
        for (const e of list.getEntries()) {
            if (type === 'longtask') seen.tasks.push(e.duration);
            else if (!e.hadRecentInput) seen.shift += e.value;
        }
    }).observe({ type, buffered: true });
}"""
PAINTED = """() => performance.getEntriesByName('first-contentful-paint')[0]
    ?.startTime"""
FRAME = """() => document.querySelector('.al-explorer .al-x')?.innerHTML"""
SCROLL = """async () => {
    const step = innerHeight / 2;
    for (let y = 0; y < document.documentElement.scrollHeight; y += step) {
        scrollTo(0, y);
        await new Promise(requestAnimationFrame);
    }
}"""


class Packed(http.server.SimpleHTTPRequestHandler):
    """A file server that keeps connections, and sends text compressed."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        """Send a file, as a static host does."""
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            self.send_error(404)
            return
        content = path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        if path.suffix in weight.TEXT:
            content = packed(path)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        """Say nothing."""


@functools.cache
def packed(path):
    """Return a file, compressed once."""
    return gzip.compress(path.read_bytes(), 9)


@contextlib.contextmanager
def serve():
    """Serve the site; give its address."""
    handler = functools.partial(Packed, directory=str(SITE))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@contextlib.contextmanager
def phone(chromium, address, until):
    """Open a page on the slow phone; give it."""
    context = chromium.new_context(viewport={"width": 390, "height": 844})
    context.add_init_script(WATCH)
    page = context.new_page()
    page.set_default_timeout(120_000)
    devtools = context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.send("Network.emulateNetworkConditions", SLOW)
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.goto(address, wait_until=until)
    yield page
    context.close()


def read(chromium, address):
    """Return times, shift and number of controls of a page that is read."""
    with phone(chromium, address, "networkidle") as page:
        page.wait_for_function(PAINTED)
        painted = page.evaluate(PAINTED)
        controls = page.locator(CONTROL).count()
        tasks = page.evaluate("seen.tasks")
        page.evaluate(SCROLL)
        page.wait_for_load_state("networkidle")
        shift = page.evaluate("seen.shift")
    blocked = sum(max(0, task - 50) for task in tasks)
    return painted, blocked, shift, controls


def explore(chromium, address):
    """Return when a key press on the first control changes its picture."""
    keys = itertools.cycle(["ArrowRight", "ArrowLeft", "Space"])
    with phone(chromium, address, "commit") as page:
        control = page.locator(CONTROL).first
        control.focus()
        before = page.evaluate(FRAME)
        while page.evaluate(FRAME) == before:
            page.keyboard.press(next(keys))
        return (page.evaluate("performance.now()"),)


def medians(measure, *arguments):
    """Measure several times; return the median of each number."""
    rounds = [measure(*arguments) for _ in range(VISITS)]
    return [
        statistics.median(numbers) for numbers in zip(*rounds, strict=True)
    ]


def row(chromium, address, name, known):
    """Print what a page weighs and how fast it is; return its files."""
    parts = weight.parts(chromium, address, SITE, name)
    more = sum(size for file, size in parts.items() if file not in known)
    painted, blocked, shift, controls = medians(read, chromium, address + name)
    ready = "-"
    if controls:
        [usable] = medians(explore, chromium, address + name)
        ready = f"{usable:.0f}"
    print(
        f"{name:<40}{sum(parts.values()) / 1000:>9.0f}{more / 1000:>9.0f}"
        f"{len(parts):>9}{painted:>9.0f}{blocked:>9.0f}{shift:>9.3f}{ready:>9}",
        flush=True,
    )
    return parts


def main():
    """Print a table of the landing page and all chapters."""
    sys.path.append(str(ROOT / "book" / "_tools"))
    import browser
    from playwright.sync_api import sync_playwright

    names = sorted(p.name for p in SITE.glob("book/0*.html"))
    if not names:
        print("\nthere is no built page: run `make book` first")
        return
    print("\npages: a first visit on a slow phone (KB compressed, ms)\n")
    head = ["KB", "KB more", "requests", "text", "blocked", "shift"]
    head += ["usable"]
    print(f"{'':<40}" + "".join(f"{n:>9}" for n in head))
    with serve() as address, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=browser.find(), args=browser.QUIET
        )
        known = {}
        for name in ["index.html", *names]:
            found = row(chromium, address, f"book/{name}", known)
            known = known or ({} if name == "index.html" else found)
        chromium.close()


if __name__ == "__main__":
    main()
