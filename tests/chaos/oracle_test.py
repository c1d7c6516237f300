"""Each rule of docs/verdicts.md by an example worked out by hand."""

import datetime
import pathlib
import tempfile
import unittest

import entries
import oracle

_folder = tempfile.TemporaryDirectory()
log = entries.load(pathlib.Path(_folder.name))
NOON = 1_772_366_400_000  # 2026-03-01T12:00:00Z


def parameters(**changed):
    entry = log.Entry()
    entry.parameters.fold_version = 4
    entry.parameters.same_item_similarity = oracle.ONE
    entry.parameters.max_distance = 3
    entry.parameters.min_similarity = 7500
    entry.parameters.max_candidates = 16
    entry.parameters.cluster_budget = 1
    entry.parameters.min_features = 20
    for name, value in changed.items():
        if isinstance(value, list):
            getattr(entry.parameters, name).extend(value)
        else:
            setattr(entry.parameters, name, value)
    weights = entry.parameters.priority
    weights.novelty, weights.host, weights.depth, weights.change = 400, 300, 100, 200
    recrawl = entry.parameters.recrawl
    recrawl.initial_seconds, recrawl.min_seconds, recrawl.max_seconds = 1000, 100, 10_000
    wanted = entry.parameters.schedule
    wanted.freshness, wanted.min_seconds, wanted.max_seconds = 9000, 3600, 365 * 86_400
    return entry


def page(offset, url, content=b"a", simhash=0, outcome="TEXT", features=100, partition=0,
         previous=None, generation=1):
    entry = log.Entry()
    made = entry.page
    made.source.topic = "pages"
    made.source.generation = generation
    made.source.partition = partition
    made.source.offset = offset
    made.source.previous_offset = offset - 1 if previous is None else previous
    made.source.timestamp_ms = NOON + 5
    made.url = made.canonical_url = f"http://host.example/{url}"
    made.host = "host.example"
    made.path_depth = 1
    made.fetch_time_ms = NOON
    made.outcome = getattr(log, f"OUTCOME_{outcome}")
    if outcome in ("TEXT", "NOT_HTML"):
        made.content_checksum = content * 16
    if outcome == "TEXT":
        made.features = features
        made.simhash = simhash
        made.shingles = features
        made.sketch.extend([0] * 7)
    return entry


def fold(*pages, **changed):
    judge = oracle.Oracle()
    judge.fold(parameters(**changed))
    return [judge.fold(entry) for entry in pages]


def reasons(*pages, **changed):
    return [verdict and verdict["reason"] for verdict in fold(*pages, **changed)]


class OracleTest(unittest.TestCase):
    def test_first_page_is_unique_with_all_its_figures(self):
        verdict, = fold(page(7, "a", simhash=0xff))
        self.assertEqual(verdict["verdict"], "keep")
        self.assertEqual(verdict["reason"], "unique")
        self.assertIsNone(verdict["match"])
        self.assertEqual(verdict["cluster"], {"id": 2, "size": 1, "preferred_url": None})
        self.assertEqual(verdict["sequence"], 2)
        self.assertEqual(verdict["fingerprint"]["simhash"], "00000000000000ff")
        # novelty 1, host 1 - 1/5, depth 4/5, change 1/2
        self.assertEqual(verdict["priority"], {
            "score": 0.82,
            "components": {"novelty": 1.0, "host": 0.8, "depth": 0.8, "change": 0.5}})
        self.assertEqual(verdict["recrawl"], {
            "changed": None, "next_fetch": "2026-03-01T12:16:40Z", "interval_seconds": 1000})
        self.assertEqual(verdict["source"], {
            "topic": "pages", "partition": 0, "offset": 7,
            "timestamp": "2026-03-01T12:00:00.005Z"})

    def test_same_content_elsewhere_is_an_exact_duplicate(self):
        _, verdict = fold(page(0, "a"), page(1, "b", simhash=~0 & (1 << 64) - 1))
        self.assertEqual(verdict["reason"], "exact_duplicate")
        self.assertEqual(verdict["match"], {
            "id": None, "url": "http://host.example/a", "kind": "exact", "distance": 0,
            "similarity": 1.0, "first_seen": "2026-03-01T12:00:00Z"})
        self.assertEqual(verdict["cluster"], {"id": 2, "size": 2, "preferred_url": None})

    def test_distance_decides_about_near_duplicates(self):
        self.assertEqual(reasons(page(0, "a"), page(1, "b", b"b", 0b111)),
                         ["unique", "near_duplicate"])
        self.assertEqual(reasons(page(0, "a"), page(1, "b", b"b", 0b1111)), ["unique", "unique"])
        self.assertEqual(reasons(page(0, "a"), page(1, "b", b"b", 0b1111), max_distance=4),
                         ["unique", "near_duplicate"])

    def test_nearest_is_the_match_and_among_equals_the_oldest(self):
        *_, verdict = fold(page(0, "a", b"a", 0b111), page(1, "b", b"b", 0b111 << 20),
                           page(2, "c", b"c", 0b11 << 40), page(3, "d", b"d", 0b11 << 50),
                           page(4, "e", b"e", 0))
        self.assertEqual(verdict["match"]["url"], "http://host.example/c")
        self.assertEqual(verdict["match"]["distance"], 2)
        self.assertEqual(verdict["match"]["similarity"], 1.0)

    def test_same_url_is_unchanged_near_or_updated(self):
        self.assertEqual(
            reasons(page(0, "a"), page(1, "a"), page(2, "a", b"b", 1), page(3, "a", b"c", 0xff)),
            ["unique", "unchanged", "unchanged", "updated"])

    def test_update_retires_the_version_before(self):
        self.assertEqual(
            reasons(page(0, "a"), page(1, "a", b"b", 0xffff), page(2, "b")),
            ["unique", "updated", "unique"])

    def test_page_whose_match_was_retired_is_judged_afresh(self):
        self.assertEqual(
            reasons(page(0, "a"), page(1, "b"), page(2, "a", outcome="DELETED"), page(3, "b")),
            ["unique", "exact_duplicate", "deleted", "unique"])

    def test_page_that_became_a_duplicate_loses_its_own_version(self):
        self.assertEqual(
            reasons(page(0, "a"), page(1, "b", b"b", 0xffff), page(2, "b", b"a", 0),
                    page(3, "c", b"b", 0xffff)),
            ["unique", "unique", "exact_duplicate", "unique"])

    def test_outcomes_of_extraction_that_decide_alone(self):
        self.assertEqual(
            reasons(page(0, "a", outcome="ERROR_STATUS"), page(1, "b", outcome="NOT_EVALUATED"),
                    page(2, "c", features=19), page(3, "d", b"i", outcome="NOT_HTML"),
                    page(4, "e", b"i", outcome="NOT_HTML")),
            ["error_status", "not_evaluated", "too_short", "not_html", "exact_duplicate"])

    def test_failed_fetch_retires_nothing(self):
        self.assertEqual(
            reasons(page(0, "a"), page(1, "a", outcome="ERROR_STATUS"), page(2, "b")),
            ["unique", "error_status", "exact_duplicate"])

    def test_interval_halves_on_change_and_grows_without(self):
        verdicts = fold(page(0, "a"), page(1, "a", b"b", 0xffff), page(2, "a", b"b", 0xffff))
        self.assertEqual([v["recrawl"]["interval_seconds"] for v in verdicts], [1000, 500, 750])
        self.assertEqual([v["recrawl"]["changed"] for v in verdicts], [None, True, False])

    def test_a_revisit_record_is_judged_by_the_fetch_that_it_names(self):
        def at(entry, minute, of=None, named=None):
            entry.page.fetch_time_ms = NOON + minute * 60_000
            if of is not None:
                entry.page.revisit_url = "" if of == "" else f"http://host.example/{of}"
            if named is not None:
                entry.page.revisit_time_ms = NOON + named * 60_000
            return entry

        def revisit(offset, url):
            return page(offset, url, outcome="REVISIT")

        found = fold(at(page(0, "a"), 0), at(revisit(1, "a"), 1, "", 0),
                     at(revisit(2, "b"), 2, "a", 0), at(revisit(3, "c"), 3, "b", 2),
                     at(revisit(4, "b"), 4, "b", 2), at(revisit(5, "a"), 5),
                     at(revisit(6, "d"), 6, "a"), at(revisit(7, "d"), 7, "a", 3),
                     at(page(8, "a", b"z", ~0 & (1 << 64) - 1), 8), at(revisit(9, "a"), 9, "", 0),
                     at(revisit(10, "a"), 10, "", 8), fold_version=8)
        self.assertEqual([verdict["reason"] for verdict in found],
                         ["unique", "unchanged", "exact_duplicate", "exact_duplicate",
                          "exact_duplicate", "unchanged", "not_evaluated", "not_evaluated",
                          "updated", "not_evaluated", "unchanged"])
        self.assertEqual(reasons(at(page(0, "a"), 0), at(revisit(1, "a"), 1, "", 0),
                                 fold_version=7), ["unique", "not_evaluated"])

    def test_revisit_without_change_counts_nothing_for_the_host(self):
        verdicts = fold(page(0, "a"), page(1, "b"), page(2, "b"))
        # 1 - 1/5, 1 - 2/6, and again 1 - 2/6, rounded the way integers are
        self.assertEqual([v["priority"]["components"]["host"] for v in verdicts],
                         [0.8, 0.6667, 0.6667])

    def test_marks_let_each_record_through_once_and_in_order(self):
        self.assertEqual(
            reasons(page(5, "a", previous=-1), page(5, "a", previous=-1),  # redelivered
                    page(8, "b", b"b", 0xff, previous=7),                  # ran ahead
                    page(6, "c", b"c", 0xff00), page(8, "b", b"b", 0xff, previous=6),
                    page(6, "d", b"d", 0xff0000, partition=1)),
            ["unique", None, None, "unique", "unique", "unique"])

    def test_from_version_5_on_gaps_are_judged_once_and_named(self):
        judge = oracle.Oracle()
        judge.fold(parameters(fold_version=5))
        pages = (page(5, "a", previous=-1), page(8, "b", b"b", 0xff, previous=7),
                 page(6, "c", b"c", 0xff00), page(6, "c", b"c", 0xff00),
                 page(8, "b", b"b", 0xff, previous=6), page(7, "d", b"d", 0xff0000))
        self.assertEqual([bool(judge.fold(entry)) for entry in pages],
                         [True, True, True, False, False, True])
        self.assertEqual(judge.opened, [("pages", 0, 6, 7)])

    def test_from_version_7_on_a_position_names_what_is_missing_and_gets_no_verdict(self):
        judge = oracle.Oracle()
        judge.fold(parameters(fold_version=7))
        position = page(7, "", outcome="DEAD_LETTER")
        position.page.source.is_position = True
        entries = (page(5, "a", previous=-1), position, position, page(7, "b", b"b", 0xff),
                   page(8, "c", b"c", 0xff00))
        self.assertEqual([bool(judge.fold(entry)) for entry in entries],
                         [True, False, False, True, True])
        self.assertEqual(judge.opened, [("pages", 0, 6, 7)])

    def test_generation_above_starts_over_and_below_is_ignored(self):
        self.assertEqual(
            reasons(page(5, "a"), page(2, "b", b"b", 0xff, generation=2), page(6, "c")),
            ["unique", "unique", None])

    def test_dead_letter_takes_a_sequence_and_gets_no_verdict(self):
        nothing, verdict = fold(page(0, "", outcome="DEAD_LETTER"), page(1, "a"))
        self.assertIsNone(nothing)
        self.assertEqual(verdict["sequence"], 3)

    def test_log_that_begins_with_a_page_is_refused(self):
        with self.assertRaises(oracle.NotFoldable):
            oracle.Oracle().fold(page(0, "a"))


class ScheduleTest(unittest.TestCase):
    """Fold version 6, the table "What a status says" of docs/frontier.md."""

    DAY = 86_400_000

    @classmethod
    def at(cls, offset, days, name="a", content=b"a", simhash=0, status=200, target=None):
        entry = page(offset, name, content, simhash, "TEXT" if status == 200 else "ERROR_STATUS")
        entry.page.fetch_time_ms = entry.page.source.timestamp_ms = NOON + int(days * cls.DAY)
        if status != 200:
            entry.page.status, entry.page.detail = status, str(status)
        if target is not None:
            entry.page.redirect_target = f"http://host.example/{target}"
            entry.page.redirect_host = "host.example"
        return entry

    @classmethod
    def days(cls, verdict):
        """From NOON to the next fetch."""
        moment = datetime.datetime.fromisoformat(verdict["recrawl"]["next_fetch"][:-1])
        start = datetime.datetime(2026, 3, 1, 12)
        return (moment - start).total_seconds() / 86_400

    def test_first_fetch_waits_for_what_most_urls_need(self):
        verdict, = fold(self.at(0, 0), fold_version=6)
        # One change in 60 days: after 12.9 days a copy was current nine tenths of the time.
        self.assertAlmostEqual(self.days(verdict), 12.9, delta=0.7)

    def test_failures_by_their_status(self):
        verdicts = fold(self.at(0, 0, status=500), self.at(1, 1, status=429),
                        self.at(2, 2, status=0), self.at(3, 3, status=404),
                        self.at(4, 4, status=404), self.at(5, 5, status=410),
                        fold_version=6)
        self.assertEqual([v["reason"] for v in verdicts], ["error_status"] * 4 + ["gone"] * 2)
        hours = [round(24 * (self.days(v) - i)) for i, v in enumerate(verdicts)]
        self.assertEqual(hours, [2, 4, 7 * 24, 24, 90 * 24, 90 * 24])

    def test_older_copy_is_outdated(self):
        verdicts = fold(self.at(0, 0), self.at(1, 60, content=b"b", simhash=0xffff),
                        self.at(2, 30, content=b"c", simhash=0xff0000),
                        self.at(3, 61, "b", b"b", 0xffff), fold_version=6)
        self.assertEqual([v["reason"] for v in verdicts],
                         ["unique", "updated", "outdated", "exact_duplicate"])
        self.assertEqual(self.days(verdicts[2]), self.days(verdicts[1]))

    def test_not_modified_and_redirects(self):
        verdicts = fold(self.at(0, 0), self.at(1, 30, status=304),
                        self.at(2, 40, status=301, target="new"), self.at(3, 41, "new"),
                        self.at(4, 42, "new", status=302, target="x"), fold_version=6)
        self.assertEqual([v["reason"] for v in verdicts],
                         ["unique", "not_modified", "redirect", "exact_duplicate", "redirect"])
        self.assertEqual([v["recrawl"]["changed"] for v in verdicts],
                         [None, False, None, False, True])
        self.assertEqual(self.days(verdicts[2]), 130)


class ClusterTest(unittest.TestCase):
    @staticmethod
    def page(offset, url, content=b"a", host="host.example", crawl="", domain=0, **more):
        entry = page(offset, "", content, **more)
        entry.page.url = entry.page.canonical_url = url
        entry.page.host = host
        entry.page.crawl_id = crawl
        entry.page.registered_domain_bytes = domain
        return entry

    def test_the_first_are_kept_within_the_budget_and_revisits_take_nothing_of_it(self):
        verdicts = fold(page(0, "a"), page(1, "b"), page(2, "b"), page(3, "c"), page(4, "d"),
                        cluster_budget=3)
        self.assertEqual([v["reason"] for v in verdicts],
                         ["unique", "cluster_budget", "exact_duplicate", "cluster_budget",
                          "exact_duplicate"])
        self.assertEqual([v["cluster"]["size"] for v in verdicts], [1, 2, 2, 3, 4])
        self.assertEqual(verdicts[1]["verdict"], "keep")
        self.assertEqual(verdicts[1]["match"]["url"], "http://host.example/a")

    def test_only_what_shares_the_scope_matches(self):
        a, b, c = (self.page(i, f"http://{host}/", host=host, domain=5)
                   for i, host in enumerate(("p.x.org", "q.x.org", "p.y.org")))
        for scope, expected in ((log.SCOPE_GLOBAL, ["unique"] + ["exact_duplicate"] * 2),
                                (log.SCOPE_REGISTERED_DOMAIN,
                                 ["unique", "exact_duplicate", "unique"]),
                                (log.SCOPE_HOST, ["unique"] * 3)):
            self.assertEqual(reasons(a, b, c, scope=scope), expected)

    def test_each_crawl_has_urls_of_its_own(self):
        pages = (self.page(0, "http://a/", crawl="one"), self.page(1, "http://a/", crawl="two"),
                 self.page(2, "http://b/", crawl="two"), self.page(3, "http://a/", crawl="one"))
        self.assertEqual(reasons(*pages, scope=log.SCOPE_CRAWL),
                         ["unique", "unique", "exact_duplicate", "unchanged"])

    def test_the_preferred_url_is_the_best_that_still_has_the_content(self):
        verdicts = fold(self.page(0, "http://long.example/"), self.page(1, "http://a/"),
                        self.page(2, "https://longer.example/"), self.page(3, "http://b/"),
                        self.page(4, "https://longer.example/", b"b", simhash=0xffff),
                        self.page(5, "http://bc/"),
                        preferred_url=[log.URL_PREFERENCE_HTTPS, log.URL_PREFERENCE_SHORTER])
        self.assertEqual([v["cluster"]["preferred_url"] for v in verdicts],
                         ["http://long.example/", "http://a/", "https://longer.example/",
                          "https://longer.example/", "https://longer.example/", "http://bc/"])


class SketchTest(unittest.TestCase):
    """Candidates by simhash are confirmed by their sketches."""

    @staticmethod
    def page(offset, url, content, simhash, differing=0, shingles=100):
        """With a sketch of 448 bits, of which the first `differing` are other than in the rest."""
        entry = page(offset, url, content, simhash)
        entry.page.shingles = shingles
        del entry.page.sketch[:]
        bits = (1 << differing) - 1
        entry.page.sketch.extend(bits >> 64 * i & (1 << 64) - 1 for i in range(7))
        return entry

    def test_sketch_confirms_down_to_the_least_similarity(self):
        first = self.page(0, "a", b"a", 0)
        _, near = fold(first, self.page(1, "b", b"b", 1, differing=56))
        self.assertEqual((near["reason"], near["match"]["distance"], near["match"]["similarity"]),
                         ("near_duplicate", 1, 0.75))
        _, other = fold(first, self.page(1, "b", b"b", 1, differing=57))
        self.assertEqual(other["reason"], "unique")

    def test_short_texts_need_more(self):
        first = self.page(0, "a", b"a", 0, shingles=79)
        again = self.page(1, "b", b"b", 1, differing=56, shingles=79)
        for shingles, expected in ((79, "near_duplicate"), (80, "unique")):
            _, verdict = fold(first, again, short_text_shingles=shingles,
                              short_text_similarity=9000)
            self.assertEqual(verdict["reason"], expected)

    def test_item_evidence_moves_what_is_asked(self):
        changed = {"same_item_similarity": 7000, "other_item_similarity": 7600,
                   "other_item_short_shingles": 160, "other_item_short_similarity": 9000}
        host, elsewhere = "http://host.example", "https://elsewhere.example"
        for url, title, differing, shingles, expected in (
                (f"{elsewhere}/copy/x.html", 5, 60, 200, "near_duplicate"),  # one item: 0.73
                (f"{elsewhere}/copy/x.html", 6, 60, 200, "unique"),
                (f"{elsewhere}/copy/x.html", 6, 56, 200, "near_duplicate"),  # 0.75
                (f"{host}/2.11/x.html", 5, 60, 200, "near_duplicate"),
                (f"{host}/211/x.html", 5, 60, 200, "unique"),
                (f"{host}/2.10/y.html", 5, 56, 200, "unique"),  # two items
                (f"{host}/2.10/y.html", 5, 50, 200, "near_duplicate"),  # 0.776
                (f"{host}/2.10/y.html", 5, 50, 159, "unique"),
                (f"{host}/2.10/y.html", 5, 20, 159, "near_duplicate"),  # 0.91
                (f"{elsewhere}/y.html", 5, 56, 200, "near_duplicate"),
                (f"{elsewhere}/y.html", 6, 56, 200, "unique"),
                (f"{elsewhere}/index.html", 6, 56, 200, "unique"),
                (f"{elsewhere}/index.html", 0, 56, 200, "near_duplicate")):
            first = self.page(0, "2.10/x.html", b"a", 0, shingles=shingles)
            again = self.page(1, "", b"b", 1, differing=differing, shingles=shingles)
            first.page.title, again.page.title = 5, title
            again.page.url = again.page.canonical_url = url
            _, verdict = fold(first, again, **changed)
            self.assertEqual(verdict["reason"], expected, (url, title, differing, shingles))

    def test_sizes_bound_the_similarity(self):
        _, near = fold(self.page(0, "a", b"a", 0), self.page(1, "b", b"b", 0, shingles=80))
        self.assertEqual(near["match"]["similarity"], 0.8)
        _, other = fold(self.page(0, "a", b"a", 0), self.page(1, "b", b"b", 0, shingles=74))
        self.assertEqual(other["reason"], "unique")

    def test_first_confirmed_candidate_is_the_match_within_the_bound(self):
        pages = (self.page(0, "a", b"a", 0, differing=200), self.page(1, "b", b"b", 1),
                 self.page(2, "c", b"c", 0))
        self.assertEqual(fold(*pages)[-1]["match"]["url"], "http://host.example/b")
        self.assertEqual(fold(*pages, max_candidates=1)[-1]["reason"], "unique")

    def test_repeating_the_same_version_is_no_change(self):
        verdicts = fold(self.page(0, "a", b"a", 0), self.page(1, "b", b"b", 1),
                             self.page(2, "b", b"c", 2), self.page(3, "b", b"d", 0xffff))
        self.assertEqual([v["reason"] for v in verdicts],
                         ["unique", "near_duplicate", "near_duplicate", "unique"])
        self.assertEqual([v["recrawl"]["changed"] for v in verdicts], [None, None, False, True])


class EveryParameterTest(unittest.TestCase):
    """The oracle knows every judging parameter: each makes some log come out differently."""

    @staticmethod
    def pair(differing=0, shingles=100, urls=("a", "b"), titles=(0, 0), simhash=1):
        first = SketchTest.page(0, urls[0], b"a", 0, shingles=shingles)
        again = SketchTest.page(1, urls[1], b"b", simhash, differing, shingles)
        first.page.title, again.page.title = titles
        return first, again

    def cases(self):
        """Parameter: two values, the log that they judge differently, other parameters."""
        copies = page(0, "a"), page(1, "b")
        for host, entry in zip(("one.example", "two.example"), copies):
            entry.page.host = host
        again = page(0, "a"), page(1, "a", b"b", 0xffff), page(2, "a", b"c", 0xff0000)
        same_item = self.pair(60, 200, ("a/x", "b/x"), (5, 5))
        same_item[1].page.canonical_url = "http://elsewhere.example/x"
        two_items = self.pair(56, 200, ("a", "b"))
        short_items = self.pair(56, 100, ("a", "b"))
        none_near = (SketchTest.page(0, "a", b"a", 0, differing=200),
                     SketchTest.page(1, "b", b"b", 1), SketchTest.page(2, "c", b"c", 0))
        visits = [page(i, str(i % 20), bytes([i])) for i in range(40)]
        for i, entry in enumerate(visits):
            entry.page.fetch_time_ms = entry.page.source.timestamp_ms = NOON + i * 86_400_000
        by_schedule = {"fold_version": 6, "schedule.max_seconds": 1}
        swept = {"fold_version": 8, "retention.sweep_entries": 1}
        kept = (page(0, "a"), page(1, "b", b"b", 0xff), page(2, "c", b"c", 0xff00))
        unseen = [page(0, "a"), *(page(day, "x", outcome="NOT_EVALUATED") for day in range(1, 9)),
                  page(9, "a")]
        for day, entry in enumerate(unseen):
            entry.page.source.timestamp_ms += day * 86_400_000
        eight = [page(i, str(i), bytes([i]), 0b11111 << 5 * i) for i in range(8)]
        last_of_eight = (*eight,
                         *(page(8 + day, "x", outcome="NOT_EVALUATED") for day in range(4)),
                         page(12, "7", bytes([7]), 0b11111 << 35))
        for place, entry in enumerate(last_of_eight):
            entry.page.source.timestamp_ms += max(place - 7, 0) * 86_400_000
        return {
            "fold_version": (4, 5, (page(0, "a"), page(1, "a", outcome="NOT_EVALUATED"),
                                    page(2, "b")), {}),
            "max_distance": (1, 3, self.pair(simhash=0b11), {}),
            "min_similarity": (7500, 7600, self.pair(56), {}),
            "max_candidates": (1, 16, none_near, {}),
            "min_features": (100, 101, (page(0, "a", features=100),), {}),
            "short_text_shingles": (100, 101, self.pair(56), {"short_text_similarity": 9000}),
            "short_text_similarity": (7500, 9000, self.pair(56), {"short_text_shingles": 101}),
            "same_item_similarity": (7000, oracle.ONE, same_item, {}),
            "other_item_similarity": (7500, 9000, two_items, {}),
            "other_item_short_shingles": (100, 101, short_items,
                                          {"other_item_short_similarity": 9000}),
            "other_item_short_similarity": (7500, 9000, short_items,
                                            {"other_item_short_shingles": 101}),
            "cluster_budget": (1, 2, copies, {}),
            "scope": (log.SCOPE_GLOBAL, log.SCOPE_HOST, copies, {}),
            "preferred_url": ([], [log.URL_PREFERENCE_SHORTER], copies, {}),
            "priority.novelty": (400, 500, (page(0, "a"),), {}),
            "priority.host": (300, 400, (page(0, "a"),), {}),
            "priority.depth": (100, 200, (page(0, "a"),), {}),
            "priority.change": (200, 300, (page(0, "a"),), {}),
            "priority.horizon_seconds": (0, 86_400, (page(0, "a"),), {"fold_version": 8}),
            "recrawl.initial_seconds": (1000, 2000, (page(0, "a"),), {}),
            "recrawl.min_seconds": (100, 900, again, {}),
            "recrawl.max_seconds": (10_000, 1_100, (page(0, "a"), page(1, "a")), {}),
            "schedule.fetches_a_day": (1, 10_000, visits, {"fold_version": 6}),
            "schedule.freshness": (5_000, 9_900, visits, {"fold_version": 6}),
            "schedule.min_seconds": (60, 3_600, visits[:1], by_schedule),
            "schedule.bounds": ([], [log.ScheduleBounds(host="host.example", max_seconds=1)],
                                visits[:1], {"fold_version": 8, "schedule.max_seconds": 3_600}),
            "schedule.max_seconds": (3_600, 7_200, visits[:1], {"fold_version": 6}),
            "retention.expire_seconds": (0, 2 * 86_400, unseen, swept),
            "retention.max_pages": (0, 1, (*kept[:2], page(2, "a")), swept),
            "retention.sweep_entries": (1, 1000, (*kept[:2], page(2, "a")),
                                        {"fold_version": 8, "retention.max_pages": 1}),
            "retention.sweep_rows": (1, 100, last_of_eight,
                                     {**swept, "retention.expire_seconds": 2 * 86_400}),
        }

    @staticmethod
    def names(message, prefix=""):
        for field in message.fields:
            if field.message_type is None or field.label == field.LABEL_REPEATED:
                yield prefix + field.name
            else:
                yield from EveryParameterTest.names(field.message_type, f"{prefix}{field.name}.")

    @staticmethod
    def judged(pages, name, value, others):
        entry = parameters(**{other: given for other, given in others.items() if "." not in other})
        for field, given in [(name, value), *others.items()]:
            if field != name and "." not in field:
                continue
            *path, last = field.split(".")
            message = entry.parameters
            for part in path:
                message = getattr(message, part)
            if isinstance(given, list):
                getattr(message, last).extend(given)
            else:
                setattr(message, last, given)
        judge = oracle.Oracle()
        judge.fold(entry)
        return [judge.fold(page_entry) for page_entry in pages]

    def test_every_field_of_the_log_has_a_case(self):
        fields = set(self.names(log.Parameters.DESCRIPTOR))
        # Of sites no verdict depends on.
        judged_by = {name for name in fields if not name.startswith("closing.")}  # ends a log
        self.assertEqual(judged_by - {"scheme", "sites.max"}, set(self.cases()))

    def test_each_decides_something(self):
        for name, (one, other, pages, others) in self.cases().items():
            with self.subTest(parameter=name):
                self.assertNotEqual(self.judged(pages, name, one, others),
                                    self.judged(pages, name, other, others))


if __name__ == "__main__":
    unittest.main()
