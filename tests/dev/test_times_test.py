#!/usr/bin/env python3
"""Tests of tools/test_times.py: what it makes of the files of a run."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import test_times  # noqa: E402


class TestTimes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def junit(self, preset, times):
        (self.root / preset).mkdir()
        path = self.root / preset / "junit.xml"
        cases = "".join(f'<testcase name="{name}" time="{time}"/>' for name, time in times.items())
        path.write_text(f"<testsuite>{cases}</testsuite>")
        return str(path)

    def lines(self, *files):
        stages = self.root / "stages"
        stages.write_text("61\tbuild: release\n9\tlint\n")
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(test_times.main([str(stages), *files]), 0)
        return [line.strip() for line in out.getvalue().splitlines()]

    def test_prints_stages_kinds_and_the_slowest(self):
        release = self.junit("release", {"docs.trees": 3, "KBest.IsBest": 1.5, "Sum.IsSum": 2, "docs.training": 7})
        asan = self.junit("asan", {f"Case.{i}": i / 10 for i in range(12)})
        lines = self.lines(release, asan)
        self.assertIn("61 s  build: release", lines)
        self.assertIn("10.0 s  release docs", lines)
        self.assertIn("3.5 s  release unit", lines)
        slowest = lines[lines.index("the 10 slowest tests:") + 1:]
        self.assertEqual(len(slowest), 10)
        self.assertEqual(slowest[:3], ["7.0 s  release docs.training", "3.0 s  release docs.trees",
                                       "2.0 s  release Sum.IsSum"])

    def test_takes_a_run_that_ended_early(self):
        self.assertIn("9 s  lint", self.lines(str(self.root / "none" / "junit.xml")))


if __name__ == "__main__":
    unittest.main()
