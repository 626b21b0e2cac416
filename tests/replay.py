"""Let nbval compare what the build's run of a notebook has printed.

The site's build runs every notebook once and keeps the outputs in its cache.
Here nbval takes them from there in place of a kernel of its own, and compares
them with the stored ones as strictly as ever. `pytest --nbval book/`, which
does not load this file, runs the notebooks itself.
"""

from collections import deque


class Replay:
    """A kernel, as far as nbval knows, that has run everything before."""

    def __init__(self, notebook):
        self.cells = deque(c for c in notebook.cells if c.cell_type == "code")
        self.messages = deque()

    def is_alive(self):
        """It answers."""
        return True

    def stop(self):
        """There is nothing to stop."""

    def execute_cell_input(self, source, allow_stdin=False):
        """Queue what the next cell has sent, if it is this one."""
        cell = self.cells.popleft()
        assert cell.source == source, "the build has run another notebook"
        number = str(len(self.cells))
        for output in cell.outputs:
            kind = output["output_type"]
            self.send(number, kind, {"execution_count": None, **output})
        self.send(number, "status", {"execution_state": "idle"})
        return number

    def send(self, number, kind, content):
        """Queue one message, in the form of Jupyter's protocol."""
        parent = {"msg_id": number}
        self.messages.append(
            {"msg_type": kind, "content": content, "parent_header": parent}
        )

    def await_reply(self, number, timeout=None):
        """All is there."""

    def get_message(self, stream, timeout=None):
        """Return the next message."""
        return self.messages.popleft()
