"""What exactly_once costs beside at_least_once, and how long a page waits for its verdict.

Starts a broker in a temporary folder, feeds it made-up pages and lets one crawlsieve process work
through them, in turns with either delivery: once both stages, from pages to verdicts, and once the
judge alone on the log that was made before. Then feeds pages at half of the rate that was measured
and takes the time from the record of a page to the moment when a reader of committed records gets
its verdict.
"""

import argparse
import contextlib
import json
import pathlib
import random
import statistics
import sys
import threading
import time

from service_bench import PARTITIONS, PATIENCE_SECONDS, ServiceBench, run

import confluent_kafka

DELIVERIES = ("exactly_once", "at_least_once")
INPUT = "bench.pages"
WARM_UP = 100  # pages whose verdicts are waited for before latencies count


def page(number, words):
    """A canonical record: mostly content of its own, every fifth that of an earlier page."""
    content = number if number % 5 else number // 2
    rng = random.Random(content)
    text = " ".join(f"w{rng.randrange(20_000):x}" for _ in range(words))
    return json.dumps({"url": f"http://host{number % 97}.example/{number}",
                       "content_type": "text/html", "body": f"<title>Page</title><p>{text}"})


class Bench(ServiceBench):
    def __init__(self, options, directory, broker):
        super().__init__(options.build, directory, broker)
        self._options = options

    def feed(self, topic, numbers, per_second=None):
        """Produces the pages; with `per_second` as evenly as that."""
        producer = confluent_kafka.Producer(self.client(**{"linger.ms": 5}))
        begin = time.monotonic()
        for i, number in enumerate(numbers):
            if per_second:
                while (ahead := begin + i / per_second - time.monotonic()) > 0:
                    producer.poll(ahead)
            while True:
                with contextlib.suppress(BufferError):
                    producer.produce(topic, page(number, self._options.words),
                                     partition=number % PARTITIONS)
                    break
                producer.poll(0.1)
        producer.flush()

    def both_stages(self, delivery):
        names = self.names(input=INPUT)
        with self.service(["extract", "judge"], delivery, names) as process:
            # One entry for each page behind the parameters.
            return self.rate(process, f"{names['group']}.judge", names["log"], 1,
                             self._options.pages + 1)

    def make_log(self):
        names = self.names(input=INPUT)
        with self.service(["extract", "judge"], "exactly_once", names) as process:
            self.progress(process, f"{names['group']}.judge", names["log"], 1,
                          self._options.pages + 1)
        return names["log"]

    def judge_alone(self, delivery, log):
        names = self.names(input=INPUT, log=log)
        with self.service(["judge"], delivery, names) as process:
            return self.rate(process, f"{names['group']}.judge", log, 1, self.log_end(log))

    def latency(self, delivery, per_second):
        """Milliseconds from the time of each page's record until its verdict was read, sorted."""
        self._count += 1
        names = self.names(input=f"latency{self._count}.pages")
        self.make_topics(names["input"], names["verdicts"])
        reader = confluent_kafka.Consumer(self.client(**{
            "group.id": "bench", "isolation.level": "read_committed", "fetch.wait.max.ms": 5}))
        reader.assign([confluent_kafka.TopicPartition(names["verdicts"], 0, 0)])

        def read(process, count):
            latencies = []
            deadline = time.monotonic() + PATIENCE_SECONDS
            while len(latencies) < count:
                if process.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit("delivery_bench: verdicts are missing")
                message = reader.poll(0.1)
                if message is not None and not message.error():
                    latencies.append(time.time() * 1000 - self._sent_ms(message))
            return sorted(latencies)

        count = int(per_second * self._options.latency_seconds)
        with self.service(["extract", "judge"], delivery, names) as process:
            self.feed(names["input"], range(WARM_UP))
            read(process, WARM_UP)
            feeder = threading.Thread(target=self.feed, args=(
                names["input"], range(WARM_UP, WARM_UP + count), per_second))
            feeder.start()
            latencies = read(process, count)
            feeder.join()
        reader.close()
        return latencies

    @staticmethod
    def _sent_ms(message):
        source = json.loads(message.value())["source"]["timestamp"]
        whole, _, fraction = source.rstrip("Z").partition(".")
        seconds = time.mktime(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) - time.timezone
        return seconds * 1000 + float(f"0.{fraction or 0}") * 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--pages", type=int, default=20_000, help="that are judged in each turn")
    parser.add_argument("--words", type=int, default=300, help="of a page")
    parser.add_argument("--turns", type=int, default=4, help="with either delivery")
    parser.add_argument("--latency-seconds", type=int, default=10, help="of feeding; 0: none")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    run(options, lambda directory, broker: measure(Bench(options, directory, broker), options))


def measure(bench, options):
    def say(text):
        print(text, file=sys.stderr, flush=True)

    say("feeding")
    bench.make_topics(INPUT)
    bench.feed(INPUT, range(options.pages))
    log = bench.make_log()
    report = {"pages": options.pages, "turns": options.turns}
    for what, run in (("pages", bench.both_stages),
                      ("judge", lambda delivery: bench.judge_alone(delivery, log))):
        rates = {delivery: [] for delivery in DELIVERIES}
        for turn in range(options.turns):
            # Each order as often as the other.
            for delivery in DELIVERIES if turn % 2 == 0 else reversed(DELIVERIES):
                rates[delivery].append(run(delivery))
                say(f"{what}, {delivery}: {rates[delivery][-1]:.0f} a second")
        # All pages in the time of all turns.
        exactly_once, at_least_once = (statistics.harmonic_mean(rates[d]) for d in DELIVERIES)
        report[f"{what}_per_s_exactly_once"] = round(exactly_once)
        report[f"{what}_per_s_at_least_once"] = round(at_least_once)
        report[f"{what}_ratio"] = round(exactly_once / at_least_once, 3)
        report[f"{what}_ratio_of_each_turn"] = [round(a / b, 3) for a, b in zip(*rates.values())]
    if options.latency_seconds > 0:
        half = report["pages_per_s_exactly_once"] / 2
        report["half_load_per_s"] = round(half)
        for delivery in DELIVERIES:
            latencies = bench.latency(delivery, half)
            say(f"{delivery}: median {latencies[len(latencies) // 2]:.0f} ms")
            report[f"latency_ms_{delivery}"] = {
                "p50": round(latencies[len(latencies) // 2]),
                "p99": round(latencies[len(latencies) * 99 // 100]),
                "max": round(latencies[-1])}
    return report


if __name__ == "__main__":
    main()
