"""A Jupyter server as Binder makes it: from .binder, and no more."""

import contextlib
import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import project

REQUIREMENTS = ".binder/requirements.txt"
SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none"},
    "apputils-extension/notification": {
        "checkForUpdates": False,
        "fetchNews": "false",
    },
}


def environment():
    """Return the folder of a virtual environment with the requirements.

    It is made once, below _build, and again when the requirements change.
    """
    names = [REQUIREMENTS, "constraints.txt", "pyproject.toml"]
    content = b"".join((project.ROOT / name).read_bytes() for name in names)
    content += sys.version.encode() + str(project.ROOT).encode()
    key = hashlib.sha256(content).hexdigest()[:16]
    folder = project.ROOT / "_build" / "live" / key
    if not (folder / ".ready").is_file():
        shutil.rmtree(folder.parent, ignore_errors=True)
        run = {"check": True, "cwd": project.ROOT}
        python = [sys.executable, "-m"]
        subprocess.run([*python, "venv", "--without-pip", str(folder)], **run)
        # What is never imported need not be compiled.
        pip = [*python, "pip", "--python", str(folder / "bin" / "python")]
        install = ["install", "-q", "--no-compile", "-r", REQUIREMENTS]
        subprocess.run([*pip, *install], **run)
        (folder / ".ready").touch()
    return folder


@contextlib.contextmanager
def server(home, root):
    """Start JupyterLab on a folder of notebooks; give its address."""
    for name, setting in SETTINGS.items():
        file = home / "settings" / "@jupyterlab" / name
        file = Path(f"{file}.jupyterlab-settings")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(setting))
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        str(environment() / "bin" / "jupyter-lab"),
        "--no-browser",
        "--allow-root",
        "--ip=127.0.0.1",
        f"--port={port}",
        f"--ServerApp.root_dir={root}",
        "--IdentityProvider.token=",
        "--LabApp.expose_app_in_browser=True",
    ]
    env = {
        **kept,
        "HOME": str(home),
        "IPYTHONDIR": str(home / "ipython"),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
    }
    log = home / "server.log"
    with log.open("w") as out:
        process = subprocess.Popen(command, env=env, stdout=out, stderr=out)
    address = f"http://127.0.0.1:{port}/"
    try:
        while not answers(address + "api"):
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=0.2)
                raise RuntimeError(f"no JupyterLab:\n{log.read_text()}")
        yield address
    finally:
        process.terminate()
        process.wait()


def answers(address):
    """Say whether a server answers there."""
    try:
        with urllib.request.urlopen(address):
            return True
    except OSError:
        return False
