"""What a cell needs from the cells above it, read from their code.

A reader who runs a cell in the page should not wait for cells that have
nothing to do with it. So each cell knows the names that it reads, the names
that it writes, and from that the cells that must have run before it. What is
not certain counts: a cell that might change an object is taken to change it.
"""

import ast
import builtins
from dataclasses import dataclass, field

BUILT_IN = set(dir(builtins))
# Methods that leave their object as it is.
PURE = """T all any argmax argmin argsort as_integer_ratio astype capitalize
copy count cumprod cumsum dot endswith find flatten format forward get index
item items join keys ljust lower lstrip max mean min nonzero prod ravel
removeprefix removesuffix repeat replace reshape rjust round rstrip shape
split squeeze startswith std strip sum swapaxes take title tobytes tolist
trace translate transpose upper values var"""
PURE = set(PURE.split())


@dataclass
class Names:
    """What a piece of code does with names."""

    reads: set = field(default_factory=set)
    writes: set = field(default_factory=set)  # binds anew
    changes: set = field(default_factory=set)  # may change what it names
    calls: set = field(default_factory=set)  # functions that it calls
    given: set = field(default_factory=set)  # names handed to a function
    mentions: set = field(default_factory=set)  # reads, its own names too
    stateful: set = field(default_factory=set)  # hold what calls change
    modules: set = field(default_factory=set)
    functions: dict = field(default_factory=dict)  # their own Names


class Reader(ast.NodeVisitor):
    """Collect the Names of a cell, or of a function in it."""

    def __init__(self, local=()):
        self.names, self.local = Names(), set(local)

    def visit_Name(self, node):
        """Note a name that is read or written."""
        if node.id in self.local:
            return
        store = isinstance(node.ctx, ast.Store)
        (self.names.writes if store else self.names.reads).add(node.id)

    def visit_Import(self, node):
        """Note what is imported."""
        for alias in node.names:
            name = alias.asname or alias.name.split(".")[0]
            self.names.writes.add(name)
            self.names.modules.add(name)

    visit_ImportFrom = visit_Import  # noqa: N815

    def visit_Assign(self, node):
        """Note names that hold an object with a state of its own."""
        if isinstance(node.value, ast.Call) and makes_state(node.value):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    self.names.stateful.add(target.id)
        self.generic_visit(node)

    def visit_AugAssign(self, node):
        """``x += 1`` reads, writes and changes."""
        name = root(node.target)
        if name and name not in self.local:
            self.names.reads.add(name)
            self.names.changes.add(name)
        self.generic_visit(node)

    def visit_Subscript(self, node):
        """``x[0] = 1`` changes what `x` names."""
        self.note_store(node)
        self.generic_visit(node)

    def visit_Attribute(self, node):
        """So does ``x.a = 1``."""
        self.note_store(node)
        self.generic_visit(node)

    def note_store(self, node):
        """Note the object that an assignment changes."""
        name = root(node)
        store = isinstance(node.ctx, ast.Store | ast.Del)
        if store and name and name not in self.local:
            self.names.changes.add(name)

    def visit_Call(self, node):
        """Note what a call may change: its object, and what it is given."""
        if isinstance(node.func, ast.Name):
            self.names.calls.add(node.func.id)
        elif isinstance(node.func, ast.Attribute):
            name = root(node.func)
            own = name in self.local or node.func.attr in PURE
            if name and not own:
                self.names.given.add(name)
        for part in [*node.args, *(k.value for k in node.keywords)]:
            name = root(part)
            if name and name not in self.local:
                self.names.given.add(name)
        self.generic_visit(node)

    def visit_FunctionDef(self, node):
        """Note a function, which has names of its own."""
        self.names.writes.add(node.name)
        for part in [*node.decorator_list, *node.args.defaults]:
            self.visit(part)
        self.names.functions[node.name] = inner(node, self.local)

    def visit_ClassDef(self, node):
        """Note a class: what its methods read counts where it stands."""
        self.names.writes.add(node.name)
        self.merge(inner(node, self.local))

    def visit_Lambda(self, node):
        """Note what a lambda reads: it counts where it stands."""
        self.merge(inner(node, self.local))

    def visit_ListComp(self, node):
        """Note what a comprehension reads, less its own names."""
        self.merge(inner(node, self.local))

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp  # noqa: N815

    def merge(self, other):
        """Add what inner code does with names that are not its own."""
        for kind in ("reads", "changes", "calls", "given"):
            getattr(self.names, kind).update(getattr(other, kind))


def root(node):
    """Return the name that an expression such as ``x.a[0]`` starts from."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def makes_state(call):
    """Say whether a call makes an object that other calls may change."""
    name = getattr(call.func, "id", getattr(call.func, "attr", ""))
    return name[:1].isupper() or name in {"default_rng", "iter", "open"}


def inner(node, local):
    """Return the Names of a function or comprehension, less its own."""
    arguments = [n.arg for n in ast.walk(node) if isinstance(n, ast.arg)]
    stored = [
        n.id
        for n in ast.walk(node)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    ]
    reader = Reader({*local, *arguments, *stored})
    for child in ast.iter_child_nodes(node):
        reader.visit(child)
    for name, function in reader.names.functions.items():
        reader.merge(function)
        reader.names.reads.discard(name)
    return reader.names


def names_of(source):
    """Return the Names of a cell; a name that it binds first it does not read.

    >>> sorted(names_of("x = 1; y = x + z").reads)
    ['z']
    """
    whole = Reader()
    for statement in ast.parse(source).body:
        part = Reader()
        part.visit(statement)
        own = targets(statement) | whole.names.writes
        read = whole.names.reads | (part.names.reads - own)
        whole.visit(statement)
        whole.names.mentions |= part.names.reads
        whole.names.reads = read
    return whole.names


def targets(statement):
    """Return the names that a loop or a `with` binds before its body."""
    if isinstance(statement, ast.For):
        heads = [statement.target]
    elif isinstance(statement, ast.With):
        heads = [item.optional_vars for item in statement.items]
    else:
        heads = []
    nodes = [n for head in heads if head for n in ast.walk(head)]
    return {n.id for n in nodes if isinstance(n, ast.Name)}


class Cell:
    """A cell among the cells of its page."""

    def __init__(self, source, above):
        """Read a cell that stands below others."""
        self.names = names_of(source)
        self.functions = dict(above[-1].functions) if above else {}
        self.functions.update(self.names.functions)
        self.stateful = set(above[-1].stateful) if above else set()
        self.stateful |= self.names.stateful
        self.modules = set(above[-1].modules) if above else set()
        self.modules |= self.names.modules
        called = self.reached(self.names.calls | self.names.mentions)
        everything = [self.names, *(self.functions[name] for name in called)]
        changed = set().union(*(n.changes for n in everything))
        given = set().union(*(n.given for n in everything))
        self.changes = (changed | given & self.stateful) - self.modules
        inside = [n.reads for n in everything[1:]]
        self.reads = self.names.reads.union(*inside)
        self.writes = self.names.writes

    def reached(self, names):
        """Return the functions of the page that are called, also by others."""
        found, new = set(), names & set(self.functions)
        while new:
            found |= new
            inside = [self.functions[n] for n in new]
            calls = set().union(*(f.calls | f.reads for f in inside))
            new = (calls & set(self.functions)) - found
        return found


def needs(sources, skipped=()):
    """Return, for each cell, the indices of the cells above that it needs.

    Cells whose index is in `skipped` are nobody's need.

    >>> needs(["x = 1", "y = 2", "y += 1", "print(y)", "print(x)"])
    [[], [], [1], [1, 2], [0]]
    """
    cells = []
    for source in sources:
        cells.append(Cell(source, cells))
    found = []
    for i, cell in enumerate(cells):
        wanted, chosen = set(cell.reads), []
        for j in range(i - 1, -1, -1):
            other = cells[j]
            if j in skipped or not wanted & (other.writes | other.changes):
                continue
            chosen.append(j)
            wanted -= other.writes - other.names.reads
            wanted |= other.reads | (other.changes - other.writes)
        found.append(sorted(chosen))
    return found


def names(sources):
    """Return, for each cell, what it reads of others, and what it writes.

    That is, the names that it reads or changes and that a cell above binds,
    and the names that it binds or may change.

    >>> names(["x = [1]", "x[0] = 2; y = x"])
    [([], ['x']), (['x'], ['x', 'y'])]
    """
    found, bound = [], set()
    cells = []
    for source in sources:
        cell = Cell(source, cells)
        cells.append(cell)
        reads = cell.reads | (cell.changes - cell.writes)
        writes = cell.writes | cell.changes
        found.append((sorted(reads & bound), sorted(writes)))
        bound |= cell.writes
    return found
