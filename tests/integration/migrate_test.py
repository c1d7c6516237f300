"""`crawlsieve migrate` beside a real broker: a shadow that plan, check and run make judges the same
records by another scheme, and the report counts what a join by hand counts.

    migrate_test.py PROGRAM
"""

import collections
import json
import os
import sys
import unittest

import confluent_kafka
import yaml

from deployments import FAILED, PARTITIONS, SECONDS, WRONG_INPUT, DeploymentsTest

PAGES = 300


def outcome(verdict):
    return f"{verdict['verdict']} {verdict['reason']}"


class MigrateTest(DeploymentsTest):
    def test_a_shadow_is_compared_with_what_runs_and_takes_over(self):
        old = self.write_config("old.yaml")
        new = self.folder / "new.yaml"
        self.migrate("plan", str(old), "--to", "next", "--out", str(new))
        self.assertIn("can run beside each other", self.migrate("check", str(old), str(new)).stdout)
        plan = yaml.safe_load(new.read_text())
        plan["extract"]["url"]["drop_www"] = True
        new.write_text(yaml.safe_dump(plan))

        self.feed(0, PAGES)
        running = self.start(old)
        shadow = self.start(new)
        self.wait_for("crawl.verdicts", PAGES, old)
        self.wait_for("crawl.verdicts.next", PAGES, new)
        self.check_report(old, new, {"only": 0})

        # The old one is stopped; the shadow judges on.
        self.stop(running)
        self.feed(PAGES, 60)
        self.wait_for("crawl.verdicts.next", PAGES + 60, new)
        self.stop(shadow)
        report = self.check_report(old, new, {"only": 60})

        # Readers go on with the shadow's verdicts behind the last record that the old one judged.
        last = {line["partition"]: line["old"]["last"] for line in report["partitions"]}
        counted = collections.Counter(self.verdicts("crawl.verdicts").keys())
        counted.update(place for place in self.verdicts("crawl.verdicts.next")
                       if place[1] > last[place[0]])
        self.assertEqual(len(counted), PAGES + 60)
        self.assertEqual(set(counted.values()), {1})

    def check_report(self, old, new, wanted):
        """Compares the report with a join by hand; returns it."""
        report = json.loads(self.migrate("report", str(old), str(new), "--json").stdout)
        sides = self.verdicts("crawl.verdicts"), self.verdicts("crawl.verdicts.next")
        both = sides[0].keys() & sides[1].keys()
        cells = collections.Counter(
            (outcome(sides[0][place]), outcome(sides[1][place])) for place in both)
        self.assertEqual(
            {(cell["old"], cell["new"]): cell["records"] for cell in report["outcomes"]},
            dict(cells))
        self.assertGreater(sum(count for (before, after), count in cells.items()
                               if before != after), 20, cells)
        match = [[(side[place]["match"] or {}).get("url") for side in sides] for place in both]
        equal = sum(outcome(sides[0][place]) == outcome(sides[1][place]) and of[0] == of[1]
                    for place, of in zip(both, match))
        self.assertEqual((report["both"], report["equal"]), (len(both), equal))
        self.assertEqual(report["old"]["verdicts"], len(sides[0]))
        self.assertEqual(report["new"]["only_here"],
                         {"before": 0, "within": 0, "behind": wanted["only"]})
        self.assertEqual(report["old"]["only_here"], {"before": 0, "within": 0, "behind": 0})
        for cell in report["outcomes"]:
            for example in cell["examples"]:
                place = example["partition"], example["offset"]
                self.assertEqual(outcome(sides[0][place]), cell["old"])
                self.assertEqual(outcome(sides[1][place]), cell["new"])
                self.assertEqual(example["url"], sides[0][place]["url"])
        text = self.migrate("report", str(old), str(new)).stdout
        self.assertIn(f"{len(both):>12} records that both judged", text)
        return report

    def test_a_made_up_change_is_counted_and_what_is_no_verdict_named(self):
        old = self.write_config("made.yaml", group="m", verdicts={"topic": "made"},
                                log={"topic": "made.log"})
        new = self.folder / "made.next.yaml"
        self.migrate("plan", str(old), "--to", "next", "--out", str(new))
        escape = "\x1b[31m"
        # offsets, verdict of the old side, of the new side; None: it has none
        change = [(range(0, 4), "unique", None), (range(4, 50), "unique", "unique"),
                  (range(50, 57), "unique", "near_duplicate"), (range(57, 59), "unique", None),
                  (range(59, 62), None, "unique"), (range(62, 64), "unique", escape),
                  (range(64, 70), "unique", "unique"), (range(70, 81), "unique", None)]
        for topic, side in (("made", 1), ("made.next", 2)):
            self.make_topic(topic)
            producer = confluent_kafka.Producer({"bootstrap.servers": self.bootstrap})
            for line in change:
                for offset in line[0] if line[side] is not None else ():
                    producer.produce(topic, json.dumps({
                        "schema_version": 1, "url": f"http://a.example/{escape}", "verdict": "keep",
                        "reason": line[side], "match": None, "source": {
                            "topic": f"pages{escape}", "partition": 0, "offset": offset}}),
                        partition=offset % PARTITIONS)
            for value in (None, "no JSON", json.dumps({"url": "http://a.example/"})):
                producer.produce(topic, value, partition=0)
            self.assertEqual(producer.flush(SECONDS), 0)
        report = json.loads(self.migrate("report", str(old), str(new), "--json").stdout)
        self.assertEqual((report["both"], report["equal"], report["other_outcome"]), (61, 52, 9))
        self.assertEqual(report["old"]["only_here"], {"before": 4, "within": 2, "behind": 11})
        self.assertEqual(report["new"]["only_here"], {"before": 0, "within": 3, "behind": 0})
        self.assertEqual([report[side]["unreadable"] for side in ("old", "new")], [3, 3])
        self.assertEqual({(line["new"], line["records"]) for line in report["outcomes"]},
                         {("keep unique", 52), ("keep near_duplicate", 7), (f"keep {escape}", 2)})
        said = self.migrate("report", str(old), str(new)).stdout
        self.assertIn("           7  keep unique -> keep near_duplicate\n", said)
        self.assertIn("The new one lags behind by 11 records.\n", said)
        self.assertNotIn("\x1b", said)

    def test_what_would_hurt_the_deployment_that_runs_is_refused(self):
        old = self.write_config("one.yaml")
        said = self.migrate("check", str(old), str(old), expect=WRONG_INPUT).stderr
        for text in ("kafka.group is crawlsieve in both", "kafka.log.topic: both write to topic",
                     "kafka.verdicts.topic: both", "service.state_directory:"):
            self.assertIn(text, said)
        said = self.migrate("report", str(old), str(old), expect=WRONG_INPUT).stderr
        self.assertIn("kafka.group is crawlsieve in both", said)
        said = self.migrate("plan", str(old), "--to", "a b", expect=WRONG_INPUT).stderr
        self.assertIn("--to: a b can't be part of a topic's name", said)
        self.migrate("plan", str(self.folder / "none.yaml"), "--to", "next", expect=WRONG_INPUT)

    def test_a_topic_that_is_not_there_is_named(self):
        old = self.write_config("two.yaml", verdicts={"topic": "none"})
        new = self.folder / "shadow.yaml"
        self.migrate("plan", str(old), "--to", "next", "--out", str(new))
        said = self.migrate("report", str(old), str(new), expect=FAILED).stderr
        self.assertIn("there is no topic none", said)


if __name__ == "__main__":
    DeploymentsTest.program = os.path.abspath(sys.argv.pop(1))
    unittest.main()
