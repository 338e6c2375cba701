"""The estimator that scikit-learn's tools expect: grid search, cross-validation, pipelines."""
from ._coppice import Tagger


class TaggerEstimator:
    """A tagger with the manners of scikit-learn, which need not be installed.

    Options are those of Tagger.train; after fit(), `tagger_` is the tagger and `classes_` its labels.
    """

    def __init__(self, **options):
        self.options = options

    def get_params(self, deep=True):
        return dict(self.options)

    def set_params(self, **options):
        self.options.update(options)
        return self

    def fit(self, X, y, sample_weight=None):
        self.tagger_ = Tagger.train(X, y, sample_weight=sample_weight, **self.options)
        self.classes_ = self.tagger_.labels
        return self

    def predict(self, X):
        return self.tagger_.predict(X)

    def score(self, X, y):
        """F1 of spans where labels spell spans, else the accuracy of tokens."""
        return self.tagger_.score(X, y)
