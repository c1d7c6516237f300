"""How fast real pages become committed verdicts, beside a consumer that only counts them.

Starts a broker in a temporary folder, feeds it the pages of files of canonical records, and takes
turns: a plain consumer (librdkafka, reads and counts), the extract stage alone, both stages to
committed verdicts. Says of each what of the processors it and the broker took.
"""

import argparse
import base64
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from service_bench import PARTITIONS, PATIENCE_SECONDS, POLL_SECONDS, ServiceBench

import confluent_kafka
import processes

LARGEST_RECORD = 32 << 20


def records(files):
    """The lines of all files."""
    for file in files:
        if file.suffix == ".zst":
            unpacked = subprocess.run(["zstd", "-dcq", file], check=True, capture_output=True)
            lines = unpacked.stdout.splitlines()
        else:
            lines = file.read_bytes().splitlines()
        yield from (line for line in lines if line.strip())


def copy_of(line, copy):
    """Another page of the same kind: with a URL, an id and a last paragraph of its own, or it would
    be no more work than a look at what is known."""
    record = json.loads(line)
    record["url"] += f"{'&' if '?' in record['url'] else '?'}copy={copy}"
    if record.get("id") is not None:
        record["id"] = f"{record['id']}-{copy}"
    paragraph = f"<p>Copy {copy} of this page.</p>"
    if record.get("body_encoding", "text") == "text":
        record["body"] = record.get("body", "") + paragraph
    elif record["body_encoding"] == "base64":
        body = base64.b64decode(record["body"]) + paragraph.encode()
        record["body"] = base64.b64encode(body).decode()
    return json.dumps(record, ensure_ascii=False).encode()


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Bench(ServiceBench):
    def __init__(self, options, directory, broker):
        super().__init__(options.build, directory, broker)
        self._options = options
        self._broker_pid = int((directory / "broker/pid").read_text())
        self.pages = 0
        self.bytes = 0

    def feed(self, topic, compression):
        """Produces all copies of all pages, one page after the other through the partitions."""
        self.make_topics(topic, **{"max.message.bytes": str(LARGEST_RECORD)})
        producer = confluent_kafka.Producer(self.client(**{
            "compression.type": compression, "message.max.bytes": LARGEST_RECORD,
            "linger.ms": 50, "queue.buffering.max.kbytes": 256 << 10}))
        self.pages = self.bytes = 0
        lines = list(records(self._options.files))
        for copy in range(self._options.copies):
            for line in lines:
                value = copy_of(line, copy)
                while True:
                    with contextlib.suppress(BufferError):
                        producer.produce(topic, value, partition=self.pages % PARTITIONS)
                        break
                    producer.poll(0.1)
                producer.poll(0)
                self.pages += 1
                self.bytes += len(value)
        producer.flush()

    def plain(self, topic):
        done = subprocess.run(
            [self._build / "bench/plain_consumer", self._address, topic, str(PARTITIONS),
             str(self.pages)], check=True, capture_output=True, text=True)
        counted = json.loads(done.stdout)
        if counted["bytes"] != self.bytes:
            raise SystemExit(f"pages_bench: fed {self.bytes} bytes, read {counted['bytes']}")
        return counted["timed_bytes"] / 1e6 / counted["seconds"], counted["cpu_seconds"]

    def extract(self, topic):
        """Until all pages have their entry in the log, behind the parameters."""
        names = self.names(input=topic)
        with self.service(["judge"], "exactly_once", names) as process:
            self._until_log_has(names["log"], 1, process)  # the judge makes the log and the key
        with self.service(["extract"], "exactly_once", names) as process:
            seen = self._until_log_has(names["log"], self.pages + 1, process)
            return self._mb_per_second(seen), cpu_seconds(process.pid)

    def _until_log_has(self, log, entries, process):
        """[(seconds, entries)], each time there are more."""
        reader = confluent_kafka.Consumer(self.client(**{"group.id": "bench"}))
        seen = []
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not seen or seen[-1][1] < entries:
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"pages_bench: no end in sight: {self._last_words()}")
            end = 0
            with contextlib.suppress(confluent_kafka.KafkaException):  # no such topic yet
                _, end = reader.get_watermark_offsets(confluent_kafka.TopicPartition(log, 0),
                                                      timeout=30)
            if end > 0 and (not seen or end > seen[-1][1]):
                seen.append((time.monotonic(), end))
            time.sleep(POLL_SECONDS)
        reader.close()
        return seen

    def service_to_verdicts(self, topic):
        """Until the judge has committed all pages. Each has one entry, behind the parameters."""
        names = self.names(input=topic)
        with self.service(["extract", "judge"], "exactly_once", names) as process:
            seen = self.progress(process, f"{names['group']}.judge", names["log"], 1,
                                 self.pages + 1)
            return self._mb_per_second(seen), cpu_seconds(process.pid)

    def _mb_per_second(self, seen):
        """From the first pages that were seen done to the last: starting isn't working."""
        begin, first = next((at, count) for at, count in seen if count > 1)
        end, last = seen[-1]
        share = (last - first) / self.pages
        return self.bytes / 1e6 * share / (end - begin) if end > begin else float("nan")

    def measured(self, run, topic):
        """MB of records a second; processor seconds of the program and of the broker for a GB."""
        before = cpu_seconds(self._broker_pid)
        rate, cpu = run(topic)
        broker = cpu_seconds(self._broker_pid) - before
        return rate, cpu * 1e9 / self.bytes, broker * 1e9 / self.bytes


def measure(bench, options):
    def say(text):
        print(text, file=sys.stderr, flush=True)

    report = {"turns": options.turns}
    runs = {"plain_consumer": bench.plain, "extract": bench.extract,
            "service": bench.service_to_verdicts}
    for compression in options.compression:
        topic = f"{compression}.pages"
        say(f"feeding, {compression}")
        bench.feed(topic, compression)
        report |= {"pages": bench.pages, "megabytes": round(bench.bytes / 1e6, 1)}
        results = {what: [] for what in runs}
        for turn in range(options.turns):
            # Each order as often as the other.
            for what in runs if turn % 2 == 0 else reversed(runs):
                results[what].append(bench.measured(runs[what], topic))
                rate, cpu, broker = results[what][-1]
                say(f"{compression}, {what}: {rate:.1f} MB/s, {cpu:.1f} s/GB of processor time, "
                    f"the broker {broker:.1f}")
        of_compression = {}
        for what, turns in results.items():
            rates, cpus, brokers = zip(*turns)
            of_compression[what] = {
                "mb_per_s": round(statistics.harmonic_mean(rates), 1),
                "mb_per_s_of_each_turn": [round(rate, 1) for rate in rates],
                "cpu_s_per_gb": round(statistics.mean(cpus), 2),
                "broker_cpu_s_per_gb": round(statistics.mean(brokers), 2)}
        plain = of_compression["plain_consumer"]["mb_per_s"]
        for what in ("extract", "service"):
            of_compression[what]["share_of_plain_consumer"] = round(
                of_compression[what]["mb_per_s"] / plain, 4)
        report[compression] = of_compression
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("files", type=pathlib.Path, nargs="+",
                        help="canonical page records, one JSON object a line; .zst is unpacked")
    parser.add_argument("--build", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--copies", type=int, default=10,
                        help="of each page; each has a URL and a last paragraph of its own")
    parser.add_argument("--turns", type=int, default=4)
    parser.add_argument("--compression", action="append", choices=["none", "gzip", "lz4", "zstd"],
                        help="of the topic; may be given more than once; default: none, zstd")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    options.compression = options.compression or ["none", "zstd"]
    with tempfile.TemporaryDirectory(prefix="crawlsieve-bench-") as folder:
        directory = pathlib.Path(folder)
        broker = processes.Broker(directory / "broker")
        broker.start()
        try:
            report = measure(Bench(options, directory, broker), options)
        finally:
            broker.kill()
    if options.json:
        print(json.dumps(report))
        return
    print(f"{report['pages']} pages, {report['megabytes']} MB of records, {options.turns} turns")
    for compression in options.compression:
        for what, figures in report[compression].items():
            share = figures.get("share_of_plain_consumer")
            print(f"{compression:5} {what:15} {figures['mb_per_s']:9.1f} MB/s"
                  + (f" {share * 100:6.1f} % of the plain consumer" if share else " " * 31)
                  + f"; processor time of it {figures['cpu_s_per_gb']:6.1f} s/GB,"
                  f" of the broker {figures['broker_cpu_s_per_gb']:6.1f} s/GB")


if __name__ == "__main__":
    main()
