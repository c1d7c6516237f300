"""A broker and deployments beside it, for tests of `crawlsieve migrate`."""

import json
import random
import signal
import subprocess
import threading
import time

import confluent_kafka
import yaml

from broker_test_case import DONE, FAILED, SECONDS, WRONG_INPUT, BrokerTestCase  # noqa: F401

PARTITIONS = 2
FEED = 40  # pages at a time
SEED = 20261125


def pages(first, count):
    """Pages of which every third is the one before it, under "www."."""
    chance = random.Random(f"{SEED} {first}")
    words = []
    for number in range(first, first + count):
        is_again = number % 3 == 2
        if not is_again or not words:
            words = [f"{chance.choice('bcdfghklmnprstvz')}{chance.randrange(10**6):x}o"
                     for _ in range(90)]
        page = number - 1 if is_again else number
        links = "".join(f"<a href='/{page + k}'>{page + k}</a>" for k in (7, 14))
        yield {"url": f"http://{'www.' if is_again else ''}site{page % 7}.example/{page}",
               "content_type": "text/html",
               "body": f"<title>page</title><p>{' '.join(words)}</p>{links}"}


def end_at(consumer, place):
    """The end of a partition, which a broker that has just started may not lead yet."""
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            return consumer.get_watermark_offsets(place, SECONDS)[1]
        except confluent_kafka.KafkaException as error:
            not_yet = confluent_kafka.KafkaError.NOT_LEADER_FOR_PARTITION
            if error.args[0].code() != not_yet or time.monotonic() > deadline:
                raise


class Feeder(threading.Thread):
    """Writes pages while nothing else is asked of it."""

    def __init__(self, test):
        super().__init__()
        self._test = test
        self._is_done = threading.Event()
        self.fed = 0

    def run(self):
        while not self._is_done.is_set():
            self._test.feed(self.fed, FEED)
            self.fed += FEED
            self._is_done.wait(0.2)  # a rate, not a wait for something

    def finish(self, at_least):
        """How many pages there are."""
        self._is_done.set()
        self.join()
        while self.fed < at_least:
            self._test.feed(self.fed, FEED)
            self.fed += FEED
        return self.fed


class DeploymentsTest(BrokerTestCase):
    """Has a broker with the topic `crawl.pages`. `program` is set before the tests run."""

    program = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.make_topic("crawl.pages")

    @classmethod
    def make_topic(cls, name, partitions=PARTITIONS):
        super().make_topic(name, partitions)

    def write_config(self, name, state="state", more=None, **kafka):
        path = self.folder / name
        path.write_text(json.dumps({
            "kafka": {"bootstrap_servers": self.bootstrap, **kafka},
            "service": {"state_directory": str(self.folder / state)},
            "http": {"enabled": False}, **(more or {})}))
        return path

    def feed(self, first, count, topic="crawl.pages"):
        producer = confluent_kafka.Producer({"bootstrap.servers": self.bootstrap})
        for number, page in enumerate(pages(first, count)):
            producer.produce(topic, json.dumps(page), partition=number % PARTITIONS)
        self.assertEqual(producer.flush(SECONDS), 0)

    def records(self, topic):
        """The records that are committed there; none without the topic."""
        if topic not in self.admin.list_topics(timeout=SECONDS).topics:
            return []
        partitions = self.admin.list_topics(topic, timeout=SECONDS).topics[topic].partitions
        consumer = confluent_kafka.Consumer({
            "bootstrap.servers": self.bootstrap, "group.id": "test",
            "isolation.level": "read_committed", "enable.partition.eof": True})
        records = []
        for partition in partitions:
            place = confluent_kafka.TopicPartition(topic, partition, 0)
            # A topic that is written all the time has no other end.
            end = end_at(consumer, place)
            consumer.assign([place])
            while True:
                record = consumer.poll(SECONDS)
                self.assertIsNotNone(record, f"no end of {topic}")
                if record.error() or record.offset() >= end:
                    break
                records.append(record)
        consumer.close()
        return records

    def end_of(self, topic):
        """Offsets of all its partitions together."""
        consumer = confluent_kafka.Consumer({"bootstrap.servers": self.bootstrap,
                                             "group.id": "test"})
        partitions = consumer.list_topics(topic, timeout=SECONDS).topics[topic].partitions
        ends = [end_at(consumer, confluent_kafka.TopicPartition(topic, partition))
                for partition in partitions]
        consumer.close()
        return sum(ends)

    def verdicts(self, topic):
        """The verdicts there by their input record, each of which has one at most."""
        verdicts = {}
        for record in self.records(topic):
            verdict = json.loads(record.value())
            source = verdict["source"]
            place = source["partition"], source["offset"]
            if place in verdicts:
                self.fail(f"two verdicts: {json.dumps(verdicts[place])}\n{json.dumps(verdict)}")
            verdicts[place] = verdict
        return verdicts

    def log_of(self, config):
        path = self.folder / f"{config.stem}.log"
        return path.read_text() if path.exists() else ""

    def start(self, config, command=("run", "--config")):
        with (self.folder / f"{config.stem}.log").open("ab") as log:
            process = subprocess.Popen([self.program, *command, str(config)],
                                       stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.addCleanup(self.stop, process)
        return process

    def stop(self, process, how=signal.SIGTERM):
        if process.poll() is None:
            process.send_signal(how)
        process.wait(SECONDS)

    def wait_for(self, topic, count, config):
        deadline = time.monotonic() + SECONDS
        while len(self.verdicts(topic)) < count:
            self.assertLess(time.monotonic(), deadline, self.log_of(config)[-3000:])

    def migrate(self, *arguments, expect=DONE):
        done = subprocess.run([self.program, "migrate", *map(str, arguments)],
                              capture_output=True, timeout=SECONDS, text=True)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def plan(self, old):
        """A configuration of a shadow beside `old` that judges by another scheme."""
        new = self.folder / f"{old.stem}.next.yaml"
        self.migrate("plan", old, "--to", "next", "--out", new)
        plan = yaml.safe_load(new.read_text())
        plan["extract"]["url"]["drop_www"] = True
        new.write_text(yaml.safe_dump(plan))
        return new

    def final(self, new, rendered=()):
        """What `migrate switch` says to set."""
        config = yaml.safe_load(new.read_text())
        for topic in ("verdicts", "kept", "scores"):
            config["kafka"][topic]["topic"] = f"crawl.{topic}"
        config["kafka"]["scores"]["rendered"] = list(rendered)
        path = self.folder / "final.yaml"
        path.write_text(yaml.safe_dump(config))
        return path
