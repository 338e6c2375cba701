#include "coppice/tag/training_request.h"

#include <utility>

#include "coppice/base/usage_error.h"

namespace coppice::tag {

namespace {

learn::LearningWords tagger_words() {
  return {.example = "sentence",
          .part = "label pair",
          .row = "token",
          .output = "label",
          .trees = "boosted trees (TreeCRF)",
          .metrics = {"auto", "f1", "accuracy"},
          .metric_help =
              "the development score: F1 of spans or accuracy of tokens; auto: F1 where "
              "labels spell spans"};
}

std::vector<Option> declare_feature_options(TrainingRequest& o) {
  return {{.name = "templates",
           .value = &o.templates,
           .metavar = "FILE",
           .help = "feature templates (docs/templates.md); without it, a set for any language"},
          {.name = "template-format",
           .value = &o.template_format,
           .choices = {"coppice", "crfpp", "wapiti"},
           .help = "what kind of template file it is; else coppice"},
          {.name = "classes",
           .value = &o.classes,
           .metavar = "FILE",
           .help = "word classes (of `coppice classes`) for the templates that need no file"},
          {.name = "raw",
           .value = &o.raw,
           .metavar = "FILE",
           .help = "raw text to learn word classes from, with the training data's own; may be "
                   "given several times",
           .separate = true},
          {.name = "features",
           .value = &o.features,
           .choices = {"observed", "all"},
           .help = "pairs of attribute and label seen in training, or all of them",
           .only_with = {"potential", {"linear", "linear+trees"}}},
          {.name = "min-count",
           .value = &o.min_count,
           .metavar = "N",
           .help = "leave out attributes that occur less often",
           .min = 1},
          {.name = "no-names",
           .value = &o.no_names,
           .help = "leave the names of features out of the model, which inspect shows"},
          {.name = "hash-bits",
           .value = &o.hash_bits,
           .metavar = "N",
           .help = "at most 2^N attributes: those whose hashes fall together share weights",
           .max = 32}};
}

std::vector<Option> declare_structure_options(TrainingRequest& o) {
  return {{.name = "order",
           .value = &o.order,
           .metavar = "N",
           .help = "labels that a label depends on: 0 to 3",
           .min = 0,
           .max = 3},
          {.name = "prune",
           .value = &o.prune,
           .metavar = "X",
           .help = "leave out label sequences whose posterior is below X in the model of the "
                   "next lower order; 0: exact. 0.01 at orders 2 and 3, 0 below and for trees "
                   "without weights, which have no such model",
           .min = 0,
           .max = 0.5},
          {.name = "unconstrained",
           .value = &o.unconstrained,
           .help = "allow label sequences that break their scheme (I-X after O)"},
          {.name = "constraints",
           .value = &o.constraints,
           .metavar = "FILE",
           .help = "rules on what label may follow what (docs/tagging.md)"}};
}

void refuse_if(bool condition, const char* message) {
  if (condition) throw UsageError(message, {.code = "E006"});
}

}  // namespace

std::vector<Option> training_request_options(TrainingRequest& request) {
  std::vector<Option> all = learn::learning_options(request, tagger_words());
  insert_before(all, "dev",
                {{.name = "partial-labels",
                  .value = &request.partial_labels,
                  .help = "in training columns, the label ? is unknown and A|B one of several"}});
  insert_before(all, "potential", declare_feature_options(request));
  insert_before(all, "potential", declare_structure_options(request));
  insert_before(all, "l1",
                {{.name = "label-depth",
                  .value = &request.label_depth,
                  .metavar = "N",
                  .help = "how many of the labels before a token trees see; --order at the most",
                  .advanced = true,
                  .min = 1,
                  .max = chain::kMaxOrder,
                  .only_with = {"potential", {"trees", "linear+trees"}}}});
  insert_before(all, "optimizer",
                {{.name = "class-weight",
                  .value = &request.class_weight,
                  .metavar = "LABEL=W,...",
                  .help = "how much labels count, or: balanced; B-*=2 is for all that match"}});
  for (Option& option : text::data_options(request.data)) all.push_back(std::move(option));
  return all;
}

void check(const TrainingRequest& o) {
  learn::check(o);
  refuse_if(
      o.potential == "trees" && o.prune.value_or(0) > 0,
      "--prune does not go with --potential trees, which has no model of a lower order to prune "
      "by; linear+trees has");
  refuse_if(o.template_format && o.templates.empty(),
            "--template-format goes only with --templates");
  refuse_if(!o.templates.empty() && (!o.classes.empty() || !o.raw.empty()),
            "--classes and --raw do not go with --templates, which names its own classes");
  refuse_if(!o.classes.empty() && !o.raw.empty(), "--raw does not go with --classes");
  refuse_if(!o.init.empty() && (!o.classes.empty() || !o.raw.empty()),
            "--classes and --raw do not go with --init, which has its own templates");
  refuse_if(o.order == 0 && (o.unconstrained || !o.constraints.empty()),
            "--unconstrained and --constraints do not go with --order 0, which has no label pairs");
}

}  // namespace coppice::tag
