"""``python -m attnlib translate``: the toy translator of chapter 5."""

import unicodedata

import numpy as np

from attnlib.plots import plt, use_style, visualize_attention
from attnlib.toydata import split_sentences, vocabulary
from attnlib.transformer import Translator, train

SENTENCES = [
    "나는 학교에 간다",
    "그는 노래를 한다",
    "우리는 집에 가지 않을 것이다",
]
SEED, STEPS = 0, 1000


def words_of(sentence):
    """Cut a sentence into words, without punctuation.

    Some keyboards and files write Hangul letter by letter; put the letters
    of each syllable together.
    """
    text = unicodedata.normalize("NFC", sentence)
    return [w for w in (word.strip(".,!?“”\"'") for word in text.split()) if w]


def ready(path):
    """Load the translator, or train and save it."""
    rng = np.random.default_rng(SEED)
    split = split_sentences(rng)
    words = [vocabulary(e[i] for e in split.train) for i in (0, 1)]
    if path.exists():
        model = Translator.load(path)
        if [model.source_words, model.target_words] == words:
            print(f"loaded {path}")
            return model
        print(f"{path} knows other words than the grammar: training anew")
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
    path.parent.mkdir(parents=True, exist_ok=True)
    model.save(path)
    print(f"saved {path}")
    return model


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


def run(sentences, model_path, folder):
    """Translate; return 1 if a sentence could not be translated."""
    model = ready(model_path)
    use_style()
    folder.mkdir(parents=True, exist_ok=True)
    status = 0
    for number, text in enumerate(sentences, 1):
        sentence = words_of(text)
        unknown = [w for w in sentence if w not in model.source_words]
        if sentence and not unknown:
            (translation,) = model.translate([sentence])
            show(number, sentence, translation, folder)
            continue
        status = 1
        if unknown:
            print(f"\n{text}\n  not translated, unknown: {', '.join(unknown)}")
        else:
            print(f"\nsentence {number} has no words: nothing to translate")
    if status:
        print("\nI know these words: " + " ".join(model.source_words[3:]))
    return status
