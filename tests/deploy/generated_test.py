#!/usr/bin/env python3
"""Man pages, completions and bill of materials are made from the program; and configurations in
deploy/ are ones that it takes.

    generated_test.py PROGRAM BUILD_FOLDER
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GENERATE = ROOT / "deploy/generate"
sys.path.insert(0, str(GENERATE))
import command_line  # noqa: E402

PROGRAM, BUILD = pathlib.Path(sys.argv.pop(1)).resolve(), sys.argv.pop(1)


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=100, check=False, **more)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Generated(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        for script in ("man.py", "completion.py"):
            run(sys.executable, "-B", GENERATE / script, PROGRAM, cls.folder)
        cls.root = command_line.read(PROGRAM)


class ManPageTest(Generated):
    def shown(self, page):
        """The page as a reader has it, without hyphenation. Fails where groff warns."""
        done = subprocess.run(["groff", "-man", "-Tutf8", "-Kutf8", "-ww", "-rHY=0", "-rLL=200n",
                               "-P-cbou", self.folder / page], capture_output=True, text=True,
                              timeout=100, check=True)
        self.assertEqual(done.stderr, "")
        return re.sub(r"\s+", " ", done.stdout)

    def test_every_command_and_option_is_in_the_page(self):
        shown = self.shown("crawlsieve.1")
        commands = list(self.root.walk())
        self.assertGreater(len(commands), 15)
        for command in commands:
            self.assertIn(" ".join(command.words), shown)
            for item in command.options:
                self.assertIn(item.names[-1], shown)

    def test_every_key_is_in_the_page_with_its_meaning(self):
        shown = self.shown("crawlsieve.yaml.5")
        rows = re.findall(r"^\| `([a-z_.]+)` \| .* \| ([^|]*) \|$",
                          (ROOT / "docs/configuration.md").read_text(), re.M)
        self.assertGreater(len(rows), 60)
        for key, meaning in rows:
            self.assertIn(key, shown)
            self.assertIn(meaning.split(".")[0].replace("`", "")[:40], shown)


class CommandLineTest(unittest.TestCase):
    def test_a_help_of_another_form_is_refused(self):
        for text in ("", "no usage at all", "Usage: x\n\n  --lost  of no section\n"):
            with self.assertRaises(ValueError):
                command_line.parse(("x",), text)

    def test_values_choices_and_flags_are_told_apart(self):
        spec = command_line.Item
        self.assertFalse(spec("--json", "").takes_value)
        self.assertFalse(spec("--random-key Excludes: --state-dir", "").takes_value)
        self.assertTrue(spec("--out TEXT", "").takes_file)
        self.assertTrue(spec("--examples UINT=5", "").takes_value)
        self.assertFalse(spec("--examples UINT=5", "").takes_file)
        self.assertEqual(spec("--kind TEXT:{a,b} Needs: --out", "").choices, ["a", "b"])


class CompletionTest(Generated):
    def bash(self, *words):
        """What bash offers for the last word."""
        script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _crawlsieve; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        return run("bash", "--norc", "-c", script, "bash", self.folder / "crawlsieve", "crawlsieve",
                   *words).split()

    def test_commands_are_offered(self):
        names = [command.words[-1] for command in self.root.commands]
        self.assertEqual([word for word in self.bash("") if word[0] != "-"], names)
        self.assertEqual(self.bash("sc"), ["scan"])
        self.assertEqual(self.bash("key", ""), ["export", "import", "-h", "--help"])

    def test_options_of_the_command_are_offered(self):
        self.assertEqual(self.bash("key", "import", "--i"), ["--in"])
        self.assertNotIn("--out", self.bash("key", "import", "--"))

    def test_choices_of_a_value_are_offered(self):
        self.assertEqual(self.bash("scan", "--format", "nu"), ["nutch"])

    def test_files_are_left_to_bash(self):
        self.assertEqual(self.bash("run", "--config", "x"), [])
        self.assertEqual(self.bash("scan", "x"), [])

    def test_zsh_reads_its_completion(self):
        run("zsh", "-n", self.folder / "_crawlsieve")


class BillOfMaterialsTest(unittest.TestCase):
    def test_shared_libraries_and_what_is_compiled_in_are_named(self):
        bill = json.loads(run(sys.executable, "-B", GENERATE / "sbom.py", PROGRAM, BUILD))
        linkage = {part["name"]: part["properties"][0]["value"] for part in bill["components"]}
        for name in ("librdkafka1", "librocksdb7.8", "libtcmalloc-minimal4", "libc6"):
            self.assertEqual(linkage[name], "shared")
        for name in ("libgumbo-dev", "libcli11-dev"):
            self.assertEqual(linkage[name], "compiled in")
        self.assertNotIn("libgtest-dev", linkage)
        self.assertTrue(all(part["version"] for part in bill["components"]))


class ConfigurationTest(unittest.TestCase):
    def test_the_package_has_one_that_the_program_takes(self):
        run(PROGRAM, "check", "--config", ROOT / "deploy/debian/crawlsieve.yaml")

    def test_pods_have_one_that_the_program_takes(self):
        text = (ROOT / "deploy/kubernetes/configmap.yaml").read_text()
        _, _, block = text.partition("crawlsieve.yaml: |\n")
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(re.sub(r"^ {4}", "", block, flags=re.M))
            file.flush()
            for role in ("judge", "extract"):
                shown = run(PROGRAM, "check", "--config", file.name,
                            env={"ROLE": role, "POD": f"{role}-0"})
                self.assertIn('address: "0.0.0.0"', shown)


if __name__ == "__main__":
    unittest.main()
