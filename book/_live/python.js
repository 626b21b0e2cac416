/* The one Python of a page. It lives in a worker that is made from a few
   words of text, and so obeys the policy of the page: no other host, ever. */

export class Failure extends Error {
  constructor(why, text = "") {
    super(text);
    this.why = why;
  }
}

export class Python {
  #base;
  #known;
  #worker = null;
  #started = null;
  #ending = null;
  #waiting = new Map();
  #asked = 0;
  #loaded = new Set();
  onbytes = () => {};
  ready = false;

  constructor(base, known) {
    this.#base = base;
    this.#known = known;
  }

  get size() {
    const files = [this.#known.script, ...Object.values(this.#known.files)];
    return files.reduce((sum, file) => sum + file.sent, 0);
  }

  #address(file) {
    return { ...file, url: this.#base + file.path };
  }

  /* Start Python, once however often this is called. */
  start() {
    if (!this.#started) {
      const ending = new AbortController();
      this.#ending = ending;
      this.#started = this.#boot(ending.signal).catch((error) => {
        if (this.#ending === ending) this.stop();
        throw error;
      });
    }
    return this.#started;
  }

  async #boot(signal) {
    if (!globalThis.WebAssembly) throw new Failure("wasm");
    const { files, script } = this.#known;
    const url = await this.#checked(this.#address(script), signal);
    const text = `importScripts(${JSON.stringify(url)})`;
    const blob = new Blob([text], { type: "text/javascript" });
    const address = URL.createObjectURL(blob);
    let worker;
    try {
      worker = this.#worker = new Worker(address);
    } catch (error) {
      throw new Failure("worker", String(error));
    }
    const raw = Object.values(files).reduce((sum, file) => sum + file.size, 0);
    await new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
      worker.onerror = (event) => {
        event.preventDefault();
        reject(new Failure("worker", event.message));
        this.stop({ broken: event.message || "error" });
      };
      worker.onmessage = ({ data }) => {
        if (data.kind === "ready") resolve();
        else if (data.kind === "failed") {
          reject(new Failure(data.why, data.text));
        } else if (data.kind === "bytes") {
          this.onbytes((data.done / raw) * this.size);
        } else this.#hear(data);
      };
      const entries = Object.entries(files);
      const all = entries.map(([name, file]) => [name, this.#address(file)]);
      const others = Object.values(this.#known.data).map(({ path }) => path);
      const { lang } = document.documentElement;
      worker.postMessage({
        start: { files: Object.fromEntries(all), lang, others },
      });
    });
    URL.revokeObjectURL(address);
    this.ready = true;
  }

  /* Fetch the worker's script, which the browser then has at hand; anew if
     what it has is not the right one. */
  async #checked({ url, sha256 }, signal) {
    const integrity = `sha256-${sha256}`;
    for (const cache of ["default", "reload"]) {
      try {
        const response = await fetch(url, { cache, integrity, signal });
        if (!response.ok) throw new Failure("network", String(response.status));
        await response.arrayBuffer();
        signal.throwIfAborted();
        return url;
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (error instanceof Failure) throw error;
      }
    }
    const whole = fetch(url).then((r) => r.ok && r.arrayBuffer());
    const there = await whole.catch(() => false);
    throw new Failure(there ? "file" : "network", url);
  }

  #hear({ kind, id, output, value, text }) {
    const job = this.#waiting.get(id);
    if (!job) return;
    if (kind === "output") return job.show(output);
    if (kind === "broken") return this.stop({ broken: text });
    this.#waiting.delete(id);
    job.end(value);
  }

  #ask(message, show = () => {}) {
    return new Promise((end) => {
      const id = ++this.#asked;
      this.#waiting.set(id, { end, show });
      this.#worker.postMessage({ id, ...message });
    });
  }

  /* Run a cell; `show` gets what it shows, piece by piece. */
  async run(code, name, show) {
    await this.start();
    for (const [file, about] of Object.entries(this.#known.data)) {
      if (!code.includes(file) || this.#loaded.has(file)) continue;
      const found = await this.#ask({ load: [file, this.#address(about)] });
      if (!found.ok) throw new Failure(found.why ?? "network");
      this.#loaded.add(file);
    }
    return this.#ask({ call: "run", values: [code, name] }, show);
  }

  /* Return names that may follow a text; none while Python is not there. */
  async complete(text) {
    if (!this.idle) return [];
    const found = await this.#ask({ call: "complete", values: [text] });
    return Array.isArray(found) ? found : [];
  }

  get idle() {
    return this.ready && this.#waiting.size === 0;
  }

  /* End Python at once, whatever it is doing. */
  stop(end = { stopped: true }) {
    this.#worker?.terminate();
    this.#ending?.abort(end);
    this.#worker = this.#started = this.#ending = null;
    this.ready = false;
    this.#loaded.clear();
    const jobs = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const job of jobs) job.end(end);
  }
}
