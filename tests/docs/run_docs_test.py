#!/usr/bin/env python3
"""Tests of run_docs.py itself: it must see what is wrong with a page."""
import os
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run_docs  # noqa: E402

PAGE = """# A page
```console
$ echo one
one
$ printf 'a\\nb\\n'
a
...
```
```sh
$ not a console block
```
<!-- not run: it would take an hour -->

```console
$ sleep 3600
```
text
```console
$ echo two \\
    three
two three
```
"""


def problems_of(text):
    with tempfile.TemporaryDirectory() as directory:
        found = []
        for command in run_docs.commands(text):
            found += run_docs.run(command, directory, dict(os.environ))
        return found


class RunDocs(unittest.TestCase):
    def test_reads_the_commands_of_console_blocks_only(self):
        found = run_docs.commands(PAGE)
        self.assertEqual([c.text for c in found],
                         ["echo one", "printf 'a\\nb\\n'", "echo two \\\n    three"])
        self.assertEqual(found[0].line, 3)

    def test_a_right_page_has_no_problems(self):
        self.assertEqual(problems_of(PAGE), [])

    def test_shows_the_difference_of_a_wrong_page(self):
        self.assertIn("-one", problems_of("```console\n$ echo two\none\n```\n"))
        self.assertIn("+two", problems_of("```console\n$ echo two\none\n```\n"))

    def test_silence_is_checked_too(self):
        self.assertIn("+two", problems_of("```console\n$ echo two\n```\n"))
        self.assertIn("-two", problems_of("```console\n$ true\ntwo\n```\n"))

    def test_a_command_fails_only_where_the_page_shows_an_error(self):
        self.assertEqual(problems_of("```console\n$ false\n```\n"), ["exit status 1"])
        error = "x: error[E203]: bad"
        self.assertEqual(problems_of(f"```console\n$ echo '{error}'; false\n{error}\n```\n"), [])
        self.assertEqual(problems_of(f"```console\n$ echo '{error}'\n{error}\n```\n"), ["exit status 0"])

    def test_keeps_files_from_one_command_to_the_next(self):
        self.assertEqual(problems_of("```console\n$ echo x > f\n$ cat f\nx\n```\n"), [])

    def test_refuses_a_block_that_begins_with_output(self):
        with self.assertRaisesRegex(ValueError, "line 2"):
            run_docs.commands("```console\nx\n```\n")


if __name__ == "__main__":
    unittest.main()
