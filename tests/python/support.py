"""The project's own data, and the program to compare with."""
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TRAIN = ROOT / "data" / "recipes" / "train.conll"
DEV = ROOT / "data" / "recipes" / "dev.conll"


def read(path, limit=None):
    """The sentences of a column file, as tuples of all columns but the last, and their labels."""
    sentences, labels = [], []
    for block in path.read_text().split("\n\n")[:limit]:
        rows = [line.split("\t") for line in block.splitlines() if line]
        if rows:
            sentences.append([tuple(row[:-1]) for row in rows])
            labels.append([row[-1] for row in rows])
    return sentences, labels


def columns_text(sentences, labels):
    """The same, back as a column file."""
    blocks = []
    for tokens, tags in zip(sentences, labels):
        blocks.append("".join("\t".join((*token, tag)) + "\n" for token, tag in zip(tokens, tags)))
    return "\n".join(blocks)


def coppice(*arguments):
    """Runs the program and returns what it prints."""
    program = os.environ["COPPICE_PROGRAM"]
    command = [program, *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def temporary_directory():
    return tempfile.TemporaryDirectory(prefix="coppice-python-")
