/* Explorers on a page: a control chooses one of the frames that the page
   holds as data. Nothing is read before the first choice. */
{
  const data = new WeakMap();

  const read = (explorer) => {
    if (!data.has(explorer)) {
      const found = JSON.parse(explorer.querySelector("script").textContent);
      const first = explorer.querySelector(".al-stage").innerHTML;
      found.frames = found.frames.map((frame) => frame ?? first);
      data.set(explorer, found);
    }
    return data.get(explorer);
  };

  /* Return [chosen option, number of options] of a control. */
  const chosen = (control) => {
    const menu = control.querySelector("select");
    if (menu) return [menu.selectedIndex, menu.length];
    const slider = control.querySelector("input[type=range]");
    if (slider) return [slider.valueAsNumber, Number(slider.max) + 1];
    const buttons = [...control.querySelectorAll("input")];
    return [buttons.findIndex((b) => b.checked), buttons.length];
  };

  const tell = (slider) => {
    const label = JSON.parse(slider.dataset.labels)[slider.valueAsNumber];
    slider.setAttribute("aria-valuetext", label);
    slider.nextElementSibling.textContent = label;
  };

  const show = (explorer) => {
    const { frames, choices } = read(explorer);
    const place = [...explorer.querySelectorAll(".al-control")]
      .map(chosen)
      .reduce((sum, [index, count]) => sum * count + index, 0);
    const stage = explorer.querySelector(".al-stage");
    stage.innerHTML = frames[choices[place]];
    reach(stage);
    explorer.querySelector(".al-said").textContent =
      stage.querySelector(".al-words")?.textContent;
  };

  document.addEventListener("input", (event) => {
    const explorer = event.target.closest(".al-explorer");
    if (!explorer) return;
    if (event.isTrusted) pause();
    if (event.target.type === "range") tell(event.target);
    show(explorer);
  });

  /* A slider of steps can play: it moves by one each second, from the start
     if it is at the end, until the end or until the reader does something. */
  let playing = null;
  const pause = () => {
    if (!playing) return;
    clearInterval(playing.timer);
    playing.button.ariaPressed = "false";
    playing = null;
  };
  const move = (slider, place) => {
    slider.value = place;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const play = (button) => {
    const slider = button.parentElement.querySelector("input");
    const advance = () => {
      move(slider, slider.valueAsNumber + 1);
      if (slider.value === slider.max) pause();
    };
    if (slider.value === slider.max) move(slider, 0);
    button.ariaPressed = "true";
    playing = { button, timer: setInterval(advance, 1000) };
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest(".al-play");
    if (!button) return;
    const again = playing?.button === button;
    pause();
    if (!again) play(button);
  });

  /* What is wider than its box can be scrolled with the keyboard: a map is
     one stop of the Tab key, and any other table is one while it must be. */
  const widths = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
      else target.removeAttribute("tabindex");
    }
  });
  const reach = (part) => {
    for (const box of part.querySelectorAll(".al-scroll")) {
      const cell = box.querySelector("td[aria-label]");
      if (cell) cell.tabIndex = 0;
      else widths.observe(box);
    }
  };
  document.addEventListener("DOMContentLoaded", () => reach(document));
  document.addEventListener("al-shown", (event) => reach(event.target));

  /* The arrow keys move between the cells of a map. */
  const STEPS = {
    ArrowDown: [1, 0],
    ArrowLeft: [0, -1],
    ArrowRight: [0, 1],
    ArrowUp: [-1, 0],
  };
  document.addEventListener("keydown", (event) => {
    const cell = event.target.closest?.(".al-map td[aria-label]");
    const step = STEPS[event.key];
    const held = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
    if (!cell || !step || held) return;
    event.preventDefault();
    const row = cell.parentElement;
    const rows = row.parentElement.rows;
    const next = rows[row.sectionRowIndex + step[0]]?.cells[
      cell.cellIndex + step[1]
    ];
    if (!next?.matches("td[aria-label]")) return;
    cell.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
}
