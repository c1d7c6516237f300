"""A broker, and crawlsieve processes on it, for the benchmarks that need them."""

import contextlib
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/chaos"))

import confluent_kafka  # noqa: E402
import confluent_kafka.admin  # noqa: E402
import processes  # noqa: E402

PARTITIONS = 4
PATIENCE_SECONDS = 600
POLL_SECONDS = 0.02


def run(options, measure):
    """Prints what `measure(directory, broker)` reports, with a broker that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="crawlsieve-bench-") as folder:
        directory = pathlib.Path(folder)
        broker = processes.Broker(directory / "broker")
        broker.start()
        try:
            report = measure(directory, broker)
        finally:
            broker.kill()
    if options.json:
        print(json.dumps(report))
    else:
        for key, value in report.items():
            print(f"{key:32} {value}")


class ServiceBench:
    def __init__(self, build, directory, broker):
        self._build = build
        self._directory = directory
        self._address = broker.address
        self._count = 0

    def client(self, **properties):
        return {"bootstrap.servers": self._address, **properties}

    def make_topics(self, *names, **config):
        admin = confluent_kafka.admin.AdminClient(self.client())
        topics = [confluent_kafka.admin.NewTopic(
            name, PARTITIONS if name.endswith(".pages") else 1, 1, config=config)
            for name in names]
        for made in admin.create_topics(topics).values():
            made.result(30)

    @contextlib.contextmanager
    def service(self, roles, delivery, names, more=None):
        """One process with a state of its own, until the block ends. `more`: of configuration, by
        its first keys."""
        self._count += 1
        name = f"run-{self._count}"
        config = {
            "kafka": {"bootstrap_servers": self._address, "group": names["group"],
                      "delivery": delivery, "input": {"topics": [names["input"]]},
                      "log": {"topic": names["log"]}, "verdicts": {"topic": names["verdicts"]}},
            "service": {"roles": roles, "instance": name,
                        "state_directory": str(self._directory / name)},
            "metrics": {"topic": ""}, "http": {"enabled": False}}
        for key, options in (more or {}).items():
            config[key] = {**config.get(key, {}), **options}
        path = self._directory / f"{name}.yaml"
        path.write_text(json.dumps(config))  # JSON is YAML
        with (self._directory / f"{name}.log").open("wb") as log:
            process = subprocess.Popen([self._build / "crawlsieve", "run", "--config", path],
                                       stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _last_words(self):
        newest = max(self._directory.glob("run-*.log"), key=lambda log: log.stat().st_mtime)
        return " | ".join(newest.read_text(errors="replace").splitlines()[-2:])

    def names(self, **given):
        """`input`: the topic of pages."""
        self._count += 1
        prefix = f"bench{self._count}"
        return {"group": prefix, "log": f"{prefix}.log",
                "verdicts": f"{prefix}.verdicts", **given}

    def log_end(self, log):
        consumer = confluent_kafka.Consumer(self.client(**{"group.id": "bench"}))
        _, end = consumer.get_watermark_offsets(confluent_kafka.TopicPartition(log, 0), timeout=30)
        consumer.close()
        return end

    def progress(self, process, group, topic, partitions, target):
        """Waits until a group has committed `target` records; [(seconds, committed)]."""
        consumer = confluent_kafka.Consumer(self.client(**{"group.id": group}))
        asked = [confluent_kafka.TopicPartition(topic, p) for p in range(partitions)]
        seen = []
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not seen or seen[-1][1] < target:
            if process.poll() is not None:
                raise SystemExit(f"bench: the service ended: {self._last_words()}")
            if time.monotonic() > deadline:
                raise SystemExit("bench: no end in sight")
            with contextlib.suppress(confluent_kafka.KafkaException):
                done = sum(max(p.offset, 0) for p in consumer.committed(asked, timeout=10))
                if done > 0 and (not seen or done > seen[-1][1]):
                    seen.append((time.monotonic(), done))
            time.sleep(POLL_SECONDS)
        consumer.close()
        return seen

    def rate(self, *arguments):
        """Records a second, from the first commit that was seen to the last."""
        seen = self.progress(*arguments)
        (begin, first), (end, last) = seen[0], seen[-1]
        return (last - first) / (end - begin) if end > begin else float("nan")
