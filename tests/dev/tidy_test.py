#!/usr/bin/env python3
"""Tests of tools/tidy.py: which sources it looks at. No clang-tidy is run."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import tidy  # noqa: E402

FILES = {
    ".clang-tidy": "Checks: '*'\n",
    "include/coppice/base/one.h": "// one\n",
    "include/coppice/base/alone.h": "// alone\n",
    "include/coppice/base/inner.h": "// inner\n",
    "include/coppice/base/unused.h": "// unused\n",
    "src/base/one.cc": '#include "coppice/base/one.h"\n',
    "src/base/two.cc": '#include "base/two.h"\n#include "coppice/base/alone.h"\n',
    "src/base/two.h": '#include "coppice/base/inner.h"\n',
    "cli/three.cc": '#include "coppice/base/one.h"\n',
}


class Tidy(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.directory.name)
        self.git("init", "-q")
        for path, text in FILES.items():
            self.write(path, text)
        self.write("build/clang/compile_commands.json", "[]")
        self.write(".gitignore", "build/\n")
        self.commit()
        self.looked_at = []
        self.findings = {}
        self.addCleanup(setattr, tidy, "tidy", tidy.tidy)
        tidy.tidy = self.fake_tidy

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@t", *arguments], check=True)

    def commit(self):
        self.git("add", ".")
        self.git("commit", "-q", "-m", "change")

    @staticmethod
    def write(path, text):
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(path).write_text(text)

    def fake_tidy(self, source):
        self.looked_at.append(source)
        return self.findings.get(source, "")

    def run_tidy(self, everything=False):
        self.looked_at.clear()
        status = tidy.main(everything)
        return status, sorted(self.looked_at)

    def test_a_header_belongs_to_one_source(self):
        self.assertEqual(tidy.owners(tidy.files()), {
            "include/coppice/base/one.h": "src/base/one.cc",
            "include/coppice/base/alone.h": "src/base/two.cc",
            "include/coppice/base/inner.h": "src/base/two.cc",
            "src/base/two.h": "src/base/two.cc"})

    def test_a_second_run_looks_only_at_what_changed(self):
        self.assertEqual(self.run_tidy(), (0, ["cli/three.cc", "src/base/one.cc", "src/base/two.cc"]))
        self.assertEqual(self.run_tidy(), (0, []))
        self.write("include/coppice/base/inner.h", "// changed\n")
        self.write("cli/four.cc", "")
        self.assertEqual(self.run_tidy(), (0, ["cli/four.cc", "src/base/two.cc"]))
        self.assertEqual(self.run_tidy(everything=True)[1], [
            "cli/four.cc", "cli/three.cc", "src/base/one.cc", "src/base/two.cc"])

    def test_a_finding_is_reported_until_it_is_gone(self):
        self.findings["src/base/one.cc"] = "bad"
        self.assertEqual(self.run_tidy()[0], 1)
        self.assertEqual(self.run_tidy(), (1, ["src/base/one.cc"]))
        self.findings.clear()
        self.assertEqual(self.run_tidy(), (0, ["src/base/one.cc"]))
        self.assertEqual(self.run_tidy(), (0, []))

    def test_new_checks_concern_every_source(self):
        self.run_tidy()
        self.write(".clang-tidy", "Checks: '-*'\n")
        self.assertEqual(len(self.run_tidy()[1]), 3)

    def test_a_fresh_clone_looks_at_what_changed_last(self):
        self.addCleanup(setattr, tidy, "FRESH", tidy.FRESH)
        tidy.FRESH = 2
        self.write("src/base/one.cc", "// newer\n")
        self.commit()
        self.write("src/base/two.h", "// newest\n")
        self.assertEqual(self.run_tidy(), (0, ["src/base/one.cc", "src/base/two.cc"]))
        self.assertEqual(self.run_tidy(), (0, []))


if __name__ == "__main__":
    unittest.main()
