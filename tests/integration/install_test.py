#!/usr/bin/env python3
"""`cmake --install` leaves a program that runs, its documents, and a sample configuration.

    install_test.py CMAKE BUILD_FOLDER
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

CMAKE, BUILD = sys.argv.pop(1), sys.argv.pop(1)


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.prefix = pathlib.Path(cls.temporary.name) / "usr"
        # A DESTDIR of whoever runs the tests would move everything.
        environment = {name: value for name, value in os.environ.items() if name != "DESTDIR"}
        subprocess.run([CMAKE, "--install", BUILD, "--prefix", cls.prefix, "--strip"], check=True,
                       env=environment, stdout=subprocess.DEVNULL, timeout=100)

    def run_program(self, *arguments):
        done = subprocess.run([self.prefix / "bin" / "crawlsieve", *arguments],
                              cwd=self.temporary.name, capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def documents(self):
        (folder,) = self.prefix.glob("share/doc/crawlsieve")
        return folder

    def test_the_program_says_its_version(self):
        self.assertRegex(self.run_program("--version"), r"^\d+\.\d+\.\d+ \(commit ")

    def test_the_sample_configuration_is_one_that_the_program_takes(self):
        sample = self.documents() / "examples" / "crawlsieve.yaml"
        self.assertIn("bootstrap_servers", self.run_program("check", "--config", sample))

    def test_links_between_the_installed_documents_lead_somewhere(self):
        readme = (self.documents() / "README.md").read_text()
        links = [link for link in re.findall(r"\]\(([^)#\s]+)", readme) if ":" not in link]
        self.assertTrue(links)
        for link in links:
            self.assertTrue((self.documents() / link).exists(), link)

    def test_nothing_but_the_program_and_the_documents_is_installed(self):
        found = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*")
                 if path.is_file() and self.documents() not in path.parents}
        self.assertEqual(found, {"bin/crawlsieve"})
        self.assertTrue((self.documents() / "LICENSE").is_file())


if __name__ == "__main__":
    unittest.main()
