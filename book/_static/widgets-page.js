/* What the widget runtime needs on these pages; loaded only beside it. */

/* It leaves some things unsaid; say them to those who do not see the page. */
function set(element, name, value) {
  if (element && value && element.getAttribute(name) !== value) {
    element.setAttribute(name, value);
  }
}

function labelOf(control) {
  return control.querySelector(".widget-label")?.textContent.trim();
}

function complete() {
  for (const slider of document.querySelectorAll(".widget-slider")) {
    const handle = slider.querySelector(".noUi-handle");
    const readout = slider.querySelector(".widget-readout");
    set(handle, "aria-label", labelOf(slider));
    set(handle, "aria-valuetext", readout?.textContent);
    if (slider.closest(".al-explorer")) {
      set(readout, "contenteditable", "false"); // nothing can be typed there
    }
  }
  for (const group of document.querySelectorAll(".widget-toggle-buttons")) {
    set(group, "role", "group");
    set(group, "aria-label", labelOf(group));
    for (const button of group.querySelectorAll("button")) {
      const pressed = button.classList.contains("mod-active");
      set(button, "aria-pressed", String(pressed));
    }
  }
  for (const scroller of document.querySelectorAll(".al-x .al-scroll")) {
    const cell = scroller.querySelector("td[aria-label]");
    if (cell && !scroller.querySelector("[tabindex]")) cell.tabIndex = 0;
    if (!cell && scroller.scrollWidth > scroller.clientWidth) {
      set(scroller, "tabindex", "0");
    }
  }
  document.querySelectorAll(".al-explorer").forEach(announce);
}

/* When a frame changes, its sentence is read out. */
function announce(explorer) {
  const words = explorer.querySelector(".al-words")?.textContent;
  if (!words || explorer.dataset.words === words) return;
  let said = explorer.querySelector(".al-said");
  if (said) {
    said.textContent = words;
  } else {
    said = document.createElement("div");
    said.className = "al-said";
    said.setAttribute("role", "status");
    explorer.append(said);
  }
  explorer.dataset.words = words;
}

/* A widget is drawn beside the script that asks for it. */
const observer = new MutationObserver(complete);
for (const view of document.querySelectorAll('script[type$="widget-view+json"]')) {
  observer.observe(view.parentElement, {
    attributeFilter: ["aria-valuetext", "class", "contenteditable"],
    childList: true,
    subtree: true,
  });
}

/* A map is one stop of the Tab key; the arrow keys move between its cells. */
const STEPS = {
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
};
document.addEventListener("keydown", (event) => {
  const cell = event.target.closest?.(".al-map td[aria-label]");
  const step = STEPS[event.key];
  const plain = !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
  if (!cell || !step || !plain) return;
  const row = cell.parentElement;
  const rows = row.parentElement.rows;
  const next = rows[row.sectionRowIndex + step[0]]?.cells[
    cell.cellIndex + step[1]
  ];
  event.preventDefault();
  if (!next?.matches("td[aria-label]")) return;
  cell.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
});
