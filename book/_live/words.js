/* All that Python in the page says, in one place. */
export const words = {
  above: "Run all above",
  ask: (seconds) =>
    `This trains a model or takes times: about ${seconds} s in the page.`,
  askNeeded: (seconds) =>
    `This needs a cell above that takes about ${seconds} s in the page.`,
  askSize: (size) =>
    `Your browser asks sites to save data. Python is ${size} MB, loaded once.`,
  back: "Show the printed output",
  broken:
    "Python broke down (no memory, or a recursion without end) and was " +
    "stopped. The next Run starts it afresh.",
  busy: "Another cell is running. Stop it, or wait for it.",
  cellError: "A cell above, which this one needs, reports an error: see there.",
  copied: "Copied.",
  copy: "Copy",
  download: "Download as a notebook",
  edit: "Edit",
  editorLabel: (name) =>
    `Python code of ${name}. Control and Enter runs it. Tab indents; ` +
    "press Escape, then Tab, to leave the editor.",
  error: "Python reports an error.",
  failed: {
    file:
      "A file of Python is not the one that belongs to this page. Load the " +
      "page again; if that does not help, the site is being updated.",
    memory: "This browser has not enough memory for Python.",
    network:
      "Python could not be loaded: the connection is lost or too slow. The " +
      "page is as it was; try Run again.",
    python: "Python could not be started in this browser.",
    wasm:
      "This browser runs no WebAssembly, which Python in the page needs. " +
      "The notebook (Download, at the top) works in any Jupyter.",
    worker:
      "This browser does not let the page start a worker, which Python in " +
      "the page needs.",
  },
  fewer: "Run with fewer steps",
  fewerNote:
    "Trained with fewer steps than the book: numbers differ from the text, " +
    "and bounds may be broken.",
  figure: "The figure was drawn when the book was built.",
  full: "Run it all",
  hint: "Show the next hint",
  kept: "Kept in this browser.",
  later: "Not now",
  loading: (done, size) => `Loading Python: ${done} of ${size} MB`,
  lost: "This browser keeps nothing for this site: copy your code to keep it.",
  needed: (n, count) => `Running what this cell needs: ${n} of ${count} …`,
  noFigure:
    "This figure is not shown: the page has no Matplotlib. Maps of attention " +
    "(al.visualize_attention) can be drawn here.",
  noFile: "Open the site over http (make serve): Python cannot run from a file.",
  ran: "Done.",
  right: "Right!",
  running: "Running …",
  starting: "Starting Python …",
  stop: "Stop",
  stopped:
    "Stopped. Python starts afresh; the cells above run again with the next " +
    "Run.",
};

/* What the playground says. */
export const playing = {
  badLink:
    "The link is damaged or cut off: it holds no code that can be read.",
  came: "This code came with the link. It has not been run: read it first.",
  copied: "The link is copied. It holds the code itself; nothing was sent.",
  copyYourself:
    "Copy the link from the field. It holds the code itself; nothing was sent.",
  link: "Link",
  loaded: (title) => `Loaded: ${title}.`,
  undo: "Bring back what was here",
  undone: "Brought back.",
};
