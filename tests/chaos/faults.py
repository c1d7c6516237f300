"""What is done to a running round. Every fault ends by healing what it did."""

import errno
import mmap
import random
import signal
import struct
import threading
import time

SESSION_MS = 1_000
TRANSACTION_MS = 3_000
ZOMBIE_SECONDS = (max(SESSION_MS, TRANSACTION_MS) / 1000 + 1.5, 6.0)
BROKER_PAUSE_SECONDS = (SESSION_MS / 1000 + 0.5, TRANSACTION_MS / 1000 + 2)
NETWORK_SECONDS = (0.5, 5.0)
DISK_SECONDS = (0.2, 3.0)

KINDS = ("kill", "broker-kill", "broker-pause", "network", "zombie", "rebalance", "disk")


class Disk:
    """The switch of preload.c: which error writes of one process meet."""

    def __init__(self, directory, name):
        path = directory / f"{name}.fault"
        path.write_bytes(bytes(4))
        with path.open("r+b") as file:
            self._fault = mmap.mmap(file.fileno(), 4)
        self.environment = {"CHAOS_DISK_FAULT": str(path),
                            "CHAOS_DISK_FOLDER": str(directory / f"state-{name}")}

    def fail_with(self, number):
        self._fault[:] = struct.pack("i", number)

    def heal(self):
        self.fail_with(0)


class Injector:
    """Injects faults of one kind, or of all, drawn from a seed."""

    def __init__(self, kind, seed, broker, proxy, services, disks):
        self.kills = 0  # of the service, by SIGKILL
        self.faults = 0
        self._kinds = KINDS if kind == "mixed" else (kind,)
        self._rng = random.Random(f"{seed}/faults")
        self._broker = broker
        self._proxy = proxy
        self._services = services
        self._disks = disks
        self._clock = threading.Event()  # never set: for waits that only time can end

    def inject(self, supervise):
        """Injects the next fault and heals it; says what it was. `supervise` is called while it
        lasts."""
        rng = self._rng
        kind = rng.choice(self._kinds)
        self._last(rng.uniform(0, 0.12), supervise)  # so that it hits any step of the way
        self.faults += 1
        return kind + self._fault_of(kind)(rng, supervise)

    def kill_all(self):
        for service in self._services:
            if service.is_running:
                self.kills += 1
            service.kill()

    def _fault_of(self, kind):
        return getattr(self, "_" + kind.replace("-", "_"))

    def _last(self, seconds, supervise):
        """Lets a fault last: what is waited for is the passing of time itself."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            supervise()
            self._clock.wait(min(left, 0.05))

    def _running(self):
        return [s for s in self._services if s.is_running]

    def _kill(self, rng, _supervise):
        victims = rng.sample(self._running(), k=min(len(self._running()), rng.choice((1, 1, 1, 2))))
        for victim in victims:
            victim.kill()
            self.kills += 1
        for victim in victims:
            victim.start()
        return " " + " ".join(v.name for v in victims)

    def _broker_kill(self, _rng, _supervise):
        self._broker.kill()
        self._broker.start()
        return ""

    def _broker_pause(self, rng, supervise):
        seconds = rng.uniform(*BROKER_PAUSE_SECONDS)
        self._broker.send(signal.SIGSTOP)
        try:
            self._last(seconds, supervise)
        finally:
            self._broker.send(signal.SIGCONT)
        return f" {seconds:.1f} s"

    def _network(self, rng, supervise):
        what = rng.choice(("reset", "black hole", "requests lost", "answers lost"))
        some = rng if rng.random() < 0.5 else None
        if what == "reset":
            self._proxy.reset(some)
            return " reset"
        directions = {"black hole": ("up", "down"), "requests lost": ("up",),
                      "answers lost": ("down",)}[what]
        seconds = rng.uniform(*NETWORK_SECONDS)
        self._proxy.silence(directions, some)
        try:
            self._last(seconds, supervise)
        finally:
            self._proxy.heal()
        return f" {what} {seconds:.1f} s"

    def _zombie(self, rng, supervise):
        judges = [s for s in self._running() if s.is_judge]
        victim = rng.choice(judges if judges and rng.random() < 0.8 else self._running())
        return self._stop_for(victim, rng.uniform(*ZOMBIE_SECONDS), supervise)

    def _stop_for(self, victim, seconds, supervise):
        victim.send(signal.SIGSTOP)
        try:
            self._last(seconds, supervise)
        finally:
            victim.send(signal.SIGCONT)
        return f" {victim.name} {seconds:.1f} s"

    def _rebalance(self, rng, _supervise):
        """One process joins or leaves. The first stays, so that the work goes on."""
        service = rng.choice(self._services[1:])
        if not service.is_wanted:
            service.start()
            return f" {service.name} joins"
        if rng.random() < 0.5:
            service.stop()
            return f" {service.name} leaves"
        service.kill()
        self.kills += 1
        return f" {service.name} is killed"

    def _disk(self, rng, supervise):
        name = rng.choice(sorted(self._disks))
        number = rng.choice((errno.ENOSPC, errno.EIO))
        seconds = rng.uniform(*DISK_SECONDS)
        self._disks[name].fail_with(number)
        try:
            self._last(seconds, supervise)
        finally:
            self._disks[name].heal()
        return f" {name} {errno.errorcode[number]} {seconds:.1f} s"
