"""Runs the native program, in tasks and in the driver."""

import contextlib
import ctypes
import os
import re
import signal
import subprocess
import tempfile

from crawlsieve_spark.errors import Failed, Refused

PIPE, DEVNULL = subprocess.PIPE, subprocess.DEVNULL

DONE, WRONG_INPUT, WRONG_USAGE, FAILED, INCOMPLETE = 0, 1, 2, 3, 4

# The C library, loaded before any fork.
_LIBC = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG = 1


def _die_with_parent():
    """A program whose Python worker was killed would read its input's end, and believe it."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class Program:
    """A running native program: what it writes, and how it ended. Made by start()."""

    def __init__(self, process, errors):
        self._process = process
        self._errors = errors
        self.stdin = process.stdin
        self.stdout = process.stdout

    def finish(self, allowed=(DONE,)):
        """Waits for its end. Raises Refused or Failed unless its exit code is allowed."""
        if self.stdin is not None and not self.stdin.closed:
            with contextlib.suppress(BrokenPipeError):  # it says why itself
                self.stdin.close()
        code = self._process.wait()
        if code in allowed:
            return code
        said = self.messages()
        if code == WRONG_INPUT:
            raise Refused(said or "the program refuses its input")
        what = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
        raise Failed(f"{self._process.args[0]} {' '.join(self._process.args[1:3])}: {what}: {said}")

    def messages(self):
        """What it wrote to standard error, without progress and notes."""
        self._errors.seek(0)
        text = self._errors.read().decode("utf-8", "replace")
        lines = (re.sub("^crawlsieve: ", "", line) for line in text.splitlines())
        return "\n".join(line for line in lines if line and not line.startswith("note: "))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # Before its input is closed, which it would take for the end.
        if self._process.poll() is None:
            self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        self._process.wait()
        self._errors.close()


def start(program, arguments, stdin=DEVNULL, cwd=None):
    """Starts the program. Use it as a context: at the end it no longer runs, whatever happened."""
    errors = tempfile.TemporaryFile()
    try:
        process = subprocess.Popen([program, *map(str, arguments)], stdin=stdin, stdout=PIPE, stderr=errors,
                                   cwd=cwd, preexec_fn=_die_with_parent)
    except OSError as error:
        errors.close()
        raise Failed(f"{program} can't be started on {os.uname().nodename}: {error.strerror}; "
                     "--program must name it, on every machine") from error
    return Program(process, errors)


def run(program, arguments, stdin=DEVNULL, cwd=None):
    """Runs the program to its end. Returns what it wrote, and its messages."""
    with start(program, arguments, stdin, cwd) as running:
        written = running.stdout.read()
        running.finish()
        return written, running.messages()


def in_memory(content):
    """A file in memory, to be a program's standard input."""
    descriptor = os.memfd_create("crawlsieve")
    with open(descriptor, "wb", closefd=False) as file:
        file.write(content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
