#!/usr/bin/env python3
"""`crawlsieve top` against a made-up process: plain text where the output is no terminal, a full
screen that is left in order on one, several processes in a table, and nothing that a text from a
page does to a terminal.

    top_test.py PROGRAM SERVE_STATUS [--picture FILE]    FILE: writes a picture for the docs (SVG)
"""

import fcntl
import html
import os
import pathlib
import pty
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

PICTURE = None
if "--picture" in sys.argv:
    at = sys.argv.index("--picture")
    PICTURE = pathlib.Path(sys.argv[at + 1])
    del sys.argv[at:at + 2]
PROGRAM, SERVE = sys.argv.pop(1), sys.argv.pop(1)
DONE, WRONG_INPUT, WRONG_USAGE, FAILED = 0, 1, 2, 3
PATIENCE_SECONDS = 30


class Server:
    """serve_status, until the end of the context."""

    def __init__(self, kind="tame"):
        self.kind = kind

    def __enter__(self):
        self.process = subprocess.Popen([SERVE, self.kind], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        return self.process.stdout.readline().decode().strip()

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(30)


def free_port():
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return made.getsockname()[1]


def top(*arguments):
    return subprocess.run([PROGRAM, "top", *arguments], capture_output=True, text=True,
                          timeout=PATIENCE_SECONDS)


class TopTest(unittest.TestCase):
    def test_writes_plain_text_once_where_the_output_is_no_terminal(self):
        with Server() as url:
            done = top(url)
        self.assertEqual((done.returncode, done.stderr), (DONE, ""))
        self.assertIn("crawlsieve 0.1.0  crawler-7 (extract, judge)  ready\n", done.stdout)
        self.assertIn("behind     2.4 s, 1,285 records\n", done.stdout)
        self.assertIn("www0.example", done.stdout)
        self.assertTrue(done.stdout.isascii())
        self.assertNotIn("\033", done.stdout)

    def test_looks_as_often_as_asked(self):
        with Server() as url:
            done = top(url, "--count", "3", "--interval", "0.1")
        self.assertEqual(done.stdout.count("crawlsieve 0.1.0"), 3)

    def test_shows_a_restore_with_the_time_left(self):
        with Server("restoring") as url:
            done = top(url)
        self.assertRegex(done.stdout, r"restore    250,000 of 1,000,000 entries, \d+ min.* left\n")

    def test_shows_several_processes_in_a_table(self):
        with Server() as one, Server("restoring") as other:
            done = top(one, other)
        self.assertEqual(done.returncode, DONE)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 3)
        self.assertRegex(lines[1], r"^crawler-7 +extract,judge +ready ")
        self.assertRegex(lines[2], r"^crawler-7 +extract,judge +restoring ")

    def test_takes_the_address_of_the_configuration(self):
        with Server() as url, tempfile.TemporaryDirectory() as folder:
            config = pathlib.Path(folder) / "crawlsieve.yaml"
            config.write_text(f"http: {{address: 0.0.0.0, port: {url.rsplit(':', 1)[1]}}}\n")
            done = top("--config", str(config))
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertIn("crawler-7", done.stdout)

    def test_says_who_does_not_answer(self):
        url = f"http://127.0.0.1:{free_port()}"
        done = top(url)
        self.assertEqual((done.returncode, done.stdout), (FAILED, ""))
        self.assertIn(f"crawlsieve: {url}/status.json doesn't answer", done.stderr)
        with Server() as other:
            done = top(url, other)
        self.assertEqual(done.returncode, DONE)
        self.assertIn("crawler-7", done.stdout)
        self.assertIn("doesn't answer", done.stderr)

    def test_refuses_what_does_not_go_together(self):
        self.assertEqual(top("--topic").returncode, WRONG_USAGE)
        self.assertEqual(top("--interval", "0").returncode, WRONG_USAGE)
        self.assertEqual(top("--count", "0").returncode, WRONG_USAGE)
        done = top("ftp://127.0.0.1/")
        self.assertEqual(done.returncode, FAILED)
        self.assertIn("doesn't begin with http://", done.stderr)

    def test_nothing_acts_on_a_terminal(self):
        with Server("hostile") as url:
            done = subprocess.run([PROGRAM, "top", url], capture_output=True,
                                  timeout=PATIENCE_SECONDS)
        self.assertEqual(done.returncode, DONE)
        text = done.stdout.decode()  # and it is UTF-8
        self.assertEqual(re.findall(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", text), [])

    def in_terminal(self, url, columns, rows):
        """What `top` writes on a terminal until it is interrupted after its first screen."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        process = subprocess.Popen([PROGRAM, "top", url, "--interval", "0.2"], stdin=slave,
                                   stdout=slave, stderr=slave)
        os.close(slave)
        written = b""
        is_interrupted = False
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            ready, _, _ = select.select([master], [], [], 0.2)
            try:
                piece = os.read(master, 1 << 16) if ready else b""
            except OSError:  # the terminal's other end is closed
                break
            written += piece
            if written.count(b"\033[H") >= 2 and not is_interrupted:
                process.send_signal(signal.SIGINT)
                is_interrupted = True
        self.assertEqual(process.wait(PATIENCE_SECONDS), DONE)
        os.close(master)
        return written.decode()

    def test_fills_a_terminal_and_leaves_it_in_order(self):
        with Server("hostile") as url:
            written = self.in_terminal(url, columns=60, rows=12)
        self.assertTrue(written.startswith("\033[?1049h\033[?25l\033[H"))
        self.assertTrue(written.endswith("\033[?25h\033[?1049l"))
        screen = written.split("\033[H")[1].split("\033[J")[0]
        lines = screen.split("\033[K")[:-1]
        self.assertEqual(len(lines), 11)
        for line in lines:
            self.assertLessEqual(len(line.strip("\r\n")), 60)
        self.assertEqual(set(re.findall(r"\033\[\??\d*[A-Za-z]", written)),
                         {"\033[?1049h", "\033[?25l", "\033[H", "\033[K", "\033[J", "\033[?25h",
                          "\033[?1049l"})

    @unittest.skipUnless(PICTURE, "makes a picture, tests nothing")
    def test_picture(self):
        columns, rows = 100, 40
        with Server() as url:
            written = self.in_terminal(url, columns, rows)
        lines = written.split("\033[H")[1].split("\033[J")[0].replace("\r\n", "").split("\033[K")
        width, height, step = columns * 8.5 + 24, len(lines) * 18 + 16, 18
        svg = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" '
               'font-family="ui-monospace, monospace" font-size="14" fill="#e8eaed">',
               '<rect width="100%" height="100%" rx="8" fill="#14171b"/>']
        for i, line in enumerate(lines):
            line = line.strip("\r\n")
            if line:
                svg.append(f'<text x="12" y="{24 + i * step}" xml:space="preserve">'
                           f'{html.escape(line)}</text>')
        PICTURE.write_text("\n".join([*svg, "</svg>"]) + "\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
