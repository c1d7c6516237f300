"""What it costs to hold the index in slots of other processes, beside one process.

Starts a broker in a temporary folder and makes a log of made-up pages. Lets a judge work through
it, in turns with the index in its own memory and in slots that other processes on this machine
hold, and takes its rate. Then feeds pages evenly to either deployment, and takes the time from the
record of a page to the moment when a reader of committed records gets its verdict. With
--slot-documents it also writes the files of one slot with as many documents and loads them.
"""

import argparse
import contextlib
import json
import pathlib
import statistics
import subprocess
import sys

import delivery_bench
from service_bench import run

WAYS = ("one_process", "slots")


class Bench(delivery_bench.Bench):
    """The same measurements, with a judge that has slots or none."""

    @contextlib.contextmanager
    def service(self, roles, delivery, names):
        if delivery != "slots":
            with super().service(roles, "exactly_once", names) as process:
                yield process
            return
        prefix = names["group"]
        more = {"index": {"slots": self._options.slots, "stripe_bits": 6},
                "kafka": {"changes": {"topic": f"{prefix}.changes"},
                          "candidates": {"topic": f"{prefix}.candidates"}}}
        with contextlib.ExitStack() as stack:
            for _ in range(self._options.holders):
                stack.enter_context(super().service(["index"], "exactly_once", names, more))
            yield stack.enter_context(super().service(roles, "exactly_once", names, more))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--pages", type=int, default=60_000, help="that are judged in each turn")
    parser.add_argument("--words", type=int, default=100, help="of a page")
    parser.add_argument("--turns", type=int, default=2, help="with and without slots")
    parser.add_argument("--slots", type=int, default=3)
    parser.add_argument("--holders", type=int, default=1, help="processes that hold the slots")
    parser.add_argument("--per-second", type=int, default=500, help="pages, for latencies")
    parser.add_argument("--latency-seconds", type=int, default=20, help="of feeding; 0: none")
    parser.add_argument("--slot-documents", type=int, default=0,
                        help="of one slot that is written and loaded; 0: none")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    run(options, lambda directory, broker: {
        **reload(options, directory), **measure(Bench(options, directory, broker), options)})


def reload(options, directory):
    if options.slot_documents == 0:
        return {}
    done = subprocess.run([options.build / "bench/slot_bench", "--documents",
                           str(options.slot_documents), "--directory", directory / "slots"],
                          check=True, stdout=subprocess.PIPE)
    return {"slot": json.loads(done.stdout)}


def measure(bench, options):
    def say(text):
        print(text, file=sys.stderr, flush=True)

    say("feeding")
    bench.make_topics(delivery_bench.INPUT)
    bench.feed(delivery_bench.INPUT, range(options.pages))
    log = bench.make_log()
    report = {"pages": options.pages, "slots": options.slots, "holders": options.holders}
    rates = {way: [] for way in WAYS}
    for turn in range(options.turns):
        for way in WAYS if turn % 2 == 0 else reversed(WAYS):
            rates[way].append(bench.judge_alone(way, log))
            say(f"judge, {way}: {rates[way][-1]:.0f} a second")
    for way in WAYS:
        report[f"judge_per_s_{way}"] = round(statistics.harmonic_mean(rates[way]))
    report["ratio"] = round(report["judge_per_s_slots"] / report["judge_per_s_one_process"], 3)
    if options.latency_seconds > 0:
        report["latency_per_s"] = options.per_second
        for way in WAYS:
            latencies = bench.latency(way, options.per_second)
            report[f"latency_ms_{way}"] = {
                "p50": round(latencies[len(latencies) // 2]),
                "p99": round(latencies[len(latencies) * 99 // 100]),
                "max": round(latencies[-1])}
            say(f"latency, {way}: {report[f'latency_ms_{way}']}")
        report["added_ms"] = {name: report["latency_ms_slots"][name]
                              - report["latency_ms_one_process"][name] for name in ("p50", "p99")}
    return report


if __name__ == "__main__":
    main()
