"""The checker finds what it is there to find: a clean stream passes, and each way of spoiling it is
seen, under its own name."""

import copy
import json
import unittest

import checker
import oracle
from oracle_test import page, parameters

TOPIC = "pages"
ZEROS = {"lost": 0, "duplicated": 0, "aborted_seen": 0, "out_of_order": 0, "verdict_mismatches": 0,
         "score_mismatches": 0}


def clean(second="TEXT"):
    """Two partitions with a duplicate, a redelivery and a dead letter; all of it done. `second`: the
    outcome of the second page."""
    log = [parameters(), page(0, "a"), page(0, "b", partition=1, outcome=second), page(1, "c", b"c", 0xffff),
           page(0, "a"), page(2, "", outcome="DEAD_LETTER"), page(1, "a", partition=1)]
    inputs, verdicts = {}, []
    judge = oracle.Oracle()
    for entry in log:
        verdict = judge.fold(entry)
        if entry.WhichOneof("body") != "page":
            continue
        source = entry.page.source
        is_broken = entry.page.url.endswith("/")
        value = b"{" if is_broken else json.dumps({"url": entry.page.url, "attrs": 1}).encode()
        inputs.setdefault((source.partition, source.offset), checker.Record(
            source.partition, source.offset, b"k", value,
            {"chaos-kind": b"broken" if is_broken else b"page"}))
        if verdict is not None:
            verdict.update(processed_at="now", instance="x", attrs=1)
            verdicts.append(checker.Record(0, len(verdicts) * 2, None,
                                           json.dumps(verdict).encode()))
    letter = copy.deepcopy(inputs[0, 2])
    letter.headers.update({checker.ERRORS + "partition": b"0", checker.ERRORS + "offset": b"2",
                           checker.ERRORS + "id": b"pages-0-2"})
    return checker.Streams(
        topic=TOPIC, inputs=list(inputs.values()), log=list(enumerate(log)), verdicts=verdicts,
        dead_letters=[letter], seen=[v.offset for v in verdicts], aborted=set(),
        committed_inputs={0: 3, 1: 2}, committed_log=len(log))


def with_scores(second="TEXT"):
    """The same, with the score of each page and one of a link."""
    streams = clean(second)
    for record in streams.verdicts:
        verdict = json.loads(record.value)
        streams.scores.append({"url": verdict["canonical_url"], "fetched": True,
                               "sequence": verdict["sequence"], "reason": verdict["reason"],
                               "next_fetch": verdict["recrawl"]["next_fetch"]})
    streams.scores.append({"url": "http://link.example/", "fetched": False, "sequence": 5,
                           "reason": "none", "next_fetch": None})
    streams.scores = [checker.Record(0, i, b"k", json.dumps(score).encode())
                      for i, score in enumerate(streams.scores)]
    streams.scores_of_fold = [record.value for record in streams.scores]
    return streams


def edit(record, **fields):
    verdict = json.loads(record.value)
    verdict.update(fields)
    record.value = json.dumps(verdict).encode()


class CheckerTest(unittest.TestCase):
    def expect(self, streams, **wrong):
        counts = checker.check(streams)
        self.assertEqual(counts.totals(), {**ZEROS, **wrong}, counts.examples)

    def test_clean_streams_pass(self):
        self.expect(clean())

    def test_scores_are_those_of_the_fold(self):
        self.expect(with_scores())
        missing = with_scores()
        missing.scores.pop()
        self.expect(missing, score_mismatches=1)
        doubled = with_scores()
        doubled.scores.append(doubled.scores[-1])
        self.expect(doubled, score_mismatches=1)
        doubled.scores_may_repeat = True
        self.expect(doubled)
        changed = with_scores()
        edit(changed.scores[-1], reason="url_rule")
        self.expect(changed, score_mismatches=1)

    def test_scores_of_pages_are_what_the_oracle_says(self):
        for field, wrong in (("next_fetch", "2026-01-01T00:00:00Z"), ("reason", "unique_"),
                             ("url", "http://x.example/")):
            streams = with_scores()
            edit(streams.scores[1], **{field: wrong})
            streams.scores_of_fold[1] = streams.scores[1].value  # the fold is wrong, too
            self.expect(streams, score_mismatches=1)
        streams = with_scores()
        del streams.scores[1], streams.scores_of_fold[1]
        self.expect(streams, score_mismatches=1)

    def test_a_page_with_text_may_be_a_soft_error(self):
        for outcome, wrong in (("TEXT", 0), ("NOT_HTML", 1)):
            streams = with_scores(second=outcome)
            edit(streams.scores[1], reason="soft_error")
            streams.scores_of_fold[1] = streams.scores[1].value
            self.expect(streams, score_mismatches=wrong)

    def test_with_losses_a_record_without_an_answer_must_be_named(self):
        streams = clean()
        streams.inputs.append(checker.Record(1, 2, b"k", b'{"url":"http://x.example/"}',
                                             {"chaos-kind": b"page"}))
        self.assertEqual(checker.check_with_losses(streams, {}, []).totals(), {**ZEROS, "lost": 1})
        for alarms, lost in (([(1, 2, 2)], 0), ([(0, 2, 2)], 1), ([(1, 3, 9)], 1)):
            self.assertEqual(checker.check_with_losses(streams, {}, alarms).lost, lost)

    def test_with_losses_a_verdict_that_no_log_asked_for_is_wrong(self):
        streams = clean()
        before = json.loads(streams.verdicts[1].value)
        edit(streams.verdicts[1], reason="updated")
        wrong = checker.check_with_losses(streams, {}, [])
        self.assertEqual(wrong.totals(), {**ZEROS, "verdict_mismatches": 1})
        before.update(reason="updated")
        wanted = {n: v for n, v in before.items() if n not in checker.VOLATILE}
        place = (before["source"]["partition"], before["source"]["offset"])
        right = checker.check_with_losses(streams, {place: [wanted]}, [])
        self.assertEqual(right.totals(), ZEROS)

    def test_dead_letter_may_come_twice(self):
        streams = clean()
        streams.dead_letters *= 2
        self.expect(streams)

    def test_missing_verdict_is_lost(self):
        streams = clean()
        streams.seen.remove(streams.verdicts.pop(1).offset)
        self.expect(streams, lost=1)

    def test_missing_dead_letter_is_lost(self):
        streams = clean()
        streams.dead_letters.clear()
        self.expect(streams, lost=1)

    def test_record_that_never_reached_the_log_is_lost(self):
        streams = clean()
        streams.inputs.append(checker.Record(1, 2, b"k", b'{"url":"http://x.example/"}',
                                             {"chaos-kind": b"page"}))
        self.expect(streams)
        streams.committed_inputs[1] = 3
        self.expect(streams, lost=1)

    def test_record_in_the_log_waits_for_the_judge(self):
        streams = clean()
        streams.committed_log = 6
        streams.seen.remove(streams.verdicts.pop().offset)
        self.expect(streams)

    def test_position_is_no_record_that_waits(self):
        streams = clean()
        streams.inputs.append(checker.Record(1, 2, b"k", b'{"url":"http://x.example/"}',
                                             {"chaos-kind": b"page"}))
        streams.committed_inputs[1] = 3
        position = page(2, "", partition=1, outcome="DEAD_LETTER")
        position.page.source.is_position = True
        streams.log.append((len(streams.log), position))
        self.expect(streams, lost=1)

    def test_second_verdict_is_a_duplicate(self):
        streams = clean()
        again = copy.deepcopy(streams.verdicts[-1])
        again.offset += 2
        streams.verdicts.append(again)
        streams.seen.append(again.offset)
        self.expect(streams, duplicated=1, out_of_order=1)

    def test_verdict_above_the_committed_offset_is_a_duplicate(self):
        streams = clean()
        streams.committed_log = 6
        self.expect(streams, duplicated=1)

    def test_verdict_and_dead_letter_for_one_record_is_a_duplicate(self):
        streams = clean()
        letter = copy.deepcopy(streams.dead_letters[0])
        letter.headers[checker.ERRORS + "offset"] = b"1"
        streams.dead_letters.append(letter)
        counts = checker.check(streams)
        self.assertEqual(counts.duplicated, 1, counts.examples)

    def test_verdict_for_no_record_is_a_duplicate(self):
        streams = clean()
        streams.inputs = [r for r in streams.inputs if (r.partition, r.offset) != (1, 1)]
        self.expect(streams, duplicated=1)

    def test_reader_that_gets_a_record_twice_has_a_duplicate(self):
        streams = clean()
        streams.seen.append(streams.seen[-1])
        self.expect(streams, duplicated=1)

    def test_reader_that_got_an_aborted_record_is_told(self):
        streams = clean()
        streams.seen.insert(1, 1)
        streams.aborted.add(1)
        self.expect(streams, aborted_seen=1)

    def test_reader_that_got_a_record_that_is_gone_is_told(self):
        streams = clean()
        streams.seen.insert(1, 1)
        self.expect(streams, aborted_seen=1)

    def test_aborted_record_that_committed_readers_get_now_is_told(self):
        streams = clean()
        streams.aborted.add(streams.verdicts[0].offset)
        self.expect(streams, aborted_seen=1)

    def test_swapped_verdicts_are_out_of_order(self):
        streams = clean()
        first, second = streams.verdicts[0], streams.verdicts[1]
        first.value, second.value = second.value, first.value
        self.expect(streams, out_of_order=1)

    def test_other_reason_is_a_mismatch(self):
        streams = clean()
        edit(streams.verdicts[1], reason="unique")
        self.expect(streams, verdict_mismatches=1)

    def test_other_score_is_a_mismatch(self):
        streams = clean()
        priority = json.loads(streams.verdicts[0].value)["priority"]
        priority["components"]["host"] += 0.0001
        edit(streams.verdicts[0], priority=priority)
        self.expect(streams, verdict_mismatches=1)

    def test_verdict_about_another_record_is_a_mismatch(self):
        streams = clean()
        edit(streams.verdicts[0], attrs=2)
        self.expect(streams, verdict_mismatches=1)

    def test_verdict_with_a_field_too_many_is_a_mismatch(self):
        streams = clean()
        edit(streams.verdicts[0], surprise=1)
        self.expect(streams, verdict_mismatches=1)

    def test_changed_dead_letter_is_a_mismatch(self):
        streams = clean()
        streams.dead_letters[0].value += b"x"
        self.expect(streams, verdict_mismatches=1)

    def test_dead_letter_of_a_sound_record_is_a_mismatch(self):
        streams = clean()
        for record in (streams.inputs[-1], streams.dead_letters[0]):
            record.headers["chaos-kind"] = b"page"
        place = (streams.dead_letters[0].partition, streams.dead_letters[0].offset)
        next(r for r in streams.inputs if (r.partition, r.offset) == place).headers[
            "chaos-kind"] = b"page"
        self.expect(streams, verdict_mismatches=1)


if __name__ == "__main__":
    unittest.main()
