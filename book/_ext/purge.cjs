// One style sheet without what no page can use: reads {css, seen, words,
// attributes, runtime, variables} on stdin and writes {whole, purged}. argv[2]:
// the folder of node_modules.
const fs = require("node:fs");
const path = require("node:path");

const modules = path.join(process.argv[2], "node_modules");
const { PurgeCSS } = require(path.join(modules, "purgecss"));
const postcss = require(path.join(modules, "postcss"));
const given = JSON.parse(fs.readFileSync(0, "utf-8"));

/* What the pages hold is known exactly; a word of a script may be the name of
   anything, but of no icon of Font Awesome: icons.py draws ours. */
function extract() {
  const { attributes, classes, ids, tags, values } = given.seen;
  const words = given.words.filter((word) => !/^fa[srb]?(-|$)/.test(word));
  return {
    attributes: { names: attributes, values },
    classes: [...classes, ...words].filter((name) => !/^fa-/.test(name)),
    ids: [...ids, ...words],
    tags: [...tags, ...words],
    undetermined: [],
  };
}

/* Its fonts go too. */
function withoutFont(root) {
  root.walkDecls((decl) => {
    if (!/--fa-|Font ?Awesome/.test(`${decl.prop}:${decl.value}`)) return;
    const { parent } = decl;
    if (parent.name === "font-face") parent.remove();
    else decl.remove();
  });
}

/* PurgeCSS would leave out a rule for `:focus-visible` of any element, or for
   `:is(:hover, :focus)` of one. */
function nameAny(root) {
  root.walkRules((rule) => {
    rule.selectors = rule.selectors.map((selector) =>
      selector
        .replace(/^(?=:(?!:|root|host))/, "*")
        .replace(/([(,]\s*)(?=:[a-z])/g, "$1*"),
    );
  });
}

/* Comments go, except licences; and the spaces that separate nothing. */
function squeeze(root) {
  root.walkComments((comment) => {
    if (!/^!(?!.*Awesome)/s.test(comment.text)) comment.remove();
  });
  root.walk((node) => {
    Object.assign(node.raws, { after: "", before: "", semicolon: false });
    if (node.type === "decl") {
      node.raws.between = ":";
      if (!node.variable) node.value = node.value.replace(/\s*\n\s*/g, " ");
    } else if (node.type !== "comment") {
      node.raws.between = "";
      if (node.selector) node.selector = node.selector.replace(/,\s+/g, ",");
    }
  });
  root.walkRules((rule) => {
    if (!rule.nodes.length) rule.remove();
  });
}

const root = postcss.parse(given.css);
withoutFont(root);
nameAny(root);
const whole = root.toString();
new PurgeCSS()
  .purge({
    content: [{ extension: "html", raw: "pages" }],
    css: [{ raw: whole }],
    defaultExtractor: extract,
    dynamicAttributes: given.attributes,
    keyframes: true,
    safelist: {
      greedy: given.runtime.map((pattern) => new RegExp(pattern)),
      variables: given.variables,
    },
    variables: true,
  })
  .then(([{ css }]) => {
    const purged = postcss.parse(css);
    squeeze(purged);
    process.stdout.write(JSON.stringify({ purged: purged.toString(), whole }));
  });
