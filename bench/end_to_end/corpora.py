"""The benchmarks' corpora as sentences of columns, read from $COPPICE_SHARED_DATA.

A sentence is a list of rows, a row a list of columns: the word first, the label last, between them
whatever the corpus gives (CoNLL-2000: a part of speech). The shared data is only read; column files
made of it go where the caller says, never into the repository.

    python3 corpora.py CORPUS PART FILE     writes one part as a column file (tabs)
"""
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
UPOS, XPOS = 3, 4  # columns of CoNLL-U

Sentence = list[list[str]]

EWT = {part: f"ud_english_ewt/en_ewt-ud-{part}.conllu" for part in ("train", "dev", "test")}


def shared_data() -> pathlib.Path:
    return pathlib.Path(os.environ.get("COPPICE_SHARED_DATA", ROOT.parent / "shared" / "data"))


def read_columns(path: pathlib.Path, separator: str | None = None) -> list[Sentence]:
    """Blank lines separate sentences; without a separator, columns are split at white space."""
    sentences, rows = [], []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            line = line.rstrip("\r\n")
            if line.strip():
                rows.append(line.split(separator))
            elif rows:
                sentences.append(rows)
                rows = []
    if rows:
        sentences.append(rows)
    return sentences


def read_tsv(path: pathlib.Path) -> list[Sentence]:
    return read_columns(path, "\t")


def conllu_reader(label_column: int):
    """A reader of words and one column of CoNLL-U; ranges (3-4) and empty nodes (3.1) are skipped."""
    def read(path: pathlib.Path) -> list[Sentence]:
        sentences, rows = [], []
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                fields = line.rstrip("\n").split("\t")
                if fields[0].isdigit():
                    rows.append([fields[1], fields[label_column]])
                elif not fields[0] and rows:
                    sentences.append(rows)
                    rows = []
        return sentences + ([rows] if rows else [])
    return read


def read_protein(path: pathlib.Path) -> list[Sentence]:
    """Residues and their structure; `<>`, `end` and `<end>` separate proteins, `#` is a comment."""
    proteins, rows = [], []
    with open(path, encoding="ascii") as lines:
        for line in lines:
            fields = line.split()
            if not fields or fields[0].startswith("#"):
                continue
            if fields[0] in ("<>", "end", "<end>"):
                proteins, rows = proteins + ([rows] if rows else []), []
            else:
                rows.append(fields)
    return proteins + ([rows] if rows else [])


PROTEIN = "protein_secondary_structure/protein-secondary-structure"


def bio(folder: str) -> dict[str, str]:
    return {part: f"bio_ner/{folder}/{file}.tsv"
            for part, file in (("train", "train"), ("dev", "devel"), ("test", "test"))}


# name -> (reader of a path, part -> file below the shared data)
CORPORA = {
    "conll2000": (read_columns, {"train": "conll2000/train.txt", "test": "conll2000/test.txt"}),
    "ewt-upos": (conllu_reader(UPOS), EWT),
    "ewt-xpos": (conllu_reader(XPOS), EWT),
    "bc5cdr": (read_tsv, bio("BC5CDR-IOB")),
    "ncbi": (read_tsv, bio("NCBI-disease-IOB")),
    "snips": (read_tsv, {"train": "slots_snips/train.tsv", "dev": "slots_snips/valid.tsv",
                         "test": "slots_snips/test.tsv"}),
    "protein": (read_protein, {part: f"{PROTEIN}.{part}" for part in ("train", "test")}),
    "recipes": (read_tsv, {part: ROOT / "data" / "recipes" / f"{part}.conll"
                           for part in ("train", "dev", "test")}),
}


def load(corpus: str, part: str) -> list[Sentence]:
    """Raises SystemExit with one line when the corpus, the part or the file is not there."""
    if corpus not in CORPORA:
        sys.exit(f"corpora: no corpus {corpus!r}; there are: {', '.join(CORPORA)}")
    reader, files = CORPORA[corpus]
    if part not in files:
        sys.exit(f"corpora: {corpus} has no part {part!r}; it has: {', '.join(files)}")
    path = shared_data() / files[part]  # an absolute path of our own data replaces the folder
    if not path.exists():
        sys.exit(f"corpora: no file {path}; set COPPICE_SHARED_DATA to the folder of the corpora")
    return reader(path)


def write_columns(sentences: list[Sentence], path: pathlib.Path) -> None:
    with open(path, "w", encoding="utf-8") as out:
        for sentence in sentences:
            out.writelines("\t".join(row) + "\n" for row in sentence)
            out.write("\n")


def labels_of(sentences: list[Sentence]) -> list[list[str]]:
    return [[row[-1] for row in sentence] for sentence in sentences]


def num_tokens(sentences: list[Sentence]) -> int:
    return sum(map(len, sentences))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    write_columns(load(sys.argv[1], sys.argv[2]), pathlib.Path(sys.argv[3]))
