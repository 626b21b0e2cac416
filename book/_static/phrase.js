/* Say something in the language of the page. A phrase is whole, and English;
   its gaps stand in braces. Korean pages load their words before this script
   (site.po). */
function phrase(english, values = {}) {
  const said = window.courseWords?.[english] || english;
  return said.replace(/\{(\w+)\}/g, (gap, name) => values[name] ?? gap);
}
