"""What tests of the program beside a real broker have in common."""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/chaos"))

import confluent_kafka.admin  # noqa: E402
import processes  # noqa: E402

DONE, WRONG_INPUT, FAILED = 0, 1, 3  # exit codes of the program
SECONDS = 120  # for anything that happens soon


class BrokerTestCase(unittest.TestCase):
    """Has a `broker`, `admin` for its topics, and an empty `folder`. A class can ask for a
    `kafka_version`."""

    kafka_version = None

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        cls.broker = processes.Broker(cls.folder / "broker", version=cls.kafka_version)
        cls.addClassCleanup(cls.broker.kill)
        cls.broker.start()
        cls.bootstrap = cls.broker.address
        cls.admin = confluent_kafka.admin.AdminClient({"bootstrap.servers": cls.bootstrap})

    @classmethod
    def make_topic(cls, name, partitions):
        made = cls.admin.create_topics([confluent_kafka.admin.NewTopic(name, partitions, 1)])
        made[name].result(SECONDS)
