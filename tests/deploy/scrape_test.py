"""A running service, scraped by Prometheus with the rules of deploy/: every query of the dashboard
has data, every rule can be evaluated, no alert fires, promtool finds nothing to say about the
metrics. Usage: scrape_test.py PROGRAM [--seconds N]"""

import argparse
import ctypes
import json
import math
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/chaos"))

import confluent_kafka  # noqa: E402
import confluent_kafka.admin  # noqa: E402
import processes  # noqa: E402

PATIENCE_SECONDS = 120
DASHBOARD = ROOT / "deploy/grafana/crawlsieve.json"
ALERTS = ROOT / "deploy/prometheus/alerts.yaml"
PROMETHEUS = ROOT / "script/prometheus"
WORDS = [f"word{i}" for i in range(2000)]


def free_port():
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return made.getsockname()[1]


def start(command, log):
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log.open("wb"),
                            stderr=subprocess.STDOUT,
                            preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGKILL))


def get(url):
    """The body; nothing while nobody answers."""
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.read().decode()
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return ""


def start_service(program, folder, address):
    log = folder / "service.log"
    config = folder / "service.yaml"
    config.write_text(json.dumps({
        "kafka": {"bootstrap_servers": address, "group": "scraped",
                  "input": {"topics": ["pages"]}, "log": {"topic": "scraped-log"},
                  "verdicts": {"topic": "verdicts"}},
        "service": {"state_directory": str(folder / "state")},
        "metrics": {"topic": ""}, "http": {"port": 0},
        "log": {"format": "json"}}))
    process = start([program, "run", "--config", config], log)
    processes.wait_until(lambda: '"http.listening"' in log.read_text(), PATIENCE_SECONDS,
                         "the service's HTTP server")
    return process, re.search(r'http://127\.0\.0\.1:\d+', log.read_text()).group()


def start_prometheus(folder, target):
    port = free_port()
    config = folder / "prometheus.yaml"
    config.write_text(json.dumps({
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(ALERTS)],
        "scrape_configs": [{"job_name": "crawlsieve",
                            "static_configs": [{"targets": [target.removeprefix("http://")]}]}]}))
    process = start([PROMETHEUS, "server", f"--config.file={config}",
                     f"--storage.tsdb.path={folder}/series",
                     f"--web.listen-address=127.0.0.1:{port}"], folder / "prometheus.log")
    return process, f"http://127.0.0.1:{port}"


def page(number, rng):
    """A page; every fourth repeats one before, every fiftieth is no record."""
    if number % 50 == 49:
        return b"no JSON"
    seed = number if number % 4 else number // 2
    words = random.Random(seed).choices(WORDS, k=300)
    return json.dumps({"url": f"https://site{rng.randrange(20)}.example/{number}",
                       "content_type": "text/html", "body": "<p>" + " ".join(words)}).encode()


def queries():
    for panel in json.loads(DASHBOARD.read_text())["panels"]:
        for target in panel["targets"]:
            expression = target["expr"].replace("$__rate_interval", "10s").replace("$job", ".*")
            yield panel["title"], expression


def values(server, expression):
    answer = get(f"{server}/api/v1/query?query={urllib.parse.quote(expression)}")
    if not answer:
        return []
    return [float(series["value"][1]) for series in json.loads(answer)["data"]["result"]]


def check(program, folder, seconds):
    broker = processes.Broker(folder / "broker")
    broker.start()
    started = []
    try:
        admin = confluent_kafka.admin.AdminClient({"bootstrap.servers": broker.address})
        for made in admin.create_topics([confluent_kafka.admin.NewTopic("pages", 2, 1)]).values():
            made.result(30)
        service, metrics = start_service(program, folder, broker.address)
        started.append(service)
        prometheus, server = start_prometheus(folder, metrics)
        started.append(prometheus)

        producer = confluent_kafka.Producer({"bootstrap.servers": broker.address})
        rng = random.Random(1)
        number = 0
        begin = time.monotonic()
        while True:
            for _ in range(10):
                producer.produce("pages", page(number, rng))
                number += 1
            producer.flush(30)
            asked = {(title, expression): values(server, expression)
                     for title, expression in queries()}
            empty = [asked_for for asked_for, found in asked.items()
                     if not found or any(math.isnan(value) for value in found)]
            rules = json.loads(get(f"{server}/api/v1/rules") or '{"data": {"groups": []}}')
            rules = [rule for group in rules["data"]["groups"] for rule in group["rules"]]
            waiting = empty or not rules or any(rule["health"] == "unknown" for rule in rules)
            passed = time.monotonic() - begin
            if not waiting and passed >= seconds:
                break
            if passed > PATIENCE_SECONDS + seconds:
                raise AssertionError(f"without data after {passed:.0f} s: {empty}, "
                                     f"{len(rules)} rules")
            if service.poll() is not None or prometheus.poll() is not None:
                raise AssertionError("a process ended: " + (folder / "service.log").read_text()
                                     + (folder / "prometheus.log").read_text())
        for rule in rules:
            assert rule["health"] == "ok", rule
            assert rule["state"] != "firing", rule

        linted = subprocess.run([PROMETHEUS, "promtool", "check", "metrics"],
                                input=get(f"{metrics}/metrics"), text=True, capture_output=True)
        assert linted.returncode == 0 and not linted.stdout + linted.stderr, linted
        print(f"{number} records, {len(asked)} queries with data, {len(rules)} rules without an "
              f"alert, {passed:.0f} s")
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait(60)
        broker.kill()


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("program", type=pathlib.Path)
    arguments.add_argument("--seconds", type=float, default=15, help="at least so long")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="crawlsieve-scrape-") as folder:
        check(given.program.resolve(), pathlib.Path(folder), given.seconds)


if __name__ == "__main__":
    main()
