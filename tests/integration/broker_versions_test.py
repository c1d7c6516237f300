"""The program beside brokers of other Kafka versions: run with kills, check, purge and migrate; and
brokers that get another version while the service runs. Every record has one verdict.

    broker_versions_test.py PROGRAM VERSION...

script/broker fetches the versions.
"""

import argparse
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

import confluent_kafka

from deployments import DONE, FAILED, FEED, SECONDS, DeploymentsTest, Feeder

import processes  # tests/chaos, found by the line above
from secure_broker import FIRST_SCRAM_FOR_KAFKA_4, SecureBroker

KILLS = 6
SEED = 1
USUAL = "3.9.1"  # of script/broker


def as_numbers(version):
    return tuple(int(number) for number in version.split("."))


class BesideBroker(DeploymentsTest):
    """A deployment beside a broker of `kafka_version`, and pages that come all the time."""

    @classmethod
    def setUpClass(cls):
        processes.Broker(None, version=cls.kafka_version).fetch()
        super().setUpClass()

    def setUp(self):
        self.chance = random.Random(SEED)
        self.check_version()
        self.config = self.write_config(
            "old.yaml", kept={"topic": "crawl.kept"}, scores={"topic": "crawl.scores"},
            more={"extract": {"links": 20}})

    def check_version(self):
        """The broker runs the version that was asked for, by its own word."""
        said = re.findall(r"Kafka version: (\S+)", self.broker.log.read_text())
        self.assertEqual(said[-1:], [self.broker.version])

    def start_feeding(self):
        feeder = Feeder(self)
        feeder.start()
        self.addCleanup(feeder.finish, 0)
        return feeder

    def crawlsieve(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True,
                              timeout=SECONDS, text=True)
        self.assertEqual(done.returncode, DONE, done.stdout + done.stderr)
        return done.stdout

    def connect(self):
        """What `check --connect` finds, by its subject: nothing that is wrong."""
        found = json.loads(self.crawlsieve("check", "--connect", "--json", "--config", self.config))
        self.assertEqual([line for line in found if line["level"] == "problem"], [])
        return {line["subject"]: line["text"] for line in found}

    def wait_for_growth(self, offsets):
        """Of the topic of the verdicts: each takes an offset, and each transaction one more."""
        deadline = time.monotonic() + SECONDS
        wanted = self.end_of("crawl.verdicts") + offsets
        while self.end_of("crawl.verdicts") < wanted:
            self.assertLess(time.monotonic(), deadline, self.log_of(self.config)[-3000:])

    def kill(self, process):
        self.assertIsNone(process.poll(), self.log_of(self.config)[-3000:])
        self.stop(process, signal.SIGKILL)

    def wait_for_all(self, topic="crawl.verdicts", config=None):
        """Verdicts of all records that there are; their number."""
        total = self.end_of("crawl.pages")
        self.wait_for(topic, total, config or self.config)
        return total

    def check_verdicts(self):
        """Each record has one verdict, and each page that is kept is there once."""
        verdicts = self.verdicts("crawl.verdicts")
        self.assertEqual(len(verdicts), self.end_of("crawl.pages"))
        headers = [dict(record.headers()) for record in self.records("crawl.kept")]
        kept = [(int(header["crawlsieve-source-partition"]), int(header["crawlsieve-source-offset"]))
                for header in headers]
        keeps = [place for place, verdict in verdicts.items() if verdict["verdict"] == "keep"]
        self.assertGreater(len(keeps), 0)
        self.assertEqual(sorted(kept), sorted(keeps))
        return verdicts


class OneVersion(BesideBroker):
    def test_a_deployment_works(self):
        begun = time.monotonic()
        self.assertIn("the service makes it", self.connect()["topic crawl.verdicts"])
        running = self.run_with_kills()
        self.assertIn("partitions 1,", self.connect()["topic crawl.verdicts"])
        self.purge()
        self.go_over(running)
        print(f"Kafka {self.kafka_version}: {len(self.check_verdicts())} pages, {KILLS} kills, "
              f"{time.monotonic() - begun:.0f} s", file=sys.stderr)

    def run_with_kills(self):
        feeder = self.start_feeding()
        running = self.start(self.config)
        self.wait_for("crawl.verdicts", 1, self.config)
        for number in range(KILLS):
            if number % 2 == 0:
                self.wait_for_growth(self.chance.randrange(1, 200))
            else:
                time.sleep(self.chance.random())  # anywhere in its start
            self.kill(running)
            running = self.start(self.config)
        self.wait_for_growth(200)
        feeder.finish(0)
        self.wait_for_all()
        self.check_verdicts()
        return running

    def purge(self):
        """Of pages that come again, only those of a purged host are kept, themselves or as the
        same page under "www."."""
        self.crawlsieve("purge", "host", "site1.example", "--config", self.config)
        known = self.verdicts("crawl.verdicts").keys()
        self.feed(0, FEED)  # once more
        self.wait_for_all()
        again = [verdict for place, verdict in self.check_verdicts().items() if place not in known]
        kept = {urllib.parse.urlsplit(verdict["url"]).hostname for verdict in again
                if verdict["verdict"] == "keep"}
        self.assertIn("site1.example", kept)
        self.assertLessEqual(kept, {"site1.example", "www.site1.example"})

    def go_over(self, running):
        """A shadow judges the same, is compared, and goes on in the place of the old deployment."""
        new = self.plan(self.config)
        shadow = self.start(new)
        total = self.wait_for_all("crawl.verdicts.next", new)
        report = json.loads(self.migrate("report", self.config, new, "--json").stdout)
        self.assertEqual(report["both"], total)
        self.stop(running)
        self.feed(total, 60)
        self.wait_for_all("crawl.verdicts.next", new)
        self.stop(shadow)
        said = json.loads(self.migrate("switch", self.config, new, "--json").stdout)
        self.assertEqual(said["verdicts"], 60)
        self.check_verdicts()
        final = self.final(new)
        going = self.start(final)
        self.feed(total + 60, 60)
        self.wait_for_all(config=final)
        self.stop(going)


class Upgrade(BesideBroker):
    next_version = None

    def test_a_service_goes_on_when_its_broker_is_upgraded(self):
        feeder = self.start_feeding()
        running = self.start(self.config)
        self.wait_for("crawl.verdicts", 200, self.config)
        self.broker.stop()
        self.broker.version = self.next_version
        self.broker.fetch()
        self.broker.start()
        self.check_version()
        self.wait_for_growth(200)
        self.kill(running)
        self.start(self.config)
        self.wait_for_growth(200)
        feeder.finish(0)
        self.wait_for_all()
        print(f"Kafka {self.kafka_version}, then {self.next_version}: "
              f"{len(self.check_verdicts())} pages", file=sys.stderr)


class Logins(unittest.TestCase):
    """Clients log in at a broker of `kafka_version`, 4 or newer."""

    kafka_version = None

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        broker = processes.Broker(None, version=cls.kafka_version)
        broker.fetch()
        cls.broker = SecureBroker(cls.folder, broker.home)
        cls.addClassCleanup(cls.broker.stop)

    def configuration(self, listener, client):
        path = self.folder / f"{listener}.yaml"
        path.write_text(json.dumps({
            "kafka": {"bootstrap_servers": self.broker.address[listener], "client": client},
            "service": {"state_directory": str(self.folder / listener)},
            "http": {"enabled": False}}))
        return path

    def finding(self, config, listener):
        """What `check --connect` says of the broker: a level and a text."""
        done = subprocess.run(
            [DeploymentsTest.program, "check", "--connect", "--json", "--timeout", "5", "--config",
             config], capture_output=True, text=True, timeout=SECONDS)
        self.assertIn(done.returncode, (DONE, FAILED), done.stdout + done.stderr)
        subject = f"broker {self.broker.address[listener]}"
        return next((found["level"], found["text"]) for found in json.loads(done.stdout)
                    if found["subject"] == subject)

    def test_certificates_and_plain_log_in(self):
        path = self.broker.certificates.path
        for listener, client in {
                "MTLS": self.broker.client("MTLS", ssl_certificate_location=path("client.crt"),
                                           ssl_key_location=path("client.key")),
                "PLAIN": self.broker.scram("judge", sasl_mechanism="PLAIN")}.items():
            with self.subTest(listener):
                level, text = self.finding(self.configuration(listener, client), listener)
                self.assertEqual(level, "ok", text)

    def test_scram_logs_in_or_what_stands_against_it_is_said(self):
        config = self.configuration("SCRAM", self.broker.scram("judge"))
        level, text = self.finding(config, "SCRAM")
        if confluent_kafka.libversion()[1] >= FIRST_SCRAM_FOR_KAFKA_4:
            self.assertEqual(level, "ok", text)
            return
        wanted = ("Brokers of Kafka 4 refuse every SCRAM login of librdkafka before 2.6.1, and "
                  f"this is {confluent_kafka.libversion()[0]}")
        self.assertEqual(level, "problem")
        self.assertIn(wanted, text)
        log = self.folder / "SCRAM.log"
        with log.open("wb") as output:
            process = subprocess.Popen([DeploymentsTest.program, "run", "--config", config],
                                       stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + SECONDS
        while wanted not in log.read_text():
            self.assertLess(time.monotonic(), deadline, log.read_text())
            self.assertIsNone(process.poll(), log.read_text())


def tests_of(version):
    """The test classes for a version."""
    yield type(f"Kafka {version}", (OneVersion,), {"kafka_version": version})
    if version != USUAL:
        first, then = sorted((version, USUAL), key=as_numbers)
        yield type(f"Kafka {first}, then {then}", (Upgrade,),
                   {"kafka_version": first, "next_version": then})
    if as_numbers(version) >= (4,):
        yield type(f"Logins at Kafka {version}", (Logins,), {"kafka_version": version})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("versions", nargs="+", metavar="VERSION")
    arguments = parser.parse_args()
    DeploymentsTest.program = arguments.program
    print(f"seed {SEED}", file=sys.stderr)
    suite = unittest.TestSuite(
        unittest.defaultTestLoader.loadTestsFromTestCase(test)
        for version in arguments.versions for test in tests_of(version))
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
