"""What goes wrong around a service, and what it says: a full disk, a state directory that can't be
written or is another user's, two services on one, a wrong clock, secrets that can't be read, a purge
of everything, an expiry of zero, scrapes without pause, connections that send nothing. It is said
clearly, and in the end each page has one verdict.

    bad_input_test.py PROGRAM PRELOADED_LIBRARY

As root it mounts file systems of its own; otherwise the cases that need them aren't run.
"""

import collections
import contextlib
import errno
import http.client
import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

import confluent_kafka.admin

from broker_test_case import DONE, FAILED, SECONDS, WRONG_INPUT
from deployments import DeploymentsTest

PROGRAM, PRELOADED = (os.path.abspath(path) for path in sys.argv[1:3])
NOBODY = 65_534
needs_root = unittest.skipUnless(os.geteuid() == 0, "NOT RUN: it mounts or becomes another user, "
                                 "which only root may")


class BadInputTest(DeploymentsTest):
    program = PROGRAM

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder.chmod(0o755)  # for nobody

    def deploy(self, name, state=None, **more):
        """The configuration of a deployment that shares nothing with others."""
        self.make_topic(f"{name}.pages")
        self.state = state or self.folder / f"{name}-state"
        return self.write_config(
            f"{name}.yaml", state=self.state, more=more, group=name,
            input={"topics": [f"{name}.pages"]},
            **{topic: {"topic": f"{name}.{topic}"} for topic in ("log", "key", "verdicts")})

    def start(self, config, user=None, clock_shift=0):
        rights = {} if user is None else {"user": user, "group": user, "extra_groups": []}
        shift = {} if clock_shift == 0 else {"LD_PRELOAD": PRELOADED,
                                             "CHAOS_CLOCK_SHIFT": str(clock_shift)}
        with (self.folder / f"{config.stem}.log").open("ab") as log:
            process = subprocess.Popen([PROGRAM, "run", "--config", str(config)], cwd="/",
                                       stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                       env={**os.environ, **shift}, **rights)
        self.addCleanup(self.stop, process, signal.SIGKILL)
        return process

    def assert_refuses(self, config, *texts, code=FAILED, **how):
        """A start that ends by itself, with a last line that says why."""
        process = self.start(config, **how)
        self.assertEqual(process.wait(SECONDS), code, self.log_of(config)[-3000:])
        last = self.log_of(config).splitlines()[-1]
        for text in texts:
            self.assertIn(text, last)

    def wait_for_line(self, config, *texts):
        deadline = time.monotonic() + SECONDS
        while not any(all(text in line for text in texts)
                      for line in self.log_of(config).splitlines()):
            self.assertLess(time.monotonic(), deadline, f"{texts}: {self.log_of(config)[-3000:]}")
            time.sleep(0.02)

    def finish(self, process, config, pages):
        """Each page has one verdict, and the state is that of a fold of the log."""
        name = config.stem
        self.wait_for(f"{name}.verdicts", pages, config)
        self.stop(process)
        self.assertEqual(process.returncode, DONE, self.log_of(config)[-3000:])
        self.assertEqual(len(self.verdicts(f"{name}.verdicts")), pages)
        done = subprocess.run([PROGRAM, "state", "verify", "--config", str(config)],
                              capture_output=True, text=True, timeout=SECONDS)
        self.assertEqual(done.returncode, DONE, done.stdout + done.stderr)

    def mount(self, name, size):
        """An empty file system of so many bytes."""
        path = self.folder / name
        path.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", path], check=True)
        self.addCleanup(subprocess.run, ["umount", "--lazy", path], check=True)
        return path

    def fill(self, path):
        with path.open("wb", buffering=0) as file, self.assertRaises(OSError) as full:
            while True:
                file.write(bytes(1 << 12))
        self.assertEqual(full.exception.errno, errno.ENOSPC)

    @staticmethod
    def remount(path, how):
        subprocess.run(["mount", "-o", f"remount,{how}", path], check=True)

    @needs_root
    def test_a_full_disk_ends_the_judge_and_loses_nothing(self):
        disk = self.mount("disk", 64 << 20)
        # Small enough for files to be written all the time.
        config = self.deploy("full", state=disk / "state", service={
            "state_directory": str(disk / "state"), "state_buffer": "64KiB"})
        process = self.start(config)
        self.feed(0, 300, "full.pages")
        self.wait_for("full.verdicts", 300, config)
        filler = disk / "filler"
        self.fill(filler)
        # A judge learns of a write that failed when it has more to write.
        pages, deadline = 300, time.monotonic() + SECONDS
        while process.poll() is None:
            self.assertLess(time.monotonic(), deadline, self.log_of(config)[-3000:])
            self.feed(pages, 60, "full.pages")
            pages += 60
        self.assertEqual(process.returncode, FAILED, self.log_of(config)[-3000:])
        said = f"{disk}/state.*No space left on device.*nothing is lost"
        self.assertRegex(self.log_of(config), f"stage.failed stage=judge .*{said}")

        self.feed(pages, 60, "full.pages")
        pages += 60
        self.fill(filler)
        self.assert_refuses(config, "service.failed", "No space left on device", "nothing is lost")
        self.assertLess(len(self.verdicts("full.verdicts")), pages)
        filler.unlink()
        self.finish(self.start(config), config, pages)

    @needs_root
    def test_a_state_directory_that_is_read_only_is_named(self):
        disk = self.mount("read-only", 64 << 20)
        config = self.deploy("readonly", state=disk / "state")
        process = self.start(config)
        self.feed(0, 60, "readonly.pages")
        self.wait_for("readonly.verdicts", 60, config)
        self.stop(process)
        self.remount(disk, "ro")
        self.feed(60, 60, "readonly.pages")
        self.assert_refuses(config, "service.failed", f"{disk}/state", "Read-only file system")
        self.remount(disk, "rw")
        self.finish(self.start(config), config, 120)

    @needs_root
    def test_a_state_directory_of_another_user_is_named_with_both_users(self):
        config = self.deploy("another")
        process = self.start(config)
        self.feed(0, 60, "another.pages")
        self.wait_for("another.verdicts", 60, config)
        self.stop(process)
        self.feed(60, 60, "another.pages")
        said = "service.failed", "Permission denied", f"chown -R {NOBODY} {self.state}"
        self.assert_refuses(config, *said, "the directory is of user 0", user=NOBODY)
        # Given back, but for files in it; then but for those of RocksDB.
        os.chown(self.state, NOBODY, NOBODY)
        self.assert_refuses(config, *said, "a file in the directory is of another user",
                            user=NOBODY)
        os.chown(self.state / "crawlsieve.lock", NOBODY, NOBODY)
        self.assert_refuses(config, *said, "a file in the directory is of another user",
                            user=NOBODY)
        for path in self.state.rglob("*"):
            os.chown(path, NOBODY, NOBODY)
        self.finish(self.start(config, user=NOBODY), config, 120)

    def test_the_second_of_two_services_on_one_directory_is_refused(self):
        config = self.deploy("two")
        first = self.start(config)
        self.feed(0, 60, "two.pages")
        self.wait_for("two.verdicts", 60, config)
        self.assert_refuses(config, "service.failed", str(self.state),
                            f"in use by process {first.pid}", "a directory of its own",
                            code=WRONG_INPUT)
        self.assertIsNone(first.poll())
        self.feed(60, 60, "two.pages")
        self.finish(first, config, 120)

    def test_a_clock_that_is_an_hour_off_changes_no_verdict(self):
        config = self.deploy("clock")
        self.admin.create_topics([confluent_kafka.admin.NewTopic(
            "clock.log", 1, 1, config={  # as brokers of version 4 have it by default
                "message.timestamp.after.max.ms": "3600000", "retention.ms": "-1",
                "retention.bytes": "-1", "cleanup.policy": "delete",
                "max.message.bytes": "33619968"})])["clock.log"].result(SECONDS)
        pages = 0
        for shift in (-3_600, 3_600):
            process = self.start(config, clock_shift=shift)
            self.feed(pages, 60, "clock.pages")
            pages += 60
            self.wait_for("clock.verdicts", pages, config)
            self.stop(process)
            self.assertEqual(process.returncode, DONE, self.log_of(config)[-3000:])
        # Topics refuse records from further ahead.
        self.feed(pages, 60, "clock.pages")
        pages += 60
        self.assert_refuses(config, "service.failed", "clock.log", "Invalid timestamp",
                            "set the clock of this machine", code=WRONG_INPUT, clock_shift=4_000)
        self.finish(self.start(config), config, pages)
        reasons = collections.Counter(
            verdict["reason"] for verdict in self.verdicts("clock.verdicts").values())
        self.assertEqual(set(reasons), {"unique", "exact_duplicate"}, reasons)

    @needs_root
    def test_secrets_that_can_not_be_read_are_named(self):
        secret = self.folder / "secret"
        secret.write_text("0123456789abcdef0123456789abcdef")
        secret.chmod(0o600)
        login = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN",
                 "sasl.username": "judge", "sasl.password.file": str(secret)}
        for name, more in {
                "password": {"kafka": {"bootstrap_servers": self.bootstrap, "client": login}},
                "token": {"http": {"port": 0, "token_file": str(secret)}},
                "key": {"kafka": {"bootstrap_servers": self.bootstrap, "client": {
                    "security.protocol": "SSL", "ssl.ca.location": str(secret)}}},
                "certificate": {"http": {"port": 0, "tls": {"certificate_file": str(secret),
                                                            "key_file": str(secret)}}}}.items():
            with self.subTest(name):
                config = self.deploy(f"unread-{name}", **more)
                self.assert_refuses(config, str(secret), "Permission denied", user=NOBODY,
                                    code=WRONG_INPUT)
                self.assertNotIn("0123456789abcdef", self.log_of(config))
        config.chmod(0o600)
        self.assert_refuses(config, str(config), "Permission denied", user=NOBODY,
                            code=WRONG_INPUT)

    def test_an_expiry_of_zero_is_refused(self):
        for value in ("0", "0s", "0d"):
            config = self.folder / "expiry.yaml"
            config.write_text(f"judge: {{retention: {{expire: {value}}}}}\n")
            self.assert_refuses(config, f"{config}:1:", "judge.retention.expire", "or never",
                                code=WRONG_INPUT)

    def test_after_a_purge_of_everything_pages_are_judged_as_new(self):
        config = self.deploy("purged")
        process = self.start(config)
        self.feed(0, 120, "purged.pages")
        self.wait_for("purged.verdicts", 120, config)

        def purge(*arguments):
            return subprocess.run([PROGRAM, "purge", "prefix", "http", "--config", str(config),
                                   *arguments], capture_output=True, text=True, timeout=SECONDS)

        refused = purge()
        self.assertEqual(refused.returncode, WRONG_INPUT)
        self.assertIn("--several-hosts", refused.stderr)
        done = purge("--several-hosts")
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertIn("URLs that begin with http: purge", done.stdout)
        self.feed(0, 120, "purged.pages")
        self.wait_for("purged.verdicts", 240, config)
        self.wait_for_line(config, "judge.purge_done")
        self.finish(process, config, 240)
        verdicts = self.verdicts("purged.verdicts")
        first, second = (
            [verdicts[partition, offset]["reason"] for partition in (0, 1)
             for offset in range(begin, begin + 60)] for begin in (0, 60))
        self.assertEqual(collections.Counter(first).keys(), {"unique", "exact_duplicate"})
        self.assertEqual(collections.Counter(first), collections.Counter(second))

    # HTTP -------------------------------------------------------------------------------------

    def start_with_http(self, config):
        process = self.start(config)
        self.wait_for_line(config, "http.listening")
        port = int(re.search(r"http://127\.0\.0\.1:(\d+)", self.log_of(config)).group(1))
        deadline = time.monotonic() + SECONDS
        while self.ask(port, "/readyz")[0] != 200:
            self.assertLess(time.monotonic(), deadline, self.log_of(config)[-3000:])
            time.sleep(0.02)
        return process, port

    @staticmethod
    def ask(port, path):
        """Status, 0 without an answer, and seconds that it took."""
        begin = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=3)
        status = 0
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection.request("GET", path)
            answer = connection.getresponse()
            answer.read()
            status = answer.status
        connection.close()
        return status, time.monotonic() - begin

    @staticmethod
    def open_files(process):
        return len(os.listdir(f"/proc/{process.pid}/fd"))

    def test_a_scrape_every_10_ms_is_answered_while_pages_are_judged(self):
        config = self.deploy("scraped", http={"port": 0})
        process, port = self.start_with_http(config)
        self.feed(0, 60, "scraped.pages")
        self.wait_for("scraped.verdicts", 60, config)
        before = self.open_files(process)
        answers, is_done = collections.Counter(), threading.Event()

        def scrape():
            while not is_done.wait(0.01):  # a rate, not a wait for something
                answers[self.ask(port, "/metrics")[0]] += 1

        scraper = threading.Thread(target=scrape)
        scraper.start()
        try:
            for first in range(60, 1_260, 60):
                self.feed(first, 60, "scraped.pages")
                self.assertEqual(self.ask(port, "/readyz")[0], 200)
            self.wait_for("scraped.verdicts", 1_260, config)
        finally:
            is_done.set()
            scraper.join()
        self.assertEqual(set(answers), {200}, answers)
        self.assertGreater(answers[200], 20)
        self.assert_files_come_back(process, before)
        self.finish(process, config, 1_260)

    def assert_files_come_back(self, process, before):
        """But for a few that the state or the brokers have opened meanwhile."""
        deadline = time.monotonic() + SECONDS
        while self.open_files(process) > before + 10:
            self.assertLess(time.monotonic(), deadline, (before, self.open_files(process)))
            time.sleep(0.05)

    def test_1000_connections_that_send_nothing_keep_nobody_else_waiting(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4096)), hard))
        config = self.deploy("silent", http={"port": 0})
        process, port = self.start_with_http(config)
        self.feed(0, 60, "silent.pages")
        self.wait_for("silent.verdicts", 60, config)
        before = self.open_files(process)
        with contextlib.ExitStack() as silent:
            for _ in range(1_000):
                silent.enter_context(socket.create_connection(("127.0.0.1", port), timeout=3))
            for first in range(60, 360, 60):
                self.feed(first, 60, "silent.pages")
                for path in ("/readyz", "/livez", "/metrics"):
                    status, seconds = self.ask(port, path)
                    self.assertEqual((status, path), (200, path))
                    self.assertLess(seconds, 2)
                self.assertLess(self.open_files(process), before + 150)
            self.wait_for("silent.verdicts", 360, config)
        self.wait_for_line(config, "warn", "http.silent_clients", "client=127.0.0.1",
                           "send nothing")
        self.assert_files_come_back(process, before)
        self.finish(process, config, 360)


if __name__ == "__main__":
    del sys.argv[1:3]
    unittest.main()
