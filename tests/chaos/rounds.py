"""One round: topics of its own, pages, faults, and the check of everything that came out."""

import json
import pathlib
import random
import shutil
import struct
import subprocess
import threading
import time

import confluent_kafka

import checker
import faults
import feeder
import processes
import topics

PARTITIONS = 16
ROLES = [["extract", "judge"], ["extract"], ["judge"], ["extract", "judge"]]
PROGRESS_SECONDS = 60  # what is promised after a fault has healed
STUCK_SECONDS = 240  # when a round is given up
MAX_BUSY = 400  # verdicts still to be given when a fault strikes, at most
OFFSETS_TOPIC = "__consumer_offsets"


def write_log(out, entries):
    """(offset, bytes) of each entry, as chaos_state_hash reads them."""
    for offset, value in entries:
        out.write(struct.pack("<qI", offset, len(value)) + value)


class Round:
    """Runs in `directory`, on a broker that others may share. Not to be used twice."""

    OTHERS = (0, 3)  # processes of another build, where one is given
    UNFED = ()  # kinds of records that aren't fed

    def __init__(self, build, directory, broker, proxy, kind, seed, pages, kills, process_count,
                 delivery, entry_class, feed, say, librdkafka=None, client=None, other=None,
                 purges=False):
        self._build = build
        self._other = other
        self._directory = directory
        self._broker = broker
        self._proxy = proxy
        self._kind = kind
        self._delivery = delivery
        self._seed = seed
        self._pages = pages
        self._kills = kills
        self._entry_class = entry_class
        self._feed = feed
        self._say = say
        self._rng = random.Random(f"{seed}/round")
        self._names = {name: f"{name}-{seed}" for name in ("pages", "log", "verdicts", "scores")}
        self._dead_letters = self._names["pages"] + ".dlq"
        self._group = f"chaos-{seed}"
        self._client = client or {}
        self._purges = purges
        self._topics = topics.Topics(broker.address)
        self._reader = None
        self._open_gate = threading.Condition()
        # Each fault has so much work to interrupt, and as much again to recover with.
        self._busy = min(MAX_BUSY, pages * 85 // 100 // (2 * kills + 2))
        self._allowed = 0  # verdicts that may be asked for
        self._asked = 0  # verdicts that were asked for: the broken records get none
        self._all_fed = False
        self._feeding = True
        self.slow_recoveries = 0
        self.idle_faults = 0
        self.longest_recovery = 0.0
        self.counts = {}
        self.examples = []

        directory.mkdir(parents=True)
        options = self._options(delivery, broker.address if proxy is None
                                else f"127.0.0.1:{proxy.port}")
        self._services, disks = [], {}
        for i in range(process_count):
            name, environment = f"s{i}", {}
            if "judge" in ROLES[i]:
                disks[name] = faults.Disk(directory, name)
                environment = disks[name].environment
            self._services.append(processes.Service(
                build, directory, name, ROLES[i], options, environment,
                random.Random(f"{seed}/clock/{i}"), librdkafka))
        for i in self.OTHERS if other else ():
            if i < process_count:
                self._services[i].take_program_of(other)
        self._services += self._more_services(options)
        self._injector = self._make_injector(disks)

    def _wait_for_rules(self):
        """Whoever comes first says by which rules the log is judged."""
        self._wait(lambda: self._topics.ends(self._names["log"]) != {0: 0}, "the first entry")

    def _more_services(self, _options):
        """Those of rounds of another kind, begun after the first one."""
        return []

    def _make_injector(self, disks):
        return faults.Injector(self._kind, self._seed, self._broker, self._proxy, self._services,
                               disks)

    def run(self):
        """Raises Stuck when the service did not go on; else `counts` says what was wrong."""
        feeding = threading.Thread(target=self._feed_pages, name="feeder")
        try:
            self._topics.create(self._names["pages"], PARTITIONS)
            self._services[0].start()  # a judge, which makes the topics
            self._wait(lambda: self._topics.partitions(self._dead_letters) > 0, "the topics")
            self._wait_for_rules()
            self._services[0].check_librdkafka()
            for service in self._services[1:]:
                service.start()
            self._reader = topics.Reader(self._broker.address, self._names["verdicts"])
            feeding.start()
            self._torture()
            self._check_halted()
            self._finish(feeding)
            self._check_finished()
        finally:
            self._stop_feeding(feeding)
            for service in self._services:
                service.kill()
            if self._reader is not None:
                self._reader.close()

    def close(self):
        """Leaves nothing behind on the broker."""
        self._topics.delete([name for name in (*self._names.values(), self._dead_letters)
                             if self._topics.partitions(name) > 0])
        self._topics.close()

    def result(self):
        return {"kills": self._injector.kills, "faults": self._injector.faults, **self.counts,
                "longest_gap_s": round(self._reader.longest_gap if self._reader else 0.0, 1),
                "longest_recovery_s": round(self.longest_recovery, 1),
                "slow_recoveries": self.slow_recoveries, "idle_faults": self.idle_faults,
                "ended_by_themselves": sum(len(s.unexpected) for s in self._services),
                "crashes": sum(code < 0 for s in self._services for code in s.unexpected)}

    # --- what runs ---------------------------------------------------------------------------

    def _options(self, delivery, address):
        """Time-outs short enough for a zombie a few seconds old."""
        transaction = faults.TRANSACTION_MS
        return {
            "kafka": {
                "bootstrap_servers": address, "group": self._group,
                "delivery": delivery,
                "input": {"topics": [self._names["pages"]]},
                "log": {"topic": self._names["log"]},
                "verdicts": {"topic": self._names["verdicts"]},
                "scores": {"topic": self._names["scores"]},
                "commit": {"interval": f"{self._rng.choice((20, 50, 200))}ms",
                           "entries": self._rng.choice((20, 100, 500))},
                "client": {"socket.timeout.ms": "3000", "reconnect.backoff.max.ms": "500",
                           **self._client},
                "consumer": {"session.timeout.ms": str(faults.SESSION_MS),
                             "heartbeat.interval.ms": "250"},
                # Without lingering an open transaction has records in the broker, to be aborted.
                "producer": {"linger.ms": "0", "message.timeout.ms": str(transaction - 500),
                             "transaction.timeout.ms": str(transaction)}},
            # Small enough for files to be written between two faults; else only a stop writes any.
            "service": {"state_buffer": self._rng.choice(("64KiB", "256KiB", "1MiB")),
                        "shutdown_timeout": "10s"},
            "extract": {"threads": 1, "links": 20},
            "judge": {"sites": {"max": 1000},
                      # A purge is under way for hundreds of entries.
                      **({"retention": {"sweep_entries": self._rng.choice((7, 20)),
                                        "sweep_rows": self._rng.choice((3, 20)),
                                        "max_pages": self._rng.choice((0, 300))}}
                         if self._purges else {}),
                      "priority": {"horizon": self._rng.choice(("0s", "30d"))}},
            "index": {"expected_entries": 10_000, "shards": 4},
            "metrics": {"topic": ""}, "http": {"enabled": False}, "log": {"level": "info"}}

    def _supervise(self):
        for service in self._services:
            service.supervise(self._say)

    def _wait(self, condition, what, seconds=STUCK_SECONDS):
        def holds():
            try:
                return condition()
            except confluent_kafka.KafkaException:  # the broker can't be asked now
                return False

        processes.wait_until(holds, seconds, what, self._supervise)

    # --- feeding -----------------------------------------------------------------------------

    def _feed_pages(self):
        producer = confluent_kafka.Producer({
            "bootstrap.servers": self._broker.address, "enable.idempotence": True,
            "linger.ms": 5, "message.timeout.ms": 0, "reconnect.backoff.max.ms": 500,
            **topics.QUIET})
        for number in range(self._pages):
            with self._open_gate:
                self._open_gate.wait_for(lambda: self._allowed > self._asked or not self._feeding)
                if not self._feeding:
                    return
            partition, key, value, headers = self._feed.record(number)
            while True:
                try:
                    producer.produce(self._names["pages"], value, key, partition, headers=headers)
                    break
                except BufferError:
                    producer.poll(0.1)
            producer.poll(0)
            self._asked += dict(headers)[feeder.KIND_HEADER] != b"broken"
            if self._purges and number % feeder.PAGES_A_PURGE == feeder.PAGES_A_PURGE - 1:
                entry = self._feed.purge(number, self._entry_class())
                producer.produce(self._names["log"], entry.SerializeToString(), partition=0)
        self._all_fed = True
        while self._feeding and producer.flush(0.5) > 0:
            pass

    def _allow(self, verdicts):
        with self._open_gate:
            self._allowed = max(self._allowed, verdicts)
            self._open_gate.notify_all()

    def _stop_feeding(self, feeding):
        with self._open_gate:
            self._feeding = False
            self._open_gate.notify_all()
        if feeding.is_alive():
            feeding.join()

    # --- faults ------------------------------------------------------------------------------

    def _torture(self):
        """A fault each time that the verdicts have come so far, with more of them on their way."""
        span = self._pages * 85 // 100 - self._busy
        moments = sorted(self._rng.randrange(span // 50, span) for _ in range(self._kills))
        for i, moment in enumerate(moments):
            self._allow(moment)
            self._wait(lambda: self._reader.count >= moment or self._is_done(), f"verdict {moment}")
            self._ask_for_more()
            before = self._reader.count
            self.idle_faults += before >= self._asked
            what = self._injector.inject(self._supervise)
            recovery = self._recover(what)
            self._say(f"fault {i + 1}/{len(moments)}: {what}, at verdict {before} with "
                      f"{self._asked - before} to come, {recovery:.1f} s to the next verdict")

    def _ask_for_more(self):
        """Returns with work on its way, if there is some left."""
        start = self._asked
        self._allow(max(start, self._reader.count) + self._busy)
        self._wait(lambda: self._asked > start + self._busy // 2 or self._all_fed, "pages to feed")

    def _recover(self, what):
        """Seconds from now, when the fault has healed, to the next verdict."""
        healed = time.monotonic()
        before = self._reader.count
        if before >= self._asked:
            self._allow(before + self._busy)
        self._wait(lambda: self._reader.count > before or self._is_done(), f"a verdict after {what}")
        recovery = time.monotonic() - healed
        self.longest_recovery = max(self.longest_recovery, recovery)
        self.slow_recoveries += recovery > PROGRESS_SECONDS
        return recovery

    def _is_done(self):
        return self._all_fed and self._reader.count >= self._asked

    # --- checks ------------------------------------------------------------------------------

    def _check_halted(self):
        """Kills all of them at work; then nothing may be there that was not committed."""
        self._ask_for_more()
        self._injector.kill_all()
        self._check("halted")
        self._reader.forget_gap()
        for service in self._services:
            service.start()
        self._recover("the halt")

    def _finish(self, feeding):
        self._allow(self._pages)
        self._wait(lambda: not feeding.is_alive(), "the end of feeding")
        pages, log = self._names["pages"], self._names["log"]
        ends = self._topics.ends(pages)
        self._wait(lambda: self._topics.committed(self._group + ".extract", pages) == ends,
                   "the end of the pages")
        self._wait(lambda: self._topics.committed(self._group + ".judge", log) ==
                   self._topics.ends(log), "the end of the log")
        # Markers of transactions lie behind the last verdict, so the topic's end does not tell it.
        last = self._topics.read(self._names["verdicts"])[-1].offset
        self._wait(lambda: self._reader.offsets[-1] >= last, "the last verdict")
        for service in self._services:
            if service.is_running and service.stop() != 0:
                raise processes.Stuck(f"{service.name} did not end well when told to stop")

    def _check_finished(self):
        entries = self._check("finished")
        self.counts["state_mismatches"] = self._compare_states(entries)

    def _check(self, when):
        names = [self._names["verdicts"], self._names["scores"], self._names["log"],
                 self._dead_letters, OFFSETS_TOPIC]
        held_up = []

        def nothing_open():
            held_up[:] = self._topics.held_up(names)
            return not held_up

        try:
            processes.wait_until(nothing_open, 60, "the end of open transactions")
        except processes.Stuck:
            self.examples.append(f"hanging_transactions: {held_up}")
        entries = self._entries()
        aborted, transactions = topics.aborted_offsets(
            self._broker.data / f"{self._names['verdicts']}-0")
        streams = checker.Streams(
            topic=self._names["pages"],
            inputs=self._topics.read(self._names["pages"]),
            log=[(offset, entry) for offset, _, entry in entries],
            verdicts=self._topics.read(self._names["verdicts"]),
            dead_letters=self._topics.read(self._dead_letters),
            seen=list(self._reader.offsets),
            aborted=aborted,
            committed_inputs=self._topics.committed(self._group + ".extract",
                                                    self._names["pages"]),
            committed_log=self._topics.committed(self._group + ".judge", self._names["log"])[0],
            scores=self._topics.read(self._names["scores"]),
            scores_may_repeat=self._delivery == "at_least_once")
        streams.scores_of_fold = self._scores_of_fold(
            [(offset, value) for offset, value, _ in entries if offset < streams.committed_log])
        found = self._judge_streams(streams)
        self.examples += found.examples
        for name, count in {**found.totals(), "hanging_transactions": len(held_up)}.items():
            self.counts[name] = self.counts.get(name, 0) + count
        self.counts["aborted_transactions"] = transactions
        self.counts["aborted_records"] = len(aborted)
        sources = [e.page.source for _, _, e in entries if e.WhichOneof("body") == "page"]
        places = [(s.partition, s.offset) for s in sources if not s.is_position]
        self.counts["purges"] = sum(e.WhichOneof("body") == "purge" for _, _, e in entries)
        self.counts["repeated_entries"] = len(places) - len(set(places))
        self._say(f"{when}: {len(streams.inputs)} records, {len(entries)} log entries, "
                  f"{len(streams.verdicts)} verdicts, {len(streams.scores)} scores, "
                  f"{len(streams.dead_letters)} dead letters, "
                  f"{len(aborted)} aborted records in {transactions} aborted transactions: "
                  f"{found.totals()}")
        return [(offset, value) for offset, value, _ in entries]

    def _entries(self):
        """(offset, bytes, entry) of all that the log holds."""
        entries = []
        for record in self._topics.read(self._names["log"]):
            entry = self._entry_class()
            entry.ParseFromString(record.value or b"")
            entries.append((record.offset, record.value or b"", entry))
        return entries

    def _scores_of_fold(self, entries):
        """What a fold of the log that no fault ever touched says of scores."""
        log, scratch = self._directory / "log.bin", self._directory / "fold"
        with log.open("wb") as out:
            write_log(out, entries)
        done = subprocess.run([self._build / "bin/chaos_fold_log", log, scratch, "scores"],
                              check=True, stdout=subprocess.PIPE, timeout=600)
        shutil.rmtree(scratch, ignore_errors=True)
        return done.stdout.splitlines()

    @staticmethod
    def _judge_streams(streams):
        return checker.check(streams)

    def _compare_states(self, entries):
        """How many states differ from a fold of the log that no fault ever touched."""
        log = self._directory / "log.bin"
        with log.open("wb") as out:
            write_log(out, entries)
        scratch = self._directory / "refold"
        directories = [s.state_directory for s in self._services
                       if s.is_judge and s.state_directory.exists()]
        done = subprocess.run(
            [self._build / "bin/chaos_state_hash", log, scratch, *directories],
            capture_output=True, text=True, timeout=600)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        mismatches = len(directories) - len(lines)
        if done.returncode != 0:
            self.examples.append(f"state_mismatches: {done.stderr.strip()}")
        for line in lines:
            if line["hash"] != line["refold"]:
                mismatches += 1
                self.examples.append(f"state_mismatches: {line}")
        covered = ", ".join(f"{pathlib.Path(line['directory']).name} up to {line['offset']}"
                            for line in lines)
        self._say(f"states: {covered}: {mismatches} differ from a refold")
        shutil.rmtree(scratch, ignore_errors=True)
        return mismatches
