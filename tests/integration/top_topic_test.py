#!/usr/bin/env python3
"""`crawlsieve top --topic` beside a real broker: every process that reports to the metrics topic is
shown, one that was killed is named, and so is a topic that is missing.

    top_topic_test.py PROGRAM
"""

import json
import re
import subprocess
import sys
import time
import unittest

from broker_test_case import DONE, FAILED, SECONDS, WRONG_INPUT, BrokerTestCase

PROGRAM = sys.argv.pop(1)


class TopTopicTest(BrokerTestCase):
    def configuration(self, name, **metrics):
        path = self.folder / f"{name}.yaml"
        path.write_text(json.dumps({
            "kafka": {"bootstrap_servers": self.bootstrap},
            "service": {"instance": name, "roles": [name] if name != "top" else ["judge"],
                        "state_directory": str(self.folder / f"state-{name}")},
            "metrics": {"interval": "1s", **metrics}, "http": {"enabled": False}}))
        return path

    def start(self, name):
        with (self.folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen([PROGRAM, "run", "--config", self.configuration(name)],
                                       stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def top(self, config):
        return subprocess.run([PROGRAM, "top", "--topic", "--config", config], text=True,
                              capture_output=True, timeout=SECONDS)

    def wait_for(self, config, condition):
        """Looks again until `condition` holds for what is written. Returns it."""
        deadline = time.monotonic() + SECONDS
        while True:
            done = self.top(config)
            if condition(done):
                return done
            if time.monotonic() > deadline:
                raise AssertionError(f"{done.returncode}\n{done.stdout}\n{done.stderr}")

    def test_a_missing_topic_is_named(self):
        done = self.top(self.configuration("top", topic="no.such.topic"))
        self.assertEqual((done.returncode, done.stdout), (FAILED, ""))
        self.assertIn("there is no topic no.such.topic (metrics.topic)", done.stderr)
        done = self.top(self.configuration("top", topic=""))
        self.assertEqual((done.returncode, done.stdout), (WRONG_INPUT, ""))
        self.assertIn("metrics.topic is empty", done.stderr)

    def test_shows_all_processes_and_names_one_that_was_killed(self):
        config = self.configuration("top")
        page = self.folder / "page.html"
        page.write_text("<title>A page</title><p>" + " ".join(f"word{i}" for i in range(200)))
        subprocess.run([PROGRAM, "feed", page, "--config", config], check=True, timeout=60,
                       capture_output=True)
        extract, judge = self.start("extract"), self.start("judge")
        done = self.wait_for(config, lambda done: len(re.findall(
            r"^(?:extract|judge) +ready ", done.stdout, re.M)) == 2)
        self.assertEqual(done.returncode, DONE)
        self.assertEqual(done.stderr, "")
        lines = done.stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["instance", "extract", "judge"])
        # The judge has given the page its verdict.
        self.wait_for(config, lambda done: re.search(r"^judge +ready .* 1 +judge$", done.stdout,
                                                     re.M))

        extract.kill()
        extract.wait()
        done = self.wait_for(config, lambda done: "extract" in done.stderr)
        self.assertEqual(done.returncode, DONE)
        self.assertRegex(done.stderr, r"^crawlsieve: extract has not reported for [\d.]+ s$")
        # Of the one that is left, all is shown.
        self.assertRegex(done.stdout, r"^crawlsieve \S+  judge \(judge\)  ready\n")
        self.assertIsNone(judge.poll())

        # Records of processes that are gone are in the topic still.
        judge.kill()
        judge.wait()
        done = self.wait_for(config, lambda done: done.returncode != DONE)
        self.assertEqual((done.returncode, done.stdout), (FAILED, ""))
        self.assertRegex(done.stderr, r"crawlsieve: judge has not reported for [\d.]+ s\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
