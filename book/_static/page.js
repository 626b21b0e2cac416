/* Code that is wider than its box can be scrolled with the keyboard, also
   when it was folded while the page loaded. */
document.addEventListener("DOMContentLoaded", () => {
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      target.tabIndex = target.scrollWidth > target.clientWidth ? 0 : -1;
    }
  });
  for (const code of document.querySelectorAll("pre")) observer.observe(code);
});
