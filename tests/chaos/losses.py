"""Rounds of `--kind log-loss`: between stop and start, entries of the log, input records and group
offsets are taken away, as by brokers that lost them. See docs/chaos_campaigns.md."""

import collections
import json
import shutil

import checker
import librdkafka
import oracle
import processes
import rounds
import topics

TAKEN = ("log", "records", "offsets")
ALARMS = ("judge.input_gap", "judge.open_gap", "extract.deleted_unread")
LONGEST_TAIL = 200  # entries of the log that are taken away at once, at most


def cut_tail(directory, count):
    """Takes about `count` records from the end of a partition whose broker was killed: whole
    batches, and what the broker would make again from them. How many were taken."""
    path = sorted(directory.glob("*.log"))[-1]
    data = path.read_bytes()
    batches, position = [], 0
    while position + topics.HEADER.size <= len(data):
        (_, length, _, _, _, _, last_delta, *_) = topics.HEADER.unpack_from(data, position)
        if length <= 0 or position + 12 + length > len(data):
            break
        batches.append((position, last_delta + 1))
        position += 12 + length
    taken = 0
    while len(batches) > 1 and taken < count:  # the first holds the judging parameters
        position, size = batches.pop()
        taken += size
    with path.open("r+b") as file:
        file.truncate(position)
    for pattern in ("*.index", "*.timeindex", "*.snapshot", "leader-epoch-checkpoint"):
        for derived in directory.glob(pattern):
            derived.unlink()
    return taken


class LossRound(rounds.Round):
    """A round whose faults take something away. What was answered before it was taken stays
    answered, and what has no answer must be named by an alarm."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self._gone = {}  # input records that were deleted, by place
        self._before = collections.defaultdict(list)  # verdicts of entries that the log lost
        self.taken = collections.Counter()

    def result(self):
        return {**super().result(), **{f"taken_{name}": self.taken[name] for name in TAKEN},
                "alarms": len(self._alarms())}

    def _options(self, delivery, address):
        options = super()._options(delivery, address)
        options["log"] = {"level": "info", "format": "json"}
        return options

    # --- taking away -------------------------------------------------------------------------

    def _torture(self):
        share = self._pages // (self._kills + 1)
        for i in range(self._kills):
            before, asked = self._reader.count, self._asked
            self._allow(asked + share)
            wanted = before + self._rng.randrange(1, max(2, share * 7 // 10))
            self._wait(lambda: self._reader.count >= wanted or self._is_idle(), "work to interrupt")
            self._injector.faults += 1
            if self._rng.random() < 0.5:
                self._injector.kill_all()
            else:
                for service in self._services:
                    service.stop()
            what = self._take_away()
            for service in self._services:
                service.start()
            self._say(f"loss {i + 1}/{self._kills}: {what}")

    def _is_idle(self):
        return self._asked >= self._allowed and self._is_read() and self._is_judged()

    def _is_read(self):
        """All partitions are read to their ends, as far as there is anything to read."""
        pages = self._names["pages"]
        done = self._topics.committed(self._group + ".extract", pages)
        return all(done.get(p, 0) >= end or self._topics.begin(pages, p) >= end
                   for p, end in self._topics.ends(pages).items())

    def _is_judged(self):
        log = self._names["log"]
        done = self._topics.committed(self._group + ".judge", log)
        return done[0] >= self._topics.end(log) > 0

    def _take_away(self):
        names = [self._names["verdicts"], rounds.OFFSETS_TOPIC]
        processes.wait_until(lambda: not self._topics.held_up(names), 60,
                             "the end of open transactions")
        chosen = [name for name in TAKEN if self._rng.random() < 0.5] or ["log"]
        done = []
        for name in chosen:
            said = getattr(self, "_take_" + name)()
            if said:
                self.taken[name] += 1
                done.append(f"{name}: {said}")
        return "; ".join(done) or "nothing was there to be taken"

    def _take_log(self):
        """The end of the log, while the broker is down; then what docs/reliability.md says is to
        be done when the log lost entries."""
        log, group = self._names["log"], self._group + ".judge"
        committed = self._topics.committed(group, log)[0]
        entries = self._entries()
        self._broker.kill()
        taken = cut_tail(self._broker.data / f"{log}-0", self._rng.randint(1, LONGEST_TAIL))
        self._broker.start()
        end = self._topics.end(log)
        self._remember_verdicts(entries, end, committed)
        if committed <= end:
            return f"{taken} entries, from {end} on, none of them judged"
        for service in self._services:
            if service.is_judge and service.state_directory.exists():
                shutil.rmtree(service.state_directory)
        self._topics.commit(group, log, end)
        return f"{taken} entries, from {end} on, judged up to {committed}"

    def _remember_verdicts(self, entries, begin, committed):
        judge = oracle.Oracle()
        for offset, _, entry in entries:
            if offset >= committed:
                break
            verdict = judge.fold(entry)
            if verdict is not None and offset >= begin:
                place = (entry.page.source.partition, entry.page.source.offset)
                self._before[place].append(verdict)

    def _take_records(self):
        """The oldest records of some partitions, unread ones among them."""
        pages = self._names["pages"]
        done = self._topics.committed(self._group + ".extract", pages)
        below = {}
        for partition, end in self._topics.ends(pages).items():
            if self._rng.random() < 0.3 and end > 0:
                below[partition] = min(end, done.get(partition, 0) + self._rng.randint(-5, 15))
        below = {p: offset for p, offset in below.items()
                 if offset > self._topics.begin(pages, p)}
        if not below:
            return ""
        for record in self._topics.read(pages):
            if record.offset < below.get(record.partition, 0):
                self._gone[record.partition, record.offset] = record
        if not librdkafka.delete_records(self._broker.address, pages, below):
            raise processes.Stuck("records could not be deleted")
        return f"below {below}, of which {done} were read"

    def _take_offsets(self):
        """The extract group's, of some partitions."""
        pages = self._names["pages"]
        partitions = [p for p in range(rounds.PARTITIONS) if self._rng.random() < 0.5] or [0]
        processes.wait_until(  # members that were killed are there until their session ends
            lambda: librdkafka.delete_group_offsets(self._broker.address,
                                                    self._group + ".extract", pages, partitions),
            30, "the deletion of group offsets")
        return f"of partitions {partitions}"

    # --- checks ------------------------------------------------------------------------------

    def _check_halted(self):
        """Losses end with a stop or a kill anyway."""

    def _finish(self, feeding):
        self._allow(self._pages)
        self._wait(lambda: not feeding.is_alive(), "the end of feeding")
        self._wait(self._is_read, "the end of the pages")
        self._wait(self._is_judged, "the end of the log")
        last = self._topics.read(self._names["verdicts"])[-1].offset
        self._wait(lambda: self._reader.offsets[-1] >= last, "the last verdict")
        for service in self._services:
            if service.is_running and service.stop() != 0:
                raise processes.Stuck(f"{service.name} did not end well when told to stop")

    def _alarms(self):
        """(partition, from, to) of every range of input offsets that an alarm has named."""
        named = []
        for service in self._services:
            if not service.log.exists():
                continue
            for line in service.log.read_text(errors="replace").splitlines():
                if not line.startswith("{"):
                    continue
                fields = json.loads(line)
                if fields.get("event") in ALARMS and fields["topic"] == self._names["pages"]:
                    named.append((fields["partition"], fields["from"], fields["to"]))
        return named

    def _judge_streams(self, streams):
        everything = {**self._gone, **{(r.partition, r.offset): r for r in streams.inputs}}
        streams.inputs = list(everything.values())
        return checker.check_with_losses(streams, self._before, self._alarms())
