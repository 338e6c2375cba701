"""Training gives the models of the command line, byte for byte; it can be watched and stopped."""
import os
import pathlib
import signal
import threading
import time
import unittest

import coppice
from support import DEV, TRAIN, columns_text, coppice as program, read, temporary_directory

SENTENCES, LABELS = read(TRAIN, 200)
DEV_SENTENCES, DEV_LABELS = read(DEV, 60)


class Training(unittest.TestCase):
    def setUp(self):
        temporary = temporary_directory()
        self.addCleanup(temporary.cleanup)
        self.directory = pathlib.Path(temporary.name)
        self.data = self.directory / "train.conll"
        self.data.write_text(columns_text(SENTENCES, LABELS))

    def of_the_program(self, *options, data=None):
        model = self.directory / "program.cop"
        program("train", "tag", "-t", data or self.data, "-o", model, "--force", *options)
        return model

    def test_a_file_gives_the_bytes_of_the_program(self):
        model = self.of_the_program("-d", DEV, "--max-iterations", 6)
        tagger = coppice.Tagger.train(self.data, dev=DEV, max_iterations=6, threads=2)
        theirs, mine = coppice.Tagger.load(model).card, tagger.card
        if theirs.pop("date") == mine.pop("date"):
            tagger.save(self.directory / "python.cop")
            self.assertEqual((self.directory / "python.cop").read_bytes(), model.read_bytes())
        self.assertEqual(mine, theirs)
        self.assertEqual(tagger.digest, coppice.Tagger.load(model).digest)

    def test_sentences_give_the_model_of_the_program(self):
        cases = [
            ((), {}),
            (("--l2", "2", "--min-count", "2"), {"l2": 2, "min_count": 2}),
            (("--l1", "0.3", "--order", "2"), {"l1": 0.3, "order": 2}),
            (("--loss", "f1", "--objective", "risk"), {"loss": "f1", "objective": "risk"}),
            (("--cost", "fn=5,fp=1", "--cost", "FOOD:fn=9"), {"cost": ["fn=5,fp=1", "FOOD:fn=9"]}),
            (("--class-weight", "B-*=2,O=0.5"), {"class_weight": {"B-*": 2, "O": 0.5}}),
            (("--optimizer", "sgd", "--passes", "3", "--averaging"),
             {"optimizer": "sgd", "passes": 3, "averaging": True, "max_iterations": None}),
            (("--potential", "trees", "--rounds", "3"),
             {"potential": "trees", "rounds": 3, "max_iterations": None}),
            (("--dev-fraction", "0.2", "--patience", "1"), {"dev_fraction": 0.2, "patience": 1}),
            (("--columns", "form,pos,slot", "--unconstrained"),
             {"columns": ["form", "pos"], "label_column": "slot", "unconstrained": True}),
            (("--raw", self.data), {"raw": self.data}),
        ]
        for options, keywords in cases:
            with self.subTest(keywords):
                keywords = {"max_iterations": 3, **keywords}
                limit = () if keywords["max_iterations"] is None else ("--max-iterations", 3)
                model = coppice.Tagger.load(self.of_the_program(*limit, *options))
                tagger = coppice.Tagger.train(SENTENCES, LABELS, **keywords)
                self.assertEqual(tagger.digest, model.digest)

    def test_development_data_beside_sentences(self):
        dev = self.directory / "dev.conll"
        dev.write_text(columns_text(DEV_SENTENCES, DEV_LABELS))
        model = coppice.Tagger.load(self.of_the_program("-d", dev, "--patience", 2))
        tagger = coppice.Tagger.train(SENTENCES, LABELS, dev=(DEV_SENTENCES, DEV_LABELS), patience=2)
        self.assertEqual(tagger.digest, model.digest)
        self.assertEqual(tagger.card["development"]["f1"], model.card["development"]["f1"])

    def test_weights_of_sentences_are_those_of_the_file(self):
        weights = [1 + i % 3 / 2 for i in range(len(SENTENCES))]
        blocks = columns_text(SENTENCES, LABELS).split("\n\n")
        self.data.write_text("\n\n".join(f"# weight = {weight}\n{block}"
                                         for weight, block in zip(weights, blocks)))
        model = coppice.Tagger.load(self.of_the_program("--max-iterations", 3))
        tagger = coppice.Tagger.train(SENTENCES, LABELS, sample_weight=weights, max_iterations=3)
        self.assertEqual(tagger.digest, model.digest)
        self.assertNotEqual(tagger.digest,
                            coppice.Tagger.train(SENTENCES, LABELS, max_iterations=3).digest)

    def test_partial_labels(self):
        spelled = [["?" if i % 5 == 0 else tag + "|O" if i % 7 == 0 and tag != "O" else tag
                    for i, tag in enumerate(tags)] for tags in LABELS]
        self.data.write_text(columns_text(SENTENCES, spelled))
        meant = [[None if tag == "?" else tag.split("|") if "|" in tag else tag for tag in tags]
                 for tags in spelled]
        model = self.of_the_program("--partial-labels", "--unconstrained", "--max-iterations", 3)
        tagger = coppice.Tagger.train(SENTENCES, meant, unconstrained=True, max_iterations=3)
        self.assertEqual(tagger.digest, coppice.Tagger.load(model).digest)

    def test_progress_is_what_the_log_has(self):
        history = []
        coppice.Tagger.train(SENTENCES, LABELS, dev=(DEV_SENTENCES, DEV_LABELS), max_iterations=5,
                             progress=history.append)
        self.assertEqual([one["iteration"] for one in history], list(range(1, 10)))
        self.assertEqual({one["stage"] for one in history}, {"stochastic", "batch"})
        self.assertTrue(any(one.get("best") for one in history))
        self.assertTrue(all(0 <= one["dev_f1"] <= 1 for one in history if "dev_f1" in one))

    def test_an_error_of_the_callback_is_passed_on(self):
        def fail(_):
            raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            coppice.Tagger.train(SENTENCES, LABELS, progress=fail)

    def test_other_threads_run_while_it_trains(self):
        done = threading.Event()

        def train():
            coppice.Tagger.train(SENTENCES, LABELS, potential="trees", rounds=12, threads=1)
            done.set()

        ticks = [time.monotonic()]
        thread = threading.Thread(target=train)
        thread.start()
        while not done.wait(0.002):
            ticks.append(time.monotonic())
        ticks.append(time.monotonic())
        thread.join()
        longest = max(after - before for before, after in zip(ticks, ticks[1:]))
        self.assertLess(longest, (ticks[-1] - ticks[0]) / 2)

    def test_an_interrupt_brings_the_model_so_far(self):
        seen = []

        def note(iteration):
            seen.append(iteration)
            if len(seen) == 1:  # from now on, anywhere
                threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()

        for progress in note, None:
            timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
            if progress is None:
                timer.start()
            with self.assertRaises(KeyboardInterrupt) as caught:
                coppice.Tagger.train(SENTENCES, LABELS, potential="trees", rounds=500,
                                     progress=progress)
            tagger = caught.exception.tagger
            self.assertEqual(len(tagger.predict(SENTENCES)), len(SENTENCES))
            self.assertGreaterEqual(tagger.card["iteration"], 1)
        self.assertGreaterEqual(len(seen), 1)

    def test_interrupted_and_resumed_it_gives_the_same_bytes(self):
        checkpoint = self.directory / "run.ckpt"
        for options in ({"optimizer": "lbfgs"}, {"potential": "trees", "rounds": 12}):
            seen = []

            def interrupt(line):
                seen.append(line["iteration"])
                if len(seen) == 4:
                    raise KeyboardInterrupt

            def train(sentences=SENTENCES, labels=LABELS):
                return coppice.Tagger.train(sentences, labels, resume=checkpoint,
                                            progress=interrupt, **options)

            with self.assertRaises(KeyboardInterrupt):
                train()
            with self.assertRaises(coppice.ModelError) as caught:
                train(SENTENCES[::-1], LABELS[::-1])
            self.assertEqual(caught.exception.code, "E431")
            models = [train(), coppice.Tagger.train(SENTENCES, LABELS, **options)]
            self.assertFalse(checkpoint.exists())
            self.assertEqual(seen, list(range(1, len(seen) + 1)))  # none was made twice
            files = [self.directory / "resumed.cop", self.directory / "whole.cop"]
            for model, file in zip(models, files):
                model.save(file)
            self.assertEqual(files[0].read_bytes(), files[1].read_bytes())

    def test_the_estimator_is_a_training_with_other_manners(self):
        estimator = coppice.TaggerEstimator(max_iterations=3)
        again = type(estimator)(**estimator.get_params()).set_params(l2=2)
        self.assertEqual(estimator.get_params(), {"max_iterations": 3})
        self.assertIs(again.fit(SENTENCES, LABELS), again)
        tagger = coppice.Tagger.train(SENTENCES, LABELS, max_iterations=3, l2=2)
        self.assertEqual(again.tagger_.digest, tagger.digest)
        self.assertEqual(again.classes_, tagger.labels)
        self.assertEqual(again.predict(DEV_SENTENCES), tagger.predict(DEV_SENTENCES))
        self.assertEqual(again.score(DEV_SENTENCES, DEV_LABELS),
                         tagger.score(DEV_SENTENCES, DEV_LABELS))

    def test_skipped_records_go_to_the_logger(self):
        self.data.write_text(columns_text(SENTENCES, LABELS) + "\nno label\n\n")
        with self.assertLogs("coppice", "WARNING") as logged:
            coppice.Tagger.train(self.data, on_error="skip", max_iterations=1)
        self.assertIn("expected 3 columns, found 1", logged.output[0])
        self.assertIn("skipped 1", logged.output[-1])


if __name__ == "__main__":
    unittest.main()
