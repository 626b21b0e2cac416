/* Buttons that run the page's code. Python itself, and all that belongs to
   it, is loaded when one of them is first pressed (book/_live). */
{
  const { dataset } = document.documentElement;
  const CODE = "attention-course:code:";
  const SOLVED = "attention-course:exercises";

  const button = (bar, className, text, title = "") => {
    const made = Object.assign(document.createElement("button"), {
      className,
      textContent: text,
      title,
      type: "button",
    });
    bar.append(made);
    return made;
  };

  const size = dataset.pythonSize;

  const note = (bar, text) => {
    const span = bar.querySelector("span") ?? document.createElement("span");
    span.textContent = text;
    bar.append(span);
  };

  const noteSize = (bar) =>
    note(
      bar,
      phrase("Runs in your browser: {size} MB, loaded once.", { size }),
    );

  const read = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };

  const addBar = (cell, box) => {
    const bar = document.createElement("div");
    bar.className = "py-bar";
    bar.dataset.solved = phrase("Solved"); // shown by the style sheet
    button(
      bar,
      "py-run",
      phrase("Run"),
      phrase("Runs Python in your browser ({size} MB, loaded once)", { size }),
    );
    button(bar, "py-edit", phrase("Edit"));
    if (cell.dataset.exercise) {
      if (cell.matches(".py-free")) button(bar, "py-share", phrase("Share"));
      else button(bar, "py-hint", phrase("Show the next hint"));
      button(bar, "py-again", phrase("Start again"));
      button(bar, "py-copy", phrase("Copy"));
      button(bar, "py-download", phrase("Download"));
      noteSize(bar);
      box.after(bar);
    } else {
      if (!cell.matches(".py-ask")) {
        button(bar, "py-above", phrase("Run all above"));
      }
      box.append(bar);
    }
  };

  /* What would do nothing without this script is hidden until it runs. */
  const addForm = (form) => {
    form.hidden = false;
    if (form.dataset.py !== "ask") return;
    noteSize(form);
  };

  const followLink = () => {
    const cell = document.querySelector(".py-free");
    if (cell && location.hash.startsWith("#code=")) act("link", cell);
  };

  /* An answer from an earlier visit stands where the starting code stood. */
  const recall = (cell, pre, solved) => {
    const { exercise } = cell.dataset;
    cell.classList.add("py-exercise");
    cell.classList.toggle("py-solved", exercise in solved);
    const kept = read(CODE + exercise);
    cell.dataset.first = pre.textContent.replace(/\n$/, "");
    if (kept === null) return;
    pre.textContent = kept;
    cell.classList.add("py-changed");
  };

  const start = () => {
    let solved = {};
    try {
      solved = JSON.parse(read(SOLVED)) ?? {};
    } catch {}
    for (const cell of document.querySelectorAll("div.cell[data-cell]")) {
      const box = cell.querySelector(".cell_input");
      const pre = box?.querySelector("pre");
      if (!pre) continue;
      addBar(cell, box);
      if (cell.dataset.exercise) recall(cell, pre, solved);
    }
    document.querySelectorAll(".py-form").forEach(addForm);
    followLink();
  };

  let live = null;
  const act = async (name, element, event) => {
    const root = dataset.content_root ?? "./";
    const address = new URL(root + dataset.live, document.baseURI);
    try {
      live ??= await import(address);
    } catch {
      const bar = element.closest("[data-cell]").querySelector(".py-bar");
      note(
        bar,
        phrase(
          "This could not be loaded. Is the connection lost? Try again.",
        ),
      );
      return;
    }
    live.act(name, element, event);
  };

  if (dataset.live) {
    document.addEventListener("DOMContentLoaded", start);
    document.addEventListener("click", (event) => {
      const pressed = event.target.closest(".py-bar button");
      if (pressed) return act(pressed.className.slice(3), pressed);
      const code = event.target.closest(".py-exercise .cell_input pre");
      const selecting = String(getSelection()) !== "";
      if (code && !selecting) act("edit", code, event);
    });
    document.addEventListener("submit", (event) => {
      if (!event.target.matches(".py-form")) return;
      event.preventDefault();
      act(event.target.dataset.py, event.target);
    });
    document.addEventListener("change", ({ target }) => {
      if (target.matches("select[data-py]")) act(target.dataset.py, target);
    });
    addEventListener("hashchange", followLink);
  }
}
