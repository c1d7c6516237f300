"""The log's entries as Python classes, made from the project's own definition of them."""

import importlib
import subprocess
import sys
import tempfile

import processes


def load(build):
    """The module with class `Entry`."""
    source = processes.ROOT / "plugin/log"
    # A folder of its own: campaigns that run at the same time would read half a file.
    with tempfile.TemporaryDirectory(dir=build) as folder:
        subprocess.run(["protoc", f"--proto_path={source}", f"--python_out={folder}",
                        "entry.proto"], check=True)
        sys.path.insert(0, folder)
        try:
            return importlib.import_module("entry_pb2")
        finally:
            sys.path.remove(folder)
