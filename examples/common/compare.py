#!/usr/bin/env python3
"""Lets a crawler crawl the guide's site twice, without crawlsieve and beside it, and compares.

    compare.py --program CRAWLSIEVE --config YAML --pages FOLDER -- COMMAND...

COMMAND is the crawler. Its environment says what to do:

    START_URL            the first page
    SITE_HOSTS           host:port of the site and of its mirror, with a comma between
    KAFKA_BOOTSTRAP      the broker; unset: crawl without crawlsieve
    CRAWLSIEVE_PROGRAM   the program
    CRAWLSIEVE_CONFIG    its configuration
    WORK                 a folder for files, the same in both crawls

Pages are counted where they are served. Exit 0: fewer pages were fetched beside crawlsieve, and no
content was lost. Exit 1: not so, or something failed.
"""

import argparse
import collections
import contextlib
import ctypes
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import confluent_kafka.admin

import guide_site

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES_TOPIC = "crawl.pages"
VERDICTS_TOPIC = "crawl.verdicts"
CRAWL_SECONDS = 240
START_SECONDS = 120
END_SECONDS = 30
POLL_SECONDS = 0.05
LAST_LINES = 20


class Failed(Exception):
    """What went wrong, for a person."""


def die_with_parent():
    """Ends this process when the harness is gone, however that ended: PR_SET_PDEATHSIG."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def last_lines(path):
    return "\n".join(path.read_text(errors="replace").splitlines()[-LAST_LINES:])


def admin_client(address):
    # Without the lines about a broker that was stopped.
    return confluent_kafka.admin.AdminClient({"bootstrap.servers": address, "log_level": 0})


@contextlib.contextmanager
def process(command, log, environment):
    """Runs a command in a session of its own; the whole session has ended when the block has."""
    with log.open("wb") as out:
        started = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                   env=environment, start_new_session=True,
                                   preexec_fn=die_with_parent)
    try:
        yield started
    finally:
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(started.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                started.wait(END_SECONDS)


@contextlib.contextmanager
def broker(folder):
    """The address of a Kafka broker with a topic for pages."""
    try:
        started = subprocess.run([ROOT / "script/broker", "start", folder, "--while",
                                  str(os.getpid())], capture_output=True, text=True,
                                 timeout=START_SECONDS, check=False)
        if started.returncode != 0:
            raise Failed(f"the broker did not start:\n{started.stderr}")
        address = started.stdout.strip()
        admin = admin_client(address)
        topic = confluent_kafka.admin.NewTopic(PAGES_TOPIC, 1, 1)
        admin.create_topics([topic])[PAGES_TOPIC].result(START_SECONDS)
        yield address
    finally:
        if folder.exists():
            subprocess.run([ROOT / "script/broker", "stop", folder], check=False,
                           timeout=START_SECONDS)


@contextlib.contextmanager
def service(program, config, log, environment):
    """crawlsieve, begun far enough that its topics are there."""
    with process([program, "run", "--config", config], log, environment) as running:
        admin = admin_client(environment["KAFKA_BOOTSTRAP"])
        deadline = time.monotonic() + START_SECONDS
        while VERDICTS_TOPIC not in admin.list_topics(timeout=START_SECONDS).topics:
            if running.poll() is not None or time.monotonic() > deadline:
                raise Failed(f"crawlsieve did not start:\n{last_lines(log)}")
            time.sleep(POLL_SECONDS)
        yield
        if running.poll() is not None:
            raise Failed(f"crawlsieve ended:\n{last_lines(log)}")


def crawl(command, site, log, environment):
    """Runs the crawler to its end. Returns how often each content was fetched."""
    site.take_fetches()
    with process(command, log, environment) as crawler:
        try:
            status = crawler.wait(CRAWL_SECONDS)
        except subprocess.TimeoutExpired:
            raise Failed(f"the crawl took over {CRAWL_SECONDS} s:\n{last_lines(log)}") from None
    if status != 0:
        raise Failed(f"the crawler ended with status {status}:\n{last_lines(log)}")
    return collections.Counter(site.take_fetches())


def judge(without, beside):
    """The line for people, and what is wrong: None if nothing is. Both: fetches of each content."""
    fetched, fetched_beside = without.total(), beside.total()
    saved = 100 * (fetched - fetched_beside) / fetched if fetched else 0
    line = (f"fetched {fetched} pages without crawlsieve, {fetched_beside} with it "
            f"({saved:.0f} % fewer); distinct contents found: {len(without)} and {len(beside)}")
    lost = sorted(set(without) - set(beside))
    if lost:
        return line, f"contents that were not found with crawlsieve: {', '.join(lost)}"
    if fetched_beside >= fetched:
        return line, "crawlsieve saved nothing"
    return line, None


def compare(options, work):
    log = work / "log"
    log.mkdir()
    with guide_site.Site(options.pages) as site:
        environment = {key: value for key, value in os.environ.items() if key != "KAFKA_BOOTSTRAP"}
        environment |= {
            "START_URL": site.start_url, "WORK": str(work),
            "SITE_HOSTS": f"{guide_site.HOST}:{site.port},{guide_site.MIRROR}:{site.port}",
            "CRAWLSIEVE_PROGRAM": str(options.program), "CRAWLSIEVE_CONFIG": str(options.config),
            "STATE_DIRECTORY": str(work / "state")}
        without = crawl(options.command, site, log / "crawl_without.log", environment)
        missing = site.contents() - set(without)
        if missing:
            raise Failed(f"the crawl without crawlsieve did not find: {', '.join(sorted(missing))}")
        with broker(work / "broker") as address:
            environment["KAFKA_BOOTSTRAP"] = address
            with service(options.program, options.config, log / "crawlsieve.log", environment):
                beside = crawl(options.command, site, log / "crawl_beside.log", environment)
    return judge(without, beside)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--config", type=pathlib.Path, required=True)
    parser.add_argument("--pages", type=pathlib.Path, required=True)
    parser.add_argument("--keep", type=pathlib.Path, help="where logs and files are left")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    with contextlib.ExitStack() as stack:
        work = options.keep
        if work is None:
            work = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        work.mkdir(parents=True, exist_ok=True)
        try:
            line, wrong = compare(options, work.resolve())
        except Failed as failed:
            print(f"compare: {failed}", file=sys.stderr)
            return 1
        print(line)
        if wrong is not None:
            print(f"compare: {wrong}", file=sys.stderr)
        return 0 if wrong is None else 1


if __name__ == "__main__":
    sys.exit(main())
