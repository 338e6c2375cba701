"""Scores of predicted labels, written apart from Coppice's own evaluation so that each checks the other.

Spans as conlleval takes them: a span begins at B-X, or at I-X after O or after another type.
"""
from typing import NamedTuple

Labels = list[list[str]]


class Span(NamedTuple):
    type: str
    first: int
    last: int


def spans(labels: list[str]) -> set[Span]:
    found, begin, current = set(), 0, None
    for t, label in enumerate([*labels, "O"]):
        prefix, _, kind = label.partition("-")
        inside = prefix == "I" and kind == current
        if current is not None and not inside:
            found.add(Span(current, begin, t - 1))
            current = None
        if prefix in ("B", "I") and not inside:
            begin, current = t, kind
    return found


def span_f1(gold: Labels, predicted: Labels) -> dict[str, float]:
    """Precision, recall and F1 in percent over all sentences; 0 where nothing is to divide by."""
    right = proposed = wanted = 0
    for gold_labels, predicted_labels in zip(gold, predicted, strict=True):
        gold_spans, predicted_spans = spans(gold_labels), spans(predicted_labels)
        right += len(gold_spans & predicted_spans)
        proposed += len(predicted_spans)
        wanted += len(gold_spans)
    precision = 100.0 * right / proposed if proposed else 0.0
    recall = 100.0 * right / wanted if wanted else 0.0
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    return {"precision": precision, "recall": recall, "f1": f1}


def accuracy(gold: Labels, predicted: Labels) -> float:
    pairs = [pair for sentence in zip(gold, predicted, strict=True)
             for pair in zip(*sentence, strict=True)]
    return 100.0 * sum(g == p for g, p in pairs) / len(pairs) if pairs else 0.0
