"""Answers are those of the command line; probabilities are probabilities; threads do not disturb."""
import json
import pathlib
import pickle
import random
import threading
import unittest

import coppice
from support import TRAIN, coppice as program, read, temporary_directory

SENTENCES, LABELS = read(TRAIN, 300)


def attributes_of(word, rank):
    """Every kind of value that an attribute can have."""
    return {"length": len(word) / 4, "suffix": word[-2:], "digit": word.isdigit(), "none": False,
            "shape": ["upper" if word[0].isupper() else "lower", "short"], "rank": -rank}


def with_attributes(sentences):
    return [[(token[0], attributes_of(token[0], i)) for i, token in enumerate(tokens)]
            for tokens in sentences]


def json_lines(sentences, labels):
    lines = []
    for tokens, tags in zip(sentences, labels):
        lines.append(json.dumps({"tokens": [word for word, _ in tokens], "tags": tags,
                                 "attributes": [attributes for _, attributes in tokens]}))
    return "\n".join(lines) + "\n"


class Prediction(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tagger = coppice.Tagger.train(SENTENCES, LABELS, max_iterations=5)

    def test_attributes_mean_what_those_of_json_lines_do(self):
        sentences = with_attributes(SENTENCES)
        with temporary_directory() as directory:
            data, model = pathlib.Path(directory, "a.jsonl"), pathlib.Path(directory, "a.cop")
            data.write_text(json_lines(sentences, LABELS))
            program("train", "tag", "-t", data, "-o", model, "--max-iterations", 3)
            answers = program("predict", "-m", model, data, "--out", "jsonl", "--posteriors", "all")
            tagger = coppice.Tagger.load(model)
            trained = coppice.Tagger.train(sentences, LABELS, max_iterations=3)
        shown = [json.loads(line) for line in answers.splitlines()]
        self.assertEqual(tagger.predict(sentences), [one["tags"] for one in shown])
        self.assertEqual(trained.digest, tagger.digest)
        without = [[word for word, _ in tokens] for tokens in sentences]
        self.assertNotEqual(tagger.posteriors(sentences), tagger.posteriors(without))
        for mine, theirs in zip(tagger.posteriors(sentences[:5]), shown):
            for token, expected in zip(mine, theirs["tag_p"]):
                for label, probability in expected:
                    self.assertAlmostEqual(token[label], probability, places=5)

    def test_dicts_and_sets_alone_are_what_crfsuite_files_have(self):
        dicts = [[{"w=" + word: 1, "length": len(word) / 4} for word, *_ in tokens]
                 for tokens in SENTENCES]
        sets = [[{"b:w=" + word, "a" + word[-2:]} for word, *_ in tokens] for tokens in SENTENCES]
        for sentences in dicts, sets:
            lines = []
            for tokens, tags in zip(sentences, LABELS):
                for token, tag in zip(tokens, tags):
                    items = token.items() if isinstance(token, dict) else \
                        [(name, 1) for name in sorted(token)]
                    lines.append("\t".join([tag] + [name.replace(":", "\\:") + f":{value}"
                                                    for name, value in items]))
                lines.append("")
            with temporary_directory() as directory:
                data, model = pathlib.Path(directory, "a.crfsuite"), pathlib.Path(directory, "a.cop")
                data.write_text("\n".join(lines))
                program("train", "tag", "-t", data, "-o", model, "--max-iterations", 3)
                tagger = coppice.Tagger.load(model)
            self.assertEqual(tagger.columns, [])
            trained = coppice.Tagger.train(sentences, LABELS, max_iterations=3)
            self.assertEqual(trained.digest, tagger.digest)
            self.assertEqual(trained.predict(sentences), tagger.predict(sentences))

    def test_posteriors_are_distributions(self):
        for tokens, answer in zip(SENTENCES, self.tagger.posteriors(SENTENCES)):
            self.assertEqual(len(answer), len(tokens))
            for token in answer:
                self.assertEqual(set(token), set(self.tagger.labels))
                self.assertAlmostEqual(sum(token.values()), 1, places=5)
                self.assertEqual(list(token.values()), sorted(token.values(), reverse=True))
        top = self.tagger.posteriors(SENTENCES[:1], top=2)[0][0]
        self.assertEqual(len(top), 2)

    def test_the_best_of_kbest_is_the_prediction(self):
        best = self.tagger.predict(SENTENCES[:20])
        for labels, answers in zip(best, self.tagger.kbest(SENTENCES[:20], 4)):
            self.assertEqual(answers[0][0], labels)
            probabilities = [probability for _, probability in answers]
            self.assertEqual(probabilities, sorted(probabilities, reverse=True))
            self.assertLessEqual(sum(probabilities), 1 + 1e-5)

    def test_all_sequences_of_a_token_are_its_posteriors(self):
        sentence = [SENTENCES[0][:1]]
        token = self.tagger.posteriors(sentence)[0][0]
        for labels, probability in self.tagger.kbest(sentence, 1000)[0]:
            self.assertAlmostEqual(token[labels[0]], probability, places=5)

    def test_samples_depend_on_the_seed_alone(self):
        def draw(seed, threads):
            return self.tagger.sample(SENTENCES[:50], 3, seed=seed, threads=threads)

        self.assertEqual(draw(7, 1), draw(7, 2))
        self.assertNotEqual(draw(7, 1), draw(8, 1))

    def test_decoders(self):
        posterior = self.tagger.predict(SENTENCES, decode="posterior")
        for labels, answer in zip(posterior, self.tagger.posteriors(SENTENCES)):
            self.assertEqual(labels, [next(iter(token)) for token in answer])
        careful = self.tagger.predict(SENTENCES, decode="min-risk", cost={"fn": 1, "fp": 50})
        self.assertGreater(sum(tags.count("O") for tags in careful),
                           sum(tags.count("O") for tags in self.tagger.predict(SENTENCES)))

    def test_any_iterable_and_any_number_of_threads(self):
        expected = self.tagger.predict(SENTENCES)
        self.assertEqual(self.tagger.predict(iter(SENTENCES), threads=3), expected)
        self.assertEqual(self.tagger.predict((iter(one) for one in SENTENCES), threads=1), expected)
        many = SENTENCES * 20  # more than a batch
        self.assertEqual(self.tagger.predict(many), expected * 20)

    def test_a_sentence_without_tokens_has_no_labels(self):
        self.assertEqual(self.tagger.predict([[], SENTENCES[0]])[0], [])
        self.assertEqual(self.tagger.predict([]), [])

    def test_several_threads_share_a_tagger(self):
        expected = self.tagger.predict(SENTENCES)
        wrong = []

        def ask(seed):
            order = list(range(len(SENTENCES)))
            random.Random(seed).shuffle(order)
            answers = self.tagger.predict([SENTENCES[i] for i in order], threads=2)
            if answers != [expected[i] for i in order]:
                wrong.append(seed)

        threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_saved_pickled_and_loaded_it_is_the_same_file(self):
        with temporary_directory() as directory:
            path = pathlib.Path(directory, "a.cop")
            self.tagger.save(path)
            self.tagger.save(path)
            loaded = coppice.Tagger.load(path)
            again = pickle.loads(pickle.dumps(loaded))
            again.save(path.with_suffix(".2"))
            self.assertEqual(path.read_bytes(), path.with_suffix(".2").read_bytes())
        self.assertEqual(loaded.digest, self.tagger.digest)
        self.assertEqual(loaded.labels, self.tagger.labels)
        self.assertIn(loaded.digest[:16], repr(loaded))

    def test_scores(self):
        self.assertEqual(self.tagger.score(SENTENCES, self.tagger.predict(SENTENCES)), 1)
        self.assertTrue(0.8 < self.tagger.score(SENTENCES, LABELS) < 1)
        words = [[token[0] for token in tokens] for tokens in SENTENCES]
        tags = [[token[1] for token in tokens] for tokens in SENTENCES]
        tagger = coppice.Tagger.train(words, tags, max_iterations=2)
        guesses = tagger.predict(words)
        right = sum(a == b for pair in zip(guesses, tags) for a, b in zip(*pair))
        self.assertAlmostEqual(tagger.score(words, tags), right / sum(map(len, tags)))


if __name__ == "__main__":
    unittest.main()
