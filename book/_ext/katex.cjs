// TeX to HTML: reads {macros, formulas: [[tex, display], ...]} on stdin and
// writes a list of {html} or {error}. argv[2]: the folder of node_modules.
const fs = require("node:fs");
const path = require("node:path");

const katex = require(path.join(process.argv[2], "katex"));
const { macros, formulas } = JSON.parse(fs.readFileSync(0, "utf-8"));

// KaTeX only warns of a letter that its fonts do not have.
console.warn = (message) => {
  throw new Error(message);
};

function render([tex, displayMode]) {
  try {
    const html = katex.renderToString(tex, {
      displayMode,
      macros: { ...macros }, // a formula may define more, for itself only
      output: "htmlAndMathml",
      strict: "error",
      throwOnError: true,
    });
    return { html };
  } catch (error) {
    return { error: error.message };
  }
}

process.stdout.write(JSON.stringify(formulas.map(render)));
