/* One Python for one page, in a worker. Pyodide's two scripts stand before
   this one in the same file (pagepython.py).

   In:  {start: {files, lang, others}}, then {id, call: "run" | "complete",
        values}, or {id, load: [name, file]} for a file that cells read. A file
        is {path, url, size, sha256}; `others` are paths that may be kept too,
        and `lang` is the language of the page.
   Out: {kind: "bytes", done} while the files come, {kind: "ready"} or
        {kind: "failed", why, text}; {kind: "output", id, output} while a cell
        runs; {kind: "done", id, value}, or {kind: "broken", id, text} when
        Python itself broke down: then this worker is of no use any more. */
"use strict";
{
  const say = (message) => self.postMessage(message);
  const SHELF = "attention-course-python";
  const fetched = self.fetch.bind(self);

  class Failure extends Error {
    constructor(why, text) {
      super(text);
      this.why = why;
    }
  }

  /* --- the files ---------------------------------------------------------- */

  /* The browser keeps them, by their paths, which name their content: those of
     the other edition are the same. Of what was kept before, nothing stays
     that this site does not use any more. Without a shelf each page loads them
     anew. */
  const HOME = "https://python.invalid/"; // where Pyodide thinks it comes from
  const place = (path) => HOME + path;

  async function open(files, others) {
    try {
      const shelf = await caches.open(SHELF);
      const paths = Object.values(files).map((file) => file.path);
      const used = new Set([...paths, ...others].map(place));
      for (const request of await shelf.keys()) {
        if (!used.has(request.url)) await shelf.delete(request);
      }
      return shelf;
    } catch {
      return null;
    }
  }

  async function bytesOf(response, count) {
    const parts = [];
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      count(value.length);
    }
    return new Uint8Array(await new Blob(parts).arrayBuffer());
  }

  async function isGood(bytes, sha256) {
    if (!crypto.subtle) return true; // then `integrity` has been checked
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    return btoa(String.fromCharCode(...digest)) === sha256;
  }

  async function download({ url, sha256 }, cache, count) {
    const integrity = crypto.subtle ? "" : `sha256-${sha256}`;
    try {
      const response = await fetched(url, { cache, integrity });
      if (!response.ok) throw new Error(`${response.status} ${url}`);
      return await bytesOf(response, count);
    } catch (error) {
      throw new Failure("network", String(error));
    }
  }

  async function take(shelf, file, count) {
    const { path, size, sha256 } = file;
    const kept = await shelf?.match(place(path));
    if (kept) {
      count(size);
      return new Uint8Array(await kept.arrayBuffer());
    }
    let bytes = await download(file, "default", count);
    // What the browser had at hand may be the wrong one.
    if (!(await isGood(bytes, sha256))) {
      bytes = await download(file, "reload", () => {});
    }
    if (!(await isGood(bytes, sha256))) throw new Failure("file", path);
    // No room, or no right to keep anything: the next page loads it again.
    await shelf?.put(place(path), new Response(bytes)).catch(() => {});
    return bytes;
  }

  async function takeAll(files, others) {
    const shelf = await open(files, others);
    let done = 0;
    const count = (size) => say({ kind: "bytes", done: (done += size) });
    const entries = Object.entries(files).map(async ([name, file]) => [
      name,
      await take(shelf, file, count),
    ]);
    return Object.fromEntries(await Promise.all(entries));
  }

  /* --- Python ------------------------------------------------------------- */

  const TYPES = { wasm: "application/wasm", json: "application/json" };

  /* Pyodide asks for its files by address; it gets those that were checked,
     and the network is asked for nothing else. */
  function serve(found) {
    self.fetch = async (request) => {
      const url = String(request.url ?? request);
      const name = url.slice(HOME.length);
      if (!url.startsWith(HOME) || !found[name]) {
        throw new TypeError(`this page's Python loads nothing: ${url}`);
      }
      const type = TYPES[name.split(".").pop()] ?? "";
      return new Response(found[name], { headers: { "content-type": type } });
    };
  }

  function probe() {
    try {
      new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
    } catch (error) {
      throw new Failure("wasm", String(error));
    }
  }

  let python, cells;

  async function start({ files, lang, others }) {
    probe();
    const found = await takeAll(files, others);
    serve(found);
    // Pyodide only warns when it has no memory, and would wait for ever.
    const broken = new Promise((_, reject) => {
      const warn = console.warn;
      console.warn = (...words) => {
        if (/wasm instantiation failed/.test(words[0])) {
          reject(new Failure("memory", words.join(" ")));
        }
        warn(...words);
      };
    });
    python = await Promise.race([
      loadPyodide({ indexURL: HOME, env: { COURSEKIT_PAGE: "1" } }),
      broken,
    ]);
    // This NumPy asks for it at large temporary arrays, and breaks down
    // without it.
    const { exports } = python._module.LDSO.loadedLibsByName.__main__;
    exports.backtrace = () => 0;
    const options = { extractDir: "/lib/python3.12/site-packages" };
    for (const name of ["numpy.zip", "course.zip"]) {
      python.unpackArchive(found[name], "zip", options);
    }
    for (const name of Object.keys(found)) delete found[name];
    cells = python.pyimport("coursekit.page");
    if (lang === "ko") python.pyimport("coursekit").set_language(lang);
  }

  let started = null;
  let current = null;

  self.attend = (text) => say({ kind: "output", id: current, output: JSON.parse(text) });

  function answer({ id, call, values }) {
    current = id;
    try {
      const value = cells[call](...values);
      say({ kind: "done", id, value: JSON.parse(value) });
    } catch (error) {
      say({ kind: "broken", id, text: String(error?.message ?? error) });
    }
  }

  /* A file that cells read, where they look for it. */
  async function load(id, [name, file]) {
    try {
      const shelf = await caches.open(SHELF).catch(() => null);
      const bytes = await take(shelf, file, () => {});
      const path = `${python.FS.cwd()}/${name}`;
      python.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
      python.FS.writeFile(path, bytes);
      say({ kind: "done", id, value: { ok: true } });
    } catch (error) {
      say({ kind: "done", id, value: { ok: false, why: error.why ?? "python" } });
    }
  }

  self.onmessage = async ({ data }) => {
    if (!data.start) {
      await started;
      return data.load ? load(data.id, data.load) : answer(data);
    }
    started = start(data.start);
    try {
      await started;
      say({ kind: "ready" });
    } catch (error) {
      say({ kind: "failed", why: error.why ?? "python", text: String(error) });
    }
  };
}
