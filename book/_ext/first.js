/* The one script that the browser waits for: it runs before the page is
   drawn. */

/* The theme's scripts fail in a browser that stores nothing for a site. */
for (const name of ["localStorage", "sessionStorage"]) {
  try {
    window[name].length;
  } catch {
    const kept = new Map();
    const value = {
      forgets: true,
      getItem: (key) => kept.get(key) ?? null,
      removeItem: (key) => kept.delete(key),
      setItem: (key, text) => kept.set(key, String(text)),
    };
    Object.defineProperty(window, name, { value });
  }
}

/* Light or dark, as chosen before or as the machine is set. */
{
  const mode = localStorage.getItem("mode") || "auto";
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const theme = mode === "auto" ? (dark ? "dark" : "light") : mode;
  Object.assign(document.documentElement.dataset, { mode, theme });
}
