#!/usr/bin/env python3
"""Tests of tools/tidy.py: which sources it looks at. No clang-tidy is run."""
import json
import os
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import tidy  # noqa: E402

FILES = {
    ".clang-tidy": "Checks: '*'\n",
    "include/coppice/base/one.h": '#include "coppice/base/inner.h"\n',
    "include/coppice/base/inner.h": "// inner\n",
    "src/base/one.cc": '#include "coppice/base/one.h"\n#include <vector>\n',
    "src/base/two.cc": '#include "base/two.h"\n',
    "src/base/two.h": "// two\n",
    "src/chain/kernel.cc": "// not in a piece\n",
    "cli/three.cc": '#include "cli/three.h"\n',
    "cli/three.h": '#include "coppice/base/one.h"\n',
    "python/src/module.cc": '#include "python/src/register.h"\n',
    "python/src/register.h": "// register\n",
    "tests/base/one_test.cc": '#include "coppice/base/one.h"\n',
}


class Tidy(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(directory.name)
        for path, text in FILES.items():
            self.write(path, text)
        self.library = self.unity("library", "src/base/one.cc", "src/base/two.cc")
        self.program = self.unity("program", "cli/three.cc")
        self.kernel = pathlib.Path("src/chain/kernel.cc").resolve()
        compiled = [self.library, self.program, self.kernel, self.unity("tests", "tests/base/one_test.cc")]
        self.module = pathlib.Path("python/src/module.cc").resolve()
        self.compiled("asan", compiled)
        self.compiled("release", [self.module, self.kernel])
        self.looked_at = []
        self.findings = {}
        for name, fake in (("tidy", self.fake_tidy), ("configure", lambda: None)):
            self.addCleanup(setattr, tidy, name, getattr(tidy, name))
            setattr(tidy, name, fake)

    @staticmethod
    def write(path, text):
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(path).write_text(text)

    def compiled(self, preset, paths):
        self.write(f"build/{preset}/compile_commands.json", json.dumps([{"file": str(path)} for path in paths]))

    def unity(self, name, *members):
        path = pathlib.Path(f"build/asan/{name}/Unity/unity_0_cxx.cxx").resolve()
        self.write(path, "".join(f'#include "{pathlib.Path(member).resolve()}"\n' for member in members))
        return path

    def fake_tidy(self, piece):
        self.looked_at.append(piece.path)
        return self.findings.get(piece.path, "")

    def run_tidy(self, everything=False):
        self.looked_at.clear()
        status = tidy.main(everything)
        return status, set(self.looked_at)

    def test_a_fresh_clone_is_looked_at_as_a_whole_but_not_its_tests(self):
        self.assertEqual(self.run_tidy(), (0, {self.library, self.program, self.kernel, self.module}))

    def test_a_second_run_looks_only_at_what_changed(self):
        self.run_tidy()
        self.assertEqual(self.run_tidy(), (0, set()))
        self.write("src/base/two.h", "// changed\n")
        self.assertEqual(self.run_tidy(), (0, {self.library}))
        self.write("include/coppice/base/inner.h", "// changed\n")
        self.assertEqual(self.run_tidy(), (0, {self.library, self.program}))
        self.write("python/src/register.h", "// changed\n")
        self.assertEqual(self.run_tidy(), (0, {self.module}))
        self.assertEqual(self.run_tidy(everything=True),
                         (0, {self.library, self.program, self.kernel, self.module}))

    def test_a_finding_is_reported_until_it_is_gone(self):
        self.findings[self.library] = "bad"
        self.assertEqual(self.run_tidy()[0], 1)
        self.assertEqual(self.run_tidy(), (1, {self.library}))
        self.findings.clear()
        self.assertEqual(self.run_tidy(), (0, {self.library}))
        self.assertEqual(self.run_tidy(), (0, set()))

    def test_new_checks_concern_every_source(self):
        self.run_tidy()
        self.write(".clang-tidy", "Checks: '-*'\n")
        self.assertEqual(len(self.run_tidy()[1]), 4)


if __name__ == "__main__":
    unittest.main()
