/* Compile the modules of zip files with the very Python that will read them.
   `node compile.mjs <folder of pyodide> <zip> <new zip> <JSON>`, where the JSON
   holds the arguments of `compile_zip`. */
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [, , home, source, target, how] = process.argv;
const { loadPyodide } = await import(pathToFileURL(`${home}/pyodide.mjs`));
const python = await loadPyodide({ indexURL: home });
python.runPython(readFileSync(new URL("compile.py", import.meta.url), "utf8"));
python.FS.writeFile("/old.zip", readFileSync(source));
python.globals.get("compile_zip")(...JSON.parse(how));
writeFileSync(target, python.FS.readFile("/new.zip"));
