"""Three brokers: topics are made so that brokers keep what they acknowledged, a log that brokers may
lose is refused, and pages get their verdicts while brokers die. Usage: replication_test.py PROGRAM"""

import ctypes
import json
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import confluent_kafka
import confluent_kafka.admin

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOME = subprocess.check_output([ROOT / "script/broker", "home"], text=True).strip()
CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qg"
SECONDS = 120
STARTED = []


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for made in sockets:
        made.bind(("127.0.0.1", 0))
    ports = [made.getsockname()[1] for made in sockets]
    for made in sockets:
        made.close()
    return ports


def start(command, log):
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=log.open("ab"), stderr=subprocess.STDOUT,
        preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGKILL))
    STARTED.append(process)
    return process


def wait_until(condition, what):
    deadline = time.monotonic() + SECONDS
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {SECONDS} s")
        time.sleep(0.1)


def start_brokers(folder):
    ports = free_ports(6)
    voters = ",".join(f"{i + 1}@127.0.0.1:{ports[3 + i]}" for i in range(3))
    java = ["java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp",
            f"{HOME}/lib/*"]
    brokers = []
    for i in range(3):
        config = folder / f"broker{i}.properties"
        config.write_text(f"""process.roles=broker,controller
node.id={i + 1}
controller.quorum.voters={voters}
listeners=PLAINTEXT://127.0.0.1:{ports[i]},CONTROLLER://127.0.0.1:{ports[3 + i]}
advertised.listeners=PLAINTEXT://127.0.0.1:{ports[i]}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs={folder}/data{i}
offsets.topic.num.partitions=1
transaction.state.log.num.partitions=1
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
""")
        subprocess.run([*java, "kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", config],
                       check=True, stdout=subprocess.DEVNULL)
        brokers.append(start([*java, "kafka.Kafka", str(config)], folder / f"broker{i}.log"))
    return brokers, ",".join(f"127.0.0.1:{port}" for port in ports[:3])


def resident_mib(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) // 1024


class Service:
    def __init__(self, program, folder, name, address, **kafka):
        self.log = folder / f"{name}.log"
        config = folder / f"{name}.yaml"
        config.write_text(json.dumps({
            "kafka": {"bootstrap_servers": address, "group": name,
                      "input": {"topics": ["pages"]}, "log": {"topic": f"{name}-log"},
                      "verdicts": {"topic": f"{name}-verdicts"}, **kafka},
            "service": {"state_directory": str(folder / f"{name}-state")},
            "metrics": {"topic": ""}, "http": {"enabled": False},
            "log": {"level": "info", "format": "json"}}))
        self.process = start([program, "run", "--config", str(config)], self.log)

    def events(self, name):
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        found = [json.loads(line) for line in lines if line.startswith("{")]
        return [line for line in found if line.get("event") == name]


def check_refusals(program, folder, admin, address):
    """A log, and a key's topic, whose brokers may lose what they acknowledged."""
    new = confluent_kafka.admin.NewTopic
    kept = {"retention.ms": "-1", "retention.bytes": "-1", "max.message.bytes": "8388608"}
    durable = {"min.insync.replicas": "2", "unclean.leader.election.enable": "false"}
    cases = {
        "one": (new("one-log", 1, 1, config=kept | durable), {}, "one replica"),
        "weak": (new("weak-log", 1, 3, config=kept | durable | {"min.insync.replicas": "1"}), {},
                 "min.insync.replicas=1"),
        "unclean": (new("unclean-log", 1, 3, config=kept | durable |
                        {"unclean.leader.election.enable": "true"}), {},
                    "unclean.leader.election.enable=true"),
        "key": (new("weak-key", 1, 1, config=kept | durable), {"key": {"topic": "weak-key"}},
                "one replica"),
    }
    for topic in admin.create_topics([case[0] for case in cases.values()]).values():
        topic.result(30)
    for name, (topic, kafka, problem) in cases.items():
        service = Service(program, folder, name, address, **kafka)
        assert wait_until(lambda: service.process.poll() is not None and [service.process.poll()],
                          f"the refusal of {topic.topic}") == [1], service.log.read_text()
        text = service.log.read_text()
        assert topic.topic in text and problem in text, text
        assert "kafka.log.accept_weak_durability" in text, text


def check(program, folder):
    brokers, address = start_brokers(folder)
    admin = confluent_kafka.admin.AdminClient({"bootstrap.servers": address, "log_level": 2})
    topics = lambda: admin.list_topics(timeout=5)

    def all_there():
        try:
            return len(topics().brokers) == 3
        except confluent_kafka.KafkaException:
            return False

    wait_until(all_there, "three brokers")
    new = confluent_kafka.admin.NewTopic
    admin.create_topics([new("pages", 1, 3)])["pages"].result(30)
    check_refusals(program, folder, admin, address)
    service = Service(program, folder, "good", address)
    # Some come twice: a broker that doesn't know a new topic yet is asked again.
    checked = lambda: {found["topic"]: found for found in service.events("start.topic")}
    wait_until(lambda: len(checked()) == 3, "the check of the topics")
    for name in ("good-log", "good-verdicts", "crawl.key"):
        found = checked()[name]
        assert (found["replicas"], found["min.insync.replicas"],
                found["unclean.leader.election.enable"]) == (3, "2", "false"), found
    assert not service.events("start.trial")

    producer = confluent_kafka.Producer({"bootstrap.servers": address, "log_level": 2})
    reader = confluent_kafka.Consumer({
        "bootstrap.servers": address, "group.id": "reader", "enable.auto.commit": False,
        "auto.offset.reset": "earliest", "isolation.level": "read_committed", "log_level": 2})
    reader.assign([confluent_kafka.TopicPartition("good-verdicts", 0, 0)])
    seen = []

    def feed(begin, end):
        for i in range(begin, end):
            producer.produce("pages", json.dumps(
                {"url": f"http://a.example/{i}", "body": f"<p>{i} " + f"word{i} " * 30}))
        assert producer.flush(60) == 0

    def judged(count):
        message = reader.poll(0.2)
        if message is not None and not message.error():
            seen.append(json.loads(message.value())["source"]["offset"])
        return len(seen) >= count

    feed(0, 50)
    wait_until(lambda: judged(50), "50 verdicts")
    print("resident memory of the brokers, MiB:", [resident_mib(broker) for broker in brokers],
          flush=True)
    # The leader dies, for good, while it is asked where the log ends.
    victim = brokers[topics().topics["good-log"].partitions[0].leader - 1]
    victim.kill()
    victim.wait()
    began = time.monotonic()
    feed(50, 100)
    wait_until(lambda: judged(100), "verdicts after the death of the log's leader")
    print(f"verdicts {time.monotonic() - began:.1f} s after the death of the log's leader",
          flush=True)
    assert sorted(seen) == list(range(100)), seen
    assert not service.events("judge.input_gap")
    service.process.terminate()
    service.process.wait(60)
    reader.close()


def main():
    subprocess.run([ROOT / "script/broker", "fetch"], check=True)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="crawlsieve-replication-"))
    try:
        check(sys.argv[1], folder)
    finally:
        for process in STARTED:
            if process.poll() is None:
                process.kill()
                process.wait()
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
