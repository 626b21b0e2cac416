"""Move the controls of an explorer in a browser, and expect its frames."""

from playwright.sync_api import expect

SHOWS = """([explorer, html]) => {
    const visible = explorer.querySelectorAll('.al-x');
    if (visible.length !== 1) return false;
    const found = visible[0].cloneNode(true);
    found.querySelectorAll('[tabindex]')
        .forEach(e => e.removeAttribute('tabindex'));
    const wanted = document.createElement('div');
    wanted.innerHTML = html;
    return found.outerHTML === wanted.innerHTML;
}"""
# The runtime writes a menu's spaces as spaces that do not break.


def key_to(index, labels, step):
    """Return the key that leads to an option from the one before it."""
    ends = {0: "Home", len(labels) - 1: "End"}
    return ends.get(index, step)


class Driver:
    """One explorer in a browser, next to what it should show."""

    def __init__(self, page, saved, number):
        self.page, self.saved = page, saved
        self.name = saved.explorers[number]
        self.element = page.locator(".al-explorer").nth(number)
        self.indices = saved.start(self.name)

    def expect_frame(self):
        html = self.saved.frame(self.name, self.indices)
        handle = self.element.element_handle()
        self.page.wait_for_function(SHOWS, arg=[handle, html])

    def drive(self, way, ends=False):
        """Move each control through its options; check each frame.

        With `ends`, only to the first and to the last one.
        """
        self.expect_frame()
        for control in self.indices:
            state = self.saved.of(control)
            labels = state["_options_labels"]
            kind = self.saved.kind(control).removesuffix("Model")
            last = len(labels) - 1
            for index in [0, last] if ends else range(last + 1):
                getattr(self, f"{kind.lower()}_by_{way}")(
                    state["description"], index, labels
                )
                self.indices[control] = index
                self.expect_frame()
                words = self.element.locator(".al-words").inner_text()
                assert len(words) > 40, labels[index]
        said = self.element.get_by_role("status")
        expect(said).to_have_text(words)

    def slider(self, name):
        return self.element.get_by_role("slider", name=name, exact=True)

    def selectionslider_by_keyboard(self, name, index, labels):
        slider = self.slider(name)
        slider.press(key_to(index, labels, "ArrowRight"))
        expect(slider).to_have_attribute("aria-valuetext", labels[index])

    def selectionslider_by_pointer(self, name, index, labels):
        handle = self.slider(name)
        handle.scroll_into_view_if_needed()
        track = handle.locator("xpath=../..").bounding_box()
        box = handle.bounding_box()
        y = box["y"] + box["height"] / 2
        share = index / max(len(labels) - 1, 1)
        self.page.mouse.move(box["x"] + box["width"] / 2, y)
        self.page.mouse.down()
        self.page.mouse.move(track["x"] + track["width"] * share, y)
        self.page.mouse.up()
        expect(handle).to_have_attribute("aria-valuetext", labels[index])

    def dropdown_by_keyboard(self, name, index, labels):
        menu = self.element.get_by_label(name, exact=True)
        menu.press(key_to(index, labels, "ArrowDown"))

    def dropdown_by_pointer(self, name, index, labels):
        menu = self.element.get_by_label(name, exact=True)
        menu.select_option(index=index)

    def togglebuttons_by_keyboard(self, name, index, labels):
        self.button(name, labels[index]).press("Enter")

    def togglebuttons_by_pointer(self, name, index, labels):
        self.button(name, labels[index]).click()
        pressed = self.button(name, labels[index])
        expect(pressed).to_have_attribute("aria-pressed", "true")

    def button(self, name, label):
        group = self.element.get_by_role("group", name=name, exact=True)
        return group.get_by_role("button", name=label, exact=True)
