#!/usr/bin/env python3
"""Tests which sources are compiled as one, and how (cmake/source_groups.py)."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "cmake" / "source_groups.py"

TEST = """#include "a.h"

namespace crawlsieve {{
namespace {{

int Helper() {{ return {number}; }}

}}  // namespace
}}  // namespace crawlsieve
"""
LIBRARY = """#include "a.h"

namespace crawlsieve {
namespace {

int Helper() { return 7; }

}  // namespace

int Seven() { return Helper(); }

}  // namespace crawlsieve
"""


class SourceGroupsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.build = self.root / "build"
        self.build.mkdir()

    def group(self, **texts):
        """The lines that the program prints for sources with these texts, and the first file."""
        for name, text in texts.items():
            (self.root / f"{name}.cc").write_text(text)
        done = subprocess.run(
            [sys.executable, "-B", PROGRAM, "12", self.root, self.build, self.build / "together_",
             *(f"{name}.cc" for name in texts)],
            cwd=self.root, capture_output=True, text=True, check=True)
        file = self.build / "together_0.cc"
        return done.stdout.splitlines(), file.read_text() if file.exists() else ""

    def test_tests_with_the_same_names_come_together_in_namespaces_of_their_own(self):
        files, text = self.group(a=TEST.format(number=1), b=TEST.format(number=2))
        self.assertEqual(files, [str(self.build / "together_0.cc")] * 2)
        self.assertEqual(text.count("int Helper()"), 2)
        for number, name in enumerate("ab"):
            self.assertIn(f'#line 1 "../{name}.cc"\n', text)
            self.assertIn(f"namespace own_{number} {{ namespace {{\n", text)
        self.assertEqual(text.count("{"), text.count("}"))

    def test_what_a_copy_has_stands_in_the_lines_that_the_source_has(self):
        source = TEST.format(number=1)
        _, text = self.group(a=source, b=TEST.format(number=2))
        copy = text.split('#line 1 "../a.cc"\n')[1].split("#line")[0]
        wanted = source.splitlines().index("int Helper() { return 1; }")
        self.assertEqual(copy.splitlines().index("int Helper() { return 1; }"), wanted)

    def test_sources_whose_names_others_would_see_stay_apart(self):
        files, text = self.group(a=LIBRARY, b=TEST.format(number=2))
        self.assertEqual((files, text), (["alone", "alone"], ""))
        files, _ = self.group(a=LIBRARY, b=LIBRARY)
        self.assertEqual(files, ["alone", "alone"])

    def test_others_are_included_first(self):
        files, text = self.group(a=TEST.format(number=1), b=LIBRARY.replace("Helper", "Other"))
        self.assertEqual(len(set(files)), 1)
        self.assertTrue(text.startswith('#include "b.cc"\n#line 1 "../a.cc"\n'), text[:100])

    def test_a_second_namespace_or_a_declaration_outside_is_not_enclosed(self):
        for more in ("namespace other {}\n", "int outside;\n", LIBRARY):
            with self.subTest(more=more):
                _, text = self.group(a=TEST.format(number=1) + more,
                                     b="#include <string>\nint Unlike();\n")
                self.assertEqual(text, '#include "a.cc"\n#include "b.cc"\n')

    def test_macros_of_a_test_are_seen_by_others(self):
        macro = TEST.format(number=1).replace("int Helper", "#define THIS 1\nint Helper")
        files, _ = self.group(a=macro, b=TEST.format(number=2).replace("2", "THIS"))
        self.assertEqual(files, ["alone", "alone"])


if __name__ == "__main__":
    unittest.main()
