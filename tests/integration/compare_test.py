"""The comparison of the examples (examples/common/compare.py) says yes and no as it should: with
made-up crawlers, each of which fails in its own way. Usage: compare_test.py PROGRAM"""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS = 300
CONFIG = """kafka:
  bootstrap_servers: "${KAFKA_BOOTSTRAP}"
service:
  state_directory: "${STATE_DIRECTORY}"
http:
  port: 0
"""
# Fetches all pages of the site. `left_out` says what it doesn't fetch beside crawlsieve.
CRAWLER = """
import os, re, sys, urllib.parse, urllib.request
beside = "KAFKA_BOOTSTRAP" in os.environ
hosts = os.environ["SITE_HOSTS"].split(",")
left_out = {left_out}
{first}
seen, queue = set(), [os.environ["START_URL"]]
while queue:
    url = queue.pop()
    if url in seen or urllib.parse.urlsplit(url).netloc not in hosts: continue
    if beside and left_out(url): continue
    seen.add(url)
    html = urllib.request.urlopen(url).read().decode()
    queue += [urllib.parse.urldefrag(urllib.parse.urljoin(url, link))[0]
              for link in re.findall('href="([^"]*)"', html)]
"""
CASES = {
    # name: (what is left out, a line in front, exit code, what is said)
    "fetches less": ("lambda url: 'view=print' in url", "", 0,
                     "fewer); distinct contents found: 4 and 4"),
    "saves nothing": ("lambda url: False", "", 1, "crawlsieve saved nothing"),
    "loses a content": ("lambda url: '/b.html' in url", "", 1,
                        "contents that were not found with crawlsieve: b.html"),
    "finds too little": ("lambda url: False", "if not beside: sys.exit(0)", 1,
                         "without crawlsieve did not find: a.html, b.html, contents, index.html"),
    "fails": ("lambda url: False", "sys.exit('as it was told')", 1,
              "the crawler ended with status 1:\nas it was told"),
    "fails beside crawlsieve": ("lambda url: False", "if beside: sys.exit('told so')", 1,
                                "the crawler ended with status 1:\ntold so"),
}


def write_pages(folder):
    folder.mkdir()
    for name in ("index", "a", "b"):
        words = " ".join(f"{name}{number}" for number in range(100))
        (folder / f"{name}.html").write_text(
            f"<html><head><title>{name}</title></head><body><p>{words}</p>"
            '<a href="a.html">a</a><a href="b.html">b</a></body></html>')


def compare(program, folder, crawler, config=CONFIG):
    folder.mkdir()
    (folder / "crawlsieve.yaml").write_text(config)
    (folder / "crawler.py").write_text(crawler)
    return subprocess.run(
        [sys.executable, "-B", ROOT / "examples/common/compare.py", "--program", program,
         "--config", folder / "crawlsieve.yaml", "--pages", folder.parent / "pages",
         "--keep", folder / "run", "--", sys.executable, "-B", folder / "crawler.py"],
        capture_output=True, text=True, timeout=SECONDS, check=False)


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_pages(folder / "pages")
        results = {}
        for number, (case, (left_out, first, code, said)) in enumerate(CASES.items()):
            crawler = CRAWLER.format(left_out=left_out, first=first)
            results[case] = (compare(program, folder / str(number), crawler), code, said)
        crawler = CRAWLER.format(left_out="lambda url: 'view=print' in url", first="")
        results["crawlsieve doesn't start"] = (
            compare(program, folder / "bad", crawler, CONFIG + "unknown: 1\n"), 1,
            "crawlsieve did not start")
        results["there is no crawlsieve"] = (
            compare(folder / "none", folder / "none_run", crawler), 1, "No such file")
    for case, (done, code, said) in results.items():
        assert done.returncode == code and said in done.stdout + done.stderr, (
            f"{case}: exit {done.returncode}, not {code}; or it doesn't say {said!r}:\n"
            f"{done.stdout}{done.stderr}")
        print(f"{case}: exit {code}, says {said!r}")
    print("All passed.")


if __name__ == "__main__":
    main()
