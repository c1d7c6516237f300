"""`crawlsieve check --sample TOPIC` beside a real broker: up to ten of the newest records of each
partition are shown, and no group, no offset and no topic is there afterwards that wasn't before.

    topic_sample_test.py PROGRAM
"""

import json
import os
import subprocess
import sys
import unittest

import confluent_kafka

from broker_test_case import DONE, FAILED, SECONDS, WRONG_INPUT, BrokerTestCase

PROGRAM = os.path.abspath(sys.argv.pop(1))


def page(number):
    return json.dumps({"url": f"http://a.example/{number}", "body": "<p>some words", "x": 1})


class TopicSampleTest(BrokerTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.config = cls.folder / "config.yaml"
        cls.config.write_text(json.dumps({"kafka": {"bootstrap_servers": cls.bootstrap,
                                                    "input": {"format": "auto"}}}))

    def write(self, topic, partition, values, **settings):
        producer = confluent_kafka.Producer({"bootstrap.servers": self.bootstrap, **settings})
        is_transactional = "transactional.id" in settings
        if is_transactional:
            producer.init_transactions(SECONDS)
        for value in values:
            if is_transactional:
                producer.begin_transaction()
            producer.produce(topic, value, key="http://a.example/key", partition=partition)
            if is_transactional:
                producer.commit_transaction(SECONDS)
        self.assertEqual(producer.flush(SECONDS), 0)

    def check(self, topic, *arguments, expect=DONE):
        done = subprocess.run([PROGRAM, "check", "--sample", topic, "--config", self.config,
                               *arguments], text=True, capture_output=True, timeout=SECONDS,
                              cwd=self.folder)
        self.assertEqual(done.returncode, expect, done.stderr)
        return done

    def sample(self, topic, *arguments):
        return json.loads(self.check(topic, "--json", *arguments).stdout)["records"]

    def state_of_cluster(self):
        return (sorted(group.id for group in self.admin.list_groups(timeout=SECONDS)),
                sorted(self.admin.list_topics(timeout=SECONDS).topics))

    def test_the_newest_records_of_each_partition_are_shown_and_nothing_is_committed(self):
        self.make_topic("pages", 4)
        self.write("pages", 0, [page(i) for i in range(25)])
        self.write("pages", 1, [page(100), None, "no JSON"])
        self.write("pages", 3, [page(i) for i in range(200, 210)])
        before = self.state_of_cluster()
        records = self.sample("pages")
        self.assertEqual(self.state_of_cluster(), before)
        self.assertEqual([record["origin"] for record in records],
                         [f"pages [0] at offset {i}" for i in range(15, 25)] +
                         [f"pages [1] at offset {i}" for i in range(3)] +
                         [f"pages [3] at offset {i}" for i in range(10)])
        self.assertEqual({key: records[0][key] for key in ("becomes", "url", "ignored", "format")},
                         {"becomes": "page", "url": "http://a.example/15", "ignored": ["x"],
                          "format": "canonical"})
        self.assertEqual([record["becomes"] for record in records[10:13]],
                         ["page", "tombstone", "dead letter"])
        self.assertEqual(self.sample("pages"), records)
        shown = self.check("pages").stdout
        self.assertIn("pages [3] at offset 9\n", shown)

    def test_ends_of_transactions_are_no_records(self):
        self.make_topic("transactions", 1)
        self.write("transactions", 0, [page(i) for i in range(8)], **{"transactional.id": "t"})
        # Every other offset is the end of a transaction, the last one too.
        self.assertEqual([record["url"] for record in self.sample("transactions")],
                         [f"http://a.example/{i}" for i in range(3, 8)])

    def test_what_is_no_topic_is_named(self):
        said = self.check("no.such.topic", expect=FAILED).stderr
        self.assertIn("there is no file and no topic no.such.topic", said)
        self.make_topic("empty", 2)
        self.assertIn("no record of a page", self.check("empty", expect=WRONG_INPUT).stderr)
        self.assertIn("--all reads files", self.check("empty", "--all", expect=WRONG_INPUT).stderr)
        self.assertNotIn("no.such.topic", self.admin.list_topics(timeout=SECONDS).topics)

    def test_a_broker_that_is_away_is_named_beside_the_missing_file(self):
        config = self.folder / "away.yaml"
        config.write_text(json.dumps({"kafka": {"bootstrap_servers": "127.0.0.1:1"}}))
        done = subprocess.run([PROGRAM, "check", "--sample", "pages.jsonl", "--config", config],
                              text=True, capture_output=True, timeout=SECONDS, cwd=self.folder)
        self.assertEqual(done.returncode, FAILED)
        self.assertIn("there is no file pages.jsonl, and of such a topic:", done.stderr)

    def test_a_file_of_the_name_comes_first(self):
        (self.folder / "both.jsonl").write_text(page(1) + "\n")
        self.make_topic("both.jsonl", 1)
        self.assertIn("both.jsonl at byte 0", self.check("both.jsonl").stdout)


if __name__ == "__main__":
    unittest.main()
