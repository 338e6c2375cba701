#include "coppice/chain/encode.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "coppice/base/error.h"

namespace coppice::chain {

text::Cells FeatureCells::of(const text::Sentence& sentence) {
  cells_.clear();
  if (columns_.empty()) {  // attributes alone, as in CRFsuite's files: no template reads a cell
    cells_.resize(sentence.num_tokens());
    return {cells_, 1};
  }
  for (const std::size_t column : columns_) {
    require(column < sentence.num_columns(), "the templates read column ", column + 1, ", but ",
            to_string(sentence.where()), " has ", sentence.num_columns());
  }
  for (std::size_t row = 0; row < sentence.num_tokens(); ++row) {
    for (const std::size_t column : columns_) cells_.push_back(sentence.cell(row, column));
  }
  return {cells_, columns_.size()};
}

DatasetBuilder::DatasetBuilder(const text::Extractor& extractor, EncoderOptions options)
    : extractor_(extractor),
      options_(std::move(options)),
      cells_(options_.feature_columns),
      fold_(options_.hash_bits) {}

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

void DatasetBuilder::add_attribute(std::uint64_t key, double value, std::uint32_t group) {
  DesignMatrix& design = data_.design;
  const std::uint32_t id = dictionary_.add(fold_(key));
  const auto entry = static_cast<std::uint32_t>(design.attributes.size());
  if (id == last_entry_.size()) {
    last_entry_.push_back(entry);
    groups_.push_back(group);
  } else if (last_entry_[id] >= design.begin.back()) {
    design.values[last_entry_[id]] += static_cast<float>(value);
    has_values_ = true;
    return;
  }
  last_entry_[id] = entry;
  design.attributes.push_back(id);
  design.values.push_back(static_cast<float>(value));
  has_values_ = has_values_ || value != 1;
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
  const text::AttributeList& states = attributes_.states;
  DesignMatrix& design = data_.design;
  for (std::size_t row = 0; row < sentence.num_tokens(); ++row) {
    for (std::size_t k = states.offsets[row]; k < states.offsets[row + 1]; ++k) {
      add_attribute(states.keys[k],
                    states.values.empty() ? 1.0 : static_cast<double>(states.values[k]),
                    states.templates[k]);
    }
    for (std::size_t i = 0; i < sentence.num_attributes(row); ++i) {
      const text::Attribute attribute = sentence.attribute(row, i);
      add_attribute(text::key_of_name(attribute.name), attribute.value, kNoGroup);
    }
    design.begin.push_back(static_cast<std::uint32_t>(design.attributes.size()));
    require(design.attributes.size() < std::numeric_limits<std::uint32_t>::max(),
            "more than 2^32 attribute occurrences in the training data");
  }
}

void DatasetBuilder::add_end(const text::Sentence& sentence) {
  data_.sentence_begin.push_back(static_cast<std::uint32_t>(data_.gold_begin.size() - 1));
  data_.weight.push_back(static_cast<float>(sentence.weight()));
  add_origin(sentence);
}

// Leaves out rare attributes, renumbers the others, and drops arrays that say nothing.
DatasetBuilder::Result DatasetBuilder::build() && {
  DesignMatrix& design = data_.design;
  const auto& counts = dictionary_.counts();
  std::vector<std::uint32_t> number(dictionary_.size(), kNoColumn);
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> groups;
  for (std::size_t a = 0; a < counts.size(); ++a) {
    if (counts[a] < options_.min_count) continue;
    number[a] = static_cast<std::uint32_t>(keys.size());
    keys.push_back(dictionary_.keys()[a]);
    groups.push_back(groups_[a]);
  }
  std::size_t kept = 0;
  std::size_t begin = 0;
  for (std::size_t t = 0; t < design.num_tokens(); ++t) {
    const std::size_t end = design.begin[t + 1];
    for (std::size_t k = begin; k < end; ++k) {
      const std::uint32_t id = number[design.attributes[k]];
      if (id == kNoColumn) continue;
      design.attributes[kept] = id;
      design.values[kept++] = design.values[k];
    }
    begin = end;
    design.begin[t + 1] = static_cast<std::uint32_t>(kept);
  }
  design.attributes.resize(kept);
  design.values.resize(has_values_ ? kept : 0);
  design.values.shrink_to_fit();
  design.num_attributes = keys.size();
  const auto is_one = [](float weight) { return weight == 1.0f; };
  if (std::all_of(data_.weight.begin(), data_.weight.end(), is_one)) data_.weight.clear();
  data_.num_labels = labels_.size();
  return {std::move(data_),  std::move(labels_), std::move(keys),
          std::move(groups), std::move(files_),  std::move(origins_)};
}

}  // namespace coppice::chain
