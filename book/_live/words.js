/* All that Python in the page says, in one place; `phrase` is the site's
   (book/_static/phrase.js). */
export const words = {
  ask: (seconds) =>
    phrase(
      "This trains a model or takes times: about {seconds} s in the page.",
      { seconds },
    ),
  askNeeded: (seconds) =>
    phrase(
      "This needs a cell above that takes about {seconds} s in the page.",
      { seconds },
    ),
  askSize: (size) =>
    phrase(
      "Your browser asks sites to save data. Python is {size} MB, loaded once.",
      { size },
    ),
  back: phrase("Show the printed output"),
  broken: phrase(
    "Python broke down (no memory, or a recursion without end) and was " +
      "stopped. The next Run starts it afresh.",
  ),
  busy: phrase("Another cell is running. Stop it, or wait for it."),
  cellError: phrase(
    "A cell above, which this one needs, reports an error: see there.",
  ),
  codeCell: (number) => phrase("code cell {number}", { number }),
  copied: phrase("Copied."),
  editorLabel: (name) =>
    phrase(
      "Python code of {name}. Control and Enter runs it. Tab indents; " +
        "press Escape, then Tab, to leave the editor.",
      { name },
    ),
  error: phrase("Python reports an error."),
  failed: {
    file: phrase(
      "A file of Python is not the one that belongs to this page. Load the " +
        "page again; if that does not help, the site is being updated.",
    ),
    memory: phrase("This browser has not enough memory for Python."),
    network: phrase(
      "Python could not be loaded: the connection is lost or too slow. The " +
        "page is as it was; try Run again.",
    ),
    python: phrase("Python could not be started in this browser."),
    wasm: phrase(
      "This browser runs no WebAssembly, which Python in the page needs. " +
        "The notebook (Download, at the top) works in any Jupyter.",
    ),
    worker: phrase(
      "This browser does not let the page start a worker, which Python in " +
        "the page needs.",
    ),
  },
  fewer: phrase("Run with fewer steps"),
  fewerNote: phrase(
    "Trained with fewer steps than the book: numbers differ from the text, " +
      "and bounds may be broken.",
  ),
  figure: phrase("The figure was drawn when the book was built."),
  full: phrase("Run it all"),
  kept: phrase("Kept in this browser."),
  later: phrase("Not now"),
  loading: (done, size) =>
    phrase("Loading Python: {done} of {size} MB", { done, size }),
  lost: phrase(
    "This browser keeps nothing for this site: copy your code to keep it.",
  ),
  needed: (number, count) =>
    phrase("Running what this cell needs: {number} of {count} …", {
      number,
      count,
    }),
  noFigure: phrase(
    "This figure is not shown: the page has no Matplotlib. Maps of attention " +
      "(al.visualize_attention) can be drawn here.",
  ),
  noFile: phrase(
    "Open the site over http (make serve): Python cannot run from a file.",
  ),
  ofTheEditor: {
    // CodeMirror's own words, for those who hear the page
    Completions: phrase("Completions"),
    "Selection deleted": phrase("Selection deleted"),
  },
  ran: phrase("Done."),
  running: phrase("Running …"),
  starting: phrase("Starting Python …"),
  stop: phrase("Stop"),
  stopped: phrase(
    "Stopped. Python starts afresh; the cells above run again with the next " +
      "Run.",
  ),
};

/* What the playground says. */
export const playing = {
  badLink: phrase(
    "The link is damaged or cut off: it holds no code that can be read.",
  ),
  came: phrase(
    "This code came with the link. It has not been run: read it first.",
  ),
  copied: phrase(
    "The link is copied. It holds the code itself; nothing was sent.",
  ),
  copyYourself: phrase(
    "Copy the link from the field. It holds the code itself; nothing was sent.",
  ),
  link: phrase("Link"),
  loaded: (title) => phrase("Loaded: {title}.", { title }),
  undo: phrase("Bring back what was here"),
  undone: phrase("Brought back."),
};
