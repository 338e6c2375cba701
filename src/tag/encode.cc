#include "coppice/tag/encode.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "coppice/base/error.h"
#include "tag/dataset_builder.h"

namespace coppice::tag {

namespace {

// Adds a token's attributes of one kind.
void add_listed(const text::AttributeList& list, std::size_t row, DesignBuilder& design) {
  for (std::size_t k = list.offsets[row]; k < list.offsets[row + 1]; ++k) {
    design.add(list.keys[k], list.values.empty() ? 1.0 : static_cast<double>(list.values[k]),
               list.templates[k]);
  }
}

}  // namespace

text::Cells FeatureCells::of(const text::Sentence& sentence) {
  cells_.clear();
  if (columns_.empty()) {  // attributes alone, as in CRFsuite's files: no template reads a cell
    cells_.resize(sentence.num_tokens());
    return {cells_, 1, &sentence};
  }
  for (const std::size_t column : columns_) {
    require(column < sentence.num_columns(), "the templates read column ", column + 1, ", but ",
            to_string(sentence.where()), " has ", sentence.num_columns());
  }
  for (std::size_t row = 0; row < sentence.num_tokens(); ++row) {
    for (const std::size_t column : columns_) cells_.push_back(sentence.cell(row, column));
  }
  return {cells_, columns_.size(), &sentence};
}

DatasetBuilder::DatasetBuilder(const text::Extractor& extractor, EncoderOptions options)
    : extractor_(extractor),
      options_(std::move(options)),
      cells_(options_.feature_columns),
      states_(KeyFold(options_.hash_bits)),
      pairs_(KeyFold(options_.hash_bits)) {}

void DatasetBuilder::add_label(std::string_view label, const text::Sentence& sentence,
                               std::size_t row) {
  if (label.empty()) {
    throw ParseError("a label is empty",
                     {.code = "E210",
                      .where = {.file = sentence.where().file, .line = sentence.line_of(row)},
                      .help = "choose the label column with --columns"});
  }
  const std::size_t id = index(labels_.add(label));
  require(id < std::numeric_limits<std::uint16_t>::max(), "more than 65534 labels; is column ",
          options_.label_column + 1, " the label column?");
  data_.gold.push_back(static_cast<std::uint16_t>(id));
}

void DatasetBuilder::add_labels(const text::Sentence& sentence, std::size_t row) {
  if (sentence.is_partial()) {
    for (std::size_t i = 0; i < sentence.num_labels(row); ++i) {
      add_label(sentence.label(row, i), sentence, row);
    }
  } else {
    add_label(sentence.cell(row, options_.label_column), sentence, row);
  }
  data_.gold_begin.push_back(static_cast<std::uint32_t>(data_.gold.size()));
}

void DatasetBuilder::add_origin(const text::Sentence& sentence) {
  const Location where = sentence.where();
  if (files_.empty() || files_.back() != where.file) files_.push_back(where.file);
  origins_.push_back(
      {static_cast<std::uint32_t>(files_.size() - 1), static_cast<std::uint32_t>(where.line)});
}

void DatasetBuilder::add(const text::Sentence& sentence) {
  add_attributes(sentence);
  for (std::size_t row = 0; row < sentence.num_tokens(); ++row) add_labels(sentence, row);
  add_end(sentence);
}

void DatasetBuilder::add_unlabelled(const text::Sentence& sentence) {
  add_attributes(sentence);
  data_.gold_begin.insert(data_.gold_begin.end(), sentence.num_tokens(),
                          static_cast<std::uint32_t>(data_.gold.size()));
  add_end(sentence);
}

void DatasetBuilder::add_attributes(const text::Sentence& sentence) {
  extractor_.extract(cells_.of(sentence), attributes_, text::Origins::kRecord);
  for (std::size_t row = 0; row < sentence.num_tokens(); ++row) {
    add_listed(attributes_.states, row, states_);
    for (std::size_t i = 0; i < sentence.num_attributes(row); ++i) {
      const text::Attribute attribute = sentence.attribute(row, i);
      states_.add(text::key_of_name(attribute.name), attribute.value, kNoGroup);
    }
    states_.end_token();
    if (row > 0) add_listed(attributes_.transitions, row, pairs_);
    pairs_.end_token();
  }
}

void DatasetBuilder::add_end(const text::Sentence& sentence) {
  data_.sentence_begin.push_back(static_cast<std::uint32_t>(data_.gold_begin.size() - 1));
  data_.weight.push_back(static_cast<float>(sentence.weight()));
  add_origin(sentence);
}

DatasetBuilder::Result DatasetBuilder::build() && {
  DesignBuilder::Result states = std::move(states_).build(options_.min_count);
  DesignBuilder::Result pairs = std::move(pairs_).build(options_.min_count);
  data_.design = std::move(states.design);
  data_.pair_design = std::move(pairs.design);
  const auto is_one = [](float weight) { return weight == 1.0f; };
  if (std::all_of(data_.weight.begin(), data_.weight.end(), is_one)) data_.weight.clear();
  data_.num_labels = labels_.size();
  return {std::move(data_),         std::move(labels_),    std::move(states.keys),
          std::move(states.groups), std::move(pairs.keys), std::move(files_),
          std::move(origins_)};
}

}  // namespace coppice::tag
