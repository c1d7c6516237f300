"""Headless Chromium, driven over its DevTools pipe: no library is needed. Thread-compatible."""

import base64
import json
import os
import pathlib
import select
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
import typing

PATIENCE_SECONDS = 60
QUIET = 0.25  # share of the processors that others may use while a page loads


class Browser:
    """One Chromium with one tab. Remembers every request that the tab makes and everything that it
    has to complain about. Use as a context manager."""

    def __init__(self, program="chromium"):
        self.program = shutil.which(program)
        if self.program is None:
            raise FileNotFoundError(f"no {program}: install Debian's package chromium")
        self.requests = []
        self.complaints = []
        self.loaded = 0
        self.saved = 0
        self.last = 0
        self.buffer = b""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        # Chromium reads commands from its descriptor 3 and answers on 4.
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()

        def place():
            # Out of the way first: either could be 3 or 4 already.
            first, second = os.dup(commands), os.dup(answers)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [self.program, "--headless", "--remote-debugging-pipe", "--no-sandbox",
             "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--disable-background-networking", "--disable-component-update", "--no-first-run",
             "--force-color-profile=srgb", f"--user-data-dir={self.folder.name}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=place, close_fds=False, start_new_session=True)
        os.close(commands)
        os.close(answers)
        target = self.ask("Target.createTarget", {"url": "about:blank"})["targetId"]
        self.session = None
        self.session = self.ask("Target.attachToTarget",
                                {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.ask(f"{domain}.enable")
        self.ask("Performance.enable", {"timeDomain": "threadTicks"})
        return self

    def __exit__(self, *_):
        os.close(self.commands)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)  # its session, which this object started
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.answers)
        self.folder.cleanup()

    session = None

    def ask(self, method, parameters=None):
        """The result of a command. Raises RuntimeError where Chromium refuses it."""
        self.last += 1
        command = {"id": self.last, "method": method, "params": parameters or {}}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.commands, json.dumps(command).encode() + b"\0")
        while True:
            message = self.receive(method)
            if message.get("id") == self.last:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    def receive(self, what):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.answers], [], [], deadline - time.monotonic())
            piece = os.read(self.answers, 1 << 16) if ready else b""
            if not piece:
                raise TimeoutError(f"Chromium doesn't answer {what}")
            self.buffer += piece
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        self.notice(message.get("method"), message.get("params", {}))
        return message

    def notice(self, event, parameters):
        if event == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif event == "Network.webSocketCreated":
            self.requests.append(parameters["url"])
        elif event == "Log.entryAdded":
            self.complaints.append(parameters["entry"]["text"])
        elif event == "Runtime.consoleAPICalled":
            self.complaints.append(json.dumps(parameters["args"]))
        elif event == "Runtime.exceptionThrown":
            self.complaints.append(parameters["exceptionDetails"]["text"])
        elif event == "Page.javascriptDialogOpening":
            self.complaints.append("dialog: " + parameters["message"])
        elif event == "Page.loadEventFired":
            self.loaded += 1
        elif event == "Browser.downloadProgress" and parameters["state"] == "completed":
            self.saved += 1

    def open(self, url):
        """Loads a page to its end."""
        before = self.loaded
        self.ask("Page.navigate", {"url": url})
        while self.loaded == before:
            self.receive("Page.navigate")

    def save(self, folder, expression):
        """Runs JavaScript that makes the page save a file, which comes into `folder`."""
        session, self.session = self.session, None
        self.ask("Browser.setDownloadBehavior", {
            "behavior": "allow", "downloadPath": str(folder), "eventsEnabled": True})
        self.session = session
        before = self.saved
        self.evaluate(expression)
        while self.saved == before:
            self.receive("a file to save")

    def processor_seconds(self):
        """Processor time of all processes of Chromium so far."""
        ticks = 0
        for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = status.read_text().rsplit(")", 1)[1].split()
            except OSError:  # it has ended
                continue
            if int(fields[3]) == self.process.pid:  # its session, which begins with the browser
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def page_seconds(self):
        """Processor time that the page's own thread has taken for it: to parse it, lay it out and
        run its scripts. Begins anew with each page."""
        metrics = self.ask("Performance.getMetrics")["metrics"]
        return next(it["value"] for it in metrics if it["name"] == "TaskDuration")

    def evaluate(self, expression):
        """The value of JavaScript, which the page's own policy doesn't concern."""
        answer = self.ask("Runtime.evaluate", {"expression": expression, "returnByValue": True})
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def look(self, width, height=900, dark=False):
        """Sets the size of the window and the colours that the reader prefers."""
        self.ask("Emulation.setDeviceMetricsOverride",
                 {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
        self.ask("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def picture(self, path, height=None):
        """Writes what the window shows as PNG; with `height`, the top of the page so high."""
        parameters = {"format": "png"}
        if height:
            width = self.evaluate("document.documentElement.clientWidth")
            parameters |= {"captureBeyondViewport": True,
                           "clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}}
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", parameters)["data"]))


class Load(typing.NamedTuple):
    """How long a page took to load."""
    wall: float  # milliseconds until it was there
    processor: float  # milliseconds of processor time that it took one after the other
    is_quiet: bool  # whether others left the processors alone
    size: int  # bytes

    def __str__(self):
        return f"{self.wall:.0f} ({self.processor:.0f}){'' if self.is_quiet else '!'}"


def machine_seconds():
    """Processor time of everything on this machine so far, that of its host included."""
    fields = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, fields[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def timed_load(chromium, load, server_seconds=lambda: 0.0):
    """Calls `load`, which loads a page. `server_seconds` is the processor time of its server."""
    def own():
        return chromium.processor_seconds() + server_seconds()

    begin, all_before, own_before = time.monotonic(), machine_seconds(), own()
    served_before = server_seconds()
    load()
    processor = chromium.page_seconds() + server_seconds() - served_before
    wall, size = chromium.evaluate(
        "(() => { const it = performance.getEntriesByType('navigation')[0];"
        " return [it.loadEventEnd - it.startTime, it.decodedBodySize]; })()")
    others = machine_seconds() - all_before - (own() - own_before)
    is_quiet = others < QUIET * (time.monotonic() - begin) * os.cpu_count()
    return Load(wall, 1000 * processor, is_quiet, size)


def median_ms(loads):
    """The median of several loads. Where others use the processors while most pages load, loads
    wait for them, so the processor time counts that a page takes one after the other."""
    quiet = [load.wall for load in loads if load.is_quiet]
    counted = quiet if len(quiet) * 2 > len(loads) else [load.processor for load in loads]
    return statistics.median(counted)
