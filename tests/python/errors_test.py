"""Errors have the fields of the command line, and say what is wrong in one line."""
import io
import pathlib
import unittest
from contextlib import redirect_stderr, redirect_stdout

import coppice
from support import TRAIN, read, temporary_directory

SENTENCES, LABELS = read(TRAIN, 30)


class Errors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tagger = coppice.Tagger.train(SENTENCES, LABELS, max_iterations=1)

    def expect(self, kind, code, message, function, *arguments, **keywords):
        with self.assertRaises(kind) as caught:
            function(*arguments, **keywords)
        error = caught.exception
        self.assertEqual(error.code, code)
        self.assertEqual(error.message, message)
        self.assertIn(message, str(error))
        self.assertIn(code, str(error))
        return error

    def train(self, kind, code, message, **keywords):
        data = {"sentences": SENTENCES, "labels": LABELS, **keywords}
        return self.expect(kind, code, message, coppice.Tagger.train, **data)

    def test_unknown_options_have_a_suggestion(self):
        self.train(coppice.UsageError, "E002",
                   'Tagger.train has no option max_iteration; did you mean "max_iterations"?',
                   max_iteration=3)
        error = self.train(coppice.UsageError, "E002", "Tagger.train has no option zzz", zzz=1)
        self.assertEqual(error.help, "help(coppice.Tagger.train) lists them")
        self.expect(coppice.UsageError, "E002",
                    'Tagger.predict has no option decoder; did you mean "decode"?',
                    self.tagger.predict, SENTENCES, decoder="viterbi")

    def test_values_are_those_of_the_command_line(self):
        usage = coppice.UsageError
        self.train(usage, "E003", 'potential: unknown value "tree"; did you mean "trees"?',
                   potential="tree")
        self.train(usage, "E003", "order: 4 is too large; the most is 3", order=4)
        self.train(usage, "E003", 'min_count: "1.5" is not a whole number', min_count=1.5)
        self.train(usage, "E006", "rounds goes only with potential trees or linear+trees, not with "
                                  "linear", rounds=3)
        self.train(usage, "E006", "patience and check_every go only with development data: dev or "
                                  "dev_fraction", patience=3)
        self.train(usage, "E006", "format goes only with files", format="jsonl")
        self.train(usage, "E003", "columns has 1 names for tokens of 2 columns", columns="form")
        self.train(usage, "E003", "dev is to be a pair of sentences and labels", dev="dev.conll")
        self.train(usage, "E003", "an option is a str, a number, a bool, a path, or a list or dict of "
                                  "them, not coppice._coppice.Tagger", init=self.tagger)
        self.train(usage, "E003", "threads: 0 is not a number from 1 to 4096", threads=0)
        self.train(usage, "E003", "sentences: sentences need labels beside them, unless they are a "
                                  "file", labels=None)
        self.assertTrue(issubclass(usage, ValueError))

    def test_models(self):
        self.expect(coppice.ModelError, "E501", "cannot open no.cop: No such file or directory",
                    coppice.Tagger.load, "no.cop")
        error = self.expect(coppice.ModelError, "E402", "not a Coppice model: the file begins with other "
                            "bytes", coppice.Tagger.load, TRAIN)
        self.assertEqual(error.file, str(TRAIN))
        self.expect(coppice.ResourceError, "E501", "cannot create no/way.cop: No such file or "
                    "directory", self.tagger.save, pathlib.Path("no", "way.cop"))

    def test_files_have_a_place(self):
        with temporary_directory() as directory:
            path = pathlib.Path(directory, "bad.conll")
            path.write_text("a\tO\nb\n")
            error = self.expect(coppice.DataError, "E203", "expected 2 columns, found 1",
                                coppice.Tagger.train, path)
        self.assertEqual((error.file, error.line), (str(path), 2))
        self.assertIn("fix the line", error.help)

    def test_sentences_have_a_number(self):
        data = coppice.DataError
        predict = self.tagger.predict
        good = SENTENCES[0]
        error = self.expect(data, "E203", "token 1: expected 2 columns, found 1",
                            predict, [good, [good[0], "word"]])
        self.assertEqual((error.file, error.line), ("sentences", 2))
        self.assertEqual(error.help, "the model reads form c2")
        self.expect(data, "E241", "expected a sentence, which is a list of tokens, found str",
                    predict, ["no sentence"])
        self.expect(data, "E241", "token 0: expected a column to be a str, found NoneType",
                    predict, [[("a", None)]])
        self.expect(data, "E241", "token 0: a column is not Unicode text", predict,
                    [[("a", "\udc00")]])
        self.expect(data, "E241", "token 0: expected an attribute to be a number, a str, a bool or a "
                    "list of str, found NoneType", predict, [[("a", "b", {"c": None})]])
        self.expect(data, "E241", "token 0: expected an attribute to be finite, found float",
                    predict, [[("a", "b", {"c": float("nan")})]])
        self.train(data, "E243", "1 labels for 2 tokens", sentences=[good[:2]], labels=[["O"]])
        self.train(data, "E243", "there are not as many lists of labels as sentences",
                   labels=LABELS[:-1])
        self.train(data, "E243", "there are not as many weights as sentences", sample_weight=[1])
        self.train(data, "E208", "weight -1 is not a number from 0 up",
                   sample_weight=[-1] * len(SENTENCES))
        self.train(data, "E204", "there is no sentence with tokens", sentences=[[]],
                   labels=[[]])
        error = self.train(data, "E210", "a label is empty", sentences=[good[:1]], labels=[[""]])
        self.assertEqual((error.file, error.line), ("sentences", 1))
        self.assertTrue(issubclass(data, ValueError))

    def test_nothing_is_printed(self):
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as error:
            coppice.Tagger.train(SENTENCES, LABELS, max_iterations=1).predict(SENTENCES)
        self.assertEqual(out.getvalue() + error.getvalue(), "")


if __name__ == "__main__":
    unittest.main()
