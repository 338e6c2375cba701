"""Structured prediction: taggers that are trained, asked and explained.

    tagger = coppice.Tagger.train(sentences, labels, dev=(dev_sentences, dev_labels))
    tagger.predict([["Peter", "visits", "Bern"]])

docs/python.md has more.
"""
import logging

from ._coppice import Tagger, __version__
from .errors import DataError, Error, InternalError, ModelError, ResourceError, UsageError
from .estimator import TaggerEstimator

__all__ = ["DataError", "Error", "InternalError", "ModelError", "ResourceError", "Tagger",
           "TaggerEstimator", "UsageError"]

logging.getLogger(__name__).addHandler(logging.NullHandler())  # silent unless the program logs
