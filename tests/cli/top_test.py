#!/usr/bin/env python3
"""`crawlsieve top` against a made-up process: plain text where the output is no terminal, a full
screen that is left in order on one, several processes in a table, and nothing that a text from a
page does to a terminal.

    top_test.py PROGRAM SERVE_STATUS
"""

import fcntl
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
import threading
import time
import unittest

PROGRAM, SERVE = sys.argv.pop(1), sys.argv.pop(1)
DONE, WRONG_INPUT, WRONG_USAGE, FAILED = 0, 1, 2, 3
PATIENCE_SECONDS = 30
ENTER, LEAVE = "\033[?1049h\033[?25l\033[?7l", "\033[?7h\033[?25h\033[?1049l"


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
        self.assertRegex(lines[1], r"^crawler-7 +ready .* extract,judge$")
        self.assertRegex(lines[2], r"^crawler-7 +restoring .* extract,judge$")
        self.assertRegex(lines[3], r"^crawler-7: restoring state from the admission log; 250,000 "
                                   r"of 1,000,000 entries, .* left$")
        self.assertEqual(len(lines), 4)

    def test_asks_all_at_a_time(self):
        # Each answers when all have been asked.
        count = 8
        all_asked = threading.Barrier(count, timeout=2.5)  # `top` waits for 3 s

        def answer(listener):
            connection, _ = listener.accept()
            with connection:
                connection.recv(1 << 16)
                all_asked.wait()
                connection.sendall(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")

        listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
        threads = [threading.Thread(target=answer, args=(listener,)) for listener in listeners]
        for thread in threads:
            thread.start()
        done = top(*(f"127.0.0.1:{listener.getsockname()[1]}" for listener in listeners))
        for thread, listener in zip(threads, listeners):
            thread.join()
            listener.close()
        self.assertEqual(done.returncode, FAILED)
        self.assertEqual(done.stderr.count("answers with status 503"), count, done.stderr)

    def test_takes_the_address_of_the_configuration(self):
        with Server() as url, tempfile.TemporaryDirectory() as folder:
            config = pathlib.Path(folder) / "crawlsieve.yaml"
            config.write_text(f"http: {{address: 0.0.0.0, port: {url.rsplit(':', 1)[1]}}}\n")
            done = top("--config", str(config))
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertIn("crawler-7", done.stdout)

    def test_asks_for_an_address_where_the_configuration_has_none(self):
        for http, reason in (("port: 0", "http.port is 0"), ("enabled: false", "http.enabled is")):
            with self.subTest(http), tempfile.TemporaryDirectory() as folder:
                config = pathlib.Path(folder) / "crawlsieve.yaml"
                config.write_text(f"http: {{{http}}}\n")
                done = top("--config", str(config))
                self.assertEqual((done.returncode, done.stdout), (WRONG_INPUT, ""))
                self.assertIn(reason, done.stderr)

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


class Terminal:
    """`crawlsieve top` on a terminal of its own, as a shell would start it there."""

    def __init__(self, *arguments, columns=80, rows=24, language="C.UTF-8"):
        self.master, self.slave = pty.openpty()
        self.resize(columns, rows)
        self.settings = termios.tcgetattr(self.slave)
        self.process = subprocess.Popen(
            [PROGRAM, "top", *arguments], stdin=self.slave, stdout=self.slave, stderr=self.slave,
            start_new_session=True, env=os.environ | {"LC_ALL": language},
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        self.written = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.slave)
        os.close(self.master)

    def resize(self, columns, rows):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys):
        os.write(self.master, keys)

    def read(self, timeout=0.1):
        """Takes up what is written within `timeout`. Whether anything was."""
        ready, _, _ = select.select([self.master], [], [], timeout)
        if ready:
            self.written += os.read(self.master, 1 << 16)
        return bool(ready)

    def screens(self):
        """Lines of each screen that was drawn to its end."""
        return [re.sub(r"\033\[K|\r", "", screen.split("\033[J")[0]).split("\n")[:-1]
                for screen in self.written.decode(errors="ignore").split("\033[H")[1:]
                if "\033[J" in screen]

    def wait_for(self, condition):
        """Reads until the newest screen meets `condition`. Returns it."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            self.read()
            screens = self.screens()
            if screens and condition(screens[-1]):
                return screens[-1]
        raise AssertionError(f"no such screen came; last: {self.screens()[-1:]}")

    def wait_for_end(self):
        """The exit code. Everything is read that was written."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self.process.poll() is None and time.monotonic() < deadline:
            self.read()
        while self.read():
            pass
        return self.process.wait(0)

    def is_restored(self):
        return (self.written.endswith(LEAVE.encode()) and
                termios.tcgetattr(self.slave) == self.settings)


def has_figures(screen):
    return any(line.startswith("behind ") for line in screen)


class TopOnATerminalTest(unittest.TestCase):
    def test_fills_the_terminal_and_nothing_acts_on_it(self):
        for columns in (1, 20, 60, 200):
            with self.subTest(columns), Server("hostile") as url, \
                    Terminal(url, columns=columns, rows=12) as terminal:
                terminal.wait_for(lambda screen: len(screen) == 11)
                terminal.type(b"q")
                self.assertEqual(terminal.wait_for_end(), DONE)
                written = terminal.written.decode()
                self.assertTrue(written.startswith(ENTER))
                for line in terminal.screens()[-1]:
                    self.assertLessEqual(len(line), columns)
                known = ("\033[?1049h", "\033[?25l", "\033[?7l", "\033[H", "\033[K", "\033[J",
                         "\033[?7h", "\033[?25h", "\033[?1049l")
                for sequence in known:
                    written = written.replace(sequence, "")
                self.assertEqual(re.findall(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f\u202e]", written), [])

    def test_each_way_to_end_it_restores_the_terminal(self):
        ways = {"q": lambda terminal: terminal.type(b"q"),
                "ctrl-C": lambda terminal: terminal.type(b"\x03"),
                "ctrl-\\": lambda terminal: terminal.type(b"\x1c"),
                "SIGTERM": lambda terminal: terminal.process.send_signal(signal.SIGTERM),
                "SIGHUP": lambda terminal: terminal.process.send_signal(signal.SIGHUP)}
        for name, end in ways.items():
            with self.subTest(name), Server() as url, Terminal(url) as terminal:
                terminal.wait_for(has_figures)
                self.assertFalse(terminal.is_restored())
                end(terminal)
                self.assertEqual(terminal.wait_for_end(), DONE)
                self.assertTrue(terminal.is_restored())

    def test_ends_at_once_while_a_server_does_not_answer(self):
        with socket.create_server(("127.0.0.1", 0)) as silent, \
                Terminal(f"127.0.0.1:{silent.getsockname()[1]}") as terminal:
            accepted, _ = silent.accept()
            terminal.wait_for(lambda screen: screen == ["Asking..."])
            begin = time.monotonic()
            terminal.type(b"\x03")
            self.assertEqual(terminal.wait_for_end(), DONE)
            self.assertLess(time.monotonic() - begin, 2.5)  # an answer is waited for for 3 s
            self.assertTrue(terminal.is_restored())
            accepted.close()

    def test_draws_anew_when_the_terminal_is_resized(self):
        # An hour between looks: what is drawn anew is what was seen before.
        with Server() as url, Terminal(url, "--interval", "3600") as terminal:
            terminal.wait_for(lambda screen: has_figures(screen) and len(screen) == 23)
            terminal.resize(50, 10)
            screen = terminal.wait_for(lambda screen: has_figures(screen) and len(screen) == 9)
            self.assertLessEqual(max(map(len, screen)), 50)
            terminal.resize(120, 30)
            terminal.wait_for(lambda screen: has_figures(screen) and len(screen) == 29)
            terminal.type(b"q")
            self.assertEqual(terminal.wait_for_end(), DONE)

    def test_gives_the_terminal_back_while_it_is_stopped(self):
        with Server() as url, Terminal(url) as terminal:
            terminal.wait_for(has_figures)
            terminal.type(b"\x1a")
            pid, status = os.waitpid(terminal.process.pid, os.WUNTRACED)
            self.assertTrue(os.WIFSTOPPED(status))
            while terminal.read():
                pass
            self.assertTrue(terminal.is_restored())
            before = len(terminal.screens())
            terminal.process.send_signal(signal.SIGCONT)
            terminal.wait_for(lambda screen: len(terminal.screens()) > before)
            self.assertEqual(terminal.written.decode().count(ENTER), 2)
            terminal.type(b"q")
            self.assertEqual(terminal.wait_for_end(), DONE)
            self.assertTrue(terminal.is_restored())

    def test_shows_blocks_only_where_the_locale_has_them(self):
        for language, has_blocks in (("C.UTF-8", True), ("C", False)):
            with self.subTest(language), Server() as url, \
                    Terminal(url, language=language) as terminal:
                screen = terminal.wait_for(has_figures)
                self.assertEqual(any("\u2588" in line for line in screen), has_blocks)
                self.assertEqual("\n".join(screen).isascii(), not has_blocks)

    def test_says_who_stopped_answering_beside_those_who_do(self):
        with Server() as one, Server() as other, \
                Terminal(one, other, "--interval", "0.1") as terminal:
            terminal.wait_for(lambda screen: len(screen) == 3)
        with Server() as one, \
                Terminal(one, f"127.0.0.1:{free_port()}", "--interval", "0.1") as terminal:
            screen = terminal.wait_for(lambda screen: len(screen) == 3)
            self.assertTrue(screen[1].startswith("crawler-7 "))
            self.assertIn("doesn't answer", screen[2])


if __name__ == "__main__":
    unittest.main(verbosity=2)
