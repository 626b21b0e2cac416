"""Sphinx extension: search that finds a Korean word with its particle.

Korean hangs particles on words: 어텐션은, 어텐션을 and 어텐션에서 are all
어텐션. Both the index and the query are stripped of them, the first here, the
second by `korean_search.js`, which is the same in the page's language. Sphinx
knows no Korean of its own.
"""

import json
import re
from pathlib import Path

from sphinx.search import SearchLanguage
from sphinx.search.en import SearchEnglish

SCRIPT = Path(__file__).with_suffix(".js")
# Endings after a consonant, after a vowel, and after either.
CLOSED = "은 이 을 과 으로 이나 이란 이라 이라고 이라는 이며 이고 이면"
CLOSED += " 으로는 으로도 으로만 으로서 으로써 이라도 이든 이지만"
OPEN = "는 가 를 와 로 나 란 라 라고 라는 며 고 면 로는 로도 로만"
OPEN += " 로서 로써 라도 든 지만"
EITHER = "의 에 에서 에게 에는 에도 에만 에서는 에서도 까지 까지는 부터 도 만"
EITHER += (
    " 만의 만을 만이 만은 마다 보다 처럼 만큼 대로 밖에 조차 끼리 들 들은"
)
EITHER += (
    " 들이 들을 들의 들에 들과 들도 입니다 입니까 이다 이었습니다 였습니다"
)
EITHER += (
    " 인 인지 인가 이므로 이어서 하고 뿐 뿐만 에서의 에의 과의 와의 으로의"
)
EITHER += " 로의 하다 합니다 하는 하면 하고 해서 하지 하여 한 할 해 했습니다"
EITHER += " 됩니다 되는 되면 된 될 되어 되었습니다"
# Words of one syllable; others that short would be cut out of longer words.
SHORT = frozenset("값키행열층축합점장절셀곱몫식끝앞뒤줄칸수")
LONGEST = 5  # syllables of an ending
WORDS = re.compile(r"[가-힣]+|[^\W가-힣]+")  # GPT는: a name, and a particle


def endings():
    """Return what may follow a consonant, and what may follow a vowel."""
    return [{*own.split(), *EITHER.split()} for own in (CLOSED, OPEN)]


AFTER_CLOSED, AFTER_OPEN = endings()


def stem(word):
    """Take the ending off a Korean word.

    >>> [stem(w) for w in ["어텐션은", "쿼리를", "값을", "마스크", "사이"]]
    ['어텐션', '쿼리', '값', '마스크', '사이']
    """
    for size in range(min(len(word) - 1, LONGEST), 0, -1):
        rest, ending = word[:-size], word[-size:]
        closed = (ord(rest[-1]) - ord("가")) % 28 > 0
        known = AFTER_CLOSED if closed else AFTER_OPEN
        if ending in known and (len(rest) > 1 or rest in SHORT):
            return rest
    return word


def split(text):
    """Return the words of a text; what hangs on a name is none.

    >>> split("GPT는 softmax를 씁니다")
    ['GPT', 'softmax', '씁니다']
    """
    words, end = [], 0
    for match in WORDS.finditer(text):
        hanging = words and match.start() == end
        end = match.end()
        if not (hanging and match[0] in AFTER_CLOSED | AFTER_OPEN):
            words.append(match[0])
    return words


def is_korean(word):
    """Say whether a word is written in Hangul."""
    return "가" <= word[:1] <= "힣"


def script():
    """Return the same for a page's query; English words keep their stemmer."""
    lists = {"closed": AFTER_CLOSED, "open": AFTER_OPEN, "short": SHORT}
    known = {name: sorted(words) for name, words in lists.items()}
    data = json.dumps({**known, "longest": LONGEST}, ensure_ascii=False)
    text = SCRIPT.read_text("utf-8").replace("KNOWN", data)
    return SearchEnglish.js_stemmer_code + text


class SearchKorean(SearchLanguage):
    """Korean words without their particles, and English ones as in English."""

    lang, language_name = "ko", "Korean"
    stopwords = SearchEnglish.stopwords
    js_stemmer_code = script()

    def init(self, options):
        """Keep the stemmer for words that are not Korean."""
        self.english = SearchEnglish(options)

    def split(self, text):
        """Split a text into words, without particles behind a Latin name."""
        return split(text)

    def stem(self, word):
        """Return what is common to the forms of a word."""
        return stem(word) if is_korean(word) else self.english.stem(word)


def setup(app):
    """Let Sphinx know the language."""
    app.add_search_language(SearchKorean)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
