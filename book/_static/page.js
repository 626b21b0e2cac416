/* What is wider than its box can be scrolled with the keyboard, also when it
   was folded while the page loaded. */
document.addEventListener("DOMContentLoaded", () => {
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      target.tabIndex = target.scrollWidth > target.clientWidth ? 0 : -1;
    }
  });
  const boxes = document.querySelectorAll(
    "pre, .katex-display, .cell_output > .output, .pst-scrollable-table-container",
  );
  for (const box of boxes) observer.observe(box);
});

/* The arrow keys walk over the answers of a question, and Space or Enter
   chooses: nobody sees an answer in passing. */
const WALK = { ArrowDown: 1, ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1 };
document.addEventListener("keydown", (event) => {
  const radio = event.target.closest?.(".al-pick > input");
  if (!radio || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === "Enter") {
    event.preventDefault();
    radio.click();
  } else if (event.key in WALK) {
    event.preventDefault();
    const all = [...radio.parentElement.querySelectorAll(":scope > input")];
    const next = all.indexOf(radio) + WALK[event.key];
    all[(next + all.length) % all.length].focus();
  }
});

/* The goals that a reader ticked stay in this browser: a name and a 1 for
   each; so do the exercises that were solved, and what was written in them.
   Names that are not on these pages any more are left alone. */
const STORE = "attention-course:goals";
const SOLVED = "attention-course:exercises";
const WRITTEN = "attention-course:code:";
let ticked = {};
let kept = true;

function stored(name) {
  try {
    const found = JSON.parse(localStorage.getItem(name));
    return found instanceof Object ? found : {};
  } catch {
    return {};
  }
}

function load() {
  if (kept) ticked = stored(STORE);
}

function save() {
  try {
    localStorage.setItem(STORE, JSON.stringify(ticked));
    kept = !localStorage.forgets;
  } catch {
    kept = false;
  }
}

function add(parent, tag, properties = {}) {
  const element = Object.assign(document.createElement(tag), properties);
  parent.append(element);
  return element;
}

/* --- in a chapter --------------------------------------------------------- */

function startChecklist(boxes) {
  const list = boxes[0].closest("ul");
  const note = document.createElement("p");
  note.className = "goals-note";
  list.after(note);
  const count = add(note, "span", { role: "status" });
  const where = add(note, "span");
  const root = document.documentElement.dataset.content_root ?? "./";
  note.append(" ");
  add(note, "a", {
    href: `${root}book/index.html#your-progress`,
    textContent: phrase("Progress of the whole course"),
  });

  function show() {
    for (const box of boxes) box.checked = box.dataset.goal in ticked;
    tell();
  }
  function tell() {
    const done = boxes.filter((box) => box.checked).length;
    const all = boxes.length;
    count.textContent = phrase("{done} of {all} ticked.", { done, all });
    const fate = kept
      ? phrase("Kept in this browser only.")
      : phrase(
          "This browser keeps nothing for this site: when you leave the " +
            "page, the ticks are gone.",
        );
    where.textContent = ` ${fate}`;
  }
  for (const box of boxes) {
    box.addEventListener("change", () => {
      load();
      if (box.checked) ticked[box.dataset.goal] = 1;
      else delete ticked[box.dataset.goal];
      save();
      tell();
    });
  }
  return show;
}

/* --- on the landing page -------------------------------------------------- */

const PARTS = {
  goals: (done, all) => phrase("{done} of {all} goals", { done, all }),
  exercises: (done, all) => phrase("{done} of {all} exercises", { done, all }),
};

function overall({ goals, exercises }) {
  if (!kept) {
    return phrase(
      "This browser keeps nothing for this site, so there is no progress " +
        "to show.",
    );
  }
  const [reached, solved] = [goals[0], exercises[0]];
  return phrase(
    "{reached} of {goals} goals reached and {solved} of {exercises} " +
      "exercises solved in the whole course.",
    { reached, goals: goals[1], solved, exercises: exercises[1] },
  );
}

function whetherToForget(number, codes) {
  if (number === 1) {
    return codes
      ? phrase(
          "Forget the tick, and the code you wrote ({codes} exercises)?",
          { codes },
        )
      : phrase("Forget the tick?");
  }
  return codes
    ? phrase(
        "Forget all {number} ticks, and the code you wrote ({codes} " +
          "exercises)?",
        { number, codes },
      )
    : phrase("Forget all {number} ticks?", { number });
}

function startProgress(place) {
  const names = (text) => text.split(" ").filter(Boolean);
  const rows = [...place.querySelectorAll("li")].map((row) => ({
    bar: row.insertBefore(document.createElement("progress"), row.lastChild),
    exercises: names(row.dataset.exercises),
    goals: names(row.dataset.goals),
    text: row.querySelector("span"),
  }));
  const total = add(place, "p", { className: "goals-total" });
  const count = add(total, "span", { role: "status" });
  const forget = add(total, "button", {
    textContent: phrase("Forget all ticks …"),
    type: "button",
  });
  const dialog = add(place, "dialog");
  dialog.setAttribute("aria-labelledby", "forget-ticks");
  const question = add(dialog, "p", { id: "forget-ticks" });
  const form = add(dialog, "form", { method: "dialog" });
  add(form, "button", { autofocus: true, textContent: phrase("Keep them") });
  const textContent = phrase("Forget them");
  add(form, "button", { textContent, value: "forget" });

  const written = () =>
    Object.keys(localStorage).filter((key) => key.startsWith(WRITTEN));
  const ticks = () =>
    [ticked, stored(SOLVED)].flatMap((found) => Object.keys(found)).length;

  function show() {
    const solved = stored(SOLVED);
    const sums = { exercises: [0, 0], goals: [0, 0] };
    for (const row of rows) {
      const reached = {
        goals: row.goals.filter((goal) => goal in ticked).length,
        exercises: row.exercises.filter((name) => name in solved).length,
      };
      const parts = [];
      let [here, all] = [0, 0];
      for (const [kind, done] of Object.entries(reached)) {
        const { length } = row[kind];
        if (length) parts.push(PARTS[kind](done, length));
        sums[kind][0] += done;
        sums[kind][1] += length;
        here += done;
        all += length;
      }
      Object.assign(row.bar, { ariaHidden: "true", max: all, value: here });
      row.text.textContent = parts.join(", ");
    }
    count.textContent = overall(sums);
    forget.hidden = ticks() + written().length === 0;
  }
  forget.addEventListener("click", () => {
    question.textContent = whetherToForget(ticks(), written().length);
    dialog.returnValue = "";
    dialog.showModal();
  });
  dialog.addEventListener("close", () => {
    if (dialog.returnValue !== "forget") return;
    ticked = {};
    save();
    for (const key of [SOLVED, ...written()]) localStorage.removeItem(key);
    show();
    place.querySelector("a").focus();
  });
  return show;
}

document.addEventListener("DOMContentLoaded", () => {
  const boxes = [...document.querySelectorAll("input[data-goal]")];
  const place = document.querySelector(".course-progress");
  if (!boxes.length && !place) return;
  load();
  kept = !localStorage.forgets;
  const show = boxes.length ? startChecklist(boxes) : startProgress(place);
  show();
  // Another tab may tick, and the way back may show an old page.
  for (const name of ["pageshow", "storage"]) {
    addEventListener(name, () => {
      load();
      show();
    });
  }
});
