"""The translators of chapter 5, trained for the playground.

They learn from the chapter's sentences, seed and steps, once for each version
of `attnlib`, and are stored with half the digits: a few hundred KB.
"""

import shutil

import numpy as np
from project import BUILD, ROOT, digest, files

from attnlib.grammar import split_sentences
from attnlib.toydata import vocabulary
from attnlib.training import train
from attnlib.translator import Translator

KEPT = BUILD / "trained"
BLOCKS = {"translator.npz": 0, "mixer.npz": 1}  # of the encoder
SEED, STEPS, LEAST = 0, 800, 0.97


def learn(encoder_layers, split):
    """Return a trained translator, with numbers of two bytes."""
    words = [vocabulary(e[i] for e in split.train) for i in (0, 1)]
    rng = np.random.default_rng(SEED)
    model = Translator(*words, encoder_layers=encoder_layers, rng=rng)
    batches = model.batches(split.train, rng)
    for _ in train(model, batches, steps=STEPS, rng=rng):
        pass
    model.params = {
        name: array.astype(np.float16) for name, array in model.params.items()
    }
    return model


def check(name, model, split):
    """Stop the build if the model, as it was stored, is of no use."""
    found = model.translate([example.source for example in split.random])
    right = np.mean(
        [
            translation.words == example.target
            for translation, example in zip(found, split.random, strict=True)
        ]
    )
    if right < LEAST:
        raise SystemExit(f"{name}: only {right:.1%} of new sentences right")


def models():
    """Return the files by name, as bytes; train if `attnlib` has changed."""
    sources = [*files(ROOT / "attnlib"), ROOT / "constraints.txt"]
    folder = KEPT / digest([*sources, ROOT / "book" / "_ext" / "trained.py"])
    if not folder.is_dir():
        print("training the translators of the playground (once)", flush=True)
        train_into(folder)
    return {name: (folder / name).read_bytes() for name in BLOCKS}


def train_into(folder):
    """Fill a folder with the trained models, whole or not at all."""
    new = KEPT / "new"
    shutil.rmtree(KEPT, ignore_errors=True)
    new.mkdir(parents=True)
    split = split_sentences(SEED)
    for name, layers in BLOCKS.items():
        model = learn(layers, split)
        check(name, model, split)
        model.save(new / name)
    new.rename(folder)
