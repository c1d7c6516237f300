"""`crawlsieve migrate switch` under load, with kills: every record has one verdict that counts.

    switch_test.py PROGRAM [--kills N] [--pages N] [--seed N]

Kills hit the old deployment, its shadow, the switch itself and the deployment that goes on, by
turns. Pages come all the time, until all kills are done.
"""

import argparse
import collections
import json
import os
import random
import signal
import sys
import time
import unittest

import yaml

from deployments import DONE, FAILED, SECONDS, WRONG_INPUT, DeploymentsTest, Feeder

OPTIONS = argparse.Namespace(kills=4, pages=2_000, seed=1)
# What a switch waits for once the old log is closed.
STOP_THE_SHADOW = "stop the judges of the shadow now"


class SwitchTest(DeploymentsTest):
    def setUp(self):
        self.chance = random.Random(OPTIONS.seed)
        self.kills = collections.Counter()

    def kill(self, process, name, seconds=3):
        """Lets it come to somewhere within what it does first."""
        time.sleep(self.chance.random() * seconds)
        if process.poll() is None:
            self.kills[name] += 1
        self.stop(process, signal.SIGKILL)

    def kill_in(self, process, config, name, topic, grown, beyond=None):
        """Kills it once the topic has grown so much, or it says that it is beyond that, because the
        one before came so far. `config`: whose log it writes to."""
        begun = self.end_of(topic)
        logged = len(self.log_of(config))
        deadline = time.monotonic() + SECONDS
        while process.poll() is None and self.end_of(topic) < begun + grown:
            log = self.log_of(config)
            if beyond is not None and beyond in log[logged:]:
                break
            self.assertLess(time.monotonic(), deadline, f"{name}: {log[-3000:]}")
        self.kill(process, name, 0)

    def wait_until_ahead(self, topic, other, by, config):
        deadline = time.monotonic() + SECONDS
        while len(self.verdicts(topic)) < len(self.verdicts(other)) + by:
            self.assertLess(time.monotonic(), deadline, self.log_of(config)[-3000:])

    def switch(self, old, new):
        return self.start(new, ("migrate", "switch", str(old)))

    def extract_further(self, config):
        """Puts entries into its log that no judge has come to."""
        extract = yaml.safe_load(config.read_text())
        extract["service"]["roles"] = ["extract"]
        path = self.folder / "extract.yaml"
        path.write_text(yaml.safe_dump(extract))
        log = extract["kafka"]["log"]["topic"]
        end = self.end_of(log)
        extracting = self.start(path)
        deadline = time.monotonic() + SECONDS
        while self.end_of(log) < end + 100:
            self.assertLess(time.monotonic(), deadline, self.log_of(path)[-3000:])
        self.stop(extracting)

    def test_every_record_has_one_verdict_that_counts(self):
        print(f"seed {OPTIONS.seed}", file=sys.stderr)
        old = self.write_config(
            "old.yaml", kept={"topic": "crawl.kept"},
            scores={"topic": "crawl.scores", "rendered": ["urlfrontier crawl.frontier"]},
            more={"extract": {"links": 20}, "judge": {"sites": {"max": 1000}}})
        new = self.plan(old)
        feeder = Feeder(self)
        feeder.start()
        self.addCleanup(feeder.finish, 0)
        running, shadow = self.start(old), self.start(new)
        self.wait_for("crawl.verdicts", 1, old)
        self.wait_for("crawl.verdicts.next", 1, new)

        for number in range(OPTIONS.kills // 4):
            if number % 2 == 0:
                self.kill(running, "old")
                running = self.start(old)
            else:
                self.kill(shadow, "shadow")
                shadow = self.start(new)
        # While judges run, the switch waits for them, and may be killed as often as one likes.
        for _ in range(OPTIONS.kills // 4):
            self.kill(self.switch(old, new), "switch, judges run")
        self.assertIsNone(running.poll(), self.log_of(old)[-3000:])

        # A shadow that is behind would judge records again that readers have verdicts of.
        self.kill(shadow, "shadow")
        self.wait_until_ahead("crawl.verdicts", "crawl.verdicts.next", 100, old)
        self.stop(running)
        said = self.migrate("switch", old, new, "--wait", 1, expect=FAILED).stderr
        self.assertIn("the shadow has to catch up, so it must run: group crawlsieve.next.", said)

        shadow = self.start(new)
        for _ in range((OPTIONS.kills + 3) // 4):
            self.kill_in(self.switch(old, new), new, "switch, closing", "crawl.fingerprints", 1,
                         beyond=STOP_THE_SHADOW)
        self.wait_until_ahead("crawl.verdicts.next", "crawl.verdicts", 2_000, new)
        said = self.migrate("switch", old, new, "--wait", 1, expect=FAILED).stderr
        self.assertIn(f"{STOP_THE_SHADOW}, group crawlsieve.next.judge", said)
        self.stop(shadow)
        self.extract_further(new)
        for number in range((OPTIONS.kills + 3) // 4):
            self.kill_in(self.switch(old, new), new, "switch, copying", "crawl.verdicts",
                         self.chance.randrange(900) if number > 0 else 900)
        said = json.loads(self.migrate("switch", old, new, "--json").stdout)
        self.assertEqual(said["closed_log"], "crawl.fingerprints")
        self.assertGreater(said["there_already"], 0, "no kill came in the middle of the copy")
        self.assertGreaterEqual(said["verdicts"] + said["there_already"], 2_000)
        again = json.loads(self.migrate("switch", old, new, "--json").stdout)
        self.assertEqual((again["verdicts"], again["kept_pages"], again["scores"]), (0, 0, 0))
        self.assertEqual(again["there_already"], said["verdicts"] + said["there_already"])

        # The old deployment can't judge again, whoever starts it.
        mistaken = self.start(old)
        self.assertNotEqual(mistaken.wait(SECONDS), DONE)
        self.assertIn("the admission log was closed at", self.log_of(old))
        self.assertIn("kafka.group crawlsieve.next goes on", self.log_of(old))
        self.assertNotIn("kafka.log.skip", self.log_of(old))

        final = self.final(new, ["urlfrontier crawl.frontier"])
        going = self.start(final)
        for _ in range(OPTIONS.kills // 4):
            self.kill(going, "new")
            going = self.start(final)
        total = feeder.finish(OPTIONS.pages)
        self.wait_for("crawl.verdicts", total, final)
        self.stop(going)
        print(f"{total} pages, kills: {dict(self.kills)}, {said}", file=sys.stderr)
        self.check(total)

    def check(self, total):
        verdicts = self.verdicts("crawl.verdicts")
        self.assertEqual(len(verdicts), total)
        schemes = collections.Counter(
            verdict["fingerprint"]["scheme"] for verdict in verdicts.values())
        self.assertEqual(len(schemes), 2, schemes)

        kept = collections.Counter()
        for record in self.records("crawl.kept"):
            headers = dict(record.headers())
            kept[int(headers["crawlsieve-source-partition"]),
                 int(headers["crawlsieve-source-offset"])] += 1
        self.assertEqual(set(kept.values()), {1})
        keeps = {place for place, verdict in verdicts.items() if verdict["verdict"] == "keep"}
        self.assertEqual(len(kept.keys() ^ keeps), 0)
        self.check_scores(verdicts)

    def check_scores(self, verdicts):
        """Of the pages whose verdict was copied, all scores were, once."""
        there = collections.Counter(record.value() for record in self.records("crawl.scores"))
        self.assertEqual(max(there.values()), 1)
        copied = {verdict["sequence"] for place, verdict in
                  self.verdicts("crawl.verdicts.next").items() if verdicts[place] == verdict}
        self.assertGreater(len(copied), 0)
        of_copied = [record.value() for record in self.records("crawl.scores.next")
                     if json.loads(record.value())["sequence"] in copied]
        self.assertGreater(len(of_copied), len(copied))
        self.assertEqual(sum(there[value] == 0 for value in of_copied), 0)
        # Each score is a record there, and one more where another URL is to be fetched.
        self.assertGreaterEqual(len(self.records("crawl.frontier")), there.total())

    def test_what_could_lose_a_verdict_is_refused(self):
        old = self.write_config("one.yaml", group="one", delivery="at_least_once")
        said = self.migrate("switch", old, self.plan(old), expect=WRONG_INPUT).stderr
        self.assertIn("kafka.delivery of group one is at_least_once", said)
        old = self.write_config("two.yaml", group="two")
        new = self.plan(old)
        plan = yaml.safe_load(new.read_text())
        plan["kafka"]["input"]["generation"] = 2
        new.write_text(yaml.safe_dump(plan))
        said = self.migrate("switch", old, new, expect=WRONG_INPUT).stderr
        self.assertIn("kafka.input.generation differs", said)

    def test_a_deployment_that_never_judged_is_not_closed(self):
        for topic in ("three.verdicts", "three.verdicts.next", "three.log"):
            self.make_topic(topic)
        old = self.write_config("three.yaml", group="three", log={"topic": "three.log"},
                                verdicts={"topic": "three.verdicts"})
        said = self.migrate("switch", old, self.plan(old), expect=FAILED).stderr
        self.assertIn("group three.judge has no place in log three.log: it never judged", said)

    def test_what_the_shadow_does_not_write_is_named(self):
        old = self.write_config("four.yaml", group="four", kept={"topic": "four.kept"})
        new = self.plan(old)
        plan = yaml.safe_load(new.read_text())
        plan["kafka"]["kept"]["topic"] = ""
        new.write_text(yaml.safe_dump(plan))
        said = self.migrate("switch", old, new, expect=WRONG_INPUT).stderr
        self.assertIn("readers of four.kept would lack pages", said)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=os.path.abspath)
    for name in ("kills", "pages", "seed"):
        parser.add_argument(f"--{name}", type=int, default=getattr(OPTIONS, name))
    OPTIONS = parser.parse_args()
    DeploymentsTest.program = OPTIONS.program
    unittest.main(argv=sys.argv[:1])
