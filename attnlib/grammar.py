"""A toy grammar of Korean sentences with their English translations.

It says for each English word from which Korean words it comes. A Korean
sentence is a subject, perhaps a time, a place or an object (or both), and a
verb at the end: 나는 학교에 간다, *I go to school*. Chapter: cross-attention.
"""

from collections import namedtuple

from attnlib._validate import as_rng, as_size

__all__ = ["Example", "Split", "all_sentences", "split_sentences"]

Example = namedtuple("Example", "source target alignment")
Example.__doc__ = """A sentence, its translation, and what comes from what.

``alignment[i]`` holds the positions of the source words that target word
`i` comes from."""

Verb = namedtuple("Verb", "present past future stem plain third went kind")


def _verb(korean, english, kinds=""):
    """Return a verb with its forms and the kinds of things it goes with."""
    return Verb(*korean.split(), *english.split(), tuple(kinds.split()))


# Who: Korean with its particle, English, and the person of the verb.
SUBJECTS = [
    ("나는", "I", "plain"),
    ("우리는", "we", "plain"),
    ("너는", "you", "plain"),
    ("그는", "he", "third"),
    ("그녀는", "she", "third"),
    ("친구는", "my friend", "third"),
    ("친구들은", "my friends", "plain"),
    ("학생은", "the student", "third"),
    ("학생들은", "the students", "plain"),
    ("아이는", "the child", "third"),
    ("아이들은", "the children", "plain"),
    ("선생님은", "the teacher", "third"),
    ("선생님들은", "the teachers", "plain"),
]
# When: the tenses it goes with; `often` stands before the English verb.
TIMES = [
    (None, "", ("present", "past", "future")),
    ("매일", "every day", ("present", "past")),
    ("매주", "every week", ("present", "past")),
    ("자주", "often", ("present", "past")),
    ("오늘", "today", ("past", "future")),
    ("어제", "yesterday", ("past",)),
    ("내일", "tomorrow", ("future",)),
]
GOALS = [
    ("학교에", "to school"),
    ("집에", "home"),
    ("공원에", "to the park"),
    ("시장에", "to the market"),
    ("도서관에", "to the library"),
]
PLACES = [
    (None, ""),
    ("학교에서", "at school"),
    ("집에서", "at home"),
    ("공원에서", "in the park"),
    ("도서관에서", "in the library"),
    # Without it “the” would always follow “in”: no need to look.
    ("서울에서", "in Seoul"),
]
# What: each kind of thing goes with some verbs only.
THINGS = {
    "text": [
        ("책을", "a book"),
        ("책들을", "books"),
        ("편지를", "a letter"),
        ("편지들을", "letters"),
        ("시를", "a poem"),
        ("시들을", "poems"),
    ],
    "food": [
        ("사과를", "an apple"),
        ("사과들을", "apples"),
        ("빵을", "bread"),
        ("밥을", "rice"),
    ],
    "wear": [
        ("코트를", "a coat"),
        ("코트들을", "coats"),
        ("셔츠를", "a shirt"),
        ("셔츠들을", "shirts"),
    ],
    "being": [
        ("고양이를", "the cat"),
        ("고양이들을", "the cats"),
        ("개를", "the dog"),
        ("아이를", "the child"),
        ("아기를", "the baby"),
    ],
}
VERBS = {
    "go": _verb("간다 갔다 갈 가지", "go goes went"),
    "come": _verb("온다 왔다 올 오지", "come comes came"),
    "read": _verb("읽는다 읽었다 읽을 읽지", "read reads read", "text"),
    "write": _verb("쓴다 썼다 쓸 쓰지", "write writes wrote", "text"),
    # One stem, two verbs: 먹다 and 먹이다, 입다 and 입히다.
    "eat": _verb("먹는다 먹었다 먹을 먹지", "eat eats ate", "food"),
    "feed": _verb("먹인다 먹였다 먹일 먹이지", "feed feeds fed", "being"),
    "wear": _verb("입는다 입었다 입을 입지", "wear wears wore", "wear"),
    "dress": _verb(
        "입힌다 입혔다 입힐 입히지", "dress dresses dressed", "being"
    ),
    "buy": _verb("산다 샀다 살 사지", "buy buys bought", "text food wear"),
    "draw": _verb(
        "그린다 그렸다 그릴 그리지", "draw draws drew", "food wear being"
    ),
    "like": _verb(
        "좋아한다 좋아했다 좋아할 좋아하지",
        "like likes liked",
        "text food being",
    ),
}
# Two Korean words that are one in English: a noun, and 한다 (do).
# Three only: one head has to read both words, and with six of these verbs
# the translator without encoder fell to 98.7 % in an early trial.
DOINGS = {
    "요리를": ("cook", "cooks", "cooked"),
    "노래를": ("sing", "sings", "sang"),
    "수영을": ("swim", "swims", "swam"),
}
DO = ("한다", "했다", "할", "하지")
# Korean negation follows the verb's stem; the future ends in 것이다.
NOT = {"present": "않는다", "past": "않았다", "future": "않을"}
WILL = "것이다"


def _clause(person, tense, negative, forms, verb):
    """Return Korean and English verb words, and which come from which.

    `forms` are the four Korean forms, `verb` the three English ones. The
    pairs are an English word and the numbers of its Korean words.
    """
    present, past, future, stem = forms
    plain, third, went = verb
    if negative:
        korean = [stem, NOT[tense]] + [WILL] * (tense == "future")
        helper = "doesn't" if person == "third" else "don't"
        helper = {"past": "didn't", "future": "won't"}.get(tense, helper)
        return korean, [(helper, {1, len(korean) - 1}), (plain, {0})]
    if tense == "future":  # both words say it, as in “won't”
        return [future, WILL], [("will", {0, 1}), (plain, {0})]
    if tense == "past":
        return [past], [(went, {0})]
    return [present], [(third if person == "third" else plain, {0})]


def _sentence(subject, time, place, thing, clause):
    """Put the words of both languages in order, with their alignment."""
    korean, pairs = clause
    source, target = [subject[0]], [(subject[1], {0})]
    origin = {}
    for word, *_ in (time, place, thing):
        if word:
            origin[word] = {len(source)}
            source.append(word)
    first = len(source)
    source += korean
    doing = origin[thing[0]] if thing[0] in DOINGS else set()
    for word, numbers in pairs:
        is_verb = 0 in numbers
        if is_verb and time[1] == "often":
            target.append((time[1], origin[time[0]]))
        extra = doing if is_verb else set()
        target.append((word, {first + i for i in numbers} | extra))
    if not doing:
        target.append((thing[1], origin[thing[0]]))
    target.append((place[1], origin.get(place[0])))
    if time[1] != "often":
        target.append((time[1], origin.get(time[0])))
    words = [(w, origin) for text, origin in target for w in text.split()]
    return Example(
        tuple(source),
        tuple(word for word, _ in words),
        tuple(frozenset(origin) for _, origin in words),
    )


def _predicates():
    """Yield (thing, Korean forms, English forms) and the places it fits."""
    for name, verb in VERBS.items():
        forms, english = verb[:4], verb[4:7]
        things = [thing for kind in verb.kind for thing in THINGS[kind]]
        for thing in things or GOALS:
            # One goes to a place, and one likes things anywhere.
            still = not things or name == "like"
            yield (thing, forms, english), PLACES[:1] if still else PLACES
    for noun, english in DOINGS.items():
        yield ((noun, ""), DO, english), PLACES


def _recipes():
    """Return what each sentence of the grammar is made of."""
    return [
        (subject, time, tense, negative, place, predicate)
        for predicate, places in _predicates()
        for place in places
        for time in TIMES
        for tense in time[2]
        for negative in (False, True)
        for subject in SUBJECTS
    ]


def _write(subject, time, tense, negative, place, predicate):
    """Return the sentence of one recipe."""
    thing, forms, english = predicate
    clause = _clause(subject[2], tense, negative, forms, english)
    return _sentence(subject, time, place, thing, clause)


def all_sentences():
    """Give every sentence of the grammar, always in the same order.

    Returns
    -------
    iterator of Example
        Source words, target words and the true alignment.

    Examples
    --------
    >>> example = next(all_sentences())
    >>> example.source
    ('나는', '학교에', '간다')
    >>> example.target
    ('I', 'go', 'to', 'school')
    >>> [sorted(words) for words in example.alignment]
    [[0], [2], [1], [1]]
    """
    return (_write(*recipe) for recipe in _recipes())


Split = namedtuple("Split", "train random together")
Split.__doc__ = """Sentences to learn from, and two kinds to be tested on."""

# Words that training never shows in one sentence: a subject and a place, an
# object and any form of a verb.
APART = [
    {"그녀는", "시장에"},
    {"학생들은", "도서관에서"},
    *({"시를", form} for form in VERBS["read"][:4]),
    *({"코트를", form} for form in VERBS["buy"][:4]),
    *({"개를", form} for form in VERBS["draw"][:4]),
    *({"빵을", form} for form in VERBS["like"][:4]),
]


def split_sentences(rng, *, train=8000, test=1000):
    """Draw sentences to learn from, and others to be tested on.

    Parameters
    ----------
    rng : numpy.random.Generator or int
        Where the random numbers come from.
    train, test : int
        How many of each.

    Returns
    -------
    Split
        `train`; `random`: other sentences, drawn the same way; `together`:
        sentences with two words that no training sentence has together.

    Examples
    --------
    >>> split = split_sentences(0, train=100, test=10)
    >>> len(split.train), len(split.random), len(split.together)
    (100, 10, 10)
    """
    train, test = as_size("train", train), as_size("test", test)
    rng = as_rng(rng)
    recipes = _recipes()
    if train + 2 * test > len(recipes):
        raise ValueError(
            f"train={train} and two parts of test={test} are more than the "
            f"{len(recipes)} sentences of the grammar"
        )
    known, new = [], []
    for i in rng.permutation(len(recipes)):
        example = _write(*recipes[i])
        apart = any(pair <= set(example.source) for pair in APART)
        (new if apart else known).append(example)
        if len(known) >= train + test and len(new) >= test:
            return Split(known[:train], known[train:][:test], new[:test])
    raise ValueError(
        f"the grammar has {len(known)} sentences for training and tests and "
        f"{len(new)} with new pairs of words: too few for train={train} and "
        f"test={test}"
    )
