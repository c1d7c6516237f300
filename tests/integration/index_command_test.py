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
        check_that_searches_read_little(folder, queries[0])
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
