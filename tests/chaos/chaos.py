"""Tortures crawlsieve on a real Kafka broker and checks what came out. See --help."""

import argparse
import json
import pathlib
import shutil
import signal
import sys
import tempfile
import time

import entries
import faults
import feeder
import losses
import processes
import proxy
import rounds
import slots
import upgrade

ROUND_PAGES = 20_000  # the checker compares each page with every one kept: rounds bound that
ROUND_FAULTS = 25  # what is lost when a campaign is interrupted
SUMS = ("pages", "kills", "faults", "lost", "duplicated", "aborted_seen", "out_of_order",
        "verdict_mismatches", "score_mismatches", "state_mismatches", "hanging_transactions", "aborted_transactions",
        "aborted_records", "repeated_entries", "slow_recoveries", "idle_faults",
        "ended_by_themselves", "crashes", "taken_log", "taken_records", "taken_offsets", "alarms",
        "purges", "long_gaps")
MAXIMA = ("longest_gap_s", "longest_recovery_s")
MUST_BE_ZERO = ("lost", "duplicated", "aborted_seen", "out_of_order", "verdict_mismatches",
                "score_mismatches", "state_mismatches", "hanging_transactions", "slow_recoveries", "crashes",
                "long_gaps")
LOG_LOSS = "log-loss"
UPGRADES = {upgrade.KIND: len(upgrade.ORDER), upgrade.BACK: upgrade.BackAndForth.FAULTS}
MAY_REPEAT = ("duplicated", "out_of_order")  # with at_least_once, and where the log loses entries


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="script/chaos", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Runs crawlsieve on a real Kafka broker, kills and starves it, and checks that "
                    "nothing was lost, doubled, reordered or judged otherwise.",
        epilog="script/chaos --preset NAME ... builds that CMake preset, such as asan, instead of "
               "release. Exit codes: 0 everything held, 1 something did not, 2 wrong usage. What a "
               "failed round left (logs, states) is kept, and its folder named.")
    parser.add_argument("--kind", choices=(*faults.KINDS, slots.KIND, *UPGRADES, "mixed", LOG_LOSS),
                        default="kill",
                        help="which faults are injected (default: kill)")
    parser.add_argument("--kills", type=int, default=15, metavar="N",
                        help="faults to inject, of whatever kind (default: 15)")
    parser.add_argument("--pages", type=int, default=4000, metavar="N",
                        help="records to feed (default: 4000)")
    parser.add_argument("--seed", type=int, metavar="S", help="default: one from the clock")
    parser.add_argument("--processes", type=int, default=3, choices=(1, 2, 3, 4), metavar="P",
                        help="1 to 4: extract and judge; extract; judge; extract and judge "
                             "(default: 3)")
    parser.add_argument("--delivery", choices=("exactly_once", "at_least_once"),
                        default="exactly_once",
                        help="with at_least_once verdicts may come twice: counted, no failure")
    parser.add_argument("--resume", type=pathlib.Path, metavar="DIR",
                        help="keep the progress of the campaign in DIR and go on from there")
    parser.add_argument("--rounds", type=int, metavar="N",
                        help=f"stop after so many rounds, to be resumed; one has at most "
                             f"{ROUND_PAGES} pages and {ROUND_FAULTS} faults")
    parser.add_argument("--librdkafka", type=pathlib.Path, metavar="DIR",
                        help="run the service with the librdkafka.so.1 in DIR, as one built with a "
                             "sanitizer")
    parser.add_argument("--other", type=pathlib.Path, metavar="DIR",
                        help="the first and the fourth process are crawlsieve of another build, in "
                             "DIR: versions beside each other. The first one begins the log. With "
                             "--kind upgrade all four begin as that build and are replaced one by "
                             "one; with --kind upgrade-back all but the active judge, and back")
    parser.add_argument("--purges", action="store_true",
                        help="have pages forgotten meanwhile: purges in the log, a bound on kept "
                             "pages")
    parser.add_argument("--client", action="append", default=[], metavar="PROPERTY=VALUE",
                        help="a property of librdkafka for the service's clients, as debug=eos,msg")
    parser.add_argument("--json", action="store_true", help="end with one line of JSON")
    parser.add_argument("--build", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.kills < 1 or arguments.pages < 1000 * -(-arguments.kills // ROUND_FAULTS):
        parser.error(f"at least one fault, and 1000 pages for each {ROUND_FAULTS} of them")
    if arguments.kind == "rebalance" and arguments.processes < 2:
        parser.error("a rebalance takes at least two processes")
    if arguments.kind in UPGRADES:
        if arguments.other is None:
            parser.error("an upgrade is one from --other DIR")
        arguments.processes = len(upgrade.ORDER)
        arguments.kills = UPGRADES[arguments.kind]
    if arguments.kind == slots.KIND and arguments.delivery != "exactly_once":
        parser.error("slots of the index take --delivery exactly_once")
    if arguments.librdkafka and not (arguments.librdkafka / "librdkafka.so.1").exists():
        parser.error(f"no librdkafka.so.1 in {arguments.librdkafka}")
    if arguments.other and not (arguments.other / "crawlsieve").exists():
        parser.error(f"no crawlsieve in {arguments.other}")
    if not all("=" in property_ for property_ in arguments.client):
        parser.error("--client takes PROPERTY=VALUE")
    if arguments.seed is None:
        arguments.seed = int(time.time())
    return arguments


def say(text):
    print(time.strftime("%H:%M:%S"), text, file=sys.stderr, flush=True)


class Campaign:
    """Rounds one after the other, each with a seed of its own; what they came to is kept."""

    def __init__(self, arguments):
        self._file = arguments.resume / "progress.json" if arguments.resume else None
        self._asked = {name: getattr(arguments, name)
                       for name in ("seed", "kind", "kills", "pages", "processes", "delivery")}
        self.rounds = []
        if self._file is not None and self._file.exists():
            kept = json.loads(self._file.read_text())
            if {**kept["asked"], "seed": 0} != {**self._asked, "seed": 0}:
                sys.exit(f"chaos: {self._file} is of another campaign: {kept['asked']}")
            self._asked = kept["asked"]
            self.rounds = kept["rounds"]
        self.count = max(-(-self._asked["pages"] // ROUND_PAGES),
                         -(-self._asked["kills"] // ROUND_FAULTS))

    @property
    def seed(self):
        return self._asked["seed"]

    def next_round(self):
        """(seed, pages, faults) of the round that is to be run next, or None."""
        i = len(self.rounds)
        if i == self.count:
            return None
        return self.seed + i, self._share("pages", i), self._share("kills", i)

    def add(self, result):
        self.rounds.append(result)
        if self._file is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            written = self._file.with_suffix(".new")
            written.write_text(json.dumps({"asked": self._asked, "rounds": self.rounds}, indent=1))
            written.replace(self._file)

    def summary(self):
        return {"seed": self.seed, "kind": self._asked["kind"], "rounds": len(self.rounds),
                **{name: sum(r.get(name, 0) for r in self.rounds) for name in SUMS},
                **{name: max((r.get(name, 0) for r in self.rounds), default=0) for name in MAXIMA}}

    def _share(self, name, i):
        """Of a number that the rounds divide among them."""
        total = self._asked[name]
        return total * (i + 1) // self.count - total * i // self.count


def run_round(arguments, entry, work, broker, middleman, planned):
    """(result, everything held)."""
    seed, pages, faults_planned = planned
    say(f"round: --seed {seed} --kind {arguments.kind} --pages {pages} --kills {faults_planned} "
        f"--processes {arguments.processes} --delivery {arguments.delivery}")
    work = work / f"round-{seed}"
    make = {LOG_LOSS: losses.LossRound, slots.KIND: slots.SlotRound,
            upgrade.KIND: upgrade.UpgradeRound,
            upgrade.BACK: upgrade.BackRound}.get(arguments.kind, rounds.Round)
    current = make(arguments.build, work, broker, middleman, arguments.kind, seed, pages,
                           faults_planned, arguments.processes, arguments.delivery, entry,
                           feeder.Feed(seed, rounds.PARTITIONS, make.UNFED), say, arguments.librdkafka,
                           dict(property_.split("=", 1) for property_ in arguments.client),
                           arguments.other, arguments.purges)
    failure = None
    try:
        current.run()
    except processes.Stuck as stuck:
        failure = str(stuck)
    result = {"seed": seed, "pages": pages, **current.result()}
    for example in current.examples:
        say(f"  {example}")
    if failure is not None:
        say(f"chaos: stuck: {failure}")
    may_repeat = arguments.delivery == "at_least_once" or arguments.kind == LOG_LOSS
    allowed = MAY_REPEAT if may_repeat else ()
    wrong = [name for name in MUST_BE_ZERO if result.get(name) and name not in allowed]
    if failure is not None or wrong:
        say(f"chaos: seed {seed} failed; its logs and states are in {work}")
        return result, False
    current.close()
    shutil.rmtree(work)
    return result, True


def main():
    arguments = parse_arguments()
    arguments.build = arguments.build.resolve()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    entry = entries.load(arguments.build).Entry
    campaign = Campaign(arguments)
    say(f"chaos: seed {campaign.seed}, round {len(campaign.rounds) + 1} of {campaign.count}")
    work = pathlib.Path(tempfile.mkdtemp(prefix="crawlsieve-chaos-"))
    middleman = proxy.Proxy() if arguments.kind in ("network", "mixed") else None
    broker = processes.Broker(work / "broker", middleman and middleman.port)
    held = True
    try:
        broker.start()
        if middleman is not None:
            middleman.forward_to(broker.address_behind_proxy)
        last = len(campaign.rounds) + (arguments.rounds or campaign.count)
        while held and len(campaign.rounds) < last and (planned := campaign.next_round()):
            result, held = run_round(arguments, entry, work, broker, middleman, planned)
            if held:
                campaign.add(result)
            else:
                campaign.rounds.append(result)  # not kept: it is to be run again
    finally:
        broker.kill()
        if middleman is not None:
            middleman.close()
        shutil.rmtree(work / "broker" / "data", ignore_errors=True)  # its logs may say what was wrong
        if held:
            shutil.rmtree(work, ignore_errors=True)
    summary = campaign.summary()
    say("chaos: everything held" if held else "chaos: NOT everything held")
    if arguments.json:
        print(json.dumps(summary), flush=True)
    else:
        for name, value in summary.items():
            print(f"{name:24} {value}")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
