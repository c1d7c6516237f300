"""The programs of docs/readers.md, as they stand there, read what crawlsieve writes through a real
broker: each line is the one that this test makes of the same records. Usage:
readers_test.py PROGRAM"""

import contextlib
import ctypes
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import confluent_kafka
import confluent_kafka.admin

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/readers.md"
JARS = subprocess.check_output([ROOT / "script/broker", "home"], text=True).strip()
SECONDS = 120
TOPICS = {"verdicts": "crawl.verdicts", "scores": "crawl.url-scores", "kept": "crawl.kept"}
LARGE_TOPIC_BYTES = 4 << 20


def snippets(folder):
    """Writes the page's programs to files; the commands that run them, by name."""
    text = PAGE.read_text()
    found = re.findall(r"^```(python|java)\n((?:#|//) (\S+) BROKERS\n.*?)^```$", text, re.M | re.S)
    commands = {}
    for language, code, name in found:
        path = folder / name
        path.write_text(code)
        run = ([sys.executable, "-B"] if language == "python"
               else ["java", "-XX:TieredStopAtLevel=1", "-cp", f"{JARS}/lib/*"])
        commands[name] = [*run, str(path)]
    names = {f"{name}.py" for name in TOPICS} | {f"{name.title()}.java" for name in TOPICS}
    assert set(commands) == names, f"{PAGE} has {sorted(commands)}"
    assert text.count("```") == 2 * len(names), "a code block that this test doesn't run"
    return commands


@contextlib.contextmanager
def process(command, log):
    with log.open("wb") as out:
        started = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
            preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGKILL))
    try:
        yield started
    finally:
        started.terminate()
        try:
            started.wait(SECONDS)
        except subprocess.TimeoutExpired:
            started.kill()
            started.wait()


def wait_until(condition, what):
    deadline = time.monotonic() + SECONDS
    while True:
        found = condition()
        if found:
            return found
        assert time.monotonic() < deadline, f"{what()}: not within {SECONDS} s"
        time.sleep(0.1)


def pages():
    """Pages with every kind of verdict and link that the programs tell apart."""
    words = [" ".join(f"w{page}x{word}" for word in range(120)) for page in range(12)]
    for number, text in enumerate(words):
        links = "".join(f'<a href="/new/{number}-{link}">more</a>' for link in range(3))
        yield f"http://site.example/{number}", f"<p>{text}</p>{links}"
        yield f"http://mirror.example/{number}", f"<p>{text}</p>{links}"
    yield "http://site.example/short", "<p>few words</p>"
    # Larger than crawl.kept takes, and it doesn't compress to less.
    noise = os.urandom(800_000).hex()
    yield "http://site.example/large", f"<p>{words[0][:300]} large</p><!--{noise}-->"


def feed(address):
    producer = confluent_kafka.Producer({
        "bootstrap.servers": address, "message.max.bytes": LARGE_TOPIC_BYTES})
    for number, (url, body) in enumerate(pages()):
        value = json.dumps({"url": url, "content_type": "text/html", "body": body})
        key = None if number % 5 == 0 else f"key of {url}"
        producer.produce("crawl.pages", value, key, headers=[("crawlsieve-kept", b"forged")])
        producer.flush(SECONDS)
    gone = {"url": "http://site.example/9", "status_code": 404}
    producer.produce("crawl.pages", json.dumps(gone))
    assert producer.flush(SECONDS) == 0
    return number + 2


def read(address, topic):
    """All records that are committed there now."""
    consumer = confluent_kafka.Consumer({
        "bootstrap.servers": address, "group.id": "test", "isolation.level": "read_committed",
        "auto.offset.reset": "earliest", "enable.partition.eof": True})
    consumer.assign([confluent_kafka.TopicPartition(topic, 0, confluent_kafka.OFFSET_BEGINNING)])
    records = []
    while True:
        record = consumer.poll(SECONDS)
        assert record is not None, f"no end of {topic}"
        if record.error():
            code = record.error().code()
            assert code == confluent_kafka.KafkaError._PARTITION_EOF, record.error()
            break
        records.append(record)
    consumer.close()
    return records


def verdict_line(record):
    verdict = json.loads(record.value())
    words = [verdict["verdict"], verdict["reason"], verdict["url"]]
    if verdict["verdict"] == "drop" and verdict["match"]:
        words.append(verdict["match"]["url"])
    return " ".join(words)


def score_line(record):
    score = json.loads(record.value())
    if score["action"] == "suppress":
        return f"leave out {score['url']} {score['reason']}"
    if score["action"] == "rewrite":
        return f"fetch {score['rewrite_to']} instead of {score['url']}"
    return f"fetch {score['url']} priority {score['score']} from {score['next_fetch'] or 'now'}"


def kept_line(record):
    name, kind = record.headers()[-1]
    assert name == "crawlsieve-kept"
    if kind == b"record":
        return f"page {record.key().decode() if record.key() else '-'} {len(record.value())}"
    place = dict(record.headers())
    return " ".join(["missing", kind.decode()] + [
        place[f"crawlsieve-source-{part}"].decode() for part in ("topic", "partition", "offset")])


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        commands = snippets(folder)
        address = subprocess.run(
            [ROOT / "script/broker", "start", folder / "broker", "--while", str(os.getpid())],
            check=True, capture_output=True, text=True, timeout=SECONDS).stdout.strip()
        try:
            check(program, folder, commands, address)
        finally:
            subprocess.run([ROOT / "script/broker", "stop", folder / "broker"], check=False,
                           timeout=SECONDS)
    print("All passed.")


def check(program, folder, commands, address):
    admin = confluent_kafka.admin.AdminClient({"bootstrap.servers": address})
    new = confluent_kafka.admin.NewTopic
    topics = [new("crawl.pages", 1, 1, config={"max.message.bytes": str(LARGE_TOPIC_BYTES)}),
              new("crawl.kept", 1, 1, config={"max.message.bytes": str(1 << 20)})]
    for made in admin.create_topics(topics).values():
        made.result(SECONDS)
    count = feed(address)
    config = folder / "crawlsieve.yaml"
    config.write_text(json.dumps({
        "kafka": {"bootstrap_servers": address, "kept": {"topic": TOPICS["kept"]},
                  "scores": {"topic": TOPICS["scores"]}, "verdicts": {"topic": TOPICS["verdicts"]}},
        "extract": {"links": 10}, "judge": {"sites": {"max": 1000}},
        "service": {"state_directory": str(folder / "state")}, "http": {"enabled": False}}))
    log = folder / "crawlsieve.log"
    with process([program, "run", "--config", str(config)], log):
        wait_until(lambda: TOPICS["verdicts"] in admin.list_topics(timeout=SECONDS).topics and
                   len(read(address, TOPICS["verdicts"])) == count, log.read_text)
    lines = {"verdicts": verdict_line, "scores": score_line, "kept": kept_line}
    wanted = {what: [line(record) for record in read(address, TOPICS[what])]
              for what, line in lines.items()}
    beginnings = {"verdicts": ["keep unique", "keep too_short", "drop exact_duplicate"],
                  "scores": ["fetch"], "kept": ["page -", "page key", "missing too_large"]}
    for what, texts in beginnings.items():
        for text in texts:
            assert any(line.startswith(text) for line in wanted[what]), (text, wanted[what])
    for name, command in commands.items():
        expected = wanted[pathlib.Path(name).stem.lower()]
        out = folder / f"{name}.out"
        with process([*command, address], out) as running:
            def is_done():
                assert running.poll() is None, f"{name} ended:\n{out.read_text()}"
                lines = out.read_text().splitlines()
                return sum(line in expected for line in lines) >= len(expected)
            wait_until(is_done, lambda: f"{name} printed\n{out.read_text()}")
        got = [line for line in out.read_text().splitlines()
               if not line.startswith(("log4j:", "SLF4J:"))]
        assert got == expected, f"{name}:\n{got}\ninstead of\n{expected}"
        print(f"{name}: {len(expected)} lines")


if __name__ == "__main__":
    main()
