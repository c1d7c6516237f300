"""Rounds in which each process is replaced by one of another build while pages come, one after the
other, as in a rolling upgrade."""

import faults
import processes
import rounds

KIND = "upgrade"
# As docs/operations.md says: standbys, the active judge, those that only extract.
ORDER = (2, 3, 0, 1)
LONGEST_GAP_SECONDS = 10
# Options of `rounds` that builds of fold version 5 don't know yet.
NEW_OPTIONS = (("kafka", "scores"), ("extract", "links"), ("judge", "sites"), ("judge", "priority"))
# Members of a verdict that older builds don't write; null where these have nothing to say.
NEW_MEMBERS = frozenset({"payload"})


class Upgrader(faults.Injector):
    """Stops the next process as systemd does, and starts the new build in its place."""

    def __init__(self, seed, broker, services, build):
        super().__init__("kill", seed, broker, None, services, {})
        self._build = build
        self._next = iter(ORDER)

    def inject(self, supervise):
        service = self._services[next(self._next)]
        self.faults += 1
        if (code := service.stop()) != 0:
            raise processes.Stuck(f"{service.name} ended with {code} when told to stop")
        service.take_program_of(self._build)
        service.start()
        supervise()
        return f"upgrade of {service.name}"


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
