// TeX to MathML: reads {macros, formulas: [[tex, display], ...]} on stdin and
// writes the list of <math> elements. argv[2]: the folder of node_modules.
const fs = require("node:fs");
const path = require("node:path");

const { macros, formulas } = JSON.parse(fs.readFileSync(0, "utf-8"));
const main = path.join(process.argv[2], "node_modules/mathjax/es5/node-main.js");
require(main)
  .init({ loader: { load: ["input/tex"] }, tex: { macros } })
  .then((MathJax) => {
    const list = formulas.map(([tex, display]) =>
      MathJax.tex2mml(tex, { display }).replace(/\s*\n\s*/g, ""),
    );
    process.stdout.write(JSON.stringify(list));
  });
