"""Pin every package: install the newest that fit, and list their versions.

`make constraints` runs this in a fresh environment and writes constraints.txt.
"""

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADER = (
    "# Every package the project installs, pinned. Made by `make constraints`."
)


def requirements():
    """Return what requirements.txt asks for, without its constraints."""
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    return [line for line in lines if not line.startswith("-c ")]


def main():
    """Write constraints.txt: names and versions, no addresses."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        pip = [str(Path(folder) / "bin" / "pip"), "--quiet"]
        wanted = Path(folder) / "wanted.txt"
        wanted.write_text("\n".join(requirements()) + "\n")
        install = [*pip, "install", "-r", str(wanted)]
        subprocess.run(install, cwd=ROOT, check=True)
        freeze = [*pip, "freeze", "--exclude-editable"]
        answer = subprocess.run(
            freeze, cwd=ROOT, check=True, capture_output=True, text=True
        )
    pins = [line for line in answer.stdout.splitlines() if "==" in line]
    pins = [line for line in pins if not line.startswith("attnlib")]
    text = "\n".join([HEADER, *pins]) + "\n"
    (ROOT / "constraints.txt").write_text(text, "utf-8")
    print(f"{len(pins)} packages pinned")


if __name__ == "__main__":
    sys.exit(main())
