/* Python in the page: cells that run, exercises to write. Loaded when a
   reader first presses Run or Edit (run.js); KNOWN comes from the build. */
import { Failure, Python } from "./python.js";
import { add, Output } from "./showing.js";
import { words } from "./words.js";

/* All files lie beside this one, each in a folder of its own. */
const base = new URL("../", import.meta.url).href;
export const python = new Python(base, KNOWN);

add(document.head, "link", { href: base + KNOWN.sheet.path, rel: "stylesheet" });
const said = add(document.body, "div", { className: "py-said" });
said.setAttribute("role", "status");

/* --- storage --------------------------------------------------------------- */

const CODE = "attention-course:code:";
const SOLVED = "attention-course:exercises";

function keep(key, text) {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
    return !localStorage.forgets;
  } catch {
    return false;
  }
}

function solve(label) {
  let solved = {};
  try {
    solved = JSON.parse(localStorage.getItem(SOLVED)) ?? {};
  } catch {}
  keep(SOLVED, JSON.stringify({ ...solved, [label]: 1 }));
}

/* --- the cells ------------------------------------------------------------- */

const list = (text) => (text ? text.split(" ") : []);

class Cell {
  answer = null;
  editor = null;
  output = null;

  constructor(element, number) {
    const pre = element.querySelector(".cell_input pre");
    const { needs, reads, writes, seconds, fewer } = element.dataset;
    Object.assign(this, { element, number, pre });
    this.first = element.dataset.first ?? pre.textContent.replace(/\n$/, "");
    this.needs = list(needs).map(Number);
    this.reads = list(reads);
    this.writes = list(writes);
    this.seconds = Number(seconds ?? 0);
    this.fewer = fewer ? JSON.parse(fewer) : null;
    this.exercise = element.dataset.exercise ?? "";
    this.bar = element.querySelector(".py-bar");
    this.name = this.exercise
      ? element.dataset.title
      : words.codeCell(number + 1);
    this.panel = document.createElement("div");
    this.panel.className = "py-panel";
    const box = this.exercise ? this.bar : this.bar.parentElement;
    (element.querySelector(":scope > details") ?? box).after(this.panel);
    this.status = add(this.panel, "span", { className: "py-status" });
  }

  get code() {
    if (this.editor) return this.editor.code;
    return this.pre.textContent.replace(/\n$/, "");
  }

  get file() {
    return `cell ${this.number + 1}`;
  }

  tell(text, { aloud = true } = {}) {
    this.status.textContent = text;
    if (aloud) said.textContent = text;
  }

  button(name, text, action) {
    const button = add(this.panel, "button", { textContent: text, type: "button" });
    button.dataset.py = name;
    button.addEventListener("click", action);
    return button;
  }

  /* Ask a question with a few answers; resolve with the one that is chosen. */
  ask(question, answers) {
    this.tell(question);
    return new Promise((resolve, reject) => {
      this.answer = (name) => {
        this.answer = null;
        for (const button of buttons) this.remove(button);
        if (name) resolve(name);
        else reject({ stopped: true });
      };
      const buttons = Object.entries(answers).map(([name, text]) =>
        this.button(name, text, () => this.answer(name)),
      );
      buttons[0].focus();
    });
  }

  /* Remove a button; where it had the focus, Run has it now. */
  remove(button) {
    const focused = button === document.activeElement;
    button.remove();
    if (focused) this.bar.querySelector("button").focus();
  }
}

/* A page's cells, by the numbers that the build gave them. */
const cells = new Map();
for (const element of document.querySelectorAll("div.cell[data-cell]")) {
  if (!element.querySelector(".py-bar")) continue;
  const number = Number(element.dataset.cell);
  cells.set(number, new Cell(element, number));
}
const cellOf = (element) =>
  cells.get(Number(element.closest("[data-cell]").dataset.cell));

/* --- what a cell needs ----------------------------------------------------- */

const ran = new Map(); // cell number -> the code that ran
const writer = new Map(); // name -> the cell that wrote it last

const usable = (cell) => !cell.exercise;

/* The names that a cell reads; in code that the reader changed, all names. */
function namesOf(cell) {
  if (cell.code === cell.first) return cell.reads;
  return new Set(cell.code.match(/[\p{L}_][\p{L}\p{N}_]*/gu));
}

/* The cells that must have run: as the build says, and for code that the
   reader changed, besides, the last cell above that makes each name in it. */
function slice(cell) {
  const found = new Set(cell.needs);
  if (cell.code !== cell.first) {
    for (const name of namesOf(cell)) {
      const makers = [...cells.values()].filter(
        (c) => usable(c) && c.number < cell.number && c.writes.includes(name),
      );
      const last = makers.at(-1);
      if (last) for (const n of [...last.needs, last.number]) found.add(n);
    }
  }
  return [...found].sort((a, b) => a - b).map((n) => cells.get(n)).filter(Boolean);
}

/* Which of them have to run (again) now: so that each name that a cell reads
   is as the last of them above made it. What the cell itself has changed, it
   may find changed. */
function due(cell, needed) {
  const again = new Set(needed.filter((c) => ran.get(c.number) !== c.code));
  for (let size = -1; size < again.size; ) {
    size = again.size;
    const owner = new Map(writer);
    const right = new Map();
    const restore = (names) => {
      for (const name of names) {
        const [maker, by] = [right.get(name), owner.get(name)];
        if (maker && by !== maker.number && by !== cell.number) again.add(maker);
      }
    };
    for (const c of needed) {
      if (c.reads.some((name) => again.has(right.get(name)))) again.add(c);
      if (again.has(c)) restore(c.reads);
      for (const name of c.writes) {
        right.set(name, c);
        if (again.has(c)) owner.set(name, c.number);
      }
    }
    restore(namesOf(cell));
  }
  return needed.filter((c) => again.has(c));
}

function forget() {
  ran.clear();
  writer.clear();
}

/* --- running --------------------------------------------------------------- */

const SIZES = ".py-bar span, .py-form span"; // said until Python is there

let busy = null;

const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

function showBytes(cell) {
  const size = megabytes(python.size);
  const bar = document.createElement("progress");
  bar.max = python.size;
  bar.setAttribute("aria-label", words.starting);
  python.onbytes = (done) => {
    if (!bar.isConnected) cell.status.before(bar);
    bar.value = done;
    const all = done >= python.size * 0.999;
    const text = all ? words.starting : words.loading(megabytes(done), size);
    cell.tell(text, { aloud: false });
  };
  return () => {
    python.onbytes = () => {};
    bar.remove();
  };
}

async function boot(cell) {
  if (navigator.connection?.saveData && !python.ready) {
    const size = megabytes(python.size);
    const answer = await cell.ask(words.askSize(size), {
      full: words.full,
      later: words.later,
    });
    if (answer === "later") return false;
  }
  cell.tell(words.starting);
  const end = showBytes(cell);
  try {
    await python.start();
  } finally {
    end();
  }
  for (const size of document.querySelectorAll(SIZES)) size.remove();
  return true;
}

/* Say how long it takes before a long cell runs; return the code to run, or
   null. */
async function agree(cell, long) {
  if (!long.seconds) return long.code;
  const asks = cell === long ? words.ask : words.askNeeded;
  const answers = { full: words.full };
  const [old, less] = long.fewer ?? [];
  if (old && long.code.includes(old)) answers.fewer = words.fewer;
  answers.later = words.later;
  const answer = await cell.ask(asks(long.seconds), answers);
  if (answer === "later") return null;
  if (answer === "full") return long.code;
  await python.run(LENIENT, "set-up", () => {});
  return long.code.replace(old, less);
}
const LENIENT = "import coursekit.bounds; coursekit.bounds.strict = False";

/* Run one cell in Python; return how it ended. */
async function execute(cell, code, output) {
  const end = await python.run(code, cell.file, (piece) => {
    if (piece.kind === "error") cell.editor?.mark(piece.line);
    output.show(piece);
  });
  if (end.stopped || end.broken) throw end;
  if (!end.ok) return false;
  ran.set(cell.number, cell.code);
  for (const name of cell.writes) writer.set(name, cell.number);
  return true;
}

/* A cell that runs because another needs it shows nothing but an error, and
   says how far a training is. */
class Quiet {
  constructor(cell, asker) {
    Object.assign(this, { asker, cell });
  }
  show(piece) {
    if (piece.slot) this.asker.tell(piece.text, { aloud: false });
    if (piece.kind !== "error") return;
    const output = new Output(this.cell);
    output.show(piece);
    finish(this.cell, output);
  }
}

async function runNeeded(cell, needed) {
  for (const [i, other] of needed.entries()) {
    const code = await agree(cell, other);
    if (code === null) {
      cell.tell("");
      return false;
    }
    cell.tell(words.needed(i + 1, needed.length), { aloud: i === 0 });
    if (!(await execute(other, code, new Quiet(other, cell)))) {
      cell.tell(words.cellError);
      return false;
    }
    if (other.output?.failed) putBack(other);
  }
  return true;
}

/* The button that leads back to what the book printed. */
function finish(cell, output) {
  cell.back?.remove();
  cell.output = output;
  if (!output.old || cell.exercise) return;
  cell.back = cell.button("back", words.back, () => {
    putBack(cell);
    cell.bar.querySelector("button").focus();
  });
}

function putBack(cell) {
  cell.output?.undo();
  cell.back?.remove();
  cell.tell("", { aloud: false });
}

function conclude(cell, output, ok, lesser) {
  const { report } = output;
  if (!ok) return cell.tell(words.error);
  if (!report) return cell.tell(lesser ? words.fewerNote : words.ran);
  cell.tell("");
  said.textContent = report.text;
  if (report.status === "right" && cell.exercise) {
    solve(cell.exercise);
    cell.element.classList.add("py-solved");
  }
}

async function runCell(cell) {
  const needed = due(cell, slice(cell));
  if (!(await runNeeded(cell, needed))) return;
  const code = await agree(cell, cell);
  if (code === null) return cell.tell("");
  cell.tell(words.running, { aloud: false });
  cell.back?.remove();
  cell.editor?.mark(0);
  const output = new Output(cell);
  finish(cell, output);
  const ok = await execute(cell, code, output);
  conclude(cell, output, ok, code !== cell.code);
}

async function runAbove(cell) {
  const above = [...cells.values()].filter(
    (c) => usable(c) && c.number < cell.number,
  );
  for (const [i, other] of above.entries()) {
    const code = await agree(cell, other);
    if (code === null) continue;
    cell.tell(words.needed(i + 1, above.length), { aloud: i === 0 });
    const output = new Output(other);
    finish(other, output);
    if (!(await execute(other, code, output))) return cell.tell(words.cellError);
  }
  cell.tell(words.ran);
}

function complain(cell, error) {
  if (error.stopped) return cell.tell(words.stopped);
  if (error.broken) return cell.tell(words.broken);
  if (location.protocol === "file:") return cell.tell(words.noFile);
  cell.tell(words.failed[error.why] ?? words.failed.python);
  if (!(error instanceof Failure)) throw error;
  console.warn(`Python in the page: ${error.why}: ${error.message}`);
}

/* One thing at a time; Stop is there from the first moment. */
async function work(cell, task) {
  if (busy) return busy === cell || cell.tell(words.busy);
  busy = cell;
  cell.panel.dataset.busy = "";
  const stop = cell.button("stop", words.stop, () => {
    const { ready } = python;
    python.stop();
    forget();
    cell.answer?.();
    if (ready) python.start().catch(() => {});
  });
  try {
    if (await boot(cell)) await task(cell);
    else cell.tell("");
  } catch (error) {
    forget();
    complain(cell, error);
  } finally {
    cell.remove(stop);
    delete cell.panel.dataset.busy;
    busy = null;
  }
}

/* --- editing --------------------------------------------------------------- */

function changed(cell, code) {
  cell.element.classList.toggle("py-changed", code !== cell.first);
  if (!cell.exercise) return;
  const kept = keep(CODE + cell.exercise, code === cell.first ? null : code);
  cell.tell(kept ? words.kept : words.lost, { aloud: false });
}

async function open(cell) {
  if (cell.editor) return;
  const { makeEditor } = await import(base + KNOWN.editor.path);
  if (cell.editor) return;
  const box = cell.pre.closest('[class^="highlight-"]');
  const parent = document.createElement("div");
  parent.className = "py-editor";
  box.after(parent);
  box.hidden = true;
  cell.editor = makeEditor({
    changed: (code) => changed(cell, code),
    code: cell.code,
    complete: (text) => python.complete(text),
    label: words.editorLabel(cell.name),
    parent,
    phrases: words.ofTheEditor,
    run: () => work(cell, runCell),
  });
}

export async function edit(cell, place) {
  const isNew = !cell.editor;
  await open(cell);
  if (place && isNew) cell.editor.place(place.clientX, place.clientY);
  else cell.editor.focus();
}

function setCode(cell, code) {
  if (cell.editor) cell.editor.code = code;
  else cell.pre.textContent = code;
}

function startAgain(cell) {
  setCode(cell, cell.first);
  changed(cell, cell.first);
  putBack(cell);
  (cell.editor ?? cell.bar.querySelector("button")).focus();
}

function nextHint(cell) {
  const hints = exerciseOf(cell).querySelectorAll("details:not([open])");
  if (!hints.length) return;
  hints[0].open = true;
  hints[0].querySelector("summary").focus();
}

export function exerciseOf(cell) {
  return document.getElementById(cell.exercise);
}

/* --- taking one's work along ------------------------------------------------- */

const codeCell = (source) => ({
  cell_type: "code",
  execution_count: null,
  metadata: {},
  outputs: [],
  source,
});

function download(cell) {
  const exercises = [...cells.values()].filter((c) => c.exercise);
  const setUp = [...cells.values()].find((c) => c.element.matches(".tag_setup"));
  const sources = exercises.flatMap((c) => [
    { cell_type: "markdown", metadata: {}, source: `## ${c.name}` },
    codeCell(c.code),
  ]);
  const notebook = {
    cells: [...(setUp ? [codeCell(setUp.code)] : []), ...sources],
    metadata: {
      kernelspec: { display_name: "Python 3", language: "python", name: "python3" },
    },
    nbformat: 4,
    nbformat_minor: 4,
  };
  const text = JSON.stringify(notebook, null, 1);
  const blob = new Blob([text], { type: "application/x-ipynb+json" });
  const page = location.pathname.split("/").pop().replace(/\.html$/, "");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${page}-exercises.ipynb`;
  link.click();
  URL.revokeObjectURL(link.href);
}

async function copy(cell) {
  await navigator.clipboard.writeText(cell.code);
  cell.tell(words.copied);
}

/* --- what the buttons do ----------------------------------------------------- */

const ACTIONS = {
  above: (cell) => work(cell, runAbove),
  again: startAgain,
  copy,
  download,
  edit,
  hint: nextHint,
  run: (cell) => work(cell, runCell),
};

/* What only the playground has; it is loaded when it is used. */
async function play(name, cell, element) {
  const { actions } = await import(base + KNOWN.playground.path);
  const run = (one) => work(one, runCell);
  return actions[name](cell, element, { keep, open, run, setCode });
}

export function act(name, element, event) {
  const cell = cellOf(element);
  if (name in ACTIONS) return ACTIONS[name](cell, event);
  return play(name, cell, element);
}
