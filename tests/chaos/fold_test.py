"""Random histories, folded by the service's own fold and by the oracle: equal verdicts, field by
field. Both count in integers, so they agree to the last digit or one of them is wrong."""

import json
import os
import pathlib
import random
import struct
import subprocess
import tempfile
import unittest

import oracle
import schedule
from checker import VOLATILE
from oracle_test import NOON, log, parameters

HOUR = 3_600_000
STATUSES = (304, 304, 404, 404, 410, 500, 429, 301, 301, 308, 302, 302, 303, 307, 0, -3, 300, 403)
HOSTS = ("a.example", "b.example", "www.b.example", "other.org", "")


def url_of(number):
    """(URL, host): few hosts, and paths of many patterns."""
    host = HOSTS[number % len(HOSTS)]
    path = (f"/{number}", f"/news/{number}", f"/{'abcdefghijklmnop'[number % 16]}/x/{number}",
            f"/s?id={number}&page=2", "/")[number // 5 % 5]
    return (f"http://{host}{path}" if host else f"file:///{number}"), host


def history(seed, size, fold_version):
    """Entries of a log: every outcome, status and absurdity, at times that come out of order."""
    chance = random.Random(seed)
    scope = chance.choice([log.SCOPE_GLOBAL, log.SCOPE_HOST, log.SCOPE_CRAWL])
    changed = {"scope": scope, "cluster_budget": chance.choice([1, 2])}
    if chance.random() < 0.5:
        changed["preferred_url"] = [log.URL_PREFERENCE_SCORE, log.URL_PREFERENCE_SHORTER]
    entry = parameters(fold_version=fold_version, **changed)
    _set_schedule(entry, chance)
    _set_retention(entry, chance)
    yield entry
    fetched = []  # (URL, time)
    now = NOON
    for offset in range(size):
        now += chance.choice([0, 1, 60_000, HOUR, HOUR, 20 * HOUR])
        if chance.random() < 0.002:
            again = parameters(fold_version=fold_version, **changed)
            _set_schedule(again, chance)
            _set_retention(again, chance)
            yield again
        if fold_version >= 8 and chance.random() < 0.02:
            yield _purge(chance)
        if chance.random() < 0.02:
            yield _position(offset + chance.randrange(-30, 3))
        if chance.random() < 0.1:
            yield _question(offset + chance.randrange(-3, 3))
        if chance.random() < 0.98:  # else the log has lost it, or it comes late
            entry = _page(offset, now, chance, fetched)
            if entry.page.content_checksum or chance.random() < 0.1:
                fetched.append((entry.page.canonical_url, entry.page.fetch_time_ms))
            yield entry


def _position(offset):
    entry = log.Entry()
    entry.page.source.topic, entry.page.source.generation = "pages", 1
    entry.page.source.offset, entry.page.source.previous_offset = offset, offset - 1
    entry.page.source.is_position = True
    entry.page.scheme = "cs2-0000000000000000"
    entry.page.outcome = log.OUTCOME_DEAD_LETTER
    return entry


def _purge(chance):
    entry = log.Entry()
    entry.purge.id = str(chance.randrange(100))
    address, host = url_of(chance.randrange(60))
    kind = chance.choice(["url", "url", "url_prefix", "host", "crawl_id"])
    setattr(entry.purge, kind, {"url": address, "url_prefix": address[:len(address) - 1],
                                "host": host, "crawl_id": "monday"}[kind])
    return entry


def _set_retention(entry, chance):
    """Rows are looked for often and few at a time, so that a purge is under way for long."""
    if entry.parameters.fold_version < 8:
        return
    wanted = entry.parameters.retention
    wanted.expire_seconds = chance.choice([0, 3, 20]) * 86_400
    wanted.max_pages = chance.choice([0, 0, 8])
    wanted.sweep_entries, wanted.sweep_rows = chance.randrange(1, 9), chance.randrange(1, 6)


def _question(offset):
    """Of a topic of its own, and of that of the pages, whose marks it shares."""
    entry = log.Entry()
    question = entry.question
    question.source.topic = "asked" if offset % 4 else "pages"
    question.source.generation, question.source.partition = 1, 0 if offset % 4 else 7
    question.source.offset, question.source.previous_offset = offset, offset - 1
    question.scheme = "cs2-0000000000000000"
    question.url, question.host = url_of(offset % 60)
    return entry


def _set_schedule(entry, chance):
    wanted = entry.parameters.schedule
    wanted.fetches_a_day = chance.choice([0, 0, 5, 50])
    wanted.freshness = chance.choice([5000, 9000, 9900])
    wanted.min_seconds = chance.choice([60, 3600])
    wanted.max_seconds = chance.choice([30, 365]) * schedule.DAY
    for host, pattern in ((HOSTS[0], ""), (HOSTS[1], "/news/N"), ("", "/*"), ("", "/s?id&page")):
        if chance.random() < 0.5:
            wanted.bounds.add(host=host, pattern=pattern, min_seconds=chance.choice([1, 86_400]),
                              max_seconds=chance.choice([86_400, (1 << 64) - 1]))
    entry.parameters.priority.horizon_seconds = chance.choice(
        [0, 1, HOUR // 1000, 7 * schedule.DAY, 400 * schedule.DAY, (1 << 64) - 1])


def _revisit(page, fetched, chance):
    """The payload of a page of before, more often than not of a late one, or of none that was."""
    page.outcome = log.OUTCOME_REVISIT
    page.detail = "revisit_record"
    earlier, time = chance.choice(fetched[-30:] if chance.random() < 0.8 else fetched)
    kind = chance.random()
    if kind < 0.4:
        page.url, page.host = page.canonical_url, _ = earlier, page.host
    if kind < 0.8 or earlier != page.canonical_url:
        page.revisit_url = earlier
    if chance.random() < 0.9:
        page.revisit_time_ms = max(time + chance.choice([0, 0, 0, 0, 400, -5000]), -1 << 63)


def _page(offset, now, chance, fetched):
    entry = log.Entry()
    page = entry.page
    page.source.topic, page.source.generation = "pages", 1
    page.source.offset, page.source.previous_offset = offset, offset - 1
    page.source.timestamp_ms = chance.choice([now, now, now, now, 0])
    page.url, page.host = url_of(chance.randrange(60))
    page.canonical_url = page.url
    page.registered_domain_bytes = {"www.b.example": 9, "b.example": 9}.get(page.host, 0)
    page.path_depth = chance.randrange(4)
    page.crawl_id = chance.choice(["", "monday"])
    page.scheme = "cs2-0000000000000000"
    page.fetch_time_ms = now - chance.choice([0, 0, 1000, 3 * HOUR, 30 * HOUR])
    if chance.random() < 0.02 and page.source.timestamp_ms:
        page.fetch_time_ms = chance.choice([0, -1, 7_258_118_400_000, -(1 << 63)])
    kind = chance.random()
    if kind < 0.35:
        page.outcome = log.OUTCOME_ERROR_STATUS
        status = chance.choice(STATUSES)
        page.detail = str(status)
        if chance.random() < 0.7:
            page.status = status
        if chance.random() < 0.3:
            page.retry_after_seconds = chance.choice([0, 60, 86_400, 31_536_000, (1 << 64) - 1])
        if chance.random() < 0.8:
            page.redirect_target, page.redirect_host = url_of(
                chance.choice([0, 1, 2, 3, chance.randrange(70)]))
    elif kind < 0.39:
        page.outcome = log.OUTCOME_DELETED
    elif kind < 0.44:
        page.outcome = log.OUTCOME_NOT_EVALUATED
        page.detail = chance.choice(["missing_body", "parse_time"])
    elif kind < 0.56 and fetched:
        _revisit(page, fetched, chance)
    else:
        content = chance.randrange(40)
        page.outcome = chance.choice([log.OUTCOME_TEXT] * 9 + [log.OUTCOME_NOT_HTML])
        page.content_checksum = bytes([content, page.outcome]) * 8
        page.was_redirected = chance.random() < 0.1
        if page.outcome == log.OUTCOME_TEXT:
            page.features = chance.choice([3, 100, 100, 100])
            page.simhash = (content % 8 * 0x0123456789abcdef ^ 1 << content) & (1 << 64) - 1
            page.shingles = page.features
            page.sketch.extend([0] * 7)
        if offset % 5 == 0:
            _set_payload(page, offset)
    return entry


def _set_payload(page, offset):
    """No verdict depends on it."""
    payload = page.payload
    payload.sha1, payload.bytes = bytes([offset % 256]) * 20, offset
    if offset % 2:
        payload.sha256, payload.media_type = bytes([offset % 256]) * 32, "text/html"
        payload.file, payload.offset, payload.length = "a.warc", offset, offset % 3


def folded(entries, folder):
    """The service's verdict records."""
    path = pathlib.Path(folder) / "log"
    with path.open("wb") as out:
        for offset, entry in enumerate(entries):
            data = entry.SerializeToString()
            out.write(struct.pack("<qI", offset, len(data)) + data)
    run = subprocess.run([os.environ["CHAOS_FOLD_LOG"], path, pathlib.Path(folder) / "state"],
                         check=True, stdout=subprocess.PIPE)
    return [json.loads(line) for line in run.stdout.splitlines()]


class FoldTest(unittest.TestCase):
    def compare(self, seed, size, fold_version):
        entries = list(history(seed, size, fold_version))
        for entry in entries:
            if entry.WhichOneof("body") == "parameters":
                entry.parameters.scheme = "cs2-0000000000000000"
        judge = oracle.Oracle()
        wanted = [verdict for verdict in map(judge.fold, entries) if verdict is not None]
        with tempfile.TemporaryDirectory() as folder:
            got = folded(entries, folder)
        self.assertEqual(len(got), len(wanted))
        for verdict, expected in zip(got, wanted):
            verdict = {name: value for name, value in verdict.items() if name not in VOLATILE}
            self.assertEqual(verdict, expected, f"seed {seed}, sequence {expected['sequence']}")
        return wanted

    def test_oracle_and_service_give_the_same_verdicts(self):
        met, revisits = set(), set()
        for fold_version in (4, 5, 6, 6, 7, 7, 7, 8, 8, 9, 10, 11, 12):
            seed = len(met) + fold_version * 100
            with self.subTest(seed=seed, fold_version=fold_version):
                verdicts = self.compare(seed, 1500, fold_version)
                met |= {verdict["reason"] for verdict in verdicts}
                revisits |= {(verdict["reason"], (verdict["match"] or {}).get("kind"))
                             for verdict in verdicts if verdict["detail"] == "revisit_record"}
        self.assertEqual(met, set(oracle.TABLE))
        revisits.discard(("unchanged", "near"))  # rare
        self.assertEqual(revisits, {
            ("unchanged", "exact"), ("exact_duplicate", "exact"), ("near_duplicate", "near"),
            ("cluster_budget", "exact"), ("too_short", None), ("outdated", None),
            ("not_evaluated", None)})

    def test_they_do_over_a_history_that_solves_the_threshold_many_times(self):
        intervals = {verdict["recrawl"]["interval_seconds"]
                     for verdict in self.compare(7, 10_000, 8) if verdict["recrawl"]}
        self.assertGreater(len(intervals), 500)


if __name__ == "__main__":
    unittest.main()
