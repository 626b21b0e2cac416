/* The frame around a page: its menus, its print button, the next page. */

/* A menu opens below its button; Escape or a click elsewhere closes it. */
function showMenu(button, shown) {
  button.setAttribute("aria-expanded", String(shown));
  button.classList.toggle("show", shown);
  button.nextElementSibling.classList.toggle("show", shown);
}

function openMenus() {
  return document.querySelectorAll(".dropdown-toggle.show");
}

document.addEventListener("click", (event) => {
  const button = event.target.closest(".dropdown-toggle");
  const shown = button?.classList.contains("show");
  for (const open of openMenus()) showMenu(open, false);
  if (button && !shown) showMenu(button, true);
  if (event.target.closest(".btn-download-pdf-button")) print();
});

/* The arrow keys walk from the button through its menu. */
document.addEventListener("keydown", (event) => {
  const menu = event.target.closest?.(".dropdown");
  const button = menu?.querySelector(".dropdown-toggle");
  if (!button) return;
  if (event.key === "Escape" && button.classList.contains("show")) {
    showMenu(button, false);
    button.focus();
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    showMenu(button, true);
    const items = [...menu.querySelectorAll(".dropdown-item")];
    const step = event.key === "ArrowDown" ? 1 : -1;
    const next = items.indexOf(document.activeElement) + step;
    items[Math.max(0, Math.min(next, items.length - 1))].focus();
  }
});

document.addEventListener("focusin", (event) => {
  for (const button of openMenus()) {
    if (!button.parentElement.contains(event.target)) showMenu(button, false);
  }
});

/* Most readers go on to the next page: fetch it when this one is done, unless
   they ask to save data. */
addEventListener("load", () => {
  const next = document.querySelector('link[rel="next"]');
  if (!next || navigator.connection?.saveData) return;
  const { href } = next;
  const link = Object.assign(document.createElement("link"), { href });
  link.rel = "prefetch";
  document.head.append(link);
});
