"""The parts of the harness that stand between the service and the checker."""

import errno
import json
import os
import pathlib
import random
import re
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import unittest

import faults
import feeder
import processes
import proxy
import rounds
import topics
from oracle_test import page, parameters

WAIT = 10


class FeedTest(unittest.TestCase):
    def test_record_depends_on_seed_and_number_only(self):
        forward = [feeder.Feed(5, 4).record(n) for n in range(200)]
        again = feeder.Feed(5, 4)
        self.assertEqual([again.record(n) for n in reversed(range(200))], forward[::-1])
        self.assertNotEqual([feeder.Feed(6, 4).record(n) for n in range(200)], forward)

    def test_every_kind_comes_and_only_the_broken_have_no_url(self):
        seen = set()
        for number in range(2000):
            _, key, value, headers = feeder.Feed(1, 4).record(number)
            kind = dict(headers)[feeder.KIND_HEADER]
            seen.add(kind)
            if kind == b"page":
                self.assertTrue(json.loads(value)["url"].startswith("http://"))
            elif kind == b"revisit":
                self.assertTrue(key.startswith(b"http://") and value.startswith(b"WARC/1.1"))
            elif kind == b"tombstone":
                self.assertTrue(key.startswith(b"http://") and value is None)
        self.assertEqual(seen, {b"page", b"tombstone", b"broken", b"revisit"})

    def test_known_duplicates_and_near_duplicates_are_there(self):
        bodies = {}
        for number in range(500):
            value = feeder.Feed(1, 4).record(number)[2]
            try:
                body = json.loads(value).get("body", "")
            except (TypeError, ValueError):
                continue
            bodies.setdefault(body, []).append(number)
        texts = [set(body.split()) for body in bodies if len(body) > 200]
        near = sum(1 for i, a in enumerate(texts) for b in texts[:i] if 0 < len(a ^ b) <= 8)
        self.assertGreater(sum(len(numbers) > 1 for numbers in bodies.values()), 20)
        self.assertGreater(near, 20)


def batch(base, count, producer, attributes, records=b""):
    body = struct.pack(">ibIhiqqqhii", 0, 2, 0, attributes, count - 1, 0, 0, producer, 0, 0, count)
    return struct.pack(">qi", base, len(body) + len(records)) + body + records


def marker(base, producer, kind):
    key = struct.pack(">hh", 0, kind)
    record = bytes([0, 0, 0, len(key) << 1]) + key + bytes([0, 0])
    return batch(base, 1, producer, topics.TRANSACTIONAL | topics.CONTROL,
                 bytes([len(record) << 1]) + record)


class AbortedOffsetsTest(unittest.TestCase):
    def test_markers_decide_about_the_records_of_their_producer(self):
        data = (batch(0, 3, 7, topics.TRANSACTIONAL) + batch(3, 2, 8, topics.TRANSACTIONAL)
                + marker(5, 7, 1) + batch(6, 1, 8, topics.TRANSACTIONAL) + marker(7, 8, 0)
                + batch(8, 1, 9, 0) + batch(9, 2, 7, topics.TRANSACTIONAL))
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "00000000000000000000.log"
            file.write_bytes(data + bytes(1000))  # Kafka makes room ahead
            self.assertEqual(topics.aborted_offsets(pathlib.Path(folder)), ({3, 4, 6}, 1))


class ProxyTest(unittest.TestCase):
    """Against a server that sends back what it gets."""

    def setUp(self):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.server.close)
        threading.Thread(target=self._serve, daemon=True).start()
        self.proxy = proxy.Proxy()
        self.addCleanup(self.proxy.close)
        self.proxy.forward_to(f"127.0.0.1:{self.server.getsockname()[1]}")

    def _serve(self):
        while True:
            try:
                connection, _ = self.server.accept()
            except OSError:
                return
            threading.Thread(target=self._echo, args=(connection,), daemon=True).start()

    @staticmethod
    def _echo(connection):
        with connection:
            try:
                while data := connection.recv(100):
                    connection.sendall(data)
            except OSError:
                pass

    def connect(self):
        client = socket.create_connection(("127.0.0.1", self.proxy.port), WAIT)
        self.addCleanup(client.close)
        client.sendall(b"hello")
        self.assertEqual(client.recv(5, socket.MSG_WAITALL), b"hello")
        return client

    def test_resets_connections_and_takes_new_ones(self):
        client = self.connect()
        self.proxy.reset()
        with self.assertRaises(ConnectionResetError):
            client.recv(1)
        self.connect()

    def test_silence_swallows_and_healing_resets(self):
        for directions in ({"up"}, {"down"}, {"up", "down"}):
            with self.subTest(directions):
                client = self.connect()
                self.proxy.silence(directions)
                client.sendall(b"lost")
                client.settimeout(0.2)
                with self.assertRaises(TimeoutError):
                    client.recv(1)
                client.settimeout(WAIT)
                self.proxy.heal()
                with self.assertRaises(ConnectionResetError):
                    client.recv(1)
                self.connect()

    def test_silence_for_some_leaves_the_others_alone(self):
        clients = [self.connect() for _ in range(12)]
        self.proxy.silence({"up", "down"}, random.Random(1))
        answered = 0
        for client in clients:
            client.settimeout(0.2)
            client.sendall(b"x")
            try:
                answered += client.recv(1) == b"x"
            except TimeoutError:
                pass
        self.assertTrue(0 < answered < 12, answered)


class StateHashTest(unittest.TestCase):
    """The program that compares states, built beside the service."""

    PROGRAM = os.environ.get("CHAOS_STATE_HASH", "")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        header = (processes.ROOT / "plugin/judge/fold_version.h").read_text()
        fold_version = int(re.search(r"kFoldVersion = (\d+)", header)[1])
        self.entries = [parameters(fold_version=fold_version), page(0, "a"), page(1, "b", b"b", 0xff), page(2, "c"),
                        page(3, "a", b"d", 0xff00)]

    def run_program(self, log, *directories):
        scratch = tempfile.mkdtemp(dir=self.folder)
        path = self.folder / "log"
        with path.open("wb") as out:
            rounds.write_log(out, [(o, e.SerializeToString()) for o, e in enumerate(log)])
        done = subprocess.run([self.PROGRAM, path, scratch, *directories], capture_output=True,
                              text=True)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        return scratch, done, [(line["offset"], line["hash"] == line["refold"]) for line in lines]

    @unittest.skipUnless(PROGRAM, "CHAOS_STATE_HASH names no program")
    def test_states_of_the_same_log_are_equal_at_every_offset(self):
        whole, part, nothing = (self.run_program(self.entries[:n])[0] for n in (5, 3, 0))
        self.assertEqual(self.run_program(self.entries, whole, part, nothing)[2],
                         [(-1, True), (2, True), (4, True)])

    @unittest.skipUnless(PROGRAM, "CHAOS_STATE_HASH names no program")
    def test_state_of_another_history_differs(self):
        state = self.run_program(self.entries)[0]
        self.entries[2].page.simhash ^= 1
        self.assertEqual(self.run_program(self.entries, state)[2], [(4, False)])

    @unittest.skipUnless(PROGRAM, "CHAOS_STATE_HASH names no program")
    def test_state_ahead_of_the_log_is_an_error(self):
        state = self.run_program(self.entries)[0]
        _, done, compared = self.run_program(self.entries[:4], state)
        self.assertEqual((done.returncode, compared), (1, []))


class ServiceLibraryTest(unittest.TestCase):
    """A script takes the place of the service: Python, which loads librdkafka too."""

    SCRIPT = """#!/bin/sh
%s
exec /usr/bin/python3 -c 'import confluent_kafka, time; print("ready", flush=True); time.sleep(%d)'
"""

    def start(self, first_line):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        folder = pathlib.Path(folder.name)
        program = folder / "crawlsieve"
        program.write_text(self.SCRIPT % (first_line, WAIT))
        program.chmod(0o755)
        (folder / "lib").mkdir()
        maps = pathlib.Path("/proc/self/maps").read_text()  # rounds imports confluent_kafka
        shutil.copy(re.search(r"/\S*librdkafka\.so\.1\S*", maps)[0], folder / "lib/librdkafka.so.1")
        service = processes.Service(folder, folder, "s", [], {"service": {}}, {}, random.Random(1),
                                    folder / "lib")
        self.addCleanup(service.kill)
        service.start()
        log = folder / "s.log"
        processes.wait_until(lambda: "ready" in log.read_text(), WAIT, "the import")
        return service

    def test_the_library_in_the_given_folder_is_used(self):
        self.start("").check_librdkafka()

    def test_another_library_than_the_given_one_is_noticed(self):
        with self.assertRaises(processes.Stuck):
            self.start("unset LD_LIBRARY_PATH").check_librdkafka()


class PreloadTest(unittest.TestCase):
    """The preloaded library, under a program of our own; where it was built."""

    LIBRARY = os.environ.get("CHAOS_PRELOAD", "")

    def run_writer(self, fault, folder_of_fault="state-s"):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / folder_of_fault).mkdir()
            disk = faults.Disk(folder, "s")
            disk.fail_with(fault)
            done = subprocess.run(
                ["/usr/bin/python3", "-c", "import os, sys\n"
                 "file = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)\n"
                 "assert os.write(file, b'12345678') == 8\nos.fsync(file)",
                 folder / folder_of_fault / "file"],
                env={**os.environ, "LD_PRELOAD": self.LIBRARY, **disk.environment}, capture_output=True, text=True)
            return done.returncode, done.stderr

    @unittest.skipUnless(LIBRARY, "CHAOS_PRELOAD names no library")
    def test_writes_below_the_folder_fail_while_they_are_to(self):
        self.assertEqual(self.run_writer(0), (0, ""))
        for fault in (errno.ENOSPC, errno.EIO):
            code, said = self.run_writer(fault)
            self.assertEqual(code, 1)
            self.assertIn(os.strerror(fault), said)

    @unittest.skipUnless(LIBRARY, "CHAOS_PRELOAD names no library")
    def test_writes_elsewhere_go_on(self):
        self.assertEqual(self.run_writer(errno.EIO, "elsewhere"), (0, ""))

    @unittest.skipUnless(LIBRARY, "CHAOS_PRELOAD names no library")
    def test_wall_clock_is_shifted_and_no_other(self):
        def clocks(shift):
            return [float(x) for x in subprocess.run(
                ["/usr/bin/python3", "-c", "import time; print(time.time(), time.monotonic())"],
                env={**os.environ, "LD_PRELOAD": self.LIBRARY, "CHAOS_CLOCK_SHIFT": str(shift)},
                capture_output=True, text=True, check=True).stdout.split()]
        (wall, monotonic), (ahead, later) = clocks(0), clocks(1000)
        self.assertLess(abs(ahead - wall - 1000), 60)
        self.assertLess(later - monotonic, 60)

    @unittest.skipUnless(LIBRARY, "CHAOS_PRELOAD names no library")
    def test_a_wait_takes_as_long_by_a_shifted_clock(self):
        """Whichever functions of the C library say what time it is and wait."""
        program = """if True:
            import ctypes, sys, time
            class Timespec(ctypes.Structure):
                _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]
            libc, wait = ctypes.CDLL(None), 1
            mutex, condition = ctypes.create_string_buffer(64), ctypes.create_string_buffer(64)
            asks = (lambda now: libc.clock_gettime(0, now), lambda now: libc.timespec_get(now, 1))
            for ask in asks:
                for wait_until in (libc.pthread_cond_timedwait, libc.cnd_timedwait):
                    deadline = Timespec()
                    ask(ctypes.byref(deadline))
                    deadline.seconds += wait
                    begin = time.monotonic()
                    libc.pthread_mutex_lock(mutex)
                    wait_until(condition, mutex, ctypes.byref(deadline))
                    libc.pthread_mutex_unlock(mutex)
                    print(time.monotonic() - begin)
        """
        for shift in (-1000, -2, 0, 2, 1000):
            done = subprocess.run(
                ["/usr/bin/python3", "-c", program], timeout=30, capture_output=True, text=True,
                env={**os.environ, "LD_PRELOAD": self.LIBRARY, "CHAOS_CLOCK_SHIFT": str(shift)})
            waits = [float(x) for x in done.stdout.split()]
            self.assertEqual(len(waits), 4, done.stderr)
            for took in waits:
                self.assertGreater(took, 0.9, shift)


if __name__ == "__main__":
    unittest.main()
