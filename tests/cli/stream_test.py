#!/usr/bin/env python3
"""Drives `coppice predict` as a stream: one line at a time through pipes, and for long.

usage: stream_test.py PROGRAM
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = str(pathlib.Path(sys.argv.pop()).resolve())
TRAIN = "the\tD\ndog\tN\nbarks\tV\n\na\tD\ncat\tN\nsleeps\tV\n\n"
LINES = ["the dog sleeps", "a cat barks", "cats"]


class Stream(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        train = pathlib.Path(cls.directory.name, "train.conll")
        train.write_text(TRAIN)
        cls.model = str(pathlib.Path(cls.directory.name, "m.cop"))
        subprocess.run([PROGRAM, "train", "tag", "-t", train, "-o", cls.model, "-q"], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def start(self, *options):
        # AddressSanitizer holds back what is freed, 256 MB by default: that would look like growth.
        environment = {**os.environ, "ASAN_OPTIONS": "quarantine_size_mb=1"}
        return subprocess.Popen([PROGRAM, "predict", "-m", self.model, *options], text=True, bufsize=1,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)

    def test_answers_each_line_before_the_next_is_sent(self):
        for options in (["--out", "jsonl"], ["--out", "text"], ["--out", "jsonl", "--kbest", "2"]):
            with self.start(*options) as program:
                for line in LINES:
                    program.stdin.write(line + "\n")
                    program.stdin.flush()
                    answer = program.stdout.readline()  # hangs when the record is held back
                    self.assertTrue(answer.strip(), options)
                program.stdin.close()
                self.assertEqual(program.stdout.read(), "")
            self.assertEqual(program.returncode, 0)

    def test_answers_a_sentence_of_columns_at_its_blank_line(self):
        with self.start("--format", "columns") as program:
            for line in LINES:
                words = line.split()
                program.stdin.write("".join(word + "\n" for word in words) + "\n")
                program.stdin.flush()
                for word in words:
                    self.assertEqual(program.stdout.readline().split()[0], word)
                self.assertEqual(program.stdout.readline(), "\n")
            program.stdin.close()
        self.assertEqual(program.returncode, 0)

    def predict_file(self, threads, content):
        """Status and output for a file of that content."""
        path = pathlib.Path(self.directory.name, "lines.txt")
        path.write_bytes(content)
        run = subprocess.run([PROGRAM, "predict", "-m", self.model, "-j", str(threads), str(path)],
                             capture_output=True, check=False)
        return run.returncode, run.stdout

    def test_a_file_gives_the_same_bytes_with_any_number_of_threads(self):
        content = "".join(f"{LINES[i % 3]} w{i}\n" for i in range(1500)).encode()
        for damage in (b"", b"\xff\n"):  # after a bad line, what stands before it is there
            expected = self.predict_file(1, content + damage + content)
            self.assertGreater(expected[1].count(b"w"), 1499)
            for threads in (2, 5):
                self.assertEqual(self.predict_file(threads, content + damage + content), expected)

    def peak_memory(self, repeats):
        """Kilobytes that the program needs at most, for the lines so many times."""
        block = "".join(line + "\n" for line in LINES) * 1000
        with self.start("--out", "jsonl", "--posteriors", "top2") as program:
            reader = subprocess.Popen(["tail", "-n", "1"], stdin=program.stdout, stdout=subprocess.DEVNULL)
            for _ in range(repeats):
                program.stdin.write(block)
            program.stdin.close()
            _, status, usage = os.wait4(program.pid, 0)
            program.returncode = os.waitstatus_to_exitcode(status)
            reader.wait()
        self.assertEqual(program.returncode, 0)
        return usage.ru_maxrss

    def test_memory_stays_flat(self):
        self.assertLess(self.peak_memory(8), self.peak_memory(1) + 1024)


if __name__ == "__main__":
    unittest.main()
