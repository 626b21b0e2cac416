"""A toy grammar of Korean sentences with their English translations.

It says for each English word from which Korean words it comes. A Korean
sentence is a subject, perhaps a time, a place or an object (or both), and a
verb at the end: 나는 학교에 간다, *I go to school*. Chapter: cross-attention.
"""

from collections import Counter, namedtuple

import numpy as np

from attnlib._validate import as_rng, as_size

__all__ = ["Example", "Split", "all_sentences", "split_sentences"]

Example = namedtuple("Example", "source target alignment")
Example.__doc__ = """A sentence, its translation, and what comes from what.

``alignment[i]`` holds the positions of the source words that target word
`i` comes from."""

Verb = namedtuple("Verb", "noun forms english things places")


def _verbs(table):
    """Return the verbs of a table, each by its first English word."""
    verbs = {}
    for line in table.strip().splitlines():
        rows = [tuple(part.split()) for part in line.split("|")]
        korean, english, things, places = rows
        noun, forms = "".join(korean[:-4]), korean[-4:]
        verbs[english[0]] = Verb(noun, forms, english, things, places)
    return verbs


# Who: Korean with its particle, English, and the person of the verb.
SUBJECTS = [
    ("나는", "I", "plain"),
    ("우리는", "we", "plain"),
    ("그는", "he", "third"),
    ("그녀는", "she", "third"),
    ("민수는", "Minsu", "third"),
    ("형은", "my brother", "third"),
    ("누나는", "my sister", "third"),
    ("친구는", "my friend", "third"),
    ("친구들은", "my friends", "plain"),
    ("학생은", "the student", "third"),
    ("학생들은", "the students", "plain"),
    ("아이는", "the child", "third"),
    ("아이들은", "the children", "plain"),
]
# When: the tenses it goes with; `often` stands before the English verb.
TIMES = [
    (None, "", ("present", "past", "future")),
    ("매일", "every day", ("present", "past")),
    ("저녁마다", "every evening", ("present", "past")),
    ("자주", "often", ("present", "past")),
    ("오늘", "today", ("past", "future")),
    ("어제", "yesterday", ("past",)),
    ("내일", "tomorrow", ("future",)),
]
PLACES = {
    "school": ("학교에서", "at school"),
    "home": ("집에서", "at home"),
    "store": ("가게에서", "at the store"),
    "market": ("시장에서", "at the market"),
    "park": ("공원에서", "in the park"),
    "library": ("도서관에서", "in the library"),
    # Without it “the” would always follow “in”: no need to look.
    "Seoul": ("서울에서", "in Seoul"),
    "pool": ("수영장에서", "in the pool"),
    "sea": ("바다에서", "in the sea"),
}
# What or whom: each kind goes with some verbs only. A Korean noun without
# 들 may be one thing or many, so the English is general: books, bread.
THINGS = {
    "goal": [
        ("학교에", "to school"),
        ("공원에", "to the park"),
        ("시장에", "to the market"),
        ("도서관에", "to the library"),
    ],
    # A friend who comes 집에 comes to *my* house: only going is going home.
    "home": [("집에", "home")],
    "book": [("책을", "books"), ("소설을", "novels")],
    "paper": [("신문을", "the newspaper")],
    "text": [("편지를", "letters"), ("시를", "poems")],
    "food": [("사과를", "apples"), ("과일을", "fruit"), ("빵을", "bread")],
    "meal": [("국수를", "noodles")],
    "drink": [("물을", "water"), ("우유를", "milk"), ("주스를", "juice")],
    "clothes": [
        ("청바지를", "jeans"),
        ("반바지를", "shorts"),
        ("한복을", "hanbok"),
    ],
    "sight": [("고양이를", "cats"), ("꽃을", "flowers"), ("나무를", "trees")],
    "pet": [
        ("고양이에게", "the cat"),
        ("고양이들에게", "the cats"),
        ("강아지에게", "the puppy"),
        ("초코에게", "Choco"),
    ],
    "small": [
        ("아기에게", "the baby"),
        ("인형에게", "the doll"),
        ("지우에게", "Jiu"),
    ],
}
HERE, ROUND = "school home park Seoul", "school home park library Seoul"
INDOORS, SHOPS = "school home Seoul", "store market Seoul"
# Present, past, future and stem, perhaps after a noun: then two Korean words
# are one in English; what and where it goes with (no meal with 산다, which
# would be treating somebody). 입다 (wear) and 입히다 (dress) share a root.
VERBS = _verbs(f"""
간다 갔다 갈 가지 | go goes went | goal home |
온다 왔다 올 오지 | come comes came | goal |
읽는다 읽었다 읽을 읽지 | read reads read | book paper text | {ROUND}
쓴다 썼다 쓸 쓰지 | write writes wrote | book text | {ROUND}
먹는다 먹었다 먹을 먹지 | eat eats ate | food meal | {HERE}
마신다 마셨다 마실 마시지 | drink drinks drank | drink | {ROUND}
산다 샀다 살 사지 | buy buys bought | book paper food drink | {SHOPS}
그린다 그렸다 그릴 그리지 | draw draws drew | sight food | {ROUND}
입는다 입었다 입을 입지 | wear wears wore | clothes | {INDOORS}
옷을 입힌다 입혔다 입힐 입히지 | dress dresses dressed | small | home
밥을 준다 주었다 줄 주지 | feed feeds fed | pet | school home park
요리를 한다 했다 할 하지 | cook cooks cooked | | {INDOORS}
노래를 한다 했다 할 하지 | sing sings sang | | {HERE}
수영을 한다 했다 할 하지 | swim swims swam | | school Seoul pool sea
""")
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


def _sentence(subject, time, place, thing, noun, clause):
    """Put the words of both languages in order, with their alignment."""
    korean, pairs = clause
    source, target = [subject[0]], [(subject[1], {0})]
    origin = {}
    for word in (time[0], place[0], thing[0], noun):
        if word:
            origin[word] = {len(source)}
            source.append(word)
    first = len(source)
    source += korean
    for word, numbers in pairs:
        is_verb = numbers == {0}
        if is_verb and time[1] == "often":
            target.append((time[1], origin[time[0]]))
        extra = origin.get(noun, set()) if is_verb else set()
        target.append((word, {first + i for i in numbers} | extra))
    target.append((thing[1], origin.get(thing[0])))
    target.append((place[1], origin.get(place[0])))
    if time[1] != "often":
        target.append((time[1], origin.get(time[0])))
    words = [(w, origin) for text, origin in target for w in text.split()]
    return Example(
        tuple(source),
        tuple(word for word, _ in words),
        tuple(frozenset(origin) for _, origin in words),
    )


def _is_natural(subject, time, tense, negative, thing, verb):
    """Say whether a Korean might say it, and mean what the English says."""
    if negative and time[0] in ("매일", "저녁마다"):
        return False  # on no day, or not on every day?
    if verb == VERBS["write"] and thing in THINGS["book"]:
        return time[0] in (None, "자주")  # it takes longer than a day
    if verb == VERBS["come"] and subject[1] in ("I", "we"):
        return bool(time[0]) or tense != "present"  # I am here already
    return True


def _recipes():
    """Return what each sentence of the grammar is made of."""
    nothing = (None, "")
    return [
        (subject, time, tense, negative, place, thing, verb)
        for verb in VERBS.values()
        for thing in [t for kind in verb.things for t in THINGS[kind]]
        or [nothing]
        for place in [nothing, *(PLACES[name] for name in verb.places)]
        for time in TIMES
        for tense in time[2]
        for negative in (False, True)
        for subject in SUBJECTS
        if _is_natural(subject, time, tense, negative, thing, verb)
    ]


def _draw(rng, recipes):
    """Return all recipes in random order, with every verb equally likely.

    A verb without an object makes few sentences, and would be rare.
    """
    sizes = Counter(recipe[-1] for recipe in recipes)
    # Of n random waits the shortest is 1/n as long, on average; made n times
    # longer, those of every verb end equally often.
    waits = rng.exponential(size=len(recipes))
    waits *= [sizes[recipe[-1]] for recipe in recipes]
    return [recipes[i] for i in np.argsort(waits)]


def _write(subject, time, tense, negative, place, thing, verb):
    """Return the sentence of one recipe."""
    clause = _clause(subject[2], tense, negative, verb.forms, verb.english)
    return _sentence(subject, time, place, thing, verb.noun, clause)


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
    *({"소설을", form} for form in VERBS["read"].forms),
    *({"사과를", form} for form in VERBS["buy"].forms),
    *({"책을", form} for form in VERBS["write"].forms),
    *({"빵을", form} for form in VERBS["draw"].forms),
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
    for recipe in _draw(rng, recipes):
        example = _write(*recipe)
        apart = any(pair <= set(example.source) for pair in APART)
        (new if apart else known).append(example)
        if len(known) >= train + test and len(new) >= test:
            return Split(known[:train], known[train:][:test], new[:test])
    raise ValueError(
        f"the grammar has {len(known)} sentences for training and tests and "
        f"{len(new)} with new pairs of words: too few for train={train} and "
        f"test={test}"
    )
