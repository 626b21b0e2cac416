"""A browser tab that is cut off from the world, and what it must not show."""

from axe_playwright_python.sync_playwright import Axe

DESK = {"width": 1280, "height": 720}
PHONE = {"width": 390, "height": 844}


# Lay out what is far from the screen, which a browser leaves for later.
ALL = """() => document.querySelectorAll('article section > *')
    .forEach(e => { e.style.contentVisibility = 'visible'; })"""


class Visit:
    """A browser tab that notes all that goes wrong in it."""

    def __init__(self, browser, base_url, **options):
        self.base_url = base_url
        self.errors = []
        self.foreign = []
        options = {"reduced_motion": "reduce"} | options
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.page.on("console", self.note_message)
        self.page.on("pageerror", lambda e: self.errors.append(str(e)))
        self.page.on("requestfailed", self.note_failure)
        self.page.on("response", self.note_response)
        self.page.route("**/*", self.allow_own_host)

    def open(self, path, html=None):
        """Open a page of the site, or show other HTML in its place."""
        if html is not None:
            self.page.route(
                self.base_url + path,
                lambda route: route.fulfill(
                    body=html, content_type="text/html; charset=utf-8"
                ),
            )
        self.page.goto(self.base_url + path, wait_until="load")
        self.page.evaluate(ALL)
        return self

    def close(self):
        self.context.close()

    def note_message(self, message):
        if message.type == "error":
            self.errors.append(message.text)

    def note_failure(self, request):
        """Note what did not arrive; leaving cuts off what is fetched ahead."""
        if request.headers.get("sec-purpose") != "prefetch":
            self.errors.append(request.url)

    def note_response(self, response):
        if response.status >= 400:
            self.errors.append(f"{response.status} {response.url}")

    def allow_own_host(self, route):
        if route.request.url.startswith(self.base_url):
            route.continue_()
        else:
            self.foreign.append(route.request.url)
            route.abort()


class Tabs:
    """One page, opened in three ways, each of them once and when needed.

    Tests may unfold and resize it, and say what size they need.
    """

    def __init__(self, browser, base_url, path):
        self.browser, self.base_url, self.path = browser, base_url, path
        self.opened = {}

    def tab(self, name, **options):
        if name not in self.opened:
            tab = Visit(self.browser, self.base_url, **options)
            self.opened[name] = tab
            tab.open(self.path)
        return self.opened[name]

    @property
    def light(self):
        return self.tab("light", color_scheme="light", viewport=DESK)

    @property
    def dark(self):
        return self.tab("dark", color_scheme="dark", viewport=PHONE)

    @property
    def plain(self):
        return self.tab("plain", java_script_enabled=False)

    def close(self):
        for tab in self.opened.values():
            tab.close()


# Leaving out what is fine, and what nobody can decide, is much faster.
ONLY = {"resultTypes": ["violations"]}
# So is a page with one word of code and one formula of each look: thousands
# differ in nothing that is checked. The longest, since axe skips letters.
ONE_OF_EACH_LOOK = """() => {
    const ground = e => {
        const { backgroundColor } = getComputedStyle(e);
        return backgroundColor !== 'rgba(0, 0, 0, 0)' || !e.parentElement
            ? backgroundColor : ground(e.parentElement);
    };
    const look = e => {
        const { color, fontSize, fontWeight } = getComputedStyle(e);
        return [e.tagName, color, fontSize, fontWeight, ground(e)].join();
    };
    const words = [...document.querySelectorAll('pre span, .katex')]
        .filter(e => e.matches('.katex') || !e.children.length)
        .sort((a, b) => b.textContent.length - a.textContent.length);
    const looks = words.map(look);
    words.forEach((e, i) => { if (looks.indexOf(looks[i]) < i) e.remove(); });
}"""


def serious_violations(page, part=None, rules=None):
    """Return what axe finds serious or critical, on the page or in a part.

    By some rules only, if they are named.

    The page has lost most of its code then, and is of no use to others.
    """
    page.evaluate(ONE_OF_EACH_LOOK)
    options = ONLY if rules is None else {**ONLY, "runOnly": rules}
    found = Axe().run(page, context=part, options=options)
    return [
        f"{found['impact']}: {found['help']}: {node['html'][:200]}"
        for found in found.response["violations"]
        if found["impact"] in ("serious", "critical")
        for node in found["nodes"]
    ]
