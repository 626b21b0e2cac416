"""``python -m coursekit translate``: the toy translator of chapter 5."""

import unicodedata

import numpy as np

from attnlib.grammar import split_sentences
from attnlib.plots import plt, use_style, visualize_attention
from attnlib.toydata import vocabulary
from attnlib.training import train
from attnlib.translator import Translator

SENTENCES = [
    "나는 학교에 간다",
    "아이들은 어제 공원에서 빵을 먹었다",
    "우리는 집에 가지 않을 것이다",
]
SEED, STEPS = 0, 1000
MARKS = ".,!?…。“”‘’\"'"


def words_of(sentence):
    """Cut a sentence into words, without punctuation.

    Some keyboards and files write Hangul letter by letter; put the letters
    of each syllable together.
    """
    text = unicodedata.normalize("NFC", sentence)
    return [w for w in (word.strip(MARKS) for word in text.split()) if w]


def load(path, words):
    """Return the model that was saved, or None if it is of no use."""
    if not path.exists():
        return None
    try:
        model = Translator.load(path)
    except ValueError as error:
        print(f"{error}: training anew")
        return None
    if [model.source_words, model.target_words] != words:
        print(f"{path} knows other words than the grammar: training anew")
        return None
    print(f"loaded {path}")
    return model


def learn(words, split, rng):
    """Return a new model, trained; say how well it does."""
    model = Translator(*words, rng=rng)
    print(f"training on {len(split.train):,} sentences, {STEPS:,} steps")
    batches = model.batches(split.train, rng)
    for step, loss in enumerate(
        train(model, batches, steps=STEPS, rng=rng), 1
    ):
        if step % 100 == 0:
            print(f"  step {step:>5,}: loss {loss:.3f}", flush=True)
    found = model.translate([example.source for example in split.random])
    right = [
        translation.words == example.target
        for translation, example in zip(found, split.random, strict=True)
    ]
    print(f"of {len(right):,} new sentences {np.mean(right):.1%} are right")
    return model


def save(model, path):
    """Save a model, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    model.save(part)
    part.replace(path)
    print(f"saved {path}")


def show(number, sentence, translation, folder):
    """Print a translation, what each word was read from, and draw it."""
    print(f"\n{' '.join(sentence)}\n  {' '.join(translation.words)}")
    for word, row in zip(*translation, strict=True):
        print(f"    {word} ← {sentence[row.argmax()]} ({row.max():.2f})")
    path = folder / f"alignment-{number}.png"
    ax = visualize_attention(translation.weights, translation.words, sentence)
    ax.figure.savefig(path, dpi=150, bbox_inches="tight")
    plt.close(ax.figure)
    print(f"  {path}")


def readable(sentences, known):
    """Return the sentences that can be translated, by number."""
    found = {}
    for number, text in enumerate(sentences, 1):
        sentence = words_of(text)
        unknown = [word for word in sentence if word not in known]
        if unknown:
            print(f"{text}\n  not translated, unknown: {', '.join(unknown)}\n")
        elif not sentence:
            print(f"sentence {number} has no words: nothing to translate\n")
        else:
            found[number] = sentence
    if len(found) < len(sentences):
        print("I know these words: " + " ".join(known) + "\n")
    return found


def run(sentences, path, folder):
    """Translate; return 1 if a sentence could not be translated."""
    rng = np.random.default_rng(SEED)
    split = split_sentences(rng)
    words = [vocabulary(e[i] for e in split.train) for i in (0, 1)]
    wanted = readable(sentences, words[0][3:])
    if wanted:
        model = load(path, words)
        if model is None:
            model = learn(words, split, rng)
            save(model, path)
        use_style()
        folder.mkdir(parents=True, exist_ok=True)
        found = model.translate(list(wanted.values()))
        for number, translation in zip(wanted, found, strict=True):
            show(number, wanted[number], translation, folder)
    return int(len(wanted) < len(sentences))
