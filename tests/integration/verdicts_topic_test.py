"""`crawlsieve verdicts --config` beside a real broker writes what it writes of the same verdicts in
a file: those of every partition, none of transactions that were aborted, none that come later.

    verdicts_topic_test.py PROGRAM
"""

import json
import os
import subprocess
import sys
import unittest

import confluent_kafka

from broker_test_case import DONE, FAILED, SECONDS, WRONG_INPUT, BrokerTestCase

PROGRAM = os.path.abspath(sys.argv.pop(1))
PARTITIONS = 3


def verdict(number):
    return json.dumps({
        "schema_version": 1, "url": f"http://a.example/{number}", "verdict": "drop",
        "reason": "gone", "match": None, "source": {"timestamp": "2026-01-01T00:00:00Z"}})


class VerdictsTopicTest(BrokerTestCase):
    def make_verdicts(self, name):
        self.make_topic(name, PARTITIONS)
        config = self.folder / f"{name}.yaml"
        config.write_text(json.dumps({"kafka": {"bootstrap_servers": self.bootstrap,
                                                "verdicts": {"topic": name}}}))
        return config

    def write(self, topic, values, commit=True):
        producer = confluent_kafka.Producer({"bootstrap.servers": self.bootstrap,
                                             "transactional.id": "test"})
        producer.init_transactions(SECONDS)
        producer.begin_transaction()
        for number, value in enumerate(values):
            producer.produce(topic, value, partition=number % PARTITIONS)
        self.assertEqual(producer.flush(SECONDS), 0)
        (producer.commit_transaction if commit else producer.abort_transaction)(SECONDS)

    def render(self, *arguments, expect=DONE):
        out = self.folder / "out"
        done = subprocess.run([PROGRAM, "verdicts", "--format", "nutch", "--out", out, *arguments],
                              capture_output=True, timeout=SECONDS, text=True)
        self.assertEqual(done.returncode, expect, done.stderr)
        return done, out.read_bytes()

    def test_the_verdicts_of_a_topic_are_those_of_a_file(self):
        config = self.make_verdicts("verdicts")
        for first in (0, 100, 200):
            self.write("verdicts", [verdict(i) for i in range(first, first + 100)])
            self.write("verdicts", [verdict(i + 1000) for i in range(5)], commit=False)
        groups = len(self.admin.list_groups(timeout=SECONDS))
        said, ours = self.render("--config", config)
        self.assertEqual(said.stderr, "300 records out of 300 verdicts\n")
        self.assertEqual(len(self.admin.list_groups(timeout=SECONDS)), groups)
        file = self.folder / "verdicts.jsonl"
        in_order = [i for partition in range(PARTITIONS) for first in (0, 100, 200)
                    for i in range(first + partition, first + 100, PARTITIONS)]
        file.write_text("".join(verdict(i) + "\n" for i in in_order))
        self.assertEqual(self.render(file)[1], ours)

    def test_an_empty_topic_gives_an_empty_file(self):
        said, data = self.render("--config", self.make_verdicts("empty"))
        self.assertEqual(said.stderr, "0 records out of 0 verdicts\n")
        self.assertTrue(data.startswith(b"SEQ"))

    def test_what_is_no_verdict_is_named_with_its_offset(self):
        config = self.make_verdicts("pages")
        self.write("pages", [verdict(0), verdict(1), verdict(2), '{"url": "x"}'])
        said, _ = self.render("--config", config, expect=WRONG_INPUT)
        self.assertIn("pages [0] at offset 1: not a verdict: schema_version", said.stderr)

    def test_a_topic_that_is_not_there_and_a_broker_that_is_not_there_are_named(self):
        config = self.folder / "none.yaml"
        config.write_text(json.dumps({"kafka": {"bootstrap_servers": self.bootstrap,
                                                "verdicts": {"topic": "none"}}}))
        said, _ = self.render("--config", config, expect=FAILED)
        self.assertIn("there is no topic none", said.stderr)
        config.write_text(json.dumps({"kafka": {"bootstrap_servers": "127.0.0.1:1"}}))
        said, _ = self.render("--config", config, expect=FAILED)
        self.assertIn("crawl.verdicts", said.stderr)


if __name__ == "__main__":
    unittest.main()
