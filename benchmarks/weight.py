"""What a page weighs: all that a browser asks for on a first visit.

Text is counted as a static host sends it, compressed; the next page, which
the browser fetches ahead when it has nothing else to do, is not counted.
"""

import functools
import gzip
from pathlib import Path

TEXT = {".css", ".html", ".js", ".json", ".svg"}
# A picture that is loaded when it comes into view counts as well.
SCROLL = """async () => {
    for (const image of document.images) {
        image.scrollIntoView();
        await image.decode().catch(() => {});
    }
    scrollTo(0, document.documentElement.scrollHeight);
}"""


@functools.cache
def sent(path):
    """Return how many bytes a host sends for a file."""
    content = Path(path).read_bytes()
    if Path(path).suffix in TEXT:
        content = gzip.compress(content, 9)
    return len(content)


def requested(browser, base_url, name):
    """Return the addresses that a first visit to a page asks for."""
    found = set()

    def note(request):
        if request.headers.get("sec-purpose") != "prefetch":
            found.add(request.url)

    context = browser.new_context()
    page = context.new_page()
    page.on("request", note)
    page.goto(base_url + name, wait_until="networkidle")
    page.evaluate(SCROLL)
    page.wait_for_load_state("networkidle")
    icon = page.locator('link[rel="icon"]')
    found |= set(icon.evaluate_all("all => all.map(e => e.href)"))
    context.close()
    return found


def parts(browser, base_url, site, name):
    """Return the files of the site that a page loads, and their bytes."""
    addresses = requested(browser, base_url, name)
    files = {a.removeprefix(base_url).split("?")[0] for a in addresses}
    return {file: sent(site / file) for file in sorted(files)}
