"""Rounds in which each process is replaced by one of another build while pages come, one after the
other, as in a rolling upgrade."""

import faults
import processes
import rounds

KIND = "upgrade"
BACK = "upgrade-back"
# As docs/operations.md says: standbys, the active judge, those that only extract.
ORDER = (2, 3, 0, 1)
LONGEST_GAP_SECONDS = 10
# Options of `rounds` that builds of fold version 5 don't know yet.
NEW_OPTIONS = (("kafka", "scores"), ("extract", "links"), ("judge", "sites"), ("judge", "priority"))
# Members of a verdict that older builds don't write; null where these have nothing to say.
NEW_MEMBERS = frozenset({"payload"})


def replace(service, build, supervise):
    """Stops a process as systemd does, and starts another build in its place."""
    if (code := service.stop()) != 0:
        raise processes.Stuck(f"{service.name} ended with {code} when told to stop")
    service.take_program_of(build)
    service.start()
    supervise()


class Upgrader(faults.Injector):
    """Has the new build in the place of the next process."""

    def __init__(self, seed, broker, services, build):
        super().__init__("kill", seed, broker, None, services, {})
        self._build = build
        self._next = iter(ORDER)

    def inject(self, supervise):
        service = self._services[next(self._next)]
        self.faults += 1
        replace(service, self._build, supervise)
        return f"upgrade of {service.name}"


class BackAndForth(faults.Injector):
    """Upgrades what doesn't judge, and then goes back: no judge of the new build becomes active,
    so the log keeps its fold version."""

    FAULTS = 6

    def __init__(self, seed, broker, services, builds):
        super().__init__("kill", seed, broker, None, services, {})
        self._builds = builds
        self._next = self._steps()

    def _steps(self):
        idle = [s for s in self._services if not s.is_judge]
        idle += [s for s in self._services if s.is_judge and not s.is_live()]
        if len(idle) != len(self._services) - 1:
            raise processes.Stuck(f"{len(self._services) - len(idle)} judges are live")
        old, new = self._builds
        yield from ((service, new) for service in idle)
        yield from ((service, old) for service in reversed(idle))

    def inject(self, supervise):
        service, build = next(self._next)
        replace(service, build, supervise)
        self.faults += 1
        return f"another build of {service.name}"


class UpgradeRound(rounds.Round):
    """All processes begin as those of the other build."""

    OTHERS = ORDER
    UNFED = ("revisit",)  # for builds of fold version 7 no pages

    def _wait_for_rules(self):
        """All are of one build; older ones say so only when the first page is there."""

    def _options(self, delivery, address):
        options = super()._options(delivery, address)
        for section, name in NEW_OPTIONS:
            options[section].pop(name, None)
        return options

    def _make_injector(self, disks):
        return Upgrader(self._seed, self._broker, self._services, self._build)

    def _judge_streams(self, streams):
        streams.may_lack = NEW_MEMBERS
        streams.scores_of_fold = None  # none are asked for
        return super()._judge_streams(streams)

    def result(self):
        result = super().result()
        return {**result, "long_gaps": int(result["longest_gap_s"] >= LONGEST_GAP_SECONDS)}


class BackRound(UpgradeRound):
    """As that, but the new build never judges, and is replaced again."""

    def _make_injector(self, disks):
        return BackAndForth(self._seed, self._broker, self._services, (self._other, self._build))
