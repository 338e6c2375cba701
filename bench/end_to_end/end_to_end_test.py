"""Tests of the benchmarks' own arithmetic; needs no peer and no shared data."""
import argparse
import pathlib
import random
import sys
import tempfile
import unittest
import unittest.mock

import attributes
import corpora
import crf_peers
import crf_peers_runs
import l1_trees
import measure
import missing
import nettalk
import protein
import scoring
import tagger_accuracy
import tree_taggers

CHUNKS = [["Time", "NN", "B-NP"], [":", ":", ":"], ["a\\b", "NN", "B-NP"]]


class Scoring(unittest.TestCase):
    def test_begins_a_span_at_b_and_at_i_of_another_type(self):
        labels = ["B-X", "I-X", "B-X", "I-Y", "O", "I-X"]
        self.assertEqual(scoring.spans(labels),
                         {("X", 0, 1), ("X", 2, 2), ("Y", 3, 3), ("X", 5, 5)})

    def test_takes_types_that_contain_a_dash(self):
        self.assertEqual(scoring.spans(["B-a-b", "I-a-b"]), {("a-b", 0, 1)})

    def test_scores_one_of_two_spans(self):
        scores = scoring.span_f1([["B-X", "O", "B-Y"]], [["B-X", "O", "B-X"]])
        self.assertEqual(scores, {"precision": 50.0, "recall": 50.0, "f1": 50.0})

    def test_is_zero_without_spans(self):
        self.assertEqual(scoring.span_f1([["O"]], [["O"]])["f1"], 0.0)


class Attributes(unittest.TestCase):
    def test_skips_templates_that_reach_over_the_end(self):
        items = attributes.chunking(CHUNKS[:1])
        self.assertEqual(items, [["w[0]=Time", "pos[0]=NN", "__BOS__", "__EOS__"]])

    def test_has_the_nineteen_chunking_templates(self):
        self.assertEqual(len(attributes.CHUNKING), 19)

    def test_gives_back_colons_and_backslashes_that_it_wrote(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "attributes"
            attributes.write_attributes([CHUNKS], "chunking", path)
            self.assertIn("\n\\:\t", path.read_text())
            [(items, labels)] = attributes.read_attributes(path)
        self.assertEqual(items, attributes.chunking(CHUNKS))
        self.assertEqual(labels, ["B-NP", ":", "B-NP"])

    def test_every_extractor_takes_a_sentence_of_one_word(self):
        for name, extract in attributes.EXTRACTORS.items():
            self.assertEqual(len(extract(CHUNKS[:1])), 1, name)


    def test_tests_words_as_crfsuites_example_does(self):
        def holding(word):
            return {name for name, answer in attributes.test_results(word).items()
                    if answer == "yes"}
        self.assertEqual(holding("IL-2"), {"iu", "au", "cu", "ca", "cd", "cs"})
        self.assertEqual(holding("1984"), {"4d", "ad", "cd", "cs"})
        self.assertEqual(holding("3.5"), {"d&.", "cd", "cs"})
        self.assertEqual(holding("p53"), {"d&a", "al", "cl", "ca", "cd", "cs"})
        self.assertEqual(holding("--"), {"ao", "cs"})
        self.assertEqual([attributes.word_type(word) for word in
                          ("IL-2", "1,5", "Bern", "p53", "a-b")],
                         ["all upper digit symbol", "all digit", "initial upper",
                          "all upper lower digit", "other"])


class Measure(unittest.TestCase):
    def test_leaves_its_own_memory_out(self):
        ballast = bytearray(200_000_000)
        costs = measure.measure([sys.executable, "-S", "-c", "pass"])
        self.assertLess(costs.peak_bytes, len(ballast) // 2)

    def test_takes_the_median_of_each_field(self):
        runs = [measure.Costs(0, 1.0, 9.0, 5), measure.Costs(0, 2.0, 7.0, 4),
                measure.Costs(0, 3.0, 8.0, 6)]
        self.assertEqual(measure.median_costs(runs), (0, 2.0, 8.0, 5))

    def test_finds_the_first_iteration_near_the_optimum(self):
        trace = [{"loss": loss} for loss in (200.0, 100.2, 100.1, 100.0)]
        self.assertIs(measure.first_within(trace, 100.0, 1e-3), trace[2])
        self.assertIsNone(measure.first_within(trace, 90.0, 1e-3))


class CrfPeers(unittest.TestCase):
    def test_takes_the_last_iteration_of_a_run_that_stops_before_the_optimum(self):
        trace = [{"loss": loss} for loss in (200.0, 100.3, 100.2)]
        self.assertIs(crf_peers.time_to(trace, 100.0), trace[-1])

    def test_says_when_mallet_was_stopped(self):
        report = {"measured": "then", "test": 90.0, "train": {
            "peak_bytes": 1e6, "model_bytes": 1e6,
            "trace": [{"iteration": i + 1, "loss": loss, "cpu": 1.0 + i}
                      for i, loss in enumerate((200.0, 101.0, 100.001, 100.0))]}}
        self.assertEqual(crf_peers.mallet_row("x", report, 100.0)[:5],
                         ["x: MALLET", "100.00", "100.00", 3, "3.0"])
        self.assertEqual(crf_peers.mallet_row("x", report, 90.0)[:5],
                         ["x: MALLET, stopped before", "100.00", "100.00", 4, "4.0"])

    def test_keeps_the_report_of_the_same_command_only(self):
        with tempfile.TemporaryDirectory() as folder:
            bench = crf_peers_runs.Bench(quick=True)
            bench.folder = pathlib.Path(folder)
            runs = iter(range(3))
            for command, run in ((["a"], 0), (["a"], 0), (["b"], 1)):
                report = bench.kept("name", command, lambda: {"run": next(runs)})
                self.assertEqual(report["run"], run)


class Corpora(unittest.TestCase):
    def test_reads_back_the_columns_that_it_wrote(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "columns"
            corpora.write_columns([CHUNKS, CHUNKS[:1]], path)
            self.assertEqual(corpora.read_tsv(path), [CHUNKS, CHUNKS[:1]])


class TaggerAccuracy(unittest.TestCase):
    def test_holds_out_every_sentence_once(self):
        folds = tagger_accuracy.folds(list(range(10)), 3)
        self.assertEqual([held_out for _, held_out in folds], [[0, 1, 2], [3, 4, 5], [6, 7, 8, 9]])
        for train, held_out in folds:
            self.assertEqual(sorted(train + held_out), list(range(10)))

    def test_final_configurations_are_among_their_rivals(self):
        for task in tagger_accuracy.TASKS:
            self.assertIn(tagger_accuracy.FINAL[task], tagger_accuracy.RIVALS[task])
        for task in tagger_accuracy.CRFSUITE_TASKS:
            final = tagger_accuracy.CRFSUITE_FINAL[task]
            self.assertEqual([settings[0] for settings in final], ["tutorial", "ner"])
            for settings in final:
                self.assertIn(settings, tagger_accuracy.CRFSUITE_RIVALS)

    def test_keeps_rows_of_the_same_setting(self):
        def run(score):
            return lambda: tagger_accuracy.Outcome(score, 1.0, 2, score)
        with tempfile.TemporaryDirectory() as name:
            keep = pathlib.Path(name)
            self.assertEqual(tagger_accuracy.kept_outcome(keep, "a", "x", run(1.0)).test, 1.0)
            self.assertEqual(tagger_accuracy.kept_outcome(keep, "a", "x", run(2.0)).test, 1.0)
            self.assertEqual(tagger_accuracy.kept_outcome(keep, "a", "y", run(3.0)).test, 3.0)

    def test_scores_spans_or_tokens(self):
        gold, predicted = [[["a", "B-X"], ["b", "O"]]], [[["a", "B-X"], ["b", "B-X"]]]
        self.assertEqual(tagger_accuracy.score(tagger_accuracy.TASKS["ewt-upos"], gold, predicted),
                         50.0)
        self.assertAlmostEqual(
            tagger_accuracy.score(tagger_accuracy.TASKS["ncbi"], gold, predicted), 200 / 3)


class L1Trees(unittest.TestCase):
    def test_hides_the_word_and_takes_places_that_do_not_see_one_another(self):
        lines = ["He saw a dog and the cat .", "no article", "The end of a b c a"]
        found = l1_trees.examples(lines, 9)
        self.assertEqual([label for label, _ in found], ["-1", "1", "-1"])
        self.assertEqual(len(l1_trees.examples(lines, 2)), 2)
        self.assertIn("-1=saw", found[0][1])
        self.assertIn("1=dog", found[0][1])
        self.assertNotIn("0=a", found[0][1])
        self.assertIn("-1=<>", found[1][1])

    def test_leaves_out_what_the_training_part_has_once(self):
        data = [("1", ["x", "y"]), ("-1", ["x"]), ("1", ["y", "x", "z"])]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            self.assertEqual(l1_trees.write_parts(folder, data, {"train": 2, "test": 1}), 1)
            self.assertEqual((folder / "train").read_text(), "1 1:1\n-1 1:1\n")
            self.assertEqual((folder / "test").read_text(), "1 1:1\n")


class Nettalk(unittest.TestCase):
    def test_gives_each_letter_a_phoneme_with_its_stress(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "words"
            path.write_text("ox\tak\t1<\t0\n\n")
            self.assertEqual(nettalk.read_words(path), [[["o", "a1"], ["x", "k<"]]])

    def test_holds_words_out_that_it_does_not_train_on(self):
        words = [[[str(number), "a1"]] for number in range(1500)]
        train, test = nettalk.split(words)
        self.assertEqual((len(train), len(test)), (493, 1007))
        self.assertEqual(sorted(map(str, train + test)), sorted(map(str, words)))

    def test_counts_whole_words(self):
        self.assertEqual(nettalk.word_accuracy([["a", "b"], ["c"]], [["a", "x"], ["c"]]), 50.0)

    def test_trees_and_weights_learn_from_their_own_numbers_of_words(self):
        options = argparse.Namespace(words=[10, 20], orders=[1, 2], iterations=3, tree_words=[10],
                                     rounds=4)
        made = nettalk.models(options)
        self.assertEqual([(words, model.potential, model.order) for words, model in made],
                         [(10, "linear", 1), (10, "linear", 2), (20, "linear", 1),
                          (20, "linear", 2), (10, "trees", 1), (10, "linear+trees", 1)])


class Protein(unittest.TestCase):
    def test_keeps_relatives_of_relatives_together(self):
        texts = ["ACDEFGHIKL" + "A" * 9, "ACDEFGHIKL" + "MNPQRSTVWY", "GGG" + "MNPQRSTVWY", "WWWWWWWWWW"]
        found = protein.families([[[residue, "_"] for residue in text] for text in texts])
        self.assertEqual(sorted(map(sorted, found)), [[0, 1, 2], [3]])

    def test_a_difference_is_as_uncertain_as_it_varies_among_proteins(self):
        self.assertEqual(protein.difference([9, 5], [7, 3], [10, 10]), (20.0, 0.0))
        self.assertEqual(protein.difference([9, 3], [7, 5], [10, 10]), (0.0, 20.0))


class Missing(unittest.TestCase):
    def test_deletes_about_the_share_it_is_told(self):
        cells = missing.delete(["a"] * 10_000, 0.3, "", random.Random(1))
        self.assertAlmostEqual(cells.count("") / 10_000, 0.3, delta=0.02)
        self.assertEqual(missing.delete(["a"], 0.0, "?", random.Random(1)), ["a"])

    def test_writes_a_character_for_a_value_and_nothing_for_an_unknown_one(self):
        alphabet = missing.Alphabet([["NN", "x"], ["VB", "x"]])
        written = alphabet.write(["VB", "y"])
        self.assertEqual((len(written[0]), written[1]), (1, ""))
        self.assertNotEqual(alphabet.write(["NN", "x"])[0], written[0])

    def test_collapses_shapes(self):
        self.assertEqual(missing.shape("Bern-42"), "Xx-0")


class TreeTaggers(unittest.TestCase):
    def test_holds_the_last_tenth_out_where_there_is_no_development_part(self):
        sentences = [[[f"w{i}", "NN", "B-NP"]] for i in range(20)]
        with unittest.mock.patch.object(corpora, "load", return_value=sentences), \
                tempfile.TemporaryDirectory() as name:
            files = tree_taggers.write_files("conll2000", pathlib.Path(name), 1)
            self.assertEqual(corpora.read_tsv(pathlib.Path(files.dev)), sentences[-2:])
            self.assertEqual(corpora.read_tsv(pathlib.Path(files.train)), sentences[:-2])


if __name__ == "__main__":
    unittest.main()
