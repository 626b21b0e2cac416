/* Run pytest in Pyodide. `node start.mjs <folder>`: the folder holds Pyodide
   with the files that the site serves, and how.json (tests/test_pyodide.py). */
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

async function run(home) {
  const read = (name) => new Uint8Array(readFileSync(`${home}/${name}`));
  const how = JSON.parse(readFileSync(`${home}/how.json`, "utf8"));
  const { loadPyodide } = await import(pathToFileURL(`${home}/pyodide.mjs`));
  const python = await loadPyodide({ indexURL: home });
  const { exports } = python._module.LDSO.loadedLibsByName.__main__;
  exports.backtrace = () => 0; // as in book/_live/worker.js
  for (const [name, extractDir] of Object.entries(how.archives)) {
    python.unpackArchive(read(name), "zip", { extractDir });
  }
  // What the site does not serve of the standard library comes last.
  python.FS.writeFile("/whole.zip", read("whole.zip"));
  python.runPython(`import sys; sys.path += ["/packages", "/whole.zip"]`);
  python.FS.chdir(how.folder);
  const main = python.pyimport("inside").main;
  writeFileSync(`${home}/outcomes.json`, main(...how.main));
}

try {
  await run(process.argv[2]);
} catch (error) {
  console.error(String(error)); // Node would show Pyodide's source too
  process.exit(1);
}
