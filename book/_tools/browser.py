"""Find a Chromium for the tests, or install one.

In this order: an installed Chrome or Chromium, Playwright's own, Debian's
package (as root), Playwright's download.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ["chromium", "chromium-browser", "google-chrome", "chrome"]
QUIET = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-sandbox",  # needed as root and in most containers
]


def find():
    """Return the path of a Chromium, or None."""
    for name in NAMES:
        path = shutil.which(name)
        if path:
            return path
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).is_file() else None


def install():
    """Install a Chromium by the first way that works."""
    ways = [[[sys.executable, "-m", "playwright", "install", "chromium"]]]
    if shutil.which("apt-get") and os.geteuid() == 0:
        apt = ["apt-get", "install", "-y", "-qq", "--no-install-recommends"]
        ways.insert(0, [["apt-get", "update", "-qq"], [*apt, "chromium"]])
    for way in ways:
        print("installing a browser:", " ".join(way[-1]), flush=True)
        if all(subprocess.run(step).returncode == 0 for step in way):
            return


def main():
    """Make sure that there is a browser; return the exit code."""
    if not find():
        install()
    if find():
        return 0
    print(
        "The site's tests need Chrome or Chromium, and none could be "
        "installed here. Install one, or run the other tests: "
        "pytest --ignore=tests/site/test_site_browser.py",
        file=sys.stderr,
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
