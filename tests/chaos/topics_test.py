"""What is read from topics, on a real broker: open, aborted and committed transactions."""

import pathlib
import tempfile
import unittest

import confluent_kafka

import processes
import topics

TOPIC = "verdicts"
WAIT = 30


class TopicsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.broker = processes.Broker(pathlib.Path(folder.name) / "broker")
        cls.addClassCleanup(cls.broker.kill)
        cls.broker.start()

    def setUp(self):
        self.topics = topics.Topics(self.broker.address)
        self.addCleanup(self.topics.close)
        self.topics.create(TOPIC, 1)
        self.addCleanup(self.topics.delete, [TOPIC])
        self.producer = confluent_kafka.Producer({
            "bootstrap.servers": self.broker.address, "transactional.id": "test"})
        self.producer.init_transactions(WAIT)

    def write(self, *values):
        self.producer.begin_transaction()
        for value in values:
            self.producer.produce(TOPIC, value)
        self.producer.flush(WAIT)

    def test_each_transaction_is_told_for_what_it_is(self):
        self.write(b"0", b"1")
        self.producer.commit_transaction(WAIT)  # its marker is record 2
        self.write(b"3", b"4", b"5")
        self.producer.abort_transaction(WAIT)
        self.write(b"7")
        self.assertEqual(self.topics.held_up([TOPIC]), [(TOPIC, 0)])
        self.assertEqual(self.topics.end(TOPIC), 8)
        self.assertEqual(self.topics.end(TOPIC, committed_only=True), 7)
        self.producer.commit_transaction(WAIT)
        processes.wait_until(lambda: not self.topics.held_up([TOPIC]), WAIT, "the marker")
        self.assertEqual([(r.offset, r.value) for r in self.topics.read(TOPIC)],
                         [(0, b"0"), (1, b"1"), (7, b"7")])
        self.assertEqual(topics.aborted_offsets(self.broker.data / f"{TOPIC}-0"), ({3, 4, 5}, 1))

    def test_reader_waits_for_what_is_open(self):
        reader = topics.Reader(self.broker.address, TOPIC)
        self.addCleanup(reader.close)
        self.write(b"0")
        self.producer.commit_transaction(WAIT)
        processes.wait_until(lambda: reader.count == 1, WAIT, "the first record")
        self.write(b"2")
        self.producer.abort_transaction(WAIT)
        self.write(b"4")
        self.producer.commit_transaction(WAIT)
        processes.wait_until(lambda: reader.count == 2, WAIT, "the third record")
        self.assertEqual(reader.offsets, [0, 4])


if __name__ == "__main__":
    unittest.main()
