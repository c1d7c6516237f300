"""The checkpoint commands as an operator uses them: scan makes a state, checkpoint copies it."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], text=True, capture_output=True,
                          timeout=60, check=False)


class CheckpointTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.state = self.root / "state"
        self.repository = self.root / "repository"

    def scan(self, state, number):
        page = self.root / f"page{number}.html"
        words = " ".join(f"word{number * 50 + i}" for i in range(80))
        page.write_text(f"<html><body><p>{words}</p></body></html>")
        done = run("scan", page, "--state-dir", state, "--json", "--out", self.root / "verdicts")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.root / "verdicts").read_text().splitlines()[0])["reason"]

    def create(self, *arguments):
        return run("checkpoint", "create", "--to", self.repository, *arguments)

    def test_a_restored_state_knows_the_pages_of_the_checkpoint(self):
        self.scan(self.state, 1)
        made = self.create("--state", self.state, "--json")
        self.assertEqual(made.returncode, 0, made.stderr)
        first = json.loads(made.stdout)
        self.assertEqual(first["new_bytes"], first["bytes"])
        self.scan(self.state, 2)
        config = self.root / "config.yaml"
        config.write_text(f"service:\n  state_directory: {self.state}\n")
        self.assertEqual(self.create("--config", config).returncode, 0)

        listed = run("checkpoint", "list", "--from", self.repository, "--json")
        checkpoints = [json.loads(line) for line in listed.stdout.splitlines()]
        self.assertEqual([c["log_offset"] for c in checkpoints], [1, 2])
        self.assertLess(checkpoints[1]["new_bytes"], checkpoints[1]["bytes"])
        self.assertEqual(run("checkpoint", "verify", "--from", self.repository, "--all").returncode,
                         0)

        new, old = self.root / "new", self.root / "old"
        restore = ["checkpoint", "restore", "--from", self.repository]
        self.assertEqual(run(*restore, "--state", new).returncode, 0)
        named = run(*restore, "--state", old, "--checkpoint", first["name"])
        self.assertEqual(named.returncode, 0, named.stderr)
        again = run(*restore, "--state", new)
        self.assertEqual(again.returncode, 1)
        self.assertIn("isn't empty", again.stderr)
        self.assertEqual(self.scan(new, 2), "unchanged")
        self.assertEqual(self.scan(old, 2), "unique")

    def test_a_log_is_not_trimmed_with_one_checkpoint(self):
        self.scan(self.state, 1)
        self.assertEqual(self.create("--state", self.state).returncode, 0)
        config = self.root / "config.yaml"
        config.write_text(f"service:\n  checkpoints:\n    directory: {self.repository}\n")
        trimmed = run("log", "trim", "--config", config)
        self.assertEqual(trimmed.returncode, 1)
        self.assertIn("1 whole checkpoints", trimmed.stderr)

    def test_damage_is_named_with_exit_code_1(self):
        self.scan(self.state, 1)
        self.assertEqual(self.create("--state", self.state).returncode, 0)
        file = max((self.repository / "files").iterdir(), key=lambda path: path.stat().st_size)
        file.write_bytes(b"x" + file.read_bytes()[1:])
        verified = run("checkpoint", "verify", "--from", self.repository)
        self.assertEqual(verified.returncode, 1)
        self.assertIn(str(file), verified.stderr)
        restored = run("checkpoint", "restore", "--from", self.repository, "--state",
                       self.root / "new")
        self.assertEqual(restored.returncode, 1)
        self.assertFalse((self.root / "new" / "CURRENT").exists())

    def test_wrong_usage_and_failed_uploads_have_their_exit_codes(self):
        self.scan(self.state, 1)
        self.assertEqual(self.create().returncode, 2)
        self.assertEqual(self.create("--state", self.root / "nothing").returncode, 1)
        self.assertEqual(self.create("--state", self.state, "--upload", "false").returncode, 3)
        listed = run("checkpoint", "list", "--from", self.repository)
        self.assertEqual((listed.returncode, listed.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main()
