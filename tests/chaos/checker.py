"""Compares what came out with what went in. Knows topics and documents, nothing of the service."""

import collections
import dataclasses
import json

import oracle

ERRORS = "__crawlsieve.errors."
VOLATILE = ("processed_at", "instance", "attrs")


@dataclasses.dataclass
class Record:
    """One record of a topic."""

    partition: int
    offset: int
    key: bytes = None
    value: bytes = None
    headers: dict = dataclasses.field(default_factory=dict)  # text: bytes


@dataclasses.dataclass
class Streams:
    """Everything that a round left in its topics. All lists are in the order of their topic."""

    topic: str  # of the input
    inputs: list  # of Record
    log: list  # of (offset, entry)
    verdicts: list  # of Record: what a reader of committed records gets now
    dead_letters: list  # of Record
    seen: list  # offsets of verdicts, as a reader got them that ran all the while
    aborted: set  # offsets of verdicts that the broker's own files mark as aborted
    committed_inputs: dict  # partition: offset up to which group `extract` is done
    committed_log: int  # offset up to which group `judge` is done
    scores: list = dataclasses.field(default_factory=list)  # of Record: what a reader gets now
    scores_of_fold: object = None  # values: what a fold of the log without faults says of scores;
    #                                None: they aren't compared
    scores_may_repeat: bool = False
    may_lack: frozenset = frozenset()  # members that a verdict without anything to say may lack


@dataclasses.dataclass
class Counts:
    """What was wrong; all zeros when nothing was."""

    lost: int = 0  # records below the committed offset without verdict or dead letter
    duplicated: int = 0  # verdicts too many: second ones, and those above the committed offset
    aborted_seen: int = 0  # records of aborted transactions that a reader of committed ones got
    out_of_order: int = 0  # verdicts that don't stand in the order of the log
    verdict_mismatches: int = 0  # verdicts and dead letters that say something else than they must
    score_mismatches: int = 0  # scores of URLs that are missing, too many, or not what they must be
    examples: list = dataclasses.field(default_factory=list)

    def add(self, name, example):
        setattr(self, name, getattr(self, name) + 1)
        if len(self.examples) < 20:
            self.examples.append(f"{name}: {example}")

    def totals(self):
        return {field.name: getattr(self, field.name)
                for field in dataclasses.fields(self) if field.name != "examples"}


def check(streams):
    counts = Counts()
    inputs = {(r.partition, r.offset): r for r in streams.inputs}
    verdicts = [(r, json.loads(r.value)) for r in streams.verdicts]
    _check_aborted(streams, counts)
    _check_order(verdicts, counts)
    expected = _check_fold(streams, verdicts, counts)
    _check_inputs(streams, inputs, verdicts, expected, counts)
    _check_dead_letters(streams, inputs, counts)
    if streams.scores_of_fold is not None:
        _check_scores(streams, expected, counts)
    return counts


def check_with_losses(streams, before, alarms):
    """The same where brokers have lost what they acknowledged. `before`: by place, verdicts of
    entries that the log has lost since. `alarms`: (partition, from, to) of input offsets that the
    service has named. `lost` counts records that nothing answers and nothing names. A second
    verdict is no wrong one, but counted: the log lost the entry of the first."""
    counts = Counts()
    verdicts = [(r, json.loads(r.value)) for r in streams.verdicts]
    _check_aborted(streams, counts)
    _check_order(verdicts, counts)
    judge = oracle.Oracle()
    right = {place: list(wanted) for place, wanted in before.items()}
    for offset, entry in streams.log:
        if offset >= streams.committed_log:
            break
        verdict = judge.fold(entry)
        if verdict is not None:
            right.setdefault(_place(verdict), []).append(verdict)
    for record, verdict in verdicts:
        got = {name: value for name, value in verdict.items() if name not in VOLATILE}
        if got not in right.get(_place(verdict), []):
            counts.add("verdict_mismatches", f"verdict record {record.offset} for input "
                       f"{_place(verdict)} is none that an entry of the log asked for")
    answered = collections.Counter(_place(verdict) for _, verdict in verdicts)
    dead = {_dead_letter_place(letter) for letter in streams.dead_letters}
    inputs = {(r.partition, r.offset): r for r in streams.inputs}
    for place in inputs:
        partition, offset = place
        is_named = any(p == partition and start <= offset <= end for p, start, end in alarms)
        if answered[place] > 1:
            counts.add("duplicated", f"input {place}: {answered[place]} verdicts")
        elif answered[place] + (place in dead) == 0 and not is_named:
            counts.add("lost", f"input {place}: neither answered nor named")
    for record, verdict in verdicts:
        asked = inputs.get(_place(verdict))
        if asked is None or not _is_about(verdict, asked):
            counts.add("verdict_mismatches", f"verdict record {record.offset} is not about input "
                       f"{_place(verdict)}")
    _check_dead_letters(streams, inputs, counts)
    return counts


def _place(verdict):
    return verdict["source"]["partition"], verdict["source"]["offset"]


def _check_aborted(streams, counts):
    committed = {r.offset for r in streams.verdicts}
    for offset in sorted(set(streams.seen) | committed):
        if offset in streams.aborted:
            counts.add("aborted_seen", f"verdict record {offset} was aborted, a reader got it")
        elif offset not in committed:
            counts.add("aborted_seen", f"verdict record {offset} was read, and is not there now")
    previous = -1
    for offset in streams.seen:
        if offset <= previous:
            counts.add("duplicated", f"a reader got verdict record {offset} after {previous}")
        previous = max(previous, offset)


def _check_order(verdicts, counts):
    sequence = 0
    last = {}
    for record, verdict in verdicts:
        partition, offset = _place(verdict)
        if verdict["sequence"] <= sequence or offset <= last.get(partition, -1):
            counts.add("out_of_order", f"verdict record {record.offset}: sequence "
                       f"{verdict['sequence']} after {sequence}, input {partition}/{offset} "
                       f"after {last.get(partition, -1)}")
        sequence = max(sequence, verdict["sequence"])
        last[partition] = max(offset, last.get(partition, -1))


def _check_fold(streams, verdicts, counts):
    """Each verdict is what the oracle says. Returns what it says, by place in the input."""
    judge = oracle.Oracle()
    expected = {}
    for offset, entry in streams.log:
        if offset >= streams.committed_log:
            break
        verdict = judge.fold(entry)
        if verdict is not None:
            expected[_place(verdict)] = verdict
    for record, verdict in verdicts:
        place = _place(verdict)
        wanted = expected.get(place)
        got = {name: value for name, value in verdict.items() if name not in VOLATILE}
        if wanted is None:
            counts.add("duplicated", f"verdict record {record.offset} for input {place}: no entry "
                       "of the log below the judge's committed offset asks for it")
        elif got != (wanted := {n: v for n, v in wanted.items()
                                if n in got or v is not None or n not in streams.may_lack}):
            names = [n for n in wanted if got.get(n) != wanted[n]] or sorted(set(got) - set(wanted))
            counts.add("verdict_mismatches", f"input {place}, {names}: "
                       f"{[got.get(n) for n in names]} instead of {[wanted.get(n) for n in names]}")
    return expected


def _check_scores(streams, expected, counts):
    """They are those of a fold without faults, byte for byte and in their order; and what they say
    of pages is what the oracle says. It doesn't know which pages a site shows for what it doesn't
    have: any with text may be one."""
    got, wanted = [record.value for record in streams.scores], streams.scores_of_fold
    if streams.scores_may_repeat:
        got, wanted = sorted(set(got)), sorted(set(wanted))
    for i, (one, other) in enumerate(zip(got, wanted)):
        if one != other:
            counts.add("score_mismatches", f"score record {i}: {one} instead of {other}")
            break
    if len(got) != len(wanted):
        counts.add("score_mismatches", f"{len(got)} scores instead of {len(wanted)}")
    with_text = {verdict["sequence"]: verdict["reason"] for verdict in expected.values()
                 if verdict["fingerprint"]["simhash"] is not None}
    of_pages = {}
    for record in map(json.loads, got):
        if record["fetched"]:
            sequence, reason = record["sequence"], record["reason"]
            if reason == "soft_error":
                reason = with_text.get(sequence, reason)
            of_pages.setdefault(sequence, []).append((record["url"], record["next_fetch"], reason))
    right = {verdict["sequence"]: [(verdict["canonical_url"], verdict["recrawl"]["next_fetch"],
                                    verdict["reason"])]
             for verdict in expected.values()
             if verdict["recrawl"] is not None and verdict["reason"] != "outdated"}
    for sequence in sorted(set(of_pages) | set(right)):
        if of_pages.get(sequence) != right.get(sequence):
            counts.add("score_mismatches", f"sequence {sequence}: {of_pages.get(sequence)} instead "
                       f"of {right.get(sequence)}")


def _check_inputs(streams, inputs, verdicts, expected, counts):
    """One verdict or dead letter for each record that is done, and about that record."""
    verdict_count = collections.Counter(_place(verdict) for _, verdict in verdicts)
    dead = {_dead_letter_place(letter) for letter in streams.dead_letters}
    waiting = {(entry.page.source.partition, entry.page.source.offset)
               for offset, entry in streams.log
               if offset >= streams.committed_log and entry.WhichOneof("body") == "page"
               and not entry.page.source.is_position}
    for place in inputs:
        partition, offset = place
        answers = verdict_count[place] + (place in dead)
        if answers > 1:
            counts.add("duplicated", f"input {place}: {verdict_count[place]} verdicts"
                       + (" and a dead letter" if place in dead else ""))
        elif answers == 0 and place in expected:
            counts.add("lost", f"input {place}: judged, but there is no verdict")
        elif answers == 0 and place not in waiting:
            if offset < streams.committed_inputs.get(partition, 0):
                counts.add("lost", f"input {place}: committed, without an answer")
    for record, verdict in verdicts:
        asked = inputs.get(_place(verdict))
        if asked is None or verdict["source"]["topic"] != streams.topic:
            counts.add("duplicated", f"verdict record {record.offset} for {verdict['source']}, "
                       "which is not in the input")
        elif not _is_about(verdict, asked):
            counts.add("verdict_mismatches", f"input {_place(verdict)}: the verdict is about "
                       f"another record: {verdict['url']}")


def _is_about(verdict, record):
    if record.value is None:
        return verdict["url"] == record.key.decode() and verdict["attrs"] is None
    if record.headers.get("crawlsieve-format") == b"warc":
        return verdict["url"] == record.key.decode() and verdict["attrs"] is None
    page = json.loads(record.value)
    return verdict["url"] == page["url"] and verdict["attrs"] == page.get("attrs")


def _dead_letter_place(record):
    return (int(record.headers[ERRORS + "partition"]), int(record.headers[ERRORS + "offset"]))


def _check_dead_letters(streams, inputs, counts):
    """The records that the feeder broke, no others, with every byte as it was."""
    for letter in streams.dead_letters:
        place = _dead_letter_place(letter)
        record = inputs.get(place)
        headers = {n: v for n, v in letter.headers.items() if not n.startswith(ERRORS)}
        identity = f"{streams.topic}-{place[0]}-{place[1]}"
        if record is None or (letter.key, letter.value, headers) != (
                record.key, record.value, record.headers):
            counts.add("verdict_mismatches", f"dead letter of {place} is not the record's bytes")
        elif record.headers.get("chaos-kind") != b"broken":
            counts.add("verdict_mismatches", f"input {place} is a dead letter, and not broken")
        elif letter.headers[ERRORS + "id"].decode() != identity:
            counts.add("verdict_mismatches", f"dead letter of {place} has another id")
