"""Rounds in which other processes hold the index in slots, twice, and share it out anew."""

import json
import random
import shutil
import subprocess

import faults
import processes
import rounds

KIND = "slots"
FAULTS = ("slot_kill", "slot_kill", "slot_pause", "slot_zombie", "all_slots_kill", "judge_kill",
          "judge_zombie", "both_kill", "share_out")
HOLDERS = {"i0": "", "i1": "", "r0": "b"}  # name: replica group
FIRST_SLOTS, MOST_SLOTS = 3, 12
STRIPE_BITS = 3
PAUSE_SECONDS = (0.1, faults.SESSION_MS / 1000 - 0.2)
COMMAND_SECONDS = 60
# What `slots write` says of a state whose first entries were only in memory when it ended.
NOTHING_FOLDED = "is empty: nothing was folded into it"


class Injector(faults.Injector):
    """Faults of slots, of their replicas and of judges."""

    def __init__(self, round_, seed, broker, services, holders, disks):
        super().__init__("kill", seed, broker, None, services, disks)
        self._kinds = FAULTS
        self._round = round_
        self._holders = holders

    def _named(self, victims):
        return " " + " ".join(victim.name for victim in victims)

    def _kill_and_start(self, victims):
        for victim in victims:
            victim.kill()
            self.kills += 1
        for victim in victims:
            victim.start()
        return self._named(victims)

    def _slot_kill(self, rng, _supervise):
        return self._kill_and_start(rng.sample(self._holders, k=rng.choice((1, 1, 2))))

    def _all_slots_kill(self, _rng, _supervise):
        return self._kill_and_start(self._holders)

    def _judge_kill(self, rng, _supervise):
        judges = [service for service in self._running() if service.is_judge]
        return self._kill_and_start(rng.sample(judges, k=min(len(judges), 1)))

    def _both_kill(self, rng, _supervise):
        judges = [service for service in self._running() if service.is_judge]
        return self._kill_and_start(judges + rng.sample(self._holders, k=2))

    def _slot_pause(self, rng, supervise):
        return self._stop_for(rng.choice(self._holders), rng.uniform(*PAUSE_SECONDS), supervise)

    def _slot_zombie(self, rng, supervise):
        return self._stop_for(rng.choice(self._holders), rng.uniform(*faults.ZOMBIE_SECONDS),
                              supervise)

    def _judge_zombie(self, rng, supervise):
        judges = [service for service in self._running() if service.is_judge]
        return self._stop_for(rng.choice(judges), rng.uniform(*faults.ZOMBIE_SECONDS), supervise)

    def _share_out(self, rng, _supervise):
        return self._round.share_out(rng)


class SlotRound(rounds.Round):
    """A round in which other processes hold the index."""

    def __init__(self, *arguments, **more):
        self._slots = FIRST_SLOTS
        self._candidates = []
        super().__init__(*arguments, **more)

    def close(self):
        for name in [f"changes-{self._seed}", *self._candidates]:
            if self._topics.partitions(name):
                self._topics.delete([name])
        super().close()

    def share_out(self, rng):
        """Everybody who has to do with the index ends, and begins with other slots."""
        concerned = [s for s in self._services if s.is_judge or s in self._holders]
        for service in concerned:
            if rng.random() < 0.5:
                service.kill()
                self._injector.kills += 1
            elif service.is_running and service.stop() not in (0, None):
                raise processes.Stuck(f"{service.name} did not end well when told to stop")
        before = self._slots
        ways = ["from the first change", "of a state"]
        if before * 2 <= MOST_SLOTS:
            self._slots, ways = before * 2, [*ways, "split", "split"]
        else:
            self._slots = rng.choice((1, 2, FIRST_SLOTS))
        way = rng.choice(ways)
        options = self._options(self._delivery, self._broker.address)
        for service in concerned:
            service.configure(self._options_of(service.name, options))
        files = self._directory / "shared-out"
        shutil.rmtree(files, ignore_errors=True)
        if way == "of a state":
            judges = [s for s in concerned if s.is_judge and s.state_directory.exists()]
            if not self._write(rng.sample(judges, len(judges)), files):
                way = "no state has come to its files; from the first change"
        elif way == "split" and not self._split(before, files):
            way = "not split, for no process has the files of some slots; from the first change"
        for holder in self._holders:
            slots = holder.state_directory / "slots"
            if files.exists():
                # Those of other layouts stay beside them.
                shutil.copytree(files, slots, dirs_exist_ok=True)
        for service in concerned:
            service.start()
        return f" {before} to {self._slots} slots, {way}"

    def _write(self, judges, to):
        """Writes the files of the first judge whose state isn't empty; whether there is one."""
        for judge in judges:
            done = self._run("write", "--config", judge.config, "--to", to)
            if done.returncode == 0:
                return True
            if NOTHING_FOLDED not in done.stderr:
                raise processes.Stuck(f"slots write: {done.stdout}{done.stderr}")
        return False

    def _split(self, slots, to):
        """Splits the newest files that there are of each slot; whether there are any."""
        together = self._directory / "together"
        shutil.rmtree(together, ignore_errors=True)
        together.mkdir()
        for slot in range(slots):
            name = f"{slot}-of-{slots}"
            there = [holder.state_directory / "slots" / name for holder in self._holders]
            there = [folder for folder in there if (folder / "slot").exists()]
            if not there:
                return False
            newest = max(there, key=lambda folder: (folder / "slot").stat().st_mtime)
            shutil.copytree(newest, together / name)
        self._command("split", "--from", together, "--to", to)
        return True

    def _run(self, *arguments):
        return subprocess.run([self._build / "crawlsieve", "slots", *arguments], text=True,
                              capture_output=True, timeout=COMMAND_SECONDS)

    def _command(self, *arguments):
        done = self._run(*arguments)
        if done.returncode != 0:
            raise processes.Stuck(f"slots {arguments}: {done.stdout}{done.stderr}")
        return done.stdout

    def _more_services(self, options):
        self._holders = [processes.Service(
            self._build, self._directory, name, ["index"], self._options_of(name, options), {},
            random.Random(f"{self._seed}/clock/{name}")) for name in HOLDERS]
        return self._holders

    def _options_of(self, name, options):
        options = json.loads(json.dumps(options))
        options["index"]["replica_group"] = HOLDERS.get(name, "")
        return options

    def _make_injector(self, disks):
        return Injector(self, self._seed, self._broker, self._services, self._holders, disks)

    def _options(self, delivery, address):
        options = super()._options(delivery, address)
        candidates = f"candidates-{self._seed}-{len(self._candidates)}"
        self._candidates.append(candidates)
        options["kafka"]["changes"] = {"topic": f"changes-{self._seed}"}
        options["kafka"]["candidates"] = {"topic": candidates}
        options["index"].update(slots=self._slots, stripe_bits=STRIPE_BITS)
        options["service"]["snapshot_entries"] = self._rng.choice((50, 200, 1000))
        return options

    def _check_finished(self):
        super()._check_finished()
        self.counts["state_mismatches"] += self._compare_files()

    def _compare_files(self):
        """How many of the slots' files are damaged, or differ from what a judge's state makes of
        them. Those of the same place are compared."""
        mismatches, compared, of_states = 0, 0, {}
        for judge in (s for s in self._services if s.is_judge and s.state_directory.exists()):
            files = self._directory / f"files-of-{judge.name}"
            shutil.rmtree(files, ignore_errors=True)
            self._command("write", "--config", judge.config, "--to", files)
            for folder in files.glob("*-of-*"):
                for snapshot in folder.glob("documents.*"):
                    of_states[folder.name, snapshot.name] = snapshot.read_bytes()
        for holder in self._holders:
            slots = holder.state_directory / "slots"
            if not any(slots.glob("*-of-*/slot")):
                continue
            try:
                self._command("check", slots)
            except processes.Stuck as stuck:
                self.examples.append(f"state_mismatches: {stuck}")
                mismatches += 1
            for snapshot in slots.glob(f"*-of-{self._slots}/documents.*"):
                wanted = of_states.get((snapshot.parent.name, snapshot.name))
                compared += wanted is not None
                if wanted is not None and wanted != snapshot.read_bytes():
                    self.examples.append(f"state_mismatches: {snapshot}")
                    mismatches += 1
        self._say(f"files of slots: {compared} compared with a state's, {mismatches} differ or are "
                  "damaged")
        return mismatches
