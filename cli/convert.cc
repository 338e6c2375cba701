// coppice convert: data in another format, labels in another scheme.
#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/context.h"
#include "cli/data_loss.h"
#include "cli/derivations.h"
#include "cli/human.h"
#include "cli/skipped.h"
#include "cli/verbs.h"
#include "coppice/base/usage_error.h"
#include "coppice/text/data_options.h"
#include "coppice/text/labelled_reader.h"
#include "coppice/text/spans.h"
#include "coppice/text/tree_normal.h"
#include "coppice/text/writer.h"

namespace coppice::cli {

namespace {

using text::Format;
using text::Sentence;

constexpr std::size_t kPrettyWidth = 80;

struct ConvertOptions {
  text::DataOptions data;
  DerivationOptions derivations;
  std::string to = "auto";
  std::optional<std::string> scheme;
  bool lossy = false;
  std::vector<std::string> strip;
  bool pretty = false;
  std::string output = "-";
  std::vector<std::string> files;
};

// Words, and nothing else, in the formats that can say so.
void write_unlabelled(std::ostream& out, const Sentence& sentence, Format format) {
  const std::size_t form = *sentence.form_column();
  nlohmann::ordered_json tokens = nlohmann::ordered_json::array();
  for (std::size_t row = 0; row < sentence.num_tokens(); ++row) {
    if (format == Format::kColumns) out << sentence.cell(row, form) << '\n';
    tokens.push_back(sentence.cell(row, form));
  }
  if (format == Format::kColumns) {
    out << '\n';
    return;
  }
  const std::string id =
      sentence.id().empty() ? fmt::format("s{}", sentence.number()) : std::string(sentence.id());
  const nlohmann::ordered_json record = {{"v", 1}, {"id", id}, {"tokens", std::move(tokens)}};
  out << record.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}

class Converter {
 public:
  Converter(const ConvertOptions& options, std::ostream& out)
      : options_(options),
        out_(out),
        reader_(options.files.front(), options.data,
                options.scheme ? Format::kColumns : Format::kText),
        target_(text::parse_format(options.to)),
        edits_(text::tree_edits(options.strip)) {
    if (options.scheme) scheme_ = text::parse_scheme(*options.scheme);
  }

  // Converts the next sentence; false at the end.
  bool next() {
    if (!reader_.next()) return false;
    const Sentence& sentence = reader_.sentence();
    if (target_ == Format::kAuto) target_ = sentence.format();
    if (const text::Tree* tree = reader_.reader().tree()) {
      if (target_ == Format::kBrackets || target_ == Format::kJsonl) {
        write_tree(sentence, *tree);
        return true;
      }
      if (!options_.lossy) refuse_loss("the tree");
    }
    refuse_tree_options();
    if (!options_.lossy)
      refuse_loss(what_is_lost(sentence, target_, reader_.reader().column_names(), label_column()));
    const std::vector<std::string_view> labels = converted_labels();
    if (!sentence.form_column() && target_ != Format::kCrfsuite)
      throw ParseError("the data has no words, and the new format needs them",
                       {.code = "E143", .where = sentence.where()});
    const bool stays = sentence.format() == target_;
    const bool is_untouched = labels.empty() && !sentence.raw().empty();
    if (stays && (target_ == Format::kCcgbank || is_untouched))
      out_ << sentence.raw();
    else if (labels.empty() && (target_ == Format::kColumns || target_ == Format::kJsonl))
      write_unlabelled(out_, sentence, target_);
    else
      write(sentence, labels);
    return true;
  }

  void finish() {
    if (reader_.sentence().format() != target_) return;
    if (writer_)
      writer_->finish(reader_.reader().trailing());
    else
      out_ << reader_.reader().trailing();
  }

  const text::LabelledReader& reader() const { return reader_; }

 private:
  std::optional<std::size_t> label_column() const {
    return reader_.labels().empty() ? std::nullopt : reader_.label_column();
  }

  void refuse_loss(const std::string& lost) const {
    if (lost.empty()) return;
    throw ParseError(fmt::format("{} would be lost in the format {}", lost, to_string(target_)),
                     {.code = "E143",
                      .where = reader_.sentence().where(),
                      .help = "--lossy leaves out what does not fit"});
  }

  // The tree as it is wanted, with its own tags.
  void write_tree(const Sentence& sentence, const text::Tree& tree) {
    if (scheme_) throw UsageError("--scheme is for labels, and these are trees", {.code = "E006"});
    if (options_.pretty && target_ != Format::kBrackets)
      throw UsageError("--pretty is for brackets (--to brackets)", {.code = "E006"});
    const text::Tree edited = text::edited(tree, edits_);
    std::vector<std::string_view> tags;
    for (std::size_t node = 0; node < edited.num_nodes(); ++node)
      if (edited.is_leaf(node) && edited.label(node) != text::kEmptyElement)
        tags.push_back(edited.label(node));
    if (!writer_)
      writer_ =
          text::make_writer(out_, {.format = target_, .width = options_.pretty ? kPrettyWidth : 0});
    writer_->write(sentence, {.labels = std::move(tags), .tree = &edited});
  }

  void refuse_tree_options() const {
    if (target_ == Format::kBrackets)
      throw ParseError("the record has no tree",
                       {.code = "E147", .where = reader_.sentence().where()});
    if (!options_.strip.empty() || options_.pretty)
      throw UsageError("--strip and --pretty are for trees, and these are labels",
                       {.code = "E006"});
  }

  // In the scheme asked for; views of the sentence or of new_labels_.
  std::vector<std::string_view> converted_labels() {
    if (!scheme_) return {reader_.labels().begin(), reader_.labels().end()};
    const auto labels = reader_.require_labels();
    for (std::size_t row = 0; row < labels.size(); ++row)
      if (!options_.lossy && !text::split_label(labels[row]))
        throw ParseError(fmt::format("\"{}\" is no label of spans", labels[row]),
                         {.code = "E143",
                          .where = {.file = reader_.sentence().where().file,
                                    .line = reader_.sentence().line_of(row)},
                          .help = "--lossy writes O in its place"});
    // Lenient reading takes all schemes alike, so that the one of the input need not be known.
    const auto spans = text::spans_of(labels, text::Scheme::kIob2, text::Reading::kLenient);
    new_labels_ = text::labels_of(spans, *scheme_, labels.size());
    return {new_labels_.begin(), new_labels_.end()};
  }

  void write(const Sentence& sentence, std::vector<std::string_view> labels) {
    if (!writer_) {
      const bool in_place = sentence.format() == target_;
      writer_ = text::make_writer(
          out_,
          {.format = target_, .replace_column = in_place ? reader_.label_column() : std::nullopt});
    }
    if (labels.empty()) labels.assign(sentence.num_tokens(), "_");
    if (target_ == Format::kText)  // the writer writes labels; here the words are wanted
      for (std::size_t row = 0; row < labels.size(); ++row)
        labels[row] = sentence.cell(row, *sentence.form_column());
    const bool makes_attributes = target_ == Format::kCrfsuite && !sentence.has_attributes();
    writer_->write(makes_attributes ? with_attributes(sentence) : sentence, {.labels = labels});
  }

  // The cells of every column but the labels as attributes "name=cell".
  const Sentence& with_attributes(const Sentence& sentence) {
    const text::ColumnNames& names = reader_.reader().column_names();
    const std::optional<std::size_t> label = label_column();
    featured_.start({.format = Format::kCrfsuite, .form_column = std::nullopt});
    featured_.set_weight(sentence.weight());
    for (std::size_t row = 0; row < sentence.num_tokens(); ++row) {
      featured_.add_cell({});
      featured_.end_token(sentence.line_of(row));
      for (std::size_t column = 0; column < sentence.num_columns(); ++column) {
        if (column == label || names[column] == "_") continue;
        const auto name = fmt::format("{}={}", names[column], sentence.cell(row, column));
        featured_.add_attribute(featured_.append(name), 1.0);
      }
      featured_.end_attributes();
    }
    return featured_;
  }

  const ConvertOptions& options_;
  std::ostream& out_;
  text::LabelledReader reader_;
  Format target_;
  text::TreeEdits edits_;
  std::optional<text::Scheme> scheme_;
  std::unique_ptr<text::SentenceWriter> writer_;
  std::vector<std::string> new_labels_;
  Sentence featured_;
};

ExitStatus run(const ConvertOptions& options, Context& context) {
  if (is_derivation_target(options.to))
    return convert_derivations(options.files.front(), options.to, options.data, options.derivations,
                               options.output, context);
  Output output = context.output_file(options.output);
  Converter converter(options, output.stream());
  while (converter.next())
    if (options.output == "-") context.end_record();
  converter.finish();
  output.commit();
  const text::SentenceReader& reader = converter.reader().reader();
  context.talk("wrote   {}, {}", counted(reader.counts().sentences, "sentence"),
               counted(reader.counts().tokens, "token"));
  return report_skipped(reader, context) ? ExitStatus::kSkippedRecords : ExitStatus::kDone;
}

std::vector<Option> options_of(ConvertOptions& options) {
  std::vector<Option> list = data_options(options.data, "from");
  list.push_back({.name = "to",
                  .value = &options.to,
                  .choices = {"auto", "columns", "conllu", "text", "jsonl", "crfsuite", "brackets",
                              "ccgbank", "parg", "deps", "drawing", "svg"},
                  .help = "format to write; auto keeps that of the input"});
  list.push_back({.name = "scheme",
                  .value = &options.scheme,
                  .choices = {"iob1", "iob2", "bioes", "bilou"},
                  .help = "write the labels of spans in this scheme; broken ones are repaired"});
  list.push_back({.name = "strip",
                  .value = &options.strip,
                  .choices = {"functions", "traces", "repeats", "unary-top"},
                  .help =
                      "leave out of trees: functions, traces, repeats (a phrase over its like), "
                      "unary-top (the outermost bracket)"});
  list.push_back({.name = "pretty",
                  .value = &options.pretty,
                  .help = "write long trees on several lines, indented"});
  for (Option& option : derivation_options(options.derivations)) list.push_back(std::move(option));
  list.push_back({.name = "lossy",
                  .value = &options.lossy,
                  .help = "leave out what the new format cannot hold, instead of stopping"});
  list.push_back({.name = "output",
                  .letter = 'o',
                  .value = &options.output,
                  .metavar = "FILE",
                  .help = "file to write; - is stdout"});
  return list;
}

}  // namespace

Command convert_verb() {
  auto options = std::make_shared<ConvertOptions>();
  return {
      .name = "convert",
      .summary = "write data in another format or label scheme",
      .group = "data",
      .help =
          "Reads and writes column files, CoNLL-U, JSON lines, plain text, CRFsuite's "
          "files and trees in brackets. Within a format nothing changes but the labels. Into "
          "another one go words "
          "and labels, and what else it has a place for; where something would be lost, the "
          "conversion stops, unless with --lossy. Trees can go into JSON lines and back; brackets "
          "are written one tree a line, or with --pretty on several. CRFsuite's files get the "
          "cells of the other "
          "columns as attributes. CCGbank's derivations become dependencies (parg, deps) or "
          "pictures (drawing, svg).",
      .examples = {{"coppice convert ner.conll -o ner.jsonl --to jsonl", "columns to JSON lines"},
                   {"coppice convert ner.conll --scheme bioes > bioes.conll",
                    "another label scheme, everything else as it was"},
                   {"coppice convert wsj.mrg --strip functions,traces -o plain.mrg",
                    "a treebank without function tags and traces, one tree a line"},
                   {"coppice convert wsj.auto --to parg -o wsj.parg",
                    "the dependencies of CCGbank derivations"}},
      .options = options_of(*options),
      .files = {.values = &options->files, .help = "data to read; - is stdin", .min = 1, .max = 1},
      .writes_files = true,
      .run = [options](Context& context) { return run(*options, context); }};
}

}  // namespace coppice::cli
