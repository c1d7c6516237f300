#!/usr/bin/env python3
"""`crawlsieve index`: what is built is exported, verified and found again; damage is refused.

    index_command_test.py PROGRAM
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]


def run(*arguments, expect=0):
    done = subprocess.run([PROGRAM, "index", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == expect, (arguments, done.returncode, done.stderr)
    return done


def check_that_searches_read_little(folder, query):
    """A searchable snapshot answers one query from a few of its blocks: damage elsewhere is not
    met. An archive is read from beginning to end."""
    (folder / "query").write_text(f"{query:016x}\n")
    asked = ("--queries", folder / "query", "--max-distance", 3)
    answer = run("query", "--store", folder / "again-archive", *asked).stdout
    met = {}
    for kind in ("archive", "searchable"):
        whole = (folder / f"again-{kind}").read_bytes()
        met[kind] = 0
        blocks = range(256, 8192, 1024)
        assert len(whole) > 8192 + 256, (kind, len(whole))
        for start in blocks:
            (folder / "damaged").write_bytes(
                whole[:start + 99] + bytes([whole[start + 99] ^ 1]) + whole[start + 100:])
            done = subprocess.run([PROGRAM, "index", "query", "--store", folder / "damaged",
                                   *map(str, asked)], capture_output=True, text=True)
            if done.returncode == 0:
                assert done.stdout == answer, (kind, start, done.stdout)
            else:
                assert "wrong checksum" in done.stderr, (kind, start, done.stderr)
                met[kind] += 1
    assert met["archive"] == len(blocks), met
    assert met["searchable"] < len(blocks), met


def check_that_chunks_and_threads_are_the_whole(folder, kind):
    asked = ("--store", folder / f"again-{kind}", "--queries", folder / "queries")
    whole = [json.loads(line)["matches"] for line in run("query", *asked).stdout.splitlines()]
    for threads in (1, 3):
        chunks = [run("query", *asked, "--threads", threads, "--chunk", f"{i}/3").stdout
                  for i in (1, 2, 3)]
        matches = [sum((json.loads(line)["matches"] for line in lines), [])
                   for lines in zip(*(chunk.splitlines() for chunk in chunks))]
        assert matches == whole, (kind, threads)
    for wrong in ("0/3", "4/3", "1", "1/0", "1/3x", "-1/3"):
        assert "--chunk" in run("query", *asked, "--chunk", wrong, expect=2).stderr, wrong


def check_pairs_and_clusters(folder):
    """Two near ones, one of which is near a third; two documents with one fingerprint."""
    lines = ["0000000000000010 7", "0000000000000013 3", "000000000000001f 9",
             "ff00000000000000 4", "ff00000000000000 8", "00ffff0000000000 5"]
    (folder / "few").write_text("\n".join(lines) + "\n")
    run("build", folder / "few", "--out", folder / "few.restart")
    run("export", folder / "few.restart", "--kind", "archive", "--out", folder / "few.archive")

    def pairs(store, *options):
        found = [json.loads(line) for line in
                 run("pairs", folder / store, "--max-distance", 2, *options).stdout.splitlines()]
        return [(pair["a"].get("sequence"), pair["b"].get("sequence"), pair["distance"])
                for pair in found]

    assert pairs("few.restart") == [(7, 3, 2), (3, 9, 2), (4, 8, 0)], pairs("few.restart")
    assert pairs("few.restart", "--threads", 4) == pairs("few.restart")
    assert pairs("few.archive") == [(None, None, 2)] * 2
    halves = [pairs("few.restart", "--chunk", f"{i}/2") for i in (1, 2)]
    assert sum(halves, []) == pairs("few.restart"), halves

    def clusters(store):
        run("pairs", folder / store, "--max-distance", 2, "--out", folder / "pairs")
        done = run("clusters", folder / "pairs")
        members = [json.loads(line) for line in done.stdout.splitlines()]
        return [(member["id"], member["root"]) for member in members], done.stderr

    members, summary = clusters("few.restart")
    assert members == [(3, 3), (7, 3), (9, 3), (4, 4), (8, 4)], members
    assert "5 in 2 clusters" in summary, summary
    assert clusters("few.archive")[0] == [(f"{bits:016x}", f"{0x10:016x}")
                                          for bits in (0x10, 0x13, 0x1f)]
    without = (folder / "pairs").read_text()
    run("pairs", folder / "few.restart", "--max-distance", 2, "--out", folder / "pairs")
    (folder / "both").write_text((folder / "pairs").read_text() + without)
    for wrong in ("both", "few"):
        assert f"{wrong}:" in run("clusters", folder / wrong, expect=1).stderr
    # Half a line, as after a full disk.
    (folder / "cut").write_text((folder / "pairs").read_text()[:-9])
    assert "cut:3:" in run("clusters", folder / "cut", expect=1).stderr
    run("clusters", folder / "not-there", expect=1)


def main():
    source = random.Random(20)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        stored = [source.getrandbits(64) for _ in range(2000)]
        lines = "".join(f"{bits:016x} {number}\n" for number, bits in enumerate(stored, 1))
        (folder / "list").write_text(lines)
        # Three bits off a stored one; and one that is four bits off.
        queries = [bits ^ 0x8000_0001_0000_0001 for bits in stored[:20]] + [stored[20] ^ 0xF]
        (folder / "queries").write_text("".join(f"{bits:016x}\n" for bits in queries))
        made = json.loads(run("build", folder / "list", "--out", folder / "restart", "--scheme",
                              "cs1-test", "--log-offset", 41, "--json").stdout)
        assert (made["entries"], made["log_offset"]) == (2000, 41), made
        exported = run("export", folder / "restart").stdout.splitlines()
        assert exported == sorted(lines.splitlines())
        for kind in ("archive", "searchable", "restart"):
            store = folder / f"again-{kind}"
            run("export", folder / "restart", "--kind", kind, "--out", store)
            assert json.loads(run("verify", store, "--json").stdout)["kind"] == kind
            answers = run("query", "--store", store, "--queries", folder / "queries",
                          "--max-distance", 3).stdout.splitlines()
            for number, answer in enumerate(map(json.loads, answers)):
                assert int(answer["fingerprint"], 16) == queries[number]
                near = [f"{b:016x}" for b in stored if bin(b ^ queries[number]).count("1") <= 3]
                assert [m["fingerprint"] for m in answer["matches"]] == near, answer
                if kind == "restart" and near:
                    assert answer["matches"][0]["sequence"] == number + 1
            assert len(answers) == len(queries)
            check_that_chunks_and_threads_are_the_whole(folder, kind)
        check_that_searches_read_little(folder, queries[0])
        check_pairs_and_clusters(folder)
        stats = json.loads(run("stats", folder / "restart", "--svg", folder, "--json").stdout)
        assert sum(stats["intervals"]) == 2000 and len(stats["intervals"]) == 128
        assert sum(stats["leading_differences"]) == 1999
        assert (folder / "intervals.svg").read_text().startswith("<svg")
        damaged = bytearray((folder / "restart").read_bytes())
        damaged[1000] ^= 1
        (folder / "damaged").write_bytes(damaged)
        assert "wrong checksum" in run("verify", folder / "damaged", expect=1).stderr
        (folder / "bad").write_text("0123456789abcdef 1\nno fingerprint\n")
        assert "bad:2:" in run("build", folder / "bad", "--out", folder / "x", expect=1).stderr
        run("export", folder / "again-archive", "--kind", "restart", "--out", folder / "x", expect=1)
        run("query", "--store", folder / "restart", expect=2)


main()
