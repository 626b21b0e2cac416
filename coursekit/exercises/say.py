"""Words for the mistakes that more than one exercise knows."""

SCALE_MISSING = (
    "The scale is missing. Divide the scores by the square root of d_k, the "
    "width of a query, before the softmax."
)
SCALE_MULTIPLIED = (
    "The scores are multiplied by the square root of d_k. Divide by it: the "
    "scale has to make them smaller."
)
SCALE_NOT_ROOT = (
    "The scores are divided by d_k itself. Divide by its square root, which "
    "is the typical size of a dot product."
)
SCALE_HALF = (
    "The scores are not divided by a root: `d ** 1 / 2` is `(d ** 1) / 2`, "
    "half of d, since `**` binds more tightly than `/`. Write `np.sqrt(d)` "
    "or `d ** 0.5`."
)
SCALE_LENGTH = (
    "The scale is made from the number of keys. It is the width of a query, "
    "`q.shape[-1]`, whose square root belongs there."
)
SCALE_QUERIES = (
    "The scale is made from the number of queries. It is the width of a "
    "query, `q.shape[-1]`, whose square root belongs there."
)
SCALE_VALUES = (
    "The scale is made from the width of the values. It is the width of a "
    "query, `q.shape[-1]`, over which the dot product sums."
)
SCALE_AFTER = (
    "The scale comes after the softmax. Divide the *scores* by the square "
    "root of d_k, before it."
)
SCALE_MODEL = (
    "The scale is made from d_model. The vectors in the dot product are only "
    "as wide as one head: divide by the square root of d_head."
)
WRONG_AXIS = (
    "The softmax runs over the wrong axis: the columns sum to one, not the "
    "rows. Each query shares its weight out over the keys, so sum over the "
    "last axis, `axis=-1` with `keepdims=True`."
)
AXIS_ONE = (
    "`axis=1` is the last axis of a matrix, but not of a single row or of a "
    "batch. `axis=-1` always is."
)
WHOLE_ARRAY = (
    "All weights together sum to one. Each row must: sum over the last axis, "
    "`axis=-1` with `keepdims=True`."
)
KEEPDIMS = (
    "The sums of the rows have lost their axis: `keepdims=True` is missing. "
    "Without it every *column* is divided by one row's sum, or the shapes do "
    "not fit."
)
NOT_A_POWER = (
    "In Python `^` is not a power: it compares the bits of two integers. "
    "Write `n**2` or `n * n`."
)
NO_SOFTMAX = (
    "The softmax is missing: the values are mixed with the raw scores."
)
SOFTMAX_TWICE = (
    "The softmax runs twice. The second one is given weights, which lie "
    "between 0 and 1, and makes them nearly even. Once is enough."
)
NOT_NORMALISED = (
    "The exponentials are not divided by their sum, so that no row sums to "
    "one."
)
NO_EXPONENTIAL = (
    "The scores are divided by their sum. Take the exponential first: scores "
    "may be negative, weights may not."
)
MAXIMUM_DIVIDED = (
    "The scores are divided by their maximum. Subtract it: only a difference "
    "cancels in the softmax."
)
SIGN = (
    "The smallest score gets the largest weight: the sign in the exponent is "
    "wrong."
)
NO_MAXIMUM = (
    "No maximum is subtracted before the exponential. That works until a "
    "score is large: exp(1000) overflows, and inf / inf is NaN. Subtract the "
    "largest score of each row first; it changes nothing in the result."
)
GLOBAL_MAXIMUM = (
    "The maximum of the whole array is subtracted, not that of each row. "
    "Where one row's scores lie far below the largest of all, its "
    "exponentials are all 0, and so is their sum. Use "
    "`max(axis=-1, keepdims=True)`."
)
NOT_MAXIMUM = (
    "What is subtracted before the exponential is not the maximum of the "
    "row but something lower, such as its minimum or its mean. A score far "
    "above that still overflows. Only after the maximum is no exponent "
    "above 0."
)
FAR_BELOW_ZERO = (
    "A row whose scores all lie far below 0 gets no weights: what is "
    "subtracted is never negative, so that all its exponentials are 0. "
    "Subtract the largest score of the row, even if it is negative."
)
MAX_KEEPDIMS = (
    "The maxima of the rows have lost their axis: `keepdims=True` is missing "
    "in the maximum. Without it every *column* has one row's maximum "
    "subtracted, or the shapes do not fit."
)
MAX_AXIS = (
    "The maximum runs over the wrong axis: every column has its own "
    "subtracted, which changes the weights. Use "
    "`max(axis=-1, keepdims=True)`."
)
NAN_HIDDEN = (
    "NaN is hidden, not fixed: a row whose exponentials overflow, or are "
    "all 0, now has wrong weights in its place. Subtract the largest score "
    "of *each row* before the exponential."
)
NOT_TRANSPOSED = (
    "The keys are not transposed. A score is the dot product of a row of q "
    "with a row of k: `q @ k.T`, and with batches "
    "`q @ k.swapaxes(-1, -2)`."
)
BATCH_TRANSPOSED = (
    "`k.T` reverses all axes, the batch axis too. Swap only the last two: "
    "`k.swapaxes(-1, -2)`."
)
TORCH_TRANSPOSE = (
    "NumPy's `transpose` takes the new order of *all* axes; it is PyTorch's "
    "that swaps two of them. Swap the last two with `k.swapaxes(-1, -2)`."
)
BATCH_COUNTED = (
    "The axes are counted from the front, which fits only one number of "
    "batch axes. Count from the back: `k.swapaxes(-1, -2)` fits any."
)
ELEMENTWISE = (
    "Queries and keys are multiplied entry by entry. A score is a dot "
    "product, which also sums: use `@`."
)
SCORES_TRANSPOSED = (
    "The scores have a row for each key. They need a row for each *query*: "
    "`q @ k.T`, and with batches `q @ k.swapaxes(-1, -2)`."
)
NP_DOT = (
    "With batches `np.dot` multiplies every matrix of one batch by every "
    "matrix of the other. Use `@`, which takes them pair by pair."
)
MASK_IGNORED = (
    "The mask has no effect. Give the scores it hides the value -inf, "
    "before the softmax."
)
MASK_AFTER = (
    "The mask is applied after the softmax. The rows then sum to less than "
    "one, and hidden keys still count in the division. Set hidden *scores* to "
    "-inf, before the softmax."
)
MASK_RENORMALISED = (
    "The mask is applied after the softmax, and the rows are divided by "
    "their sum again. That fails where a hidden score is so large that all "
    "that is visible is rounded to zero. Mask the scores instead."
)
MASK_INVERTED = (
    "The mask is inverted: it hides what it should show. True means *may "
    "attend*; the scores at False become -inf."
)
MASK_ZERO = (
    "Hidden scores become 0. But exp(0) is 1, so hidden keys get weight "
    "all the same. They must become -inf: exp(-inf) is 0."
)
MASK_TIMES_INFINITY = (
    "The mask is multiplied by infinity, and 0 times infinity is NaN. Use "
    "`np.where(mask, scores, -np.inf)`, which multiplies nothing."
)
MASK_PLUS_INFINITY = (
    "Hidden scores become plus infinity, which gets all the weight. They "
    "must become *minus* infinity: exp(-inf) is 0."
)
MASK_INDEX = (
    "`scores[~mask]` counts the axes from the front, where a batch has its "
    "own. Use `np.where(mask, scores, -np.inf)`."
)
MASK_ADDED = (
    "The mask is added to the scores as 0 and 1. That is only a small bonus "
    "for visible keys. Use `np.where(mask, scores, -np.inf)`."
)
QUERIES_MASKED = (
    "The mask hides queries where it should hide keys: it lies along the "
    "wrong axis. Rows are queries, columns are keys."
)
EMPTY_ROW_NAN = (
    "A query that may attend to nothing gets NaN: in its row -inf - (-inf) or "
    "0 / 0 is computed. Its weights, and its output, should be 0."
)
EMPTY_ROW_UNIFORM = (
    "Hidden scores become a large negative number, such as -1e9, and not "
    "-inf. Where everything is hidden they are all equal, and the softmax "
    "gives every key the same weight. A query that may attend to nothing "
    "should have weights 0."
)
EMPTY_ROW_ADDED = (
    "A large negative number, such as -1e9, is added to hidden scores. Where "
    "everything is hidden the softmax sees only the differences, and the "
    "result is as if there were no mask. A query that may attend to nothing "
    "should have weights 0."
)
KEYS_FROM_QUERY = (
    "Queries and keys come from the same projection. Keys have their own: "
    "`x @ w_k`."
)
NO_VALUES = (
    "The weights are not applied to the values: the output is `weights @ v`."
)
NOT_SUMMED = (
    "The values are multiplied by weights entry by entry, but not added up. "
    "The output is a mixture, a product of matrices: `weights @ v`."
)
VALUES_FIRST = (
    "The values come first in the product, and the order matters: the "
    "output is `weights @ v`."
)
KEYS_FOR_VALUES = (
    "The keys are mixed in place of the values. Keys only decide the "
    "weights; the output is `weights @ v`."
)
VALUES_FOR_KEYS = (
    "The scores are computed with the values. Compare queries with *keys*; "
    "the values come in at the end."
)
CAUSAL_INVERTED = (
    "The causal mask is inverted: every token sees only what comes after it. "
    "True means *may attend*, so True belongs on and below the diagonal."
)
CAUSAL_UPPER = (
    "This is the upper triangle: a query sees itself and all later keys. "
    "Causal means the lower one, `np.tri` or `np.tril`."
)
CAUSAL_STRICT = (
    "The diagonal is hidden, so that no query sees its own position. A token "
    "may attend to itself and to all before it."
)
CAUSAL_ONE_AHEAD = (
    "Every query sees one key too many, the one just after its own position: "
    "the mask is off by one."
)
CAUSAL_MISSING = "There is no causal mask: every query sees the future."
CAUSAL_TOP_LEFT = (
    "With more keys than queries the mask is aligned at the top left. The "
    "queries are the *newest* tokens: query i sees the keys up to "
    "n_k - n_q + i, so that the last query sees every key."
)
