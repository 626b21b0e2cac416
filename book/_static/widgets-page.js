/* What the widget runtime needs on these pages; loaded only beside it. */

/* It asks for formulas in MathJax 2's words; the pages have MathJax 3. */
document.addEventListener("DOMContentLoaded", () => {
  if (window.MathJax?.startup) {
    window.MathJax.Hub = {
      Queue: ([, , element]) =>
        MathJax.startup.promise.then(() => MathJax.typesetPromise([element])),
    };
  }
});

/* It gives the handle of a slider no name: take the label beside it. */
function nameHandles() {
  const handles = ".jupyter-widgets .noUi-handle:not([aria-label])";
  for (const handle of document.querySelectorAll(handles)) {
    const slider = handle.closest(".jupyter-widgets");
    const label = slider.querySelector(".widget-label")?.textContent.trim();
    if (label) handle.setAttribute("aria-label", label);
  }
}
new MutationObserver(nameHandles).observe(document.documentElement, {
  childList: true,
  subtree: true,
});
