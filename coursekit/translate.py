"""``python -m coursekit translate``: the toy translator of chapter 5."""

import os
import re
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap

import numpy as np

from attnlib.grammar import split_sentences
from attnlib.plots import plt, use_style, visualize_attention
from attnlib.toydata import vocabulary
from attnlib.training import train
from attnlib.translator import Translator
from coursekit.console import CommandError, make_folder, say, warn
from coursekit.sentences import FORM, grammar, reasons, words_of

SENTENCES = [
    "나는 학교에 간다",
    "아이들은 어제 공원에서 빵을 먹었다",
    "우리는 집에 가지 않을 것이다",
]
SEED, STEPS = 0, 1000
LIMIT = 1e6  # far beyond what training gives
SENTENCE_END = re.compile(r"(?<=[.!?。！？])[”’\"']*\s+")


# --- what the user wrote -----------------------------------------------------


def sentences_of(arguments):
    """Return the sentences that the arguments hold, as tuples of words.

    An argument with a space inside was quoted: it stands alone. Arguments
    of one word that follow each other belong together. A full stop, question
    or exclamation mark before a space ends a sentence, too.

    >>> sentences_of(["나는", "학교에", "간다"])
    [('나는', '학교에', '간다')]
    >>> sentences_of(["나는 간다", "우리는 간다"])
    [('나는', '간다'), ('우리는', '간다')]
    """
    texts = []
    for quoted, group in groupby(arguments, lambda x: len(x.split()) > 1):
        some = list(group)
        texts += some if quoted else [" ".join(some)]
    parts = [part for text in texts for part in SENTENCE_END.split(text)]
    return [words for words in map(words_of, parts) if words]


def explain(words, known):
    """Say why a sentence is not translated, and what would be."""
    warn(" ".join(words))
    for reason in reasons(words, known):
        warn(f"  {reason}")
    warn()


def sort_out(sentences, known):
    """Return the sentences of the grammar by number; explain the others."""
    found = {n: s for n, s in enumerate(sentences, 1) if s in grammar()}
    others = [s for s in sentences if s not in grammar()]
    for words in others:
        explain(words, known)
    if others:
        for line in wrap(f"{FORM} My words:", 70):
            warn(line)
        for line in wrap(" ".join(known), 36):
            warn(f"  {line}")
    return found


# --- the model ---------------------------------------------------------------


def load(path, words):
    """Return the model that was saved, or None if there is no file."""
    if not path.exists():
        return None
    if not path.is_file():
        raise CommandError(f"{path} is not a file; choose another --model")
    try:
        model = Translator.load(path)
        check(model, words, path)
    except ValueError as error:
        raise CommandError(
            f"{error}. I won't overwrite it: delete the file, or choose "
            "another one with --model"
        ) from None
    say(f"Loaded the model from {path}.")
    return model


def check(model, words, path):
    """Raise ValueError if a model is of no use for the grammar."""
    if [model.source_words, model.target_words] != words:
        raise ValueError(f"{path} holds a translator of other words")
    # NaN is not below the limit, either.
    if not all((abs(a) < LIMIT).all() for a in model.params.values()):
        raise ValueError(f"{path} holds a translator with NaN or huge numbers")


def learn(words):
    """Return a new model, trained; say how well it does."""
    # As in chapter 5: the split and the model each start from the seed. With
    # words hidden it would learn to guess a verb from its object.
    split, rng = split_sentences(SEED), np.random.default_rng(SEED)
    model = Translator(*words, hide=0.0, rng=rng)
    say(f"Training on {len(split.train):,} sentences, {STEPS:,} steps:")
    batches = model.batches(split.train, rng)
    for step, loss in enumerate(
        train(model, batches, steps=STEPS, rng=rng), 1
    ):
        if step % 100 == 0:
            say(f"  step {step:>5,}: loss {loss:.3f}")
    found = model.translate([example.source for example in split.random])
    right = [
        translation.words == example.target
        for translation, example in zip(found, split.random, strict=True)
    ]
    say(f"Of {len(right):,} new sentences, {np.mean(right):.1%} are right.")
    return model


def learn_and_save(words, path):
    """Return a new model and save it, whole or not at all."""
    make_folder(path.parent)
    target = Path(os.path.realpath(path))  # if path is a link, it stays
    # Made before the training: a folder that takes no file is found now.
    with TemporaryDirectory(prefix=".translator-", dir=target.parent) as new:
        model = learn(words)
        model.save(Path(new) / "model")
        (Path(new) / "model").replace(target)
    say(f"Saved the model to {path}.")
    return model


def show(number, words, translation, folder):
    """Print and draw a translation; return whether it is right."""
    say()
    say(" ".join(words))
    say(f"  {' '.join(translation.words) or '(no words)'}")
    right = translation.words == grammar()[words]
    if not right:
        say(f"  That is wrong. It means: {' '.join(grammar()[words])}")
    for word, row in zip(*translation, strict=True):
        say(f"    {word} ← {words[row.argmax()]} ({row.max():.2f})")
    if translation.words:
        draw(translation, words, folder / f"alignment-{number}.png")
    return right


def draw(translation, words, path):
    """Write the picture of a translation and say where it is."""
    ax = visualize_attention(translation.weights, translation.words, words)
    ax.figure.savefig(path, dpi=150, bbox_inches="tight")
    plt.close(ax.figure)
    say(f"  Picture: {path}")


def run(arguments, path, folder):
    """Translate; return 1 if a sentence was not translated correctly."""
    sentences = sentences_of(arguments)
    if not sentences:
        raise CommandError("there are no words to translate")
    examples = grammar().items()
    words = [vocabulary(example[i] for example in examples) for i in (0, 1)]
    wanted = sort_out(sentences, words[0][3:])
    if not wanted:
        return 1
    make_folder(folder)
    model = load(path, words) or learn_and_save(words, path)
    use_style()
    found = model.translate(list(wanted.values()))
    right = [
        show(number, wanted[number], translation, folder)
        for number, translation in zip(wanted, found, strict=True)
    ]
    return int(not all(right) or len(right) < len(sentences))
