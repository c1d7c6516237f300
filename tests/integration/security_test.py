#!/usr/bin/env python3
"""A broker with TLS, mutual TLS, SCRAM and ACLs: every misconfiguration is named with what to do, each
missing permission too, `check --connect` finds planted faults and changes nothing, and pages get
their verdicts under the least permissions (deploy/kafka/acls.sh).

    security_test.py PROGRAM
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import confluent_kafka
from confluent_kafka.admin import AdminClient, ConfigResource, NewTopic

import secure_broker
from secure_broker import Acls, SecureBroker

PROGRAM = sys.argv.pop(1)
DONE, WRONG_INPUT, FAILED = 0, 1, 3
PATIENCE_SECONDS = 40
INPUT, LOG, KEY, VERDICTS, DLQ, METRICS = (
    "crawl.pages", "crawl.fingerprints", "crawl.key", "crawl.verdicts", "crawl.pages.dlq",
    "crawl.metrics")
KEPT = {"cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1",
        "max.message.bytes": "8388608"}

# What acls.sh gives to each role, by resource. The transactional id is missing: librdkafka 2.0
# can't write its ACLs.
LEAST = {
    "extract": {("topic", INPUT): ["Read", "DescribeConfigs"],
                ("topic", KEY): ["Read", "DescribeConfigs"],
                ("topic", LOG): ["Read", "Write", "DescribeConfigs"],
                ("topic", DLQ): ["Create", "Write", "DescribeConfigs"],
                ("topic", METRICS): ["Create", "Write", "DescribeConfigs"],
                ("group", "crawlsieve.extract"): ["Read"],
                ("group", "crawlsieve.judge"): ["Describe"]},
    "judge": {("topic", LOG): ["Create", "Read", "Write", "DescribeConfigs"],
              ("topic", KEY): ["Create", "Read", "Write", "DescribeConfigs"],
              ("topic", VERDICTS): ["Create", "Write", "DescribeConfigs"],
              ("topic", METRICS): ["Create", "Write", "DescribeConfigs"],
              ("group", "crawlsieve.judge"): ["Read"]},
}


# A deployment with the index in slots, beside the one of the default names.
SLOTS = {"input": {"topics": ["slots.pages"]}, "log": {"topic": "slots.log"},
         "key": {"topic": "slots.key"}, "verdicts": {"topic": "slots.verdicts"},
         "changes": {"topic": "slots.changes"}, "candidates": {"topic": "slots.candidates"},
         "group": "slots"}
LEAST_OF_INDEX = {("topic", "slots.log"): ["Read", "DescribeConfigs"],
                  ("topic", "slots.key"): ["Read", "DescribeConfigs"],
                  ("topic", "slots.changes"): ["Create", "Read", "DescribeConfigs"],
                  ("topic", "slots.candidates"): ["Create", "Read", "Write", "DescribeConfigs"],
                  ("topic", "slots.metrics"): ["Create", "Write", "DescribeConfigs"],
                  ("group", "slots.index"): ["Read"],
                  ("group", "slots.judge"): ["Describe"]}


def single_acls(role, least=None):
    return [(role, kind, name, operation)
            for (kind, name), operations in (least or LEAST[role]).items()
            for operation in operations]


class SecurityTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        cls.broker = SecureBroker(cls.folder)
        cls.addClassCleanup(cls.broker.stop)
        cls.admin = AdminClient({"bootstrap.servers": cls.broker.address["PLAINTEXT"]})
        cls.acls = Acls(cls.broker.address["PLAINTEXT"])

    @classmethod
    def make(cls, *topics):
        for future in cls.admin.create_topics(list(topics)).values():
            future.result(30)
        cls.wait_for_topics(lambda names: all(topic.topic in names for topic in topics))

    @classmethod
    def delete(cls, *names):
        for future in cls.admin.delete_topics(list(names)).values():
            future.result(30)
        cls.wait_for_topics(lambda left: not set(names) & left)

    @classmethod
    def wait_for_topics(cls, condition):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition(set(cls.admin.list_topics(timeout=10).topics)):
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def configuration(self, name, listener, client, roles=("extract", "judge"), http=None,
                      **kafka):
        path = self.folder / f"{name}.yaml"
        path.write_text(json.dumps({
            "kafka": {"bootstrap_servers": self.broker.address[listener], "client": client,
                      **kafka},
            "service": {"roles": list(roles), "state_directory": str(self.folder / f"state-{name}")},
            "metrics": {"interval": "1s"},
            "http": {"enabled": http is not None, **({"port": http} if http else {})}}))
        return path

    def check(self, config, seconds=20):
        """Exit code, and findings as (level, subject, text)."""
        done = subprocess.run([PROGRAM, "check", "--connect", "--json", "--timeout", str(seconds),
                               "--config", config], capture_output=True, text=True, timeout=100)
        self.assertIn(done.returncode, (DONE, FAILED), done.stdout + done.stderr)
        found = [(f["level"], f["subject"], f["text"]) for f in json.loads(done.stdout)]
        self.assertEqual(done.returncode,
                         FAILED if any(f[0] == "problem" for f in found) else DONE)
        return found

    def assert_finds(self, found, subject, *texts, level="problem"):
        self.assertTrue(any(f[0] == level and subject in f[1] and all(t in f[2] for t in texts)
                            for f in found), (subject, texts, found))

    def start(self, name, config):
        log = self.folder / f"{name}.log"
        with log.open("wb") as output:
            process = subprocess.Popen([PROGRAM, "run", "--config", config],
                                       stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process, log

    def wait_for_line(self, log, *texts):
        """A line of the log with all of the texts."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            for line in log.read_text(errors="replace").splitlines():
                if all(text in line for text in texts):
                    return line
            if time.monotonic() > deadline:
                raise AssertionError(f"{texts} not in\n{log.read_text()}")
            time.sleep(0.05)

    # Connections ------------------------------------------------------------------------------

    def connections(self):
        """Name, listener, properties, what is said."""
        path, client, scram = self.broker.certificates.path, self.broker.client, self.broker.scram
        wanted = "the brokers want a certificate of the client"
        other = "may expect another security.protocol"
        login = "the brokers refuse the login of User:"
        is_old = confluent_kafka.libversion()[1] < secure_broker.FIRST_SCRAM_FOR_KAFKA_4
        at_kafka_4 = ["Brokers of Kafka 4 refuse every SCRAM login"] if is_old else []
        pair = lambda name: {"ssl_certificate_location": path(f"{name}.crt"),
                             "ssl_key_location": path(f"{name}.key")}
        return [
            ("wrong-ca", "TLS", client("TLS", ssl_ca_location=path("otherca.crt")),
             ["CA that ssl.ca.location does not hold"]),
            ("wrong-ca-scram", "SCRAM", scram("judge", ssl_ca_location=path("otherca.crt")),
             ["CA that ssl.ca.location does not hold"]),
            ("expired", "EXPIRED", client("EXPIRED"), ["certificate has expired"]),
            ("wrong-name", "OTHERNAME", client("OTHERNAME"), ["certificate is of another host"]),
            ("no-certificate", "MTLS", client("MTLS"), [wanted, "ssl.certificate.location"]),
            ("strange-certificate", "MTLS", client("MTLS", **pair("stranger")), [wanted]),
            ("plain-on-tls", "TLS", {}, [other, "no TLS"]),
            ("plain-on-scram", "SCRAM", {}, [other, "no TLS"]),
            ("tls-on-plain", "PLAINTEXT", client("TLS"), ["doesn't speak TLS on this port"]),
            ("scram-on-plain", "PLAINTEXT", scram("judge"), ["doesn't speak TLS on this port"]),
            ("no-login", "SCRAM", client("TLS"), [other, "no SASL"]),
            ("login-without-tls", "SCRAM", scram("judge", security_protocol="SASL_PLAINTEXT"),
             [other, "no TLS"]),
            ("login-on-tls", "TLS", scram("judge"), [login + "judge", "SCRAM-SHA-256"]),
            ("wrong-password", "SCRAM", scram("judge", sasl_password="guessed-wrong"),
             [login + "judge with SCRAM-SHA-256", "sasl.password", *at_kafka_4]),
            ("unknown-user", "SCRAM", scram("mallory"), [login + "mallory"]),
            ("mechanism-512", "SCRAM", scram("judge", sasl_mechanism="SCRAM-SHA-512"),
             [login + "judge with SCRAM-SHA-512", "supported mechanisms: SCRAM-SHA-256"]),
            ("mechanism-plain", "SCRAM", scram("judge", sasl_mechanism="PLAIN"),
             [login + "judge with PLAIN"]),
        ]

    def test_each_wrong_connection_is_named_by_the_check_and_by_the_service(self):
        services = []
        for name, listener, client, texts in self.connections():
            config = self.configuration(name, listener, client)
            services.append((name, *self.start(name, config), texts))
            with self.subTest(name, command="check"):
                found = self.check(config, seconds=3)
                self.assert_finds(found, f"broker {self.broker.address[listener]}", *texts)
                self.assertNotIn("guessed-wrong", str(found))
        for name, process, log, texts in services:
            with self.subTest(name, command="run"):
                # It waits: passwords and certificates are mended while it does.
                self.wait_for_line(log, "stage.retry", *texts)
                self.assertIsNone(process.poll(), log.read_text())
                self.assertNotIn("guessed-wrong", log.read_text())
            process.kill()

    def test_a_password_that_is_mended_in_its_file_is_used(self):
        password = self.folder / "password"
        password.write_text("guessed-wrong\n")
        client = self.broker.scram("judge", **{"sasl_password": None,
                                               "sasl_password_file": str(password)})
        config = self.configuration("rotated", "SCRAM", client, roles=["judge"])
        process, log = self.start("rotated", config)
        self.wait_for_line(log, "stage.retry", "the brokers refuse the login of User:judge")
        self.assert_finds(self.check(config, seconds=3), "broker", "refuse the login")
        password.write_text(secure_broker.PASSWORDS["judge"] + "\n")
        # Logged in, it misses permissions, as this test gave it none.
        self.wait_for_line(log, "User:judge lacks")
        self.assertIsNone(process.poll(), log.read_text())
        self.assertNotIn("guessed-wrong", log.read_text())
        self.assertNotIn(secure_broker.PASSWORDS["judge"], log.read_text())

    def test_files_that_can_not_be_read_end_the_service(self):
        path = self.broker.certificates.path
        for name, client in {
                "missing-ca": self.broker.client("TLS", ssl_ca_location=path("none.crt")),
                "missing-key": self.broker.client("MTLS", ssl_certificate_location=path("client.crt"),
                                                  ssl_key_location=path("none.key")),
                "other-key": self.broker.client("MTLS", ssl_certificate_location=path("client.crt"),
                                                ssl_key_location=path("stranger.key"))}.items():
            with self.subTest(name):
                process, log = self.start(name, self.configuration(name, "TLS", client))
                self.assertEqual(process.wait(PATIENCE_SECONDS), WRONG_INPUT, log.read_text())
                self.assertIn("ssl.", log.read_text().splitlines()[-1])

    def test_a_broker_that_is_down_or_has_no_address_is_named(self):
        here = self.broker.address["PLAINTEXT"]
        closed = secure_broker.free_ports(1)[0]
        found = self.check(self.configuration("down", "PLAINTEXT", {},
                                              bootstrap_servers=f"localhost:{closed}"), 2)
        self.assert_finds(found, f"localhost:{closed}", "Connection refused")
        found = self.check(self.configuration("unknown", "PLAINTEXT", {},
                                              bootstrap_servers="no.such.host.invalid:9092"), 2)
        self.assert_finds(found, "no.such.host.invalid:9092", "resolve")
        found = self.check(self.configuration(
            "half", "PLAINTEXT", {}, bootstrap_servers=f"{here},localhost:{closed}"))
        self.assert_finds(found, f"broker {here}", "answers User:ANONYMOUS", level="ok")
        self.assert_finds(found, f"localhost:{closed}", "Connection refused")

    # Topics -----------------------------------------------------------------------------------

    def snapshot(self):
        """Topics with settings, groups. Brokers may make their own topics at any time."""
        names = sorted(name for name in self.admin.list_topics(timeout=10).topics
                       if not name.startswith("__"))
        described = self.admin.describe_configs(
            [ConfigResource(ConfigResource.Type.TOPIC, name) for name in names]) if names else {}
        settings = {resource.name: {key: entry.value for key, entry in future.result(30).items()}
                    for resource, future in described.items()}
        ends = {}
        reader = confluent_kafka.Consumer({"bootstrap.servers": self.broker.address["PLAINTEXT"],
                                           "group.id": "snapshot"})
        for name in names:
            for partition in self.admin.list_topics(name, timeout=10).topics[name].partitions:
                ends[name, partition] = self.ends_of(reader, name, partition)
        reader.close()
        groups = sorted(group.id for group in self.admin.list_groups(timeout=10))
        return settings, ends, groups

    def ends_of(self, reader, name, partition):
        """First and next offset. A broker may not know yet that it leads a new partition."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                return reader.get_watermark_offsets(
                    confluent_kafka.TopicPartition(name, partition), timeout=10)
            except confluent_kafka.KafkaException:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def test_finds_faults_of_topics_and_leaves_everything_as_it_was(self):
        new = NewTopic
        self.make(
            new("in", 1, 1), new("in.dlq", 1, 1, config={"max.message.bytes": "1000"}),
            new("in-large", 1, 1, config={"max.message.bytes": "99000000"}),
            new("in-compact", 1, 1, config={"cleanup.policy": "compact"}),
            new("log-3", 3, 1, config=KEPT),
            new("log-compact", 1, 1, config=KEPT | {"cleanup.policy": "compact"}),
            new("log-week", 1, 1, config=KEPT | {"retention.ms": "604800000"}),
            new("log-bytes", 1, 1, config=KEPT | {"retention.bytes": "1000000"}),
            new("log-small", 1, 1, config=KEPT | {"max.message.bytes": "1000"}),
            new("verdicts-small", 1, 1, config={"max.message.bytes": "1000"}),
            new("good", 1, 1, config=KEPT))
        faults = {
            "missing-input": ({"input": {"topics": ["none"]}}, "none", ["does not exist"]),
            "large-input": ({"input": {"topics": ["in-large"]}}, "in-large",
                            ["99000000", "kafka.max_message_bytes"]),
            "small-dead-letters": ({"input": {"topics": ["in"]}}, "in.dlq",
                                   ["max.message.bytes=1000", "kafka-configs.sh"]),
            "partitions": ({"log": {"topic": "log-3"}}, "log-3", ["3 partitions"]),
            "compacted": ({"log": {"topic": "log-compact"}}, "log-compact",
                          ["cleanup.policy=compact", "--add-config cleanup.policy=delete"]),
            "week": ({"log": {"topic": "log-week"}}, "log-week", ["retention.ms=604800000"]),
            "bytes": ({"log": {"topic": "log-bytes"}}, "log-bytes", ["retention.bytes=1000000"]),
            "small-log": ({"log": {"topic": "log-small"}}, "log-small", ["max.message.bytes=1000"]),
            "small-verdicts": ({"verdicts": {"topic": "verdicts-small"}}, "verdicts-small",
                               ["max.message.bytes=1000"]),
            "key-compacted": ({"key": {"topic": "log-compact"}}, "log-compact",
                              ["cleanup.policy=compact"]),
            "replication": ({"topic_replication": 3}, LOG, ["can't be made", "replication"]),
        }
        before = self.snapshot()
        for name, (kafka, topic, texts) in faults.items():
            with self.subTest(name):
                kafka = {"input": {"topics": ["in"]}, "group": "faults", **kafka}
                found = self.check(self.configuration(name, "PLAINTEXT", {}, **kafka))
                self.assert_finds(found, f"topic {topic}", *texts)
        found = self.check(self.configuration("warn", "PLAINTEXT", {}, log={"topic": "good"},
                                              group="faults", input={"topics": ["in-compact"]}))
        self.assert_finds(found, "topic in-compact", "compaction", level="warning")
        self.assert_finds(found, "topic good", "one broker keeps one copy", level="warning")
        found = self.check(self.configuration("extract-only", "PLAINTEXT", {}, roles=["extract"],
                                              input={"topics": ["in"]}, log={"topic": "none"}))
        self.assert_finds(found, "topic none", "does not exist", "kafka-topics.sh")
        self.assertEqual(self.snapshot(), before)

        # Only now is there a group: one of another deployment.
        stranger = confluent_kafka.Consumer({
            "bootstrap.servers": self.broker.address["PLAINTEXT"], "group.id": "faults.judge"})
        stranger.commit(offsets=[confluent_kafka.TopicPartition("log-week", 0, 1)],
                        asynchronous=False)
        stranger.close()
        found = self.check(self.configuration("stranger", "PLAINTEXT", {}, group="faults",
                                              input={"topics": ["in"]}, log={"topic": "good"}))
        self.assert_finds(found, "group faults.judge", "another deployment", "log-week")

    # Permissions ------------------------------------------------------------------------------

    def allow_least(self):
        """By acls.sh, which finds Kafka's command as on the path of an operator."""
        for role in LEAST:
            self.give(role, f"User:{role}")

    def give(self, role, principal, **names):
        command = self.folder / "kafka-acls.sh"
        command.write_text("#!/bin/sh\nexec " + " ".join(f"'{part}'" for part in secure_broker.JAVA)
                           + ' kafka.admin.AclCommand "$@"\n')
        command.chmod(0o755)
        environment = os.environ | {
            "PATH": f"{self.folder}:{os.environ['PATH']}",
            "BOOTSTRAP_SERVER": self.broker.address["PLAINTEXT"], **names}
        subprocess.run([secure_broker.ROOT / "deploy/kafka/acls.sh", role, principal],
                       env=environment, check=True, capture_output=True)

    def assert_each_is_missed(self, role, acls, config=None):
        config = config or self.role_config(role)
        for acl in acls:
            _, kind, name, operation = acl
            self.acls.remove(acl)
            try:
                with self.subTest(acl=acl):
                    # Brokers don't say whether Describe or Read of a group is missing.
                    named = "Read" if kind == "group" else operation
                    self.assert_finds(self.check(config, 30), name,
                                      f"User:{role} lacks {named} on {kind} {name}",
                                      f"--add --allow-principal 'User:{role}' --operation "
                                      f"{named} --{kind} {name}")
            finally:
                self.acls.add(acl)

    def role_config(self, role, **more):
        return self.configuration(role, "SCRAM", self.broker.scram(role), roles=[role], **more)

    def test_pages_get_their_verdicts_under_the_least_permissions_and_each_is_needed(self):
        self.make(NewTopic(INPUT, 2, 1))
        self.allow_least()
        # Before anything is there: what is to be made.
        self.assert_each_is_missed("judge", [a for a in single_acls("judge") if a[3] == "Create"])
        self.assert_each_is_missed("extract", [("extract", "topic", DLQ, "Create")])

        self.feed_pages(self.configuration("feed", "PLAINTEXT", {}))
        judge, judge_log = self.start("judge", self.role_config("judge"))
        extract, extract_log = self.start("extract", self.role_config("extract"))
        self.assert_verdicts(VERDICTS, judge_log, extract_log)
        self.wait_for_topics(lambda names: METRICS in names and DLQ in names)
        for process, log in ((judge, judge_log), (extract, extract_log)):
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(PATIENCE_SECONDS), 0, log.read_text())
            self.assertNotIn("AUTHORIZATION_FAILED", log.read_text())
        for role in LEAST:
            self.assertEqual([f for f in self.check(self.role_config(role)) if f[0] == "problem"],
                             [])

        # Now that everything is there: all others, by the check and by the service.
        for role in LEAST:
            acls = [a for a in single_acls(role) if a[3] != "Create"]
            self.assert_each_is_missed(role, acls)
        self.assert_service_waits("judge", ("judge", "topic", LOG, "DescribeConfigs"))
        self.assert_service_waits("judge", ("judge", "group", "crawlsieve.judge", "Read"))
        # Describe comes with Read and Write, and is what the service misses first.
        self.assert_service_waits("judge", ("judge", "topic", VERDICTS, "Write"), "Describe")
        self.assert_service_waits("extract", ("extract", "topic", INPUT, "Read"), "Describe")
        self.assert_service_waits("extract", ("extract", "topic", LOG, "Write"))
        self.assert_service_waits("extract", ("extract", "group", "crawlsieve.extract", "Read"))
        self.assert_transactional_id_is_named()

    def feed_pages(self, config):
        pages = self.folder / "pages.jsonl"
        pages.write_text("".join(json.dumps(
            {"url": f"http://a.example/{i}", "content_type": "text/html",
             "body": f"<title>{i}</title><p>" + " ".join(f"w{i}x{j}" for j in range(60))}) + "\n"
            for i in range(40)))
        subprocess.run([PROGRAM, "feed", pages, "--config", config], check=True,
                       capture_output=True, timeout=60)

    def assert_verdicts(self, topic, *logs):
        """Each page that was fed has one."""
        reader = confluent_kafka.Consumer({
            "bootstrap.servers": self.broker.address["PLAINTEXT"], "group.id": "reader",
            "isolation.level": "read_committed", "auto.offset.reset": "earliest",
            "topic.metadata.refresh.interval.ms": 500})
        reader.subscribe([topic])
        urls, deadline = [], time.monotonic() + PATIENCE_SECONDS
        while len(urls) < 40:
            message = reader.poll(0.2)
            if message is not None and not message.error():
                urls.append(json.loads(message.value())["url"])
            self.assertLess(time.monotonic(), deadline, "".join(log.read_text() for log in logs))
        reader.close()
        self.assertEqual(sorted(urls), sorted(f"http://a.example/{i}" for i in range(40)))

    def test_pages_get_their_verdicts_under_mutual_tls_and_top_asks_by_https(self):
        path = self.broker.certificates.path
        names = {"input": {"topics": ["mutual.pages"]}, "log": {"topic": "mutual.log"},
                 "key": {"topic": "mutual.key"}, "verdicts": {"topic": "mutual.verdicts"},
                 "group": "mutual"}
        self.make(NewTopic("mutual.pages", 2, 1))
        for role in LEAST:
            self.give(role, "User:CN=client", INPUT_TOPICS="mutual.pages", LOG_TOPIC="mutual.log",
                      KEY_TOPIC="mutual.key", VERDICTS_TOPIC="mutual.verdicts",
                      METRICS_TOPIC="mutual.metrics", GROUP="mutual")
        self.feed_pages(self.configuration("mutual-feed", "PLAINTEXT", {}, **names))
        token = self.folder / "token"
        token.write_text("a-token-of-some-length\n")
        port = secure_broker.free_ports(1)[0]
        config = self.configuration(
            "mutual", "MTLS", self.broker.client("MTLS", ssl_certificate_location=path("client.crt"),
                                                 ssl_key_location=path("client.key")), **names)
        settings = json.loads(config.read_text())
        settings["metrics"]["topic"] = "mutual.metrics"
        settings["http"] = {"port": port, "token_file": str(token), "tls": {
            "certificate_file": path("server.crt"), "key_file": path("server.key")}}
        config.write_text(json.dumps(settings))
        process, log = self.start("mutual", config)
        self.assert_verdicts("mutual.verdicts", log)

        def top(*arguments):
            return subprocess.run([PROGRAM, "top", "--count", "1", *arguments],
                                  capture_output=True, text=True, timeout=30)
        done = top("--config", config, "--ca", path("ca.crt"))
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertIn("extract", done.stdout)
        url = f"https://localhost:{port}"
        done = top(url, "--ca", path("ca.crt"), "--token-file", token)
        self.assertEqual(done.returncode, DONE, done.stderr)
        for arguments, text in (
                ((url, "--ca", path("ca.crt")), "wants a token"),
                ((url, "--token-file", token), "isn't signed by a trusted one"),
                ((f"http://localhost:{port}", "--token-file", token), "doesn't answer")):
            done = top(*arguments)
            self.assertEqual(done.returncode, FAILED, done.stdout)
            self.assertIn(text, done.stderr)
        self.assertNotIn("a-token-of-some-length", log.read_text())
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE_SECONDS), 0, log.read_text())
        self.assertEqual([f for f in self.check(config) if f[0] == "problem"], [])

    def slots_config(self, name, *roles):
        config = self.configuration(name, "SCRAM", self.broker.scram(name), roles=roles, **SLOTS)
        settings = json.loads(config.read_text())
        settings["index"] = {"slots": 2}
        settings["metrics"]["topic"] = "slots.metrics"
        # Beside the state of the default deployment's judge, which has the same name.
        settings["service"]["state_directory"] += "-of-slots"
        config.write_text(json.dumps(settings))
        return config

    def test_slots_answer_under_the_least_permissions_and_each_is_needed(self):
        self.make(NewTopic("slots.pages", 2, 1))
        names = {"INPUT_TOPICS": "slots.pages", "LOG_TOPIC": "slots.log", "KEY_TOPIC": "slots.key",
                 "VERDICTS_TOPIC": "slots.verdicts", "METRICS_TOPIC": "slots.metrics",
                 "CHANGES_TOPIC": "slots.changes", "CANDIDATES_TOPIC": "slots.candidates",
                 "GROUP": "slots"}
        self.give("index", "User:index", **names)
        for role in LEAST:
            self.give(role, "User:judge", SLOTS="1", **names)
        acls = single_acls("index", LEAST_OF_INDEX)
        index = self.slots_config("index", "index")
        self.assert_each_is_missed("index", [a for a in acls if a[3] == "Create"], index)

        self.feed_pages(self.configuration("slots-feed", "PLAINTEXT", {}, **SLOTS))
        judge, judge_log = self.start("slots-judge", self.slots_config("judge", "extract", "judge"))
        slots, slots_log = self.start("slots-index", index)
        self.assert_verdicts("slots.verdicts", judge_log, slots_log)
        self.wait_for_topics(lambda names: "slots.metrics" in names)
        for process, log in ((judge, judge_log), (slots, slots_log)):
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(PATIENCE_SECONDS), 0, log.read_text())
            self.assertNotIn("AUTHORIZATION_FAILED", log.read_text())
        self.assertEqual([f for f in self.check(index) if f[0] == "problem"], [])
        self.assert_each_is_missed("index", [a for a in acls if a[3] != "Create"], index)

    def assert_service_waits(self, role, acl, named=None):
        _, kind, name, operation = acl
        named = named or operation
        self.acls.remove(acl)
        try:
            with self.subTest(role=role, acl=acl, command="run"):
                process, log = self.start(f"{role}-{operation}-{name}", self.role_config(role))
                try:
                    self.wait_for_line(log, f"User:{role} lacks {named} on {kind} {name}",
                                       f"--operation {named} --{kind} {name}")
                finally:
                    process.kill()
                    process.wait()
        finally:
            self.acls.add(acl)

    def assert_transactional_id_is_named(self):
        secure_broker.kafka_acls(
            "--bootstrap-server", self.broker.address["PLAINTEXT"], "--remove", "--force",
            "--allow-principal", "User:judge", "--operation", "Write", "--transactional-id",
            "crawlsieve.judge")
        process, log = self.start("judge-transactional", self.role_config("judge"))
        self.wait_for_line(log, "User:judge lacks Write on transactional id crawlsieve.judge",
                           "--operation Write --transactional-id crawlsieve.judge")
        process.kill()
        process.wait()


if __name__ == "__main__":
    unittest.main(verbosity=2)
