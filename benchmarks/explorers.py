"""Weight and speed of the explorers; `make bench` runs it.

What a reader waits for: the bytes of each explorer and of each page of the
built book, and the time from a slider's move to the new frame in a browser.
"""

import functools
import gzip
import http.server
import re
import statistics
import sys
import threading
import time
from pathlib import Path

from coursekit import explorers

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "_build" / "html"
# From a slider's move to the first picture that the browser paints after it.
MOVE = """async (explorer) => {
    const words = () => explorer.querySelector('.al-words')?.textContent;
    const painted = () => new Promise(done => requestAnimationFrame(
        () => setTimeout(done)));
    const slider = [...explorer.querySelectorAll('[type=range]')].at(-1);
    const times = [];
    for (let i = 0; slider && i <= slider.max; i++) {
        const before = words();
        const start = performance.now();
        slider.value = i;
        slider.dispatchEvent(new InputEvent('input', {bubbles: true}));
        for (let i = 0; i < 50 && words() === before; i++) await painted();
        if (words() && words() !== before) {
            await painted();
            times.push(performance.now() - start);
        }
    }
    return times;
}"""


def weights():
    print("\nexplorers: what they weigh without arguments\n")
    head = ["frames", "pictures", "seconds", "KB plain", "KB gzip"]
    print(f"{'':<30}" + "".join(f"{name:>10}" for name in head))
    for name in explorers.__all__:
        if not name.startswith("explore_"):
            continue
        start = time.perf_counter()
        panel = getattr(explorers, name)()
        seconds = time.perf_counter() - start
        text = panel.html.encode()
        counts = len(panel.frames), len(set(panel.frames.values()))
        sizes = len(text) / 1000, len(gzip.compress(text)) / 1000
        print(
            f"{name:<30}{counts[0]:>10}{counts[1]:>10}{seconds:>10.2f}"
            f"{sizes[0]:>10.0f}{sizes[1]:>10.0f}"
        )


def panels():
    """Return the explorers of each page that has some, as text."""
    pattern = re.compile(r"<form class=al-explorer.*?</form>", re.DOTALL)
    pages = sorted(SITE.glob("book/*.html"))
    found = {
        page: "".join(pattern.findall(page.read_text("utf-8")))
        for page in pages
    }
    return {page: text for page, text in found.items() if text}


def pages():
    found = panels()
    if not found:
        print("\nno built page has explorers: run `make book` first")
        return
    print("\nexplorers: pages of the built book\n")
    head = ["KB gzip", "ms median", "ms most"]
    print(f"{'':<30}" + "".join(f"{name:>10}" for name in head))
    times = moves(found)
    for page, text in found.items():
        size = len(gzip.compress(text.encode())) / 1000
        took = times.get(page)
        cells = ["-", "-"]
        if took:
            cells = [f"{statistics.median(took):.0f}", f"{max(took):.0f}"]
        print(f"{page.stem:<30}{size:>10.0f}{cells[0]:>10}{cells[1]:>10}")


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A file server that says nothing."""

    def log_message(self, *arguments):
        """Say nothing."""


def moves(found):
    """Measure the sliders of each page's explorers, in milliseconds."""
    sys.path.append(str(ROOT / "book" / "_tools"))
    import browser
    from playwright.sync_api import sync_playwright

    handler = functools.partial(Quiet, directory=str(SITE))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    times = {}
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=browser.find(), args=browser.QUIET
        )
        for page in found:
            tab = chromium.new_page()
            name = page.relative_to(SITE).as_posix()
            tab.goto(f"http://127.0.0.1:{server.server_port}/{name}")
            tab.locator(".al-explorer .al-words").first.wait_for()
            shown = tab.locator(".al-explorer")
            rounds = [explorer.evaluate(MOVE) for explorer in shown.all()]
            times[page] = [t for times in rounds for t in times]
        chromium.close()
    server.shutdown()
    return times


def main():
    weights()
    pages()


if __name__ == "__main__":
    main()
