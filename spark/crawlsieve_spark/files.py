"""Files that appear whole or not at all, and their digests."""

import contextlib
import hashlib
import json
import os
import uuid

_PIECE = 1 << 20


def digest_of(path):
    """SHA-256 of a file's bytes."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of_json(value):
    """SHA-256 of a value that JSON can say."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


@contextlib.contextmanager
def appearing(path):
    """A name to write to; what is there becomes `path` at the end, and is gone after an error.

    Two tries of one task have names of their own, so they don't disturb each other."""
    temporary = f"{path}.{uuid.uuid4().hex}.tmp"
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)


def write_json(path, value):
    with appearing(path) as temporary:
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump(value, file, indent=1)
            file.flush()
            os.fsync(file.fileno())


def read_json(path):
    """The value in a file, or None where there is no such file or it isn't JSON."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def is_intact(folder, outputs):
    """Whether a folder has these files, {name: digest}, as they were written."""
    for name, digest in outputs.items():
        path = os.path.join(folder, name)
        if not os.path.isfile(path) or digest_of(path) != digest:
            return False
    return True
