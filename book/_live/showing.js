/* What a cell shows, below it, in place of what the book printed. */
import { words } from "./words.js";

export function add(parent, tag, properties = {}) {
  const element = Object.assign(document.createElement(tag), properties);
  parent.append(element);
  return element;
}

function addText(box, text, look) {
  const output = add(box, "div", {
    className: `output ${look} highlight-myst-ansi notranslate`,
  });
  const inner = add(output, "div", { className: "highlight" });
  return add(inner, "pre", { textContent: text, tabIndex: 0 });
}

/* The output of one run. The printed one stays in the page, unseen. */
export class Output {
  #slots = new Map();
  #stream = null;

  constructor(cell) {
    const { element } = cell;
    this.old = element.querySelector(":scope > .cell_output:not(.py-output)");
    element.querySelector(":scope > .py-output")?.remove();
    this.box = document.createElement("div");
    this.box.className = "cell_output docutils container py-output";
    (this.old ?? element.lastElementChild).after(this.box);
    this.old?.classList.add("py-old");
    this.old?.classList.remove("py-figure");
    this.failed = false;
    this.report = null;
    this.progress = "";
  }

  show(piece) {
    if (piece.slot && this.#slots.has(piece.slot)) {
      this.progress = piece.text;
      this.#slots.get(piece.slot).textContent = piece.text;
      return;
    }
    if (piece.kind !== "text") this.#stream = null;
    const made = this[`_${piece.kind}`](piece);
    if (piece.slot) this.#slots.set(piece.slot, made);
  }

  _text({ text }) {
    this.#stream ??= addText(this.box, "", "stream");
    this.#stream.append(text);
  }

  _result({ text }) {
    return addText(this.box, text, "text_plain");
  }

  _error({ text }) {
    this.failed = true;
    return addText(this.box, text, "traceback py-error");
  }

  _html({ html }) {
    const box = add(this.box, "div", { className: "output text_html" });
    box.innerHTML = html;
    box.dispatchEvent(new Event("al-shown", { bubbles: true }));
    return box;
  }

  _report({ status, text }) {
    this.report = { status, text };
    const box = add(this.box, "div", { className: "output py-report" });
    box.dataset.status = status;
    return add(box, "pre", { textContent: text, tabIndex: 0 });
  }

  _figure() {
    const built = this.old?.querySelector("figure, svg, img");
    if (built) this.old.classList.add("py-figure");
    const textContent = built ? words.figure : words.noFigure;
    add(this.box, "p", { className: "py-note", textContent });
  }

  /* Put back what the book printed. */
  undo() {
    this.box.remove();
    this.old?.classList.remove("py-old", "py-figure");
  }
}
