"""What deploy/ names is there: every metric in the alerts and on the dashboard is one that the
program has, and every alert has a paragraph in docs/runbook.md. Usage: names_test.py"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What Prometheus adds to the name of a histogram, and its own metric of a target.
SUFFIXES = ("_bucket", "_sum", "_count")
OF_PROMETHEUS = {"up"}


def main():
    code = "".join(file.read_text() for file in (ROOT / "consumer/observability").glob("*.cc"))
    known = set(re.findall(r'"((?:crawlsieve|process)_[a-z_]+)"', code)) | OF_PROMETHEUS
    known |= {name + suffix for name in known for suffix in SUFFIXES}
    problems = []
    alerts = (ROOT / "deploy/prometheus/alerts.yaml").read_text()
    dashboard = (ROOT / "deploy/grafana/crawlsieve.json").read_text()
    for where, text in (("alerts.yaml", alerts), ("crawlsieve.json", dashboard)):
        for name in set(re.findall(r"\b(?:crawlsieve|process)_[a-z_]+\b", text)) - known:
            problems.append(f"{where} names {name}, which no metric is")

    names = re.findall(r"alert: (\w+)", alerts)
    runbook = re.findall(r"^### (\w+)$", (ROOT / "docs/runbook.md").read_text(), re.M)
    tested = (ROOT / "tests/deploy/alerts_test.yaml").read_text()
    for name in names:
        if name not in runbook:
            problems.append(f"docs/runbook.md has no paragraph {name}")
        if f"runbook: docs/runbook.md#{name.lower()}" not in alerts:
            problems.append(f"alerts.yaml: {name} doesn't name its paragraph")
        for case in ("fires", "stays silent"):
            if f"name: {name} {case}\n" not in tested:
                problems.append(f"alerts_test.yaml doesn't show that {name} {case}")
    problems += [f"docs/runbook.md: no alert {name}" for name in runbook if name not in names]
    print("\n".join(problems) or f"{len(names)} alerts")
    return 1 if problems or not names else 0


if __name__ == "__main__":
    sys.exit(main())
