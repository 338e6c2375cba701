"""The peers' usual feature templates, and CRFsuite's attribute files.

An extractor turns a sentence (rows of columns, word first, label last) into one list of attribute
names per token. EXTRACTORS has:

    chunking   CRFsuite's chunking example: words and parts of speech in a window of five, their
               neighbouring pairs, triples of parts of speech (19 templates)
    tutorial   the entity templates of python-crfsuite's and sklearn-crfsuite's tutorials: lower-cased
               word, suffixes, three tests of its letters, part of speech if there is one; neighbours
    ner        CRFsuite's own entity example (ner.py): word, shape, type, affixes and eighteen tests of the
               letters in a window of five, word, shape and type pairs, bags of the four words to each
               side; without the parts of speech and chunks, which the corpora of entities do not have
    pos        affixes and shapes for parts of speech: words in a window of five and pairs, prefixes
               and suffixes of up to four letters, shapes, neighbours' suffixes

    python3 attributes.py CORPUS PART EXTRACTOR FILE     writes an attribute file
"""
import functools
import pathlib
import re
import sys

import corpora

Items = list[list[str]]
Fields = dict[str, list[str]]
Template = tuple[tuple[str, int], ...]


def window(field: str, first: int, last: int) -> list[Template]:
    return [((field, offset),) for offset in range(first, last + 1)]


def runs(field: str, length: int, first: int, last: int) -> list[Template]:
    """Conjunctions of `length` neighbours, the first of them at offsets first..last."""
    return [tuple((field, start + i) for i in range(length)) for start in range(first, last + 1)]


def apply_templates(templates: list[Template], fields: Fields, length: int) -> Items:
    """A template that reaches over an end of the sentence yields nothing there."""
    items = [[] for _ in range(length)]
    for template in templates:
        name = "|".join(f"{field}[{offset}]" for field, offset in template) + "="
        offsets = [offset for _, offset in template]
        for t in range(max(0, -min(offsets)), length - max(0, max(offsets))):
            values = [fields[field][t + offset] for field, offset in template]
            items[t].append(name + "|".join(values))
    if items:
        items[0].append("__BOS__")
        items[-1].append("__EOS__")
    return items


# --- what one word shows ---------------------------------------------------------------------

SHAPE_CLASSES = {**dict.fromkeys(".,", "."), **dict.fromkeys(";:?!", ";"),
                 **dict.fromkeys("+-*/=|_", "-"), **dict.fromkeys("({[<", "("),
                 **dict.fromkeys(")}]>", ")")}


def letter_class(letter: str) -> str:
    if letter.isupper():
        return "U"
    if letter.islower():
        return "L"
    if letter.isdigit():
        return "D"
    return SHAPE_CLASSES.get(letter, letter)


def shape(word: str) -> str:
    return "".join(map(letter_class, word))


def collapsed(text: str) -> str:
    return re.sub(r"(.)\1+", r"\1", text)


def word_type(word: str) -> str:
    """The first that holds of: all upper, all digits, all symbols, ... , initial upper, letters."""
    kinds = {"digit" if c in ",." else "lower" if c.islower() else "upper" if c.isupper() else
             "digit" if c.isdigit() else "symbol" for c in word}
    for allowed in ("upper", "digit", "symbol", "upper digit", "upper symbol", "digit symbol",
                    "upper digit symbol"):
        if kinds <= set(allowed.split()):
            return "all " + allowed
    if word[0].isupper():
        return "initial upper"
    for allowed in ("upper lower", "upper lower digit"):
        if kinds <= set(allowed.split()):
            return "all " + allowed
    return "other"


TESTS = {  # name -> a regular expression for the whole word, over its upper/lower/digit shape
    "2d": r"DD", "4d": r"DDDD", "d&a": r"(?=.*D)(?=.*[UL])[ULD]+",
    "iu": r"U.*", "cu": r".*U.*", "cl": r".*L.*", "ca": r".*[UL].*", "cd": r".*D.*",
    "au": r"(?=.*U)[^L]+", "al": r"(?=.*L)[^U]+", "ad": r"D+", "ao": r"[^ULD]+", "up": r"U\.",
    "d&-": r"(?=.*D)(?=.*-)[D-]+", "d&/": r"(?=.*D)(?=.*/)[D/]+",
    "d&,": r"(?=.*D)(?=.*,)[D,]+", "d&.": r"(?=.*D)(?=.*\.)[D.]+",
    "cs": r".+",  # "contains a symbol": as published, it holds of every word
}
COMPILED_TESTS = {name: re.compile(pattern, re.DOTALL) for name, pattern in TESTS.items()}


@functools.cache
def test_results(word: str) -> dict[str, str]:
    letters = upper_lower_digit(word)
    return {name: "yes" if pattern.fullmatch(letters) else "no"
            for name, pattern in COMPILED_TESTS.items()}


def upper_lower_digit(word: str) -> str:
    """As shape(), but every other character stays itself."""
    return "".join("U" if c.isupper() else "L" if c.islower() else "D" if c.isdigit() else
                   ("_" if c in "ULD" else c) for c in word)


def affixes(words: list[str]) -> Fields:
    """p1..p4 and s1..s4; empty for a shorter word."""
    fields = {}
    for n in range(1, 5):
        fields[f"p{n}"] = [word[:n] if len(word) >= n else "" for word in words]
        fields[f"s{n}"] = [word[-n:] if len(word) >= n else "" for word in words]
    return fields


# --- extractors ------------------------------------------------------------------------------

CHUNKING = (window("w", -2, 2) + runs("w", 2, -1, 0) + window("pos", -2, 2) +
            runs("pos", 2, -2, 1) + runs("pos", 3, -2, 0))


def chunking(sentence: corpora.Sentence) -> Items:
    fields = {"w": [row[0] for row in sentence], "pos": [row[1] for row in sentence]}
    return apply_templates(CHUNKING, fields, len(sentence))


NER_UNIGRAMS = (["w", "wl", "shape", "shaped", "type"] +
                [f"{side}{n}" for side in "ps" for n in range(1, 5)] + list(TESTS))
NER = ([template for field in NER_UNIGRAMS for template in window(field, -2, 2)] +
       [template for field in ("w", "shaped", "type") for template in runs(field, 2, -2, 1)])


def ner(sentence: corpora.Sentence) -> Items:
    words = [row[0] for row in sentence]
    fields = {"w": words, "wl": [word.lower() for word in words], "shape": list(map(shape, words)),
              "type": list(map(word_type, words)), **affixes(words)}
    fields["shaped"] = list(map(collapsed, fields["shape"]))
    for name in TESTS:
        fields[name] = [test_results(word)[name] for word in words]
    items = apply_templates(NER, fields, len(words))
    for t, item in enumerate(items):
        item.extend("w[-4..-1]=" + word for word in words[max(0, t - 4):t])
        item.extend("w[1..4]=" + word for word in words[t + 1:t + 5])
    return items


POS = (window("w", -2, 2) + runs("w", 2, -1, 0) + window("wl", 0, 0) +
       [template for n in range(1, 5) for side in "ps" for template in window(f"{side}{n}", 0, 0)] +
       window("s2", -1, -1) + window("s2", 1, 1) + window("s3", -1, -1) + window("s3", 1, 1) +
       window("shape", 0, 0) + window("shaped", -1, 1))


def pos(sentence: corpora.Sentence) -> Items:
    words = [row[0] for row in sentence]
    fields = {"w": words, "wl": [word.lower() for word in words],
              "shape": list(map(shape, words)), **affixes(words)}
    fields["shaped"] = list(map(collapsed, fields["shape"]))
    return apply_templates(POS, fields, len(words))


def tutorial_tests(row: list[str], offset: str) -> list[str]:
    word = row[0]
    item = [f"{offset}word.lower={word.lower()}", f"{offset}word.istitle={word.istitle()}",
            f"{offset}word.isupper={word.isupper()}"]
    if len(row) > 2:
        item += [f"{offset}postag={row[1]}", f"{offset}postag[:2]={row[1][:2]}"]
    return item


def tutorial(sentence: corpora.Sentence) -> Items:
    items = []
    for t, row in enumerate(sentence):
        word = row[0]
        item = ["bias", f"word[-3:]={word[-3:]}", f"word[-2:]={word[-2:]}",
                f"word.isdigit={word.isdigit()}", *tutorial_tests(row, "")]
        item += tutorial_tests(sentence[t - 1], "-1:") if t > 0 else ["BOS"]
        item += tutorial_tests(sentence[t + 1], "+1:") if t + 1 < len(sentence) else ["EOS"]
        items.append(item)
    return items


EXTRACTORS = {"chunking": chunking, "tutorial": tutorial, "ner": ner, "pos": pos}


# --- attribute files -------------------------------------------------------------------------

def escape(text: str) -> str:
    """CRFsuite reads `name:value` in every field, the label too: an unescaped label `:` is empty."""
    return text.replace("\\", "\\\\").replace(":", "\\:")


def unescape(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def write_attributes(sentences: list[corpora.Sentence], extractor: str, path: pathlib.Path) -> None:
    extract = EXTRACTORS[extractor]
    with open(path, "w", encoding="utf-8") as out:
        for sentence in sentences:
            for row, item in zip(sentence, extract(sentence)):
                out.write("\t".join(map(escape, [row[-1], *item])) + "\n")
            out.write("\n")


def read_attributes(path: pathlib.Path):
    """Yields (items, labels) per sentence. Every value is 1, as the extractors above write them."""
    items, labels = [], []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line == "\n":
                yield items, labels
                items, labels = [], []
                continue
            fields = line[:-1].split("\t")
            if "\\" in line:
                fields = list(map(unescape, fields))
            labels.append(fields[0])
            items.append(fields[1:])
    if items:
        yield items, labels


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    write_attributes(corpora.load(sys.argv[1], sys.argv[2]), sys.argv[3], pathlib.Path(sys.argv[4]))
