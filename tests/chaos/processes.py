"""The broker and the service as processes: started, stopped, frozen and killed by their ids."""

import contextlib
import ctypes
import json
import os
import pathlib
import signal
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
POLL_SECONDS = 0.01
START_SECONDS = 120
FETCH_SECONDS = 600
END_SECONDS = 30
CLOCK_SECONDS = 2_700  # brokers of version 4 refuse records that are more than an hour ahead
# What a sanitizer finds ends the process by a signal, so that it counts as a crash.
SANITIZER_OPTIONS = {"ASAN_OPTIONS": "abort_on_error=1:detect_leaks=0:verify_asan_link_order=0",
                     "UBSAN_OPTIONS": "halt_on_error=1:abort_on_error=1:print_stacktrace=1",
                     "TSAN_OPTIONS": "halt_on_error=1:abort_on_error=1"}


class Stuck(Exception):
    """Something that had to happen did not, in the time it was given."""


def wait_until(condition, seconds, what, tick=None):
    """Polls until `condition()` is true; `tick` is called between. Raises Stuck."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= deadline:
            raise Stuck(f"{what}: not within {seconds:.0f} s")
        if tick is not None:
            tick()
        time.sleep(POLL_SECONDS)


def _die_with_parent():
    """Ends this process when the harness is gone, however that ended: PR_SET_PDEATHSIG."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Broker:
    """A single-node Kafka broker in `directory`, as script/broker starts it; of another version
    than its usual one if one is given."""

    def __init__(self, directory, proxy_port=None, version=None):
        self._directory = directory
        self._proxy_port = proxy_port
        self.version = version

    @property
    def data(self):
        return self._directory / "data"

    @property
    def log(self):
        return self._directory / "server.log"

    @property
    def address(self):
        return (self._directory / "bootstrap").read_text().strip()

    @property
    def address_behind_proxy(self):
        return (self._directory / "behind_proxy").read_text().strip()

    def start(self):
        command = [ROOT / "script/broker", "start", self._directory, "--while", str(os.getpid())]
        if self._proxy_port is not None:
            command += ["--proxied", str(self._proxy_port)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=START_SECONDS,
                              env=self._environment())
        if done.returncode != 0:
            raise Stuck(f"the broker did not start: {done.stderr}")

    def fetch(self):
        """Downloads its version, if that isn't there yet."""
        subprocess.run([ROOT / "script/broker", "fetch"], check=True, timeout=FETCH_SECONDS,
                       env=self._environment())

    @property
    def home(self):
        """The folder with the jars of its version."""
        return subprocess.check_output([ROOT / "script/broker", "home"], text=True,
                                       env=self._environment()).strip()

    def stop(self):
        """Ends it in order; returns when it is gone."""
        subprocess.run([ROOT / "script/broker", "stop", self._directory], check=True,
                       timeout=START_SECONDS)

    def _environment(self):
        if self.version is None:
            return None
        # A home that was given would be that of another version.
        others = {name: value for name, value in os.environ.items()
                  if name != "CRAWLSIEVE_KAFKA_HOME"}
        return {**others, "CRAWLSIEVE_KAFKA_VERSION": self.version}

    def send(self, number):
        os.kill(self._pid(), number)

    def kill(self):
        """SIGKILL; returns when it is gone. Nothing happens to one that does not run."""
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            process = os.pidfd_open(self._pid())
            signal.pidfd_send_signal(process, signal.SIGKILL)
            os.close(process)
            wait_until(lambda: not self._is_running(), END_SECONDS, "the end of the broker")

    def _pid(self):
        return int((self._directory / "pid").read_text())

    def _is_running(self):
        try:
            state = pathlib.Path(f"/proc/{self._pid()}/stat").read_text()
        except (FileNotFoundError, ProcessLookupError):
            return False
        return state.rsplit(")", 1)[1].split()[0] != "Z"


class Service:
    """One crawlsieve process, which is started again when it ends unasked. Its wall clock is wrong,
    and each time in another way: nothing may depend on it."""

    def __init__(self, build, directory, name, roles, options, environment, rng, librdkafka=None):
        self.name = name
        self.roles = roles
        self.state_directory = directory / f"state-{name}"
        self.unexpected = []  # exit codes of ends that nobody asked for
        self._log = directory / f"{name}.log"
        self._config = directory / f"{name}.yaml"
        self._librdkafka = librdkafka
        self._environment = {**SANITIZER_OPTIONS, **os.environ, **environment,
                             "LD_PRELOAD": str(build / "bin/chaos_preload.so")}
        self.take_program_of(build)
        if librdkafka is not None:
            self._environment["LD_LIBRARY_PATH"] = str(librdkafka)
        self._rng = rng
        self._process = None
        self._wanted = False
        self._retry_at = 0
        self.configure(options)

    def take_program_of(self, build):
        """Takes effect with the next start."""
        self._program = build / "crawlsieve"

    def configure(self, options):
        """Takes effect with the next start."""
        options = json.loads(json.dumps(options))
        options["service"] = {**options["service"], "roles": self.roles, "instance": self.name,
                              "state_directory": str(self.state_directory)}
        self._config.write_text(json.dumps(options, indent=2))  # JSON is YAML

    @property
    def config(self):
        return self._config

    @property
    def log(self):
        """What it and the processes before it have written."""
        return self._log

    @property
    def is_judge(self):
        return "judge" in self.roles

    @property
    def is_wanted(self):
        return self._wanted

    @property
    def is_running(self):
        return self._process is not None and self._process.poll() is None

    def start(self):
        self._wanted = True
        self._log_size = self._log.stat().st_size if self._log.exists() else 0
        shift = self._rng.randint(-CLOCK_SECONDS, CLOCK_SECONDS)
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [self._program, "run", "--config", self._config], stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, preexec_fn=_die_with_parent,
                env={**self._environment, "CHAOS_CLOCK_SHIFT": str(shift)})

    def check_librdkafka(self):
        """Raises Stuck when the running process took another librdkafka than it was told to."""
        if self._librdkafka is None:
            return
        maps = pathlib.Path(f"/proc/{self._process.pid}/maps").read_text()
        wanted = str((self._librdkafka / "librdkafka.so.1").resolve())
        if not any(line.endswith(wanted) for line in maps.splitlines()):
            raise Stuck(f"{self.name} does not use {wanted}")

    def supervise(self, say):
        """Starts it again, a second after it ended by itself, as whoever runs a service does."""
        if not self._wanted or self.is_running:
            return
        if self._process is not None:
            self.unexpected.append(self._process.returncode)
            say(f"{self.name} ended with {self._process.returncode}: {self._last_words()}")
            self._process = None
            self._retry_at = time.monotonic() + 1
        elif time.monotonic() >= self._retry_at:
            self.start()

    def _last_words(self):
        lines = self._log.read_text(errors="replace").splitlines()
        return " | ".join([line for line in lines[-20:] if "error" in line][-2:] or lines[-2:])

    def send(self, number):
        if self.is_running:
            self._process.send_signal(number)

    def kill(self):
        """SIGKILL; returns when it is gone."""
        self._wanted = False
        if self._process is not None:
            self._process.kill()
            self._process.wait(END_SECONDS)
            self._process = None

    def is_live(self):
        """Whether the judge of this process publishes, as far as its log says."""
        said = self._log.read_bytes()[self._log_size:]
        return said.rfind(b"judge.live") > said.rfind(b"judge.standby")

    def stop(self):
        """SIGTERM; returns the exit code, or None when it had to be killed or did not run."""
        self._wanted = False
        if self.is_running:
            # One that has not said a word yet may not listen to signals yet, and would be killed.
            wait_until(lambda: self._log.stat().st_size > self._log_size or not self.is_running,
                       START_SECONDS, f"the first words of {self.name}")
        if not self.is_running:
            self._process = None
            return None
        self._process.terminate()
        try:
            code = self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            return None
        self._process = None
        return code
