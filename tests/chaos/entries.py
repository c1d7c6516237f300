"""The log's entries as Python classes, made from the project's own definition of them."""

import importlib
import subprocess
import sys

import processes


def load(build):
    """The module with class `Entry`, made in a folder below `build`."""
    folder = build / "chaos"
    folder.mkdir(exist_ok=True)
    source = processes.ROOT / "plugin/log"
    subprocess.run(["protoc", f"--proto_path={source}", f"--python_out={folder}", "entry.proto"],
                   check=True)
    sys.path.insert(0, str(folder))
    return importlib.import_module("entry_pb2")
