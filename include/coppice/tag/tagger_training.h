// The whole training of a tagger: sentences in, a model out.
//
//     TaggerTraining training(options);
//     for (each training sentence) training.add(sentence);
//     for (each development sentence) training.add_development(sentence);
//     training.begin();
//     while (training.iterate(threads)) report(training.loop());
//     training.model(card).write("ner.cop", Overwrite::kRefuse);
//
// With development data the weights of the best check are kept, and training stops when `patience`
// checks in a row have not been better. Checks are made after each stochastic pass and then every
// `check_every` iterations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/base/model_file.h"
#include "coppice/base/threads.h"
#include "coppice/chain/constraints.h"
#include "coppice/chain/options.h"
#include "coppice/learn/booster.h"
#include "coppice/learn/training_loop.h"
#include "coppice/learn/training_objective.h"
#include "coppice/score/tree_inputs.h"
#include "coppice/tag/class_weights.h"
#include "coppice/tag/tagger.h"
#include "coppice/text/sentence.h"
#include "coppice/text/template.h"

namespace coppice::tag {

// A boosted potential (learn/booster.h): rounds in place of iterations.
struct TreeTrainingOptions {
  learn::BoostingOptions boosting{};
  unsigned label_depth = chain::kMaxOrder;  // labels before a token that trees see
  std::size_t rounds = 100;
  TreeInputOptions inputs{};
  bool beside_linear = false;  // added to a linear potential, which is trained first
};

enum class Decoding : unsigned char { kViterbi, kPosterior };

// What the best check is best by: F1 of spans, or the accuracy of tokens. kAuto is the first where
// labels are IOB-like, else the second.
enum class DevelopmentMetric : unsigned char { kAuto, kSpanF1, kAccuracy };

struct TaggerTrainingOptions {
  text::TemplateSet templates{};
  text::ResourceTexts resources{};
  EncoderOptions encoder{};
  std::string label_column = "label";  // its name, for the model
  chain::ChainOptions chain{};
  learn::TrainingObjective objective{};
  learn::TrainerOptions trainer{};
  // In place of the linear potential and its trainer, or after them.
  std::optional<TreeTrainingOptions> trees{};
  bool curve = false;     // whether checks of trees give a BoostingCurve too
  bool constrain = true;  // forbid what the label scheme (IOB1, IOB2, BIOES, BILOU) forbids
  chain::ConstraintRules rules{};  // applied after that; not for order 0, which has no label pairs
  ClassWeights class_weights{};
  DevelopmentMetric metric = DevelopmentMetric::kAuto;
  std::uint64_t patience = 5;  // 0: never stop early
  std::uint64_t check_every = 5;
  bool names = true;  // whether the model has the names of its features (feature_names.h)
};

// Token accuracies of trees so far, in [0, 1], by both decodings.
struct BoostingCurve {
  double train_viterbi = 0, train_posterior = 0;
  double development_viterbi = -1, development_posterior = -1;  // -1: without development data
};

class TaggerTraining {
 public:
  explicit TaggerTraining(TaggerTrainingOptions options);
  ~TaggerTraining();
  TaggerTraining(TaggerTraining&&) noexcept;
  TaggerTraining& operator=(TaggerTraining&&) noexcept;

  // Goes on from an older model, which must have the same order and hash_bits and no trees
  // (InvalidArgument otherwise): labels and features are united, and weights begin where they
  // ended. Attributes that the new data does not have keep their weights. Before the first add().
  void start_from(const Tagger& older);

  void add(const text::Sentence& sentence);
  // A sentence whose labels, if it has any, are not to be looked at: for entropy regularisation.
  void add_unlabelled(const text::Sentence& sentence);
  // Keeps a copy.
  void add_development(const text::Sentence& sentence);

  // Numbers attributes and labels and lays the data out. Throws InvalidArgument when there is no
  // token to learn from, or when spans are to be scored (E213) and labels spell none; ParseError
  // (E211) with file and line when the labels of a sentence break the constraints; and as
  // ConstraintRules::apply and ClassWeights::apply do.
  void begin();

  // One pass or iteration; false when training is over. Throws Error (E310) where the objective is
  // not finite.
  bool iterate(const Threads& threads);

  // How far it is, the development score, and what is kept. After begin().
  const learn::TrainingLoop& loop() const noexcept;
  // After a round that was followed by a check, where options ask for it.
  const std::optional<BoostingCurve>& curve() const noexcept;

  // What pruning has left in training; all 0 where there is none.
  chain::KeptCounts kept() const noexcept;
  // What its objective has to say after training; empty for trees.
  std::string remarks() const;
  // Weights that a linear potential has, or inputs that trees may ask for.
  std::size_t num_features() const noexcept;
  const TaggerConfig& config() const noexcept;
  // How many pairs of labels the constraints allow, and of how many.
  std::size_t num_allowed_pairs() const noexcept;
  bool scores_spans() const noexcept;
  // What development() scores by; never kAuto.
  DevelopmentMetric metric() const noexcept;
  // About how many bytes training will take beyond what begin() has taken.
  std::uint64_t bytes_to_come() const noexcept;

  // The model with the kept weights, as it would be loaded, and as it would be written.
  Tagger tagger() const;
  ModelWriter model(const std::string& card) const;

  // To go on later: same data, same options, then load() after begin(). The second throws
  // ModelError (E430) for a checkpoint that is damaged or of another training.
  void save(std::ostream& out) const;
  void load(std::istream& in, const Threads& threads);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace coppice::tag
