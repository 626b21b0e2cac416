/* As in korean_search.py: take the ending off a Korean word of a query. */
const known = KNOWN;
{
  const English = Stemmer;
  const stem = (word) => {
    for (let size = Math.min(word.length - 1, known.longest); size; size--) {
      const rest = word.slice(0, -size);
      const last = rest.charCodeAt(rest.length - 1) - 0xac00;
      const endings = last % 28 > 0 ? known.closed : known.open;
      const whole = rest.length > 1 || known.short.includes(rest);
      if (whole && endings.includes(word.slice(-size))) return rest;
    }
    return word;
  };
  Stemmer = function () {
    const english = new English();
    this.stemWord = (word) =>
      /^[가-힣]/.test(word) ? stem(word) : english.stemWord(word);
  };
}

/* GPT는 is a name, and a particle that nobody looks for. */
function splitQuery(query) {
  const words = /[가-힣]+|(?:(?![가-힣])[\p{L}\p{N}_])+/gu;
  let end = -1;
  return [...query.matchAll(words)]
    .filter(({ 0: word, index }) => {
      const hanging = index === end;
      end = index + word.length;
      const endings = [...known.closed, ...known.open];
      return !hanging || !endings.includes(word);
    })
    .map(([word]) => word);
}
