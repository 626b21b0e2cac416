// The theme's scripts fail in a browser that stores nothing for a site.
// This is written into the head of each page, before them.
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
