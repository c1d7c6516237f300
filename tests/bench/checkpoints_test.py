"""A small form of what fold_bench measures of checkpoints: it says what is so on any machine."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)


class CheckpointBenchTest(unittest.TestCase):
    def test_a_second_checkpoint_copies_less_and_a_restored_state_starts(self):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            command = [PROGRAM, root / "state", "--kept", "20000", "--entries", "2000", "--batch",
                       "100", "--json"]
            subprocess.run(command, check=True, capture_output=True, timeout=300)
            done = subprocess.run(
                [*command, "--checkpoints", root / "repository", "--pairs", "2"],
                check=True, capture_output=True, text=True, timeout=300)
            result = json.loads(done.stdout)
            first, second = result["checkpoints"]
            self.assertEqual(first["new_bytes"], first["bytes"])
            self.assertLess(second["new_bytes"], second["bytes"])
            self.assertGreater(second["beside_per_s"], 0)
            self.assertGreater(result["restore_to_judging_s"], 0)


if __name__ == "__main__":
    unittest.main()
