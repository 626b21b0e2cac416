"""The toy grammar against translations and alignments made by hand."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from attnlib import grammar, toydata

# Korean words, English words, and for each English word the positions of
# the Korean words it comes from: all written by hand.
BY_HAND = [
    ("나는 학교에 간다", "I go to school", [[0], [2], [1], [1]]),
    # the person of the verb, and one English word for a place
    ("그는 집에 간다", "he goes home", [[0], [2], [1]]),
    # a subject that splits into two words, and its plural
    ("친구는 집에 간다", "my friend goes home", [[0], [0], [2], [1]]),
    ("친구들은 집에 간다", "my friends go home", [[0], [0], [2], [1]]),
    # tenses: past in one word, future in two
    ("우리는 어제 학교에 갔다", "we went to school yesterday",
     [[0], [3], [2], [2], [1]]),
    ("나는 내일 시장에 갈 것이다", "I will go to the market tomorrow",
     [[0], [3, 4], [3], [2], [2], [2], [1]]),
    # negation: after the verb in Korean, before it in English
    ("나는 학교에 가지 않는다", "I don't go to school",
     [[0], [3], [2], [1], [1]]),
    ("그녀는 학교에 가지 않는다", "she doesn't go to school",
     [[0], [3], [2], [1], [1]]),
    ("우리는 국수를 먹지 않았다", "we didn't eat noodles",
     [[0], [3], [2], [1]]),
    ("나는 집에 가지 않을 것이다", "I won't go home",
     [[0], [3, 4], [2], [1]]),
    # one root, two verbs: to wear, and to put on someone
    ("학생들은 한복을 입었다", "the students wore hanbok",
     [[0], [0], [2], [1]]),
    ("누나는 아기에게 옷을 입혔다", "my sister dressed the baby",
     [[0], [0], [2, 3], [1], [1]]),
    # two Korean words that merge into one
    ("그녀는 노래를 한다", "she sings", [[0], [1, 2]]),
    ("그녀는 공원에서 노래를 했다", "she sang in the park",
     [[0], [2, 3], [1], [1], [1]]),
    ("나는 요리를 할 것이다", "I will cook", [[0], [2, 3], [1, 2]]),
    ("나는 요리를 하지 않을 것이다", "I won't cook",
     [[0], [3, 4], [1, 2]]),
    ("아이는 고양이에게 밥을 주지 않는다", "the child doesn't feed the cat",
     [[0], [0], [4], [2, 3], [1], [1]]),
    # often stands before the English verb, every day at the end
    ("나는 자주 책을 읽는다", "I often read books",
     [[0], [1], [3], [2]]),
    ("나는 자주 책을 읽지 않는다", "I don't often read books",
     [[0], [4], [1], [3], [2]]),
    ("그는 매일 도서관에서 시를 쓴다",
     "he writes poems in the library every day",
     [[0], [4], [3], [2], [2], [2], [1], [1]]),
    # a thing that splits into two words
    ("나는 신문을 살 것이다", "I will buy the newspaper",
     [[0], [2, 3], [2], [1], [1]]),
]  # fmt: skip


# Every verb in the present, past, future and in the negative; every subject,
# time, place and thing at least once. Written by hand, too.
MORE = """
나는 공원에 간다 = I go to the park
민수는 공원에 갔다 = Minsu went to the park
그는 공원에 갈 것이다 = he will go to the park
그녀는 공원에 가지 않았다 = she didn't go to the park
우리는 매일 도서관에 온다 = we come to the library every day
친구들은 도서관에 온다 = my friends come to the library
학생은 도서관에 왔다 = the student came to the library
아이들은 도서관에 올 것이다 = the children will come to the library
학생들은 도서관에 오지 않는다 = the students don't come to the library
친구는 편지를 읽는다 = my friend reads letters
친구들은 편지를 읽었다 = my friends read letters
학생들은 소설을 읽을 것이다 = the students will read novels
아이는 신문을 읽지 않는다 = the child doesn't read the newspaper
형은 소설을 쓴다 = my brother writes novels
누나는 소설을 썼다 = my sister wrote novels
나는 시를 쓸 것이다 = I will write poems
나는 시를 쓰지 않았다 = I didn't write poems
그는 빵을 먹는다 = he eats bread
그는 사과를 먹었다 = he ate apples
그는 국수를 먹을 것이다 = he will eat noodles
그는 과일을 먹지 않는다 = he doesn't eat fruit
민수는 물을 마신다 = Minsu drinks water
우리는 우유를 마셨다 = we drank milk
나는 주스를 마실 것이다 = I will drink juice
그녀는 우유를 마시지 않을 것이다 = she won't drink milk
형은 청바지를 입는다 = my brother wears jeans
아이들은 청바지를 입는다 = the children wear jeans
형은 반바지를 입었다 = my brother wore shorts
우리는 한복을 입을 것이다 = we will wear hanbok
누나는 청바지를 입지 않는다 = my sister doesn't wear jeans
누나는 아기에게 옷을 입힌다 = my sister dresses the baby
아이들은 인형에게 옷을 입힌다 = the children dress the doll
아이는 인형에게 옷을 입혔다 = the child dressed the doll
나는 아기에게 옷을 입힐 것이다 = I will dress the baby
나는 지우에게 옷을 입혔다 = I dressed Jiu
형은 아기에게 옷을 입히지 않았다 = my brother didn't dress the baby
그녀는 고양이에게 밥을 준다 = she feeds the cat
우리는 고양이들에게 밥을 준다 = we feed the cats
아이들은 강아지에게 밥을 주었다 = the children fed the puppy
나는 강아지에게 밥을 줄 것이다 = I will feed the puppy
민수는 초코에게 밥을 준다 = Minsu feeds Choco
그는 고양이들에게 밥을 주지 않는다 = he doesn't feed the cats
그녀는 책을 산다 = she buys books
우리는 과일을 샀다 = we bought fruit
우리는 우유를 살 것이다 = we will buy milk
우리는 사과를 사지 않는다 = we don't buy apples
그녀는 고양이를 그린다 = she draws cats
나는 꽃을 그린다 = I draw flowers
나는 나무를 그렸다 = I drew trees
나는 고양이를 그릴 것이다 = I will draw cats
나는 꽃을 그리지 않았다 = I didn't draw flowers
나는 요리를 한다 = I cook
그는 요리를 한다 = he cooks
그는 요리를 했다 = he cooked
그는 요리를 할 것이다 = he will cook
그는 요리를 하지 않는다 = he doesn't cook
그는 수영을 한다 = he swims
그는 수영을 했다 = he swam
나는 수영을 할 것이다 = I will swim
나는 수영을 하지 않을 것이다 = I won't swim
나는 수영장에서 수영을 한다 = I swim in the pool
그는 바다에서 수영을 했다 = he swam in the sea
나는 매일 노래를 한다 = I sing every day
나는 저녁마다 노래를 했다 = I sang every evening
나는 자주 노래를 했다 = I often sang
나는 오늘 노래를 할 것이다 = I will sing today
나는 어제 노래를 했다 = I sang yesterday
나는 내일 노래를 할 것이다 = I will sing tomorrow
나는 학교에서 노래를 한다 = I sing at school
나는 집에서 노래를 한다 = I sing at home
나는 공원에서 노래를 한다 = I sing in the park
나는 서울에서 노래를 한다 = I sing in Seoul
나는 도서관에서 책을 읽는다 = I read books in the library
나는 시장에서 빵을 샀다 = I bought bread at the market
나는 가게에서 주스를 샀다 = I bought juice at the store
나는 시장에 간다 = I go to the market
"""
# Every word is known, yet nobody would say this, or not to say what the
# English would.
UNSAYABLE = """
그는 도서관에서 수영을 한다
나는 집에서 사과를 산다
그는 고양이를 먹는다
나는 시를 산다
형은 빵을 입는다
그녀는 매일 책을 읽을 것이다
나는 내일 학교에 갔다
아이는 청바지를 그린다
그녀는 수영장에서 책을 읽는다
친구는 집에 온다
나는 시장에 온다
우리는 도서관에 오지 않는다
형은 국수를 샀다
나는 어제 소설을 썼다
그는 내일 책을 쓸 것이다
그녀는 저녁마다 책을 쓴다
그녀는 매일 책을 읽지 않는다
아이들은 저녁마다 노래를 하지 않았다
"""
TENSES = {
    "매일": {"present", "past"},
    "저녁마다": {"present", "past"},
    "자주": {"present", "past"},
    "오늘": {"past", "future"},
    "어제": {"past"},
    "내일": {"future"},
}


@pytest.fixture(scope="module")
def every():
    return list(grammar.all_sentences())


@pytest.fixture(scope="module")
def by_source(every):
    return {" ".join(e.source): e for e in every}


@pytest.fixture(scope="module")
def split():
    return grammar.split_sentences(0)


@pytest.mark.parametrize(("korean", "english", "alignment"), BY_HAND)
def test_sentence_has_its_translation_and_alignment(
    by_source, korean, english, alignment
):
    example = by_source[korean]
    assert " ".join(example.target) == english
    assert [sorted(origin) for origin in example.alignment] == alignment


@pytest.mark.parametrize("line", MORE.strip().splitlines())
def test_sentence_has_its_translation(by_source, line):
    korean, english = line.split(" = ")
    assert " ".join(by_source[korean].target) == english


@pytest.mark.parametrize("korean", UNSAYABLE.strip().splitlines())
def test_nothing_is_said_that_a_korean_would_not_say(by_source, korean):
    words = {word for source in by_source for word in source.split()}
    assert set(korean.split()) <= words
    assert korean not in by_source


def test_the_translations_by_hand_use_every_word(every):
    lines = [korean for korean, *_ in BY_HAND] + MORE.split("\n")
    used = {word for line in lines for word in line.split()}
    assert {word for e in every for word in e.source} <= used


@pytest.mark.parametrize("time", TENSES)
def test_a_time_goes_with_its_tenses(every, time):
    past = ("갔다", "않았다")
    future = ("것이다",)
    found = {
        "past"
        if e.source[-1] in past
        else "future"
        if e.source[-1] in future
        else "present"
        for e in every
        if time in e.source and {"학교에"} & set(e.source)
        if {"갔다", "간다", "갈", "가지"} & set(e.source)
    }
    assert found == TENSES[time]


def test_every_sentence_is_written_once_and_always_in_the_same_order(every):
    assert len({e.source for e in every}) == len(every) > 8000
    assert every[:50] == [
        e for e, _ in zip(grammar.all_sentences(), range(50), strict=False)
    ]


def test_every_english_word_comes_from_some_korean_word(every):
    for example in every:
        assert len(example.alignment) == len(example.target)
        for origin in example.alignment:
            assert origin
            assert origin <= set(range(len(example.source)))


def test_every_korean_word_is_used(every):
    for example in every:
        used = frozenset().union(*example.alignment)
        assert used == set(range(len(example.source))), example


def test_words_move_split_and_merge_often(every):
    def crosses(example):
        first = [min(origin) for origin in example.alignment]
        return first != sorted(first)

    def splits(example):
        return len(set(example.alignment)) < len(example.alignment)

    def merges(example):
        return max(map(len, example.alignment)) > 1

    some = every[::7]
    assert sum(map(crosses, some)) > 0.5 * len(some)
    assert sum(map(splits, some)) > 0.5 * len(some)
    assert sum(map(merges, some)) > 0.1 * len(some)


# --- the split ---------------------------------------------------------------


def test_no_sentence_is_in_two_parts(split):
    parts = [{e.source for e in part} for part in split]
    assert [len(part) for part in parts] == [8000, 1000, 1000]
    for one, other in combinations(parts, 2):
        assert not one & other


def test_words_apart_are_never_together_in_training(split):
    for part in (split.train, split.random):
        for example in part:
            words = set(example.source)
            assert not any(pair <= words for pair in grammar.APART)
    for example in split.together:
        words = set(example.source)
        assert any(pair <= words for pair in grammar.APART)


def test_every_word_is_seen_in_training(split, every):
    korean = {word for e in split.train for word in e.source}
    english = {word for e in split.train for word in e.target}
    assert korean == {word for e in every for word in e.source}
    assert english == {word for e in every for word in e.target}
    for pair in grammar.APART:
        assert pair <= korean


@pytest.mark.parametrize("seed", range(3))
def test_every_verb_is_drawn_about_as_often(seed):
    # The rarest form decides what a model cannot learn, whatever its seed.
    split = grammar.split_sentences(seed)
    of_form = {
        form: verb
        for verb, entry in grammar.VERBS.items()
        for form in entry.english
    }
    assert len(of_form) == 3 * len(grammar.VERBS) - 1  # read, reads, read
    found = Counter(
        of_form[word]
        for example in split.train
        for word in set(example.target) & set(of_form)
    )
    fair = len(split.train) / len(grammar.VERBS)
    assert set(found) == set(grammar.VERBS)
    assert all(0.8 * fair < n < 1.35 * fair for n in found.values()), found
    words = Counter(word for e in split.train for word in e.source)
    assert min(words.values()) >= 40


def test_split_depends_on_the_seed_and_on_nothing_else():
    one, same, other = (
        grammar.split_sentences(rng, train=100, test=10)
        for rng in (0, np.random.default_rng(0), 1)
    )
    assert one == same
    assert one.train != other.train


def test_parts_are_as_large_as_asked_for():
    small = grammar.split_sentences(3, train=7, test=5)
    assert [len(part) for part in small] == [7, 5, 5]


@pytest.mark.parametrize("sizes", [(10**6, 5), (7, 10**6), (0, 5), (7, -1)])
def test_parts_that_cannot_be_had_are_named_at_once(monkeypatch, sizes):
    monkeypatch.delattr(grammar, "_write")
    train, test = sizes
    with pytest.raises(ValueError, match=r"train|test"):
        grammar.split_sentences(3, train=train, test=test)


def test_parts_too_large_for_their_kind_are_named(monkeypatch):
    # A small grammar: all of it has to be looked at.
    monkeypatch.setattr(grammar, "SUBJECTS", grammar.SUBJECTS[:5])
    monkeypatch.setattr(grammar, "TIMES", grammar.TIMES[:1])
    found = [set(e.source) for e in grammar.all_sentences()]
    new = sum(any(pair <= s for pair in grammar.APART) for s in found)
    known = len(found) - new
    most = grammar.split_sentences(3, train=known - new, test=new)
    assert [len(part) for part in most] == [known - new, new, new]
    for train, test in [(known, 1), (1, new + 1)]:
        with pytest.raises(ValueError, match=f"too few for train={train} and"):
            grammar.split_sentences(3, train=train, test=test)


# --- words and numbers -------------------------------------------------------


def test_vocabulary_starts_with_the_marks_and_has_each_word_once():
    words = toydata.vocabulary([["나는", "간다"], ("간다", "그는")])
    assert words[:3] == ["<pad>", "<start>", "<end>"]
    assert sorted(words[3:]) == words[3:]
    assert set(words[3:]) == {"나는", "간다", "그는"}


def test_encode_pads_at_the_end():
    words = ["<pad>", "<start>", "<end>", "a", "b", "c"]
    ids = toydata.encode([["c"], ["a", "b", "c"]], words)
    assert ids.tolist() == [[5, 0, 0], [3, 4, 5]]
    ids = toydata.encode([["c"], ["a", "b"]], words, marks=True)
    assert ids.tolist() == [[1, 5, 2, 0], [1, 3, 4, 2]]


def test_encode_names_all_words_it_does_not_know():
    words = ["<pad>", "<start>", "<end>", "나는"]
    with pytest.raises(ValueError, match=r"\['간다', '병원에'\]"):
        toydata.encode([["나는", "병원에", "간다"]], words)


def test_encode_takes_no_mark_for_a_word():
    words = ["<pad>", "<start>", "<end>", "나는"]
    for mark in words[:3]:
        with pytest.raises(ValueError, match=mark):
            toydata.encode([["나는", mark]], words)


@pytest.mark.parametrize(
    ("sentences", "error", "message"),
    [
        ([], ValueError, "sentences is empty"),
        ([["나는"], []], ValueError, r"sentences\[1\] has no words"),
        (["나는"], TypeError, r"sentences\[0\] .* string '나는'"),
    ],
)
def test_encode_names_what_is_no_sentence(sentences, error, message):
    words = ["<pad>", "<start>", "<end>", "나는"]
    with pytest.raises(error, match=message):
        toydata.encode(sentences, words)


# --- the score of an alignment -----------------------------------------------


def test_alignment_accuracy_counts_words_not_sentences():
    right, wrong = np.eye(3), np.eye(3)[[1, 2, 0]]
    true = [[{0}, {1}, {2}], [{0}, {1}, {2}]]
    assert toydata.alignment_accuracy([right, wrong], true) == 0.5
    one = np.array([[0.2, 0.5, 0.3]])
    assert toydata.alignment_accuracy([right, one], [true[0], [{0}]]) == 0.75


def test_alignment_accuracy_accepts_any_true_source():
    weights = np.array([[0.1, 0.3, 0.6]])
    assert toydata.alignment_accuracy([weights], [[{1, 2}]]) == 1.0
    assert toydata.alignment_accuracy([weights], [[{0, 1}]]) == 0.0


@pytest.mark.parametrize(
    ("maps", "alignments"),
    [([np.eye(2)], [[{0}]]), ([np.eye(2)], []), ([], [])],
)
def test_alignment_accuracy_needs_a_row_for_each_word(maps, alignments):
    with pytest.raises(ValueError, match="a row for each word"):
        toydata.alignment_accuracy(maps, alignments)


# --- repeated sequences ------------------------------------------------------


def test_the_second_half_repeats_the_first():
    ids = toydata.repeated_sequences(0, 5, 7, vocabulary=11)
    assert ids.shape == (5, 14)
    assert (ids[:, :7] == ids[:, 7:]).all()
    assert ids.min() >= 0
    assert ids.max() <= 10


def test_no_token_comes_twice_in_a_half():
    ids = toydata.repeated_sequences(1, 20, 11, vocabulary=11)
    for row in ids:
        assert sorted(row[:11]) == list(range(11))


def test_repeated_sequences_follow_the_seed():
    one, same = (toydata.repeated_sequences(2, 3, 5) for _ in range(2))
    assert (one == same).all()
    assert not (one == toydata.repeated_sequences(3, 3, 5)).all()


@pytest.mark.parametrize("length", [6, 0, -1])
def test_a_half_has_from_one_token_to_all(length):
    with pytest.raises(ValueError, match="length must be"):
        toydata.repeated_sequences(0, 1, length, vocabulary=5)
