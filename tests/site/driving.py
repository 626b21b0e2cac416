"""Move the controls of an explorer in a browser, and expect its frames."""

from playwright.sync_api import expect

SHOWS = """([explorer, html]) => {
    const visible = explorer.querySelectorAll('.al-x');
    if (visible.length !== 1) return false;
    const plain = (html) => {
        const copy = document.createElement('div');
        copy.innerHTML = html;
        copy.querySelectorAll('[tabindex]')
            .forEach(e => e.removeAttribute('tabindex'));
        return copy.innerHTML;
    };
    return plain(visible[0].outerHTML) === plain(html);
}"""


def key_to(index, labels, step):
    """Return the key that leads to an option from the one before it."""
    ends = {0: "Home", len(labels) - 1: "End"}
    return ends.get(index, step)


class Driver:
    """One explorer in a browser, next to what it should show."""

    def __init__(self, page, explorer, number):
        """Take it as saved in the page, and its place among all."""
        self.page, self.explorer = page, explorer
        self.element = page.locator("form.al-explorer").nth(number)
        self.indices = explorer.start
        self.first = self.element.locator(".al-stage").inner_html()

    def expect_frame(self):
        """Wait for the frame of the choice."""
        html = self.explorer.frame(self.indices) or self.first
        handle = self.element.element_handle()
        self.page.wait_for_function(SHOWS, arg=[handle, html])

    def move(self, number, index, way):
        """Move a control to an option, and expect its frame."""
        control = self.explorer.controls[number]
        getattr(self, f"{control.kind}_by_{way}")(control, index)
        self.indices[number] = index
        self.expect_frame()

    def drive(self, way, ends=False):
        """Move each control through its options; check each frame.

        With `ends`, only to the first and to the last one.
        """
        self.expect_frame()
        for number, control in enumerate(self.explorer.controls):
            last = len(control.labels) - 1
            for index in [0, last] if ends else range(last + 1):
                self.move(number, index, way)
                words = self.element.locator(".al-words").inner_text()
                assert len(words) > 40, control.labels[index]
        said = self.element.get_by_role("status")
        expect(said).to_have_text(words)

    # --- sliders -------------------------------------------------------------

    def slider(self, control):
        return self.element.get_by_role(
            "slider", name=control.label, exact=True
        )

    def slider_by_keyboard(self, control, index):
        slider = self.slider(control)
        slider.press(key_to(index, control.labels, "ArrowRight"))
        self.expect_told(slider, control.labels[index])

    def place(self, slider, control, index):
        """Return where on the screen the handle is at an option."""
        slider.scroll_into_view_if_needed()
        box = slider.bounding_box()
        share = index / max(len(control.labels) - 1, 1)
        half = 8  # of the handle, which stays inside the track
        x = box["x"] + half + (box["width"] - 2 * half) * share
        return x, box["y"] + box["height"] / 2

    def slider_by_pointer(self, control, index):
        slider = self.slider(control)
        now = int(slider.input_value())
        self.page.mouse.move(*self.place(slider, control, now))
        self.page.mouse.down()
        self.page.mouse.move(*self.place(slider, control, index))
        self.page.mouse.up()
        self.expect_told(slider, control.labels[index])

    def slider_by_touch(self, control, index):
        slider = self.slider(control)
        self.page.touchscreen.tap(*self.place(slider, control, index))
        self.expect_told(slider, control.labels[index])

    def expect_told(self, slider, label):
        expect(slider).to_have_attribute("aria-valuetext", label)
        expect(slider.locator("xpath=../output")).to_have_text(label)

    # --- menus ---------------------------------------------------------------

    def menu(self, control):
        return self.element.get_by_role(
            "combobox", name=control.label, exact=True
        )

    def menu_by_keyboard(self, control, index):
        self.menu(control).press(key_to(index, control.labels, "ArrowDown"))

    def menu_by_pointer(self, control, index):
        self.menu(control).select_option(index=index)

    menu_by_touch = menu_by_pointer  # the list itself is the platform's

    # --- buttons -------------------------------------------------------------

    def buttons(self, control):
        group = self.element.get_by_role(
            "group", name=control.label, exact=True
        )
        return group.get_by_role("radio")

    def buttons_by_keyboard(self, control, index):
        buttons = self.buttons(control)
        now = buttons.evaluate_all("all => all.findIndex(b => b.checked)")
        buttons.nth(now).focus()
        key = "ArrowRight" if index > now else "ArrowLeft"
        for _ in range(abs(index - now)):
            self.page.keyboard.press(key)
        expect(buttons.nth(index)).to_be_checked()
        expect(buttons.nth(index)).to_be_focused()

    def buttons_by_pointer(self, control, index):
        self.buttons(control).nth(index).click()
        expect(self.buttons(control).nth(index)).to_be_checked()

    def buttons_by_touch(self, control, index):
        self.buttons(control).nth(index).tap()
        expect(self.buttons(control).nth(index)).to_be_checked()
