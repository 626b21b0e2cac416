/* Buttons that run the page's code. Python itself, and all that belongs to
   it, is loaded when one of them is first pressed (book/_live). */
{
  const { dataset } = document.documentElement;
  const CODE = "attention-course:code:";
  const SOLVED = "attention-course:exercises";

  const button = (bar, name, text, title = "") => {
    const made = Object.assign(document.createElement("button"), {
      textContent: text,
      title,
      type: "button",
    });
    made.dataset.py = name;
    bar.append(made);
    return made;
  };

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
    button(bar, "run", "Run", `Runs Python in your browser (${dataset.pythonSize} MB, loaded once)`);
    button(bar, "edit", "Edit");
    if (cell.dataset.exercise) {
      button(bar, "hint", "Show the next hint");
      button(bar, "again", "Start again");
      button(bar, "copy", "Copy");
      button(bar, "download", "Download");
      const size = document.createElement("span");
      size.textContent = `Runs in your browser: ${dataset.pythonSize} MB, loaded once.`;
      bar.append(size);
    } else button(bar, "above", "Run all above");
    box.after(bar);
  };

  /* An answer from an earlier visit stands where the starting code stood. */
  const recall = (cell, pre, solved) => {
    const { exercise } = cell.dataset;
    if (exercise in solved) cell.dataset.solved = "";
    const kept = read(CODE + exercise);
    cell.dataset.first = pre.textContent.replace(/\n$/, "");
    if (kept === null) return;
    pre.textContent = kept;
    cell.dataset.changed = "";
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
      addBar(cell, box.querySelector('[class^="highlight-"]') ?? box);
      if (cell.dataset.exercise) recall(cell, pre, solved);
    }
  };

  let live = null;
  const act = async (name, element, event) => {
    const root = dataset.content_root ?? "./";
    const address = new URL(root + dataset.live, document.baseURI);
    try {
      live ??= await import(address);
    } catch (error) {
      element.closest(".py-bar").dataset.failed =
        "This could not be loaded. Is the connection lost? Try again.";
      return;
    }
    delete element.closest("[data-cell]")?.querySelector(".py-bar").dataset.failed;
    live.act(name, element, event);
  };

  if (dataset.live) {
    document.addEventListener("DOMContentLoaded", start);
    document.addEventListener("click", (event) => {
      const pressed = event.target.closest(".py-bar [data-py]");
      if (pressed) return act(pressed.dataset.py, pressed);
      const code = event.target.closest("[data-exercise] .cell_input pre");
      const selecting = String(getSelection()) !== "";
      if (code && !selecting) act("edit", code, event);
    });
  }
}
