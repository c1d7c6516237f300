#!/usr/bin/env python3
"""Reports in headless Chromium: they ask for nothing, have nothing to complain about, show hostile
texts as text, fit screens of 400 to 1,600 pixels, open within 300 ms; filters work; labels that are
made in the report of a scan come back as pairs that `eval` reads.

    reports_browser_test.py PROGRAM [--pages N] [--pictures FOLDER]

N: pages of the scan. FOLDER: writes pictures for the docs.
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import browser  # noqa: E402


def option(name, default):
    if name not in sys.argv:
        return default
    at = sys.argv.index(name)
    value = sys.argv[at + 1]
    del sys.argv[at:at + 2]
    return value


PICTURES = option("--pictures", None)
PAGES = int(option("--pages", "4000"))
PROGRAM = sys.argv.pop(1)
REPORT_BYTES = 5_000_000
OPEN_MS = 300
LOADS = 9
SEED = 2007
EVIL = "\"'><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
SYLLABLES = ("ka", "lo", "mi", "re", "ta", "nu", "si", "vo", "ber", "dan", "fel", "gor")


def made_pages(count, evil=""):
    """Records of a crawl that repeats itself, exactly and nearly, by a fixed seed: each with the
    number of the one that it was made of and how many words were changed, or None twice."""
    source = random.Random(SEED)
    words = ["".join(source.choices(SYLLABLES, k=source.randrange(2, 5))) for _ in range(20_000)]
    recent = []
    for number in range(count):
        kind = source.random()
        origin = changes = None
        if kind < 0.4 and recent:
            origin, text = source.choice(recent)
            text = list(text)
            changes = 0 if kind < 0.12 else source.choice((1, 1, 2, 3, 5, 8))
            for _ in range(changes):
                text[source.randrange(len(text))] = source.choice(words)
        else:
            text = source.choices(words, k=8 if kind < 0.42 else 120)
        if len(recent) < 300:
            recent.append((number, text))
        else:
            recent[source.randrange(300)] = (number, text)
        host = f"{source.choice(('www', 'shop', 'news'))}{int(source.paretovariate(1.1)) % 3000}"
        path = source.choice((f"article/{number}", f"item/{number % 977}/view?session={number}",
                              f"{number % 13}/print/{number}.html"))
        minute = number * 40_000 // count
        yield {"url": f"http://{host}.example/{path}{evil}", "text": " ".join(text) + " " + evil,
               "fetch_time": f"2026-11-{1 + minute // 1440:02}T{minute // 60 % 24:02}:"
                             f"{minute % 60:02}:00Z"}, origin, changes


def pages(count, evil=""):
    return (page for page, _, _ in made_pages(count, evil))


class ReportsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.chromium = cls.enterClassContext(browser.Browser())
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.reports = {}
        for name, count, evil in (("tame", PAGES, ""), ("hostile", 2_000, EVIL)):
            with (cls.folder / f"{name}.jsonl").open("w") as file:
                for page in pages(count, evil):
                    file.write(json.dumps(page) + "\n")
            cls.run_program("scan", cls.folder / f"{name}.jsonl", "--out", "/dev/null",
                            "--report", cls.folder / name)
            cls.reports[name] = (cls.folder / name / "index.html").as_uri()

    @classmethod
    def run_program(cls, *arguments):
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, timeout=3000)
        if done.returncode != 0:
            raise RuntimeError(f"{arguments}: {done.returncode}: {done.stderr.decode()}")
        return done.stdout.decode()

    def open(self, url, width=1200, **look):
        self.chromium.look(width, **look)
        self.chromium.requests.clear()
        self.chromium.complaints.clear()
        self.chromium.open(url)

    def count(self, selector):
        return self.chromium.evaluate(f"document.querySelectorAll(`{selector}`).length")

    def all_reports(self):
        """Those of the scans, one of eval with labels, and one without."""
        if "labels" not in self.reports:
            # Few changes make a near page, many a different one.
            made = list(made_pages(2_000))
            pairs = self.folder / "made.tsv"
            with pairs.open("w") as file:
                for page, origin, changes in made:
                    if origin is not None:
                        label = "near" if changes < 4 else "different"
                        file.write(f"{made[origin][0]['url']}\t{page['url']}\t{label}\t"
                                   f"{changes} words changed\n")
            head = self.folder / "head.jsonl"
            with head.open("w") as file:
                for page, _, _ in made:
                    file.write(json.dumps(page) + "\n")
            self.run_program("eval", "--pages", head, "--pairs", pairs, "--report",
                             self.folder / "labels")
            self.run_program("eval", "--pages", head, "--report", self.folder / "settings")
            for name in ("labels", "settings"):
                self.reports[name] = (self.folder / name / "index.html").as_uri()
        return self.reports.items()

    def test_ask_for_nothing_and_have_no_complaint(self):
        for name, url in self.all_reports():
            with self.subTest(name):
                self.open(url)
                self.assertEqual([request for request in self.chromium.requests
                                  if not request.startswith("data:,")], [url])
                self.assertEqual(self.chromium.complaints, [])
                self.assertEqual(self.chromium.evaluate(
                    "performance.getEntriesByType('resource').map(entry => entry.name)"), [])
                self.assertTrue(self.chromium.evaluate(
                    "document.documentElement.classList.contains('scripted')"), "its script runs")

    def test_begin_with_the_answer(self):
        self.open(self.reports["tame"])
        self.assertRegex(self.chromium.evaluate("document.getElementById('answer').textContent"),
                         rf"^Of {PAGES:,} pages [\d,]+ were dropped \(\d+ %\): ")

    def test_show_hostile_texts_as_text(self):
        self.open(self.reports["hostile"])
        self.assertEqual(self.chromium.evaluate("document.title"), "What a scan kept and dropped")
        self.assertEqual(self.count("script"), 1)
        self.assertEqual(self.count("img, iframe, object, embed, form, a, body style, body title"),
                         0)
        self.assertEqual(self.chromium.evaluate(
            "[...document.querySelectorAll('*')].flatMap(element => [...element.attributes])"
            ".filter(attribute => attribute.name.startsWith('on')).length"), 0)
        self.assertIn("<script>document.title='owned'</script>",
                      self.chromium.evaluate("document.getElementById('pairs').textContent"))

    def test_fit_screens_of_320_to_1600_pixels(self):
        for name, url in self.all_reports():
            for width in (320, 400, 800, 1600):
                with self.subTest(f"{name}, {width}"):
                    self.open(url, width=width)
                    # With everything unfolded and laid out.
                    self.chromium.evaluate(
                        "document.querySelectorAll('details').forEach(it => it.open = true);"
                        "document.documentElement.classList.remove('scripted')")
                    self.assertLessEqual(
                        self.chromium.evaluate("document.documentElement.scrollWidth"), width)

    def test_can_be_read_without_scripts(self):
        self.chromium.ask("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            self.open(self.reports["tame"])
        finally:
            self.chromium.ask("Emulation.setScriptExecutionDisabled", {"value": False})
        self.assertEqual(self.chromium.complaints, [])
        visible = ("[...document.querySelectorAll('SELECTOR')].filter("
                   "it => it.checkVisibility()).length")
        self.assertGreater(self.chromium.evaluate(visible.replace("SELECTOR", ".pair")), 20)
        self.assertEqual(self.chromium.evaluate(visible.replace("SELECTOR", "button, select")), 0)

    def test_open_within_300_ms_and_are_small(self):
        for name in ("tame", "hostile"):
            with self.subTest(name):
                loads = [browser.timed_load(self.chromium, lambda: self.open(self.reports[name]))
                         for _ in range(LOADS)]
                print(f"{name}: {loads[0].size} bytes; ms to load, (of processor time), ! where "
                      "others used the processors: " + ", ".join(map(str, loads)))
                self.assertLess(loads[0].size, REPORT_BYTES)
                self.assertLess(browser.median_ms(loads), OPEN_MS)

    def test_filter_pairs(self):
        self.open(self.reports["tame"])
        total = self.count(".pair")
        self.chromium.evaluate(
            "(() => { const it = document.querySelector('select[name=distance]'); it.value = '2';"
            " it.dispatchEvent(new Event('change')); })()")
        shown = self.count(".pair:not([hidden])")
        self.assertGreater(shown, 0)
        self.assertLess(shown, total)
        self.assertEqual(shown, self.count(".pair[data-distance='2']"))
        self.assertEqual(self.chromium.evaluate("document.getElementById('shown').textContent"),
                         f"{shown} of {total} pairs")

    def label(self, card, label):
        self.chromium.evaluate(f"document.querySelectorAll('.pair')[{card}]"
                               f".querySelector('button[data-label={label}]').click()")

    def test_labels_come_back_as_pairs_that_eval_reads(self):
        for name in ("tame", "hostile"):
            with self.subTest(name):
                self.open(self.reports[name])
                total = self.count(".pair")
                self.assertTrue(self.chromium.evaluate("document.getElementById('save').disabled"))
                for card in range(0, 8):
                    self.label(card, "near")
                self.label(7, "near")  # taken back
                self.label(6, "different")  # thought again
                self.label(total - 1, "different")
                self.label(total - 2, "undecided")
                self.assertEqual(
                    self.chromium.evaluate("document.getElementById('save').textContent"),
                    "Save 9 labels")
                saved = self.folder / f"saved {name}"
                saved.mkdir()
                self.chromium.save(saved, "document.getElementById('save').click()")
                self.assertEqual(self.chromium.complaints, [])
                lines = [line.split("\t") for line in
                         (saved / "pairs.tsv").read_text().splitlines()
                         if not line.startswith("#")]
                self.assertEqual([line[2] for line in lines],
                                 ["near"] * 6 + ["different", "undecided", "different"])
                found = json.loads(self.run_program(
                    "eval", "--pages", self.folder / f"{name}.jsonl", "--pairs",
                    saved / "pairs.tsv", "--json"))
                self.assertEqual((found["near"], found["different"], found["not_scored"]),
                                 (6, 2, 1))
                self.assertEqual(found["not_found"], [])
                # The scan dropped the first seven and kept the last: one label says otherwise.
                self.assertEqual((found["false_duplicates"], found["missed"]), (1, 0))

    @unittest.skipUnless(PICTURES, "makes pictures, tests nothing")
    def test_pictures(self):
        folder = pathlib.Path(PICTURES)
        for name, width, height, dark in (("report_light", 1200, 1000, False),
                                          ("report_narrow", 400, 1000, True)):
            self.open(self.reports["tame"], width=width, dark=dark)
            self.chromium.picture(folder / f"{name}.png", height)
        self.open(self.reports["tame"])
        self.chromium.evaluate("document.getElementById('filters').scrollIntoView();"
                               "document.querySelector('button[data-label=near]').click()")
        self.chromium.picture(folder / "report_pairs.png")
        dict(self.all_reports())
        self.open(self.reports["labels"])
        self.chromium.picture(folder / "report_eval.png", 1000)


if __name__ == "__main__":
    unittest.main(verbosity=2)
