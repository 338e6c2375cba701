#!/usr/bin/env python3
"""Writes data/recipes/{train,dev,test}.conll: ingredient lines with entities, from a lexicon.

    make_recipes.py [FOLDER]            writes the three files (data/recipes by default)
    make_recipes.py --check             fails unless the files are what would be written

Columns are word, coarse part of speech, IOB2 label. What makes a label hard is far from its word: a
number is a QTY, or the SIZE of a can, or part of a PREP ("cut into 2 cm cubes") or of a NOTE ("plus 2
tablespoons more butter"). data/recipes/README.md has the labels. The same bytes come out every time.
"""
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LEXICON = ROOT / "data" / "recipes" / "lexicon.txt"
PARTS = {"train": 2000, "dev": 400, "test": 400}
SEED = 20240
TYPO_RATE = 0.02      # of words of five letters or more
MARKUP_RATE = 0.05    # of SIZE and BRAND spans that a hurried annotator left inside the food
FRACTIONS = ["\u00bd", "\u00bc", "\u00be", "1/2", "1/4", "3/4", "\u2153", "1/3", "2/3", "\u215b"]

Token = tuple[str, str]                  # word, part of speech
Piece = tuple[list[Token], str | None]   # tokens and their label; None is outside


def read_lexicon() -> dict[str, list[list[Token]]]:
    sections, entries, tag = {}, [], ""
    for line in LEXICON.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            name, tag = line.strip("[]").rsplit(" ", 1)
            entries = sections[name] = []
        elif line and not line.startswith("#"):
            entries.append(tokens(line, tag))
    return sections


def tokens(text: str, tag: str) -> list[Token]:
    """`word/TAG word`: words without a tag of their own get the given one."""
    pairs = [word.rsplit("/", 1) if word[-1].isupper() and "/" in word else [word, tag]
             for word in text.split()]
    return [(word, own_tag) for word, own_tag in pairs]


class Writer:
    """Draws one ingredient line at a time as pieces.

    Only random() is called, the one draw that Python keeps the same from version to version.
    """

    def __init__(self, seed: int):
        self.random = random.Random(seed).random
        self.words = read_lexicon()

    # --- draws ---
    def chance(self, probability: float) -> bool:
        return self.random() < probability

    def one(self, options):
        return options[int(self.random() * len(options))]

    def entry(self, section: str) -> list[Token]:
        """Earlier entries more often: the tail is rare."""
        entries = self.words[section]
        return entries[int(self.random() ** 2 * len(entries))]

    # --- words ---
    def number(self) -> list[Token]:
        whole = str(1 + int(self.random() ** 2 * 12))
        kind = self.random()
        if kind < 0.55:
            text = whole
        elif kind < 0.75:
            text = self.one(FRACTIONS)
        elif kind < 0.85:
            text = f"{whole} {self.one(FRACTIONS)}"
        elif kind < 0.95:
            low = 1 + int(self.random() * 4)
            text = self.one(["{}-{}", "{} to/ADP {}", "{}\u2013{}", "{} or/CCONJ {}"]).format(
                low, low + 1)
        else:
            text = self.one(["two", "three", "a/DET few/ADJ", "a/DET couple/NOUN of/ADP",
                             "half/NUM a/DET"])
        return tokens(text, "NUM")

    def weight(self) -> list[Token]:
        amount, unit = self.one(["14 oz", "400 g", "15 ounce", "28 oz", "8 ounce", "250 g", "12 oz",
                                 "16 oz", "200 ml", "2 lb", "6 oz", "500 ml", "1 kg"]).split()
        return [(amount, "NUM"), (unit, "NOUN")]

    def preparation(self) -> list[Token]:
        kind = self.random()
        if kind < 0.45:
            return self.entry("preparations")
        if kind < 0.7:
            return self.entry("manners") + self.entry("preparations")
        if kind < 0.82:
            return (self.entry("preparations") + [("and", "CCONJ")] +
                    (self.entry("manners") if self.chance(0.4) else []) + self.entry("preparations"))
        return self.cut()

    def cut(self) -> list[Token]:
        phrase = tokens(self.one(["cut into", "sliced into", "cut in", "torn into", "broken into"]),
                        "VERB")
        phrase[1:] = [(phrase[1][0], "ADP")]
        kind = self.random()
        if kind < 0.35:
            phrase += self.number()[:1] + tokens(self.one(["cm", "inch", "mm"]), "NOUN")
        elif kind < 0.6:
            phrase += self.entry("sizes")
        phrase += self.entry("shapes")
        if self.chance(0.25):
            phrase += tokens(self.one(["about/ADV 1/NUM inch thick/ADJ",
                                       "the/DET size of/ADP a/DET can lid",
                                       "no/DET larger/ADJ than/ADP a/DET clove of/ADP garlic",
                                       "2/NUM cm wide/ADJ"]), "NOUN")
        return phrase

    def measured_food(self) -> list[Token]:
        return self.entry("measured")

    # --- notes: foods, numbers and units inside them belong to the note ---
    def note(self) -> list[Token]:
        kind = self.random()
        if kind < 0.2:
            return tokens(self.one(["optional", "divided", "packed"]), "ADJ")
        if kind < 0.4:
            return [("for", "ADP")] + self.entry("purposes")
        if kind < 0.58:
            return self.entry("wishes")
        return self.plus() if kind < 0.8 else self.or_else()

    def plus(self) -> list[Token]:
        amount = (tokens(self.one(["extra", "more", "a/DET little/ADJ"]), "ADJ") if self.chance(0.5)
                  else self.number() + self.entry("measures"))
        note = [("plus", "CCONJ")] + amount
        if self.chance(0.5):
            note += self.measured_food()
        if self.chance(0.4):
            note += [("and", "CCONJ")] + self.number() + self.entry("pieces") + self.entry("herbs")
        return note + [("for", "ADP")] + self.entry("purposes")

    def or_else(self) -> list[Token]:
        """Only the wish at its end tells it from a true alternative, `or 2 tbsp honey`."""
        note = [("or", "CCONJ")]
        if self.chance(0.6):
            note += self.number() + (self.entry("measures") if self.chance(0.7) else self.entry("sizes"))
        note += self.measured_food() if self.chance(0.6) else self.entry("counted")
        return note + self.entry("wishes")

    # --- lines ---
    def line(self) -> list[Piece]:
        kind = self.random()
        if kind < 0.07:
            return self.foreign("German")
        if kind < 0.13:
            return self.foreign("French")
        core = self.one([self.measured] * 5 + [self.counted] * 4 + [self.container] * 4 +
                        [self.clove] * 2 + [self.spice] * 3 + [self.herb] * 2 + [self.pinch] * 2 +
                        [self.turned] * 2)()
        if self.chance(0.04):
            core = [(tokens("for/ADP", "") + self.entry("purposes"), "NOTE"), punctuation(":")] + core
        return core + self.ending()

    def ending(self) -> list[Piece]:
        pieces = []
        if self.chance(0.45):
            pieces += self.comma() + [(self.preparation(), "PREP")]
            if self.chance(0.15):
                pieces += [punctuation(","), (self.preparation(), "PREP")]
        if self.chance(0.35):
            if self.chance(0.3):
                pieces += [punctuation("("), (self.note(), "NOTE"), punctuation(")")]
            else:
                pieces += self.comma() + [(self.note(), "NOTE")]
        return pieces

    def comma(self) -> list[Piece]:
        return [punctuation(",")] if self.chance(0.7) else []

    def of(self, probability: float) -> list[Piece]:
        return [([("of", "ADP")], None)] if self.chance(probability) else []

    def food(self, tokens_of_food: list[Token]) -> list[Piece]:
        """A brand or a preparation may stand before the food."""
        kind = self.random()
        if kind < 0.06:
            brand = self.entry("brand parts")[0][0] + self.entry("brand ends")[0][0]
            return [([(brand, "X")], "BRAND"), (tokens_of_food, "FOOD")]
        if kind < 0.26:
            manner = self.entry("manners") if self.chance(0.4) else []
            return [(manner + self.entry("preparations"), "PREP"), (tokens_of_food, "FOOD")]
        return [(tokens_of_food, "FOOD")]

    def measured(self) -> list[Piece]:
        pieces = [(self.number(), "QTY")]
        if self.chance(0.08):
            pieces.append((self.entry("sizes"), "SIZE"))
        pieces.append((self.entry("measures"), "UNIT"))
        if self.chance(0.12):  # the same amount again, unlike the weight of a can
            amount, unit = self.weight()
            pieces += [punctuation("("), ([amount], "QTY"), ([unit], "UNIT"), punctuation(")")]
        pieces += self.of(0.15) + self.food(self.measured_food())
        return pieces + (self.alternative() if self.chance(0.2) else [])

    def alternative(self) -> list[Piece]:
        return self.comma() + [([("or", "CCONJ")], None), (self.number(), "QTY"),
                               (self.entry("measures"), "UNIT"), (self.measured_food(), "FOOD")]

    def counted(self) -> list[Piece]:
        pieces = [(self.number(), "QTY")]
        if self.chance(0.45):
            pieces.append((self.entry("sizes"), "SIZE"))
        pieces += self.food(self.entry("counted"))
        if self.chance(0.15):
            about = [([("about", "ADV")], None)] if self.chance(0.7) else []
            amount, unit = self.weight()
            pieces += [punctuation("("), *about, ([amount], "QTY"), ([unit], "UNIT"), punctuation(")")]
        return pieces + (self.alternative() if self.chance(0.1) else [])

    def container(self) -> list[Piece]:
        """What is in a can is sold as "chopped tomatoes": there the preparation is part of the food."""
        size, unit = self.weight(), (self.entry("containers"), "UNIT")
        food = self.measured_food() if self.chance(0.6) else self.entry("counted")
        if self.chance(0.4):
            food = self.entry("preparations") + food
        inside = [(self.number()[:1], "QTY")]
        kind = self.random()
        if kind < 0.35:
            inside += [punctuation("("), (size, "SIZE"), punctuation(")"), unit]
        elif kind < 0.65:
            inside += [unit, punctuation("("), (size, "SIZE"), punctuation(")")]
        elif kind < 0.85:
            inside += [(size, "SIZE"), unit]
        else:
            inside += [(self.entry("sizes"), "SIZE"), unit]
        return inside + self.of(0.3) + [(food, "FOOD")]

    def clove(self) -> list[Piece]:
        size = [(self.entry("sizes"), "SIZE")] if self.chance(0.35) else []
        unit = tokens(self.one(["clove", "cloves", "cloves", "head", "heads"]), "NOUN")
        return ([(self.number(), "QTY"), *size, (unit, "UNIT")] + self.of(0.35) +
                self.food(self.entry("clove foods")))

    def spice(self) -> list[Piece]:
        """`ground cumin` is bought so, `freshly ground cumin` is prepared so."""
        start = [(self.number(), "QTY"), (self.entry("measures"), "UNIT")]
        spice, kind = self.entry("spices"), self.random()
        if kind < 0.4:
            return start + [([("ground", "VERB")] + spice, "FOOD")]
        if kind < 0.6:
            return start + [(tokens(self.one(["freshly ground", "finely ground", "coarsely ground"]),
                                    "VERB"), "PREP"), (spice, "FOOD")]
        if kind < 0.8:
            return [(self.number(), "QTY"), (tokens("whole/ADJ", "") + spice, "FOOD")]
        return start + [(spice, "FOOD")]

    def herb(self) -> list[Piece]:
        size = [(self.entry("sizes"), "SIZE")] if self.chance(0.3) else []
        fresh = tokens("fresh/ADJ", "") if self.chance(0.4) else []
        return ([(self.number(), "QTY"), *size, (self.entry("pieces"), "UNIT")] + self.of(0.4) +
                self.food(fresh + self.entry("herbs")))

    def pinch(self) -> list[Piece]:
        size = [(self.entry("sizes"), "SIZE")] if self.chance(0.2) else []
        food = self.entry("spices") if self.chance(0.5) else self.measured_food()
        amount = tokens(self.one(["a/DET", "a/DET good/ADJ", "1/NUM", "another/DET"]), "")
        return ([(amount, "QTY"), *size, (self.entry("pinches"), "UNIT")] + self.of(0.85) +
                [(food, "FOOD")])

    def turned(self) -> list[Piece]:
        """The food first, its amount after it or none at all."""
        food = self.measured_food() if self.chance(0.6) else self.entry("spices")
        if self.chance(0.3):
            other = self.entry("spices")
            return [(food, "FOOD"), ([(self.one(["and", "&"]), "CCONJ")], None), (other, "FOOD"),
                    ([("to", "PART"), ("taste", "VERB")], "NOTE")]
        separator = self.one([",", "-", ":", "\u2013"])
        return [(food, "FOOD"), punctuation(separator), (self.number(), "QTY"),
                (self.entry("measures"), "UNIT")]

    def foreign(self, language: str) -> list[Piece]:
        def of(kind: str) -> list[Token]:
            return self.entry(f"{language} {kind}")

        pieces, kind = [(self.number()[:1], "QTY")], self.random()
        if kind < 0.4:
            pieces += [(of("measures"), "UNIT"), *linked(of("measured"), language)]
        elif kind < 0.65:
            amount = ([(self.one(["400", "250", "800", "500"]), "NUM"), ("g", "NOUN")], "SIZE")
            pieces += [(of("containers"), "UNIT"), punctuation("("), amount, punctuation(")"),
                       *linked(of("measured"), language)]
        else:
            size = [(of("sizes"), "SIZE")] if self.chance(0.5) else []
            pieces += [*size, (of("counted"), "FOOD")]
        if self.chance(0.55):
            pieces += self.comma() + [(of("preparations"), "PREP")]
        if self.chance(0.35):
            pieces += self.comma() + [(of("notes"), "NOTE")]
        return pieces

    # --- noise ---
    def annotated(self, pieces: list[Piece]) -> list[tuple[str, str, str]]:
        rows, inside_food = [], False
        for position, (piece, label) in enumerate(pieces):
            following = pieces[position + 1][1] if position + 1 < len(pieces) else None
            joined = (label in ("SIZE", "BRAND") and following == "FOOD" and
                      self.chance(MARKUP_RATE))
            shown = "FOOD" if joined else label
            for t, (word, tag) in enumerate(piece):
                begins = t == 0 and not (inside_food and label == "FOOD")
                rows.append((self.mistyped(word), tag,
                             "O" if shown is None else ("B-" if begins else "I-") + shown))
            inside_food = joined
        word, tag, label = rows[0]
        if self.chance(0.6):
            rows[0] = (word[0].upper() + word[1:], tag, label)
        return rows

    def mistyped(self, word: str) -> str:
        if len(word) < 5 or not self.chance(TYPO_RATE):
            return word
        at = 1 + int(self.random() * (len(word) - 2))
        return word[:at] + word[at + 1] + word[at] + word[at + 2:]


def linked(food: list[Token], language: str) -> list[Piece]:
    """French has `de` between a measure and its food, `d'` before a vowel or a mute h."""
    if language != "French":
        return [(food, "FOOD")]
    return [([("d'" if food[0][0][0] in "aehiou" else "de", "ADP")], None), (food, "FOOD")]


def punctuation(mark: str) -> Piece:
    return ([(mark, "PUNCT")], None)


def write_parts() -> dict[str, str]:
    """File name -> text. No line of words stands twice, within a part or across them."""
    writer, seen, texts = Writer(SEED), set(), {}
    for part, size in PARTS.items():
        lines = []
        while len(lines) < size:
            rows = writer.annotated(writer.line())
            words = " ".join(word.lower() for word, _, _ in rows)
            if words not in seen:
                seen.add(words)
                lines.append("".join("\t".join(row) + "\n" for row in rows) + "\n")
        texts[f"{part}.conll"] = "".join(lines)
    return texts


def main(arguments: list[str]) -> int:
    texts = write_parts()
    if arguments == ["--check"]:
        differing = [name for name, text in texts.items()
                     if (LEXICON.parent / name).read_bytes() != text.encode()]
        print(f"make_recipes: {', '.join(differing)} differ from what the generator writes"
              if differing else "recipes are as generated")
        return 1 if differing else 0
    folder = pathlib.Path(arguments[0]) if arguments else LEXICON.parent
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
