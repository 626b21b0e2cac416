/* The playground: examples, links that carry code, and forms that fill in a
   line of Python. Loaded with the first of them that is used. Code that comes
   with a link is shown, and never run by itself. */
import { add } from "./showing.js";
import { playing as words } from "./words.js";

/* --- what the reader wrote is never lost ------------------------------------ */

const STORE = "attention-course:code:playground";
const LOADED = `${STORE}:loaded`; // as it came from an example or a link
const BEFORE = `${STORE}:before`; // what it took the place of

/* For this visit, should the browser keep nothing. */
const memory = new Map();

function recall(key) {
  try {
    return localStorage.getItem(key) ?? memory.get(key) ?? null;
  } catch {
    return memory.get(key) ?? null;
  }
}

function remember(key, text, keep) {
  memory.set(key, text);
  keep(key, text);
}

/* Show other code, and a button that brings the reader's own back. */
async function put(cell, text, said, { keep, open }) {
  const old = cell.code;
  await open(cell);
  const own = old !== cell.first && old !== recall(LOADED);
  if (own) remember(BEFORE, old, keep);
  remember(LOADED, text, keep);
  cell.editor.code = text;
  offer(cell, keep);
  cell.tell(said);
}

function offer(cell, keep) {
  cell.undo?.remove();
  const before = recall(BEFORE);
  if (before === null) return;
  cell.undo = cell.button("undo", words.undo, () => {
    remember(BEFORE, cell.code, keep);
    cell.editor.code = before;
    offer(cell, keep);
    cell.tell(words.undone);
    cell.editor.focus();
  });
}

function load(cell, form, live) {
  const { label, dataset } = form.querySelector("select").selectedOptions[0];
  return put(cell, dataset.code, words.loaded(label), live);
}

/* --- a link that carries the code ------------------------------------------- */

const MARK = "#code=";
const LONGEST = 100_000; // characters; a link may come from anyone

const base64 = (bytes) => {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const plain = btoa(text).replaceAll("+", "-").replaceAll("/", "_");
  return plain.replace(/=+$/, "");
};

const bytesOf = (text) => {
  const plain = text.replaceAll("-", "+").replaceAll("_", "/");
  return Uint8Array.from(atob(plain), (letter) => letter.charCodeAt(0));
};

const through = (bytes, stream) =>
  new Response(new Blob([bytes]).stream().pipeThrough(stream));

async function packed(code) {
  const bytes = new TextEncoder().encode(code);
  if (!globalThis.CompressionStream) return `t${base64(bytes)}`;
  const stream = new CompressionStream("deflate-raw");
  const small = await through(bytes, stream).arrayBuffer();
  return `z${base64(new Uint8Array(small))}`;
}

/* Read no more than the longest code: a small link can hold a large one. */
async function unpacked(text) {
  const bytes = bytesOf(text.slice(1));
  const read =
    text[0] === "z"
      ? through(bytes, new DecompressionStream("deflate-raw"))
      : new Response(bytes);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let code = "";
  for await (const part of parts(read.body.getReader())) {
    code += decoder.decode(part, { stream: true });
    if (code.length > LONGEST) throw new Error("too long");
  }
  return code + decoder.decode();
}

async function* parts(reader) {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

async function share(cell) {
  const link = new URL(location.href);
  link.hash = MARK + (await packed(cell.code));
  cell.link?.remove();
  const label = document.createElement("label");
  label.className = "py-link";
  label.textContent = `${words.link} `;
  const field = add(label, "input", { readOnly: true, value: link.href });
  cell.panel.append(label);
  cell.link = label;
  const copied = await navigator.clipboard?.writeText(link.href).then(
    () => true,
    () => false,
  );
  field.focus();
  field.select();
  cell.tell(copied ? words.copied : words.copyYourself);
}

/* The fragment goes: after a reload the reader finds what was written since. */
async function link(cell, element, live) {
  const { hash } = location;
  history.replaceState(null, "", location.pathname + location.search);
  let code;
  try {
    if (!hash.startsWith(MARK)) throw new Error("no code");
    code = await unpacked(hash.slice(MARK.length));
  } catch {
    return cell.tell(words.badLink);
  }
  await put(cell, code, words.came, live);
  cell.element.scrollIntoView({ block: "nearest" });
}

/* --- forms ------------------------------------------------------------------ */

const chosen = (form) => form.querySelector("select").selectedOptions[0].dataset;

/* Another model knows other words; what the reader typed stays. */
function choose(cell, menu) {
  const field = menu.form.querySelector("input");
  const samples = [...menu.options].map((option) => option.dataset.words);
  if (samples.includes(field.value)) field.value = chosen(menu.form).words;
}

function ask(cell, form, { run, setCode }) {
  const typed = JSON.stringify(form.querySelector("input").value);
  const code = chosen(form).code.replace("{words}", () => typed).trim();
  setCode(cell, code);
  return run(cell);
}

export const actions = { ask, choose, link, load, share };
