"""A browser tab that is cut off from the world, and what it must not show."""

from axe_playwright_python.sync_playwright import Axe

PHONE = {"width": 390, "height": 844}
# Formulas are typeset, and every widget is drawn.
READY = """() => {
    const views = document.querySelectorAll(
        'script[type$="widget-view+json"]');
    const drawn = document.querySelectorAll('.widget-subarea > *');
    const explorers = [...document.querySelectorAll('.al-explorer')];
    return drawn.length >= views.length
        && explorers.every(e => e.querySelector('.al-words'))
        && (!document.querySelector('.math')
            || window.MathJax?.startup?.promise?.then(() => true));
}"""


class Visit:
    """A browser tab that notes all that goes wrong in it."""

    def __init__(self, context, base_url):
        self.base_url = base_url
        self.errors = []
        self.foreign = []
        self.page = context.new_page()
        self.page.on("console", self.note_message)
        self.page.on("pageerror", lambda e: self.errors.append(str(e)))
        self.page.on("requestfailed", lambda r: self.errors.append(r.url))
        self.page.on("response", self.note_response)
        self.page.route("**/*", self.allow_own_host)

    def note_message(self, message):
        if message.type == "error":
            self.errors.append(message.text)

    def note_response(self, response):
        if response.status >= 400:
            self.errors.append(f"{response.status} {response.url}")

    def allow_own_host(self, route):
        if route.request.url.startswith(self.base_url):
            route.continue_()
        else:
            self.foreign.append(route.request.url)
            route.abort()


# Leaving out what is fine, and what nobody can decide, is much faster.
ONLY = {"resultTypes": ["violations"]}


def serious_violations(page, part=None):
    """Return what axe finds serious or critical, on the page or in a part."""
    found = Axe().run(page, context=part, options=ONLY)
    return [
        f"{found['impact']}: {found['help']}: {node['html'][:200]}"
        for found in found.response["violations"]
        if found["impact"] in ("serious", "critical")
        for node in found["nodes"]
    ]
