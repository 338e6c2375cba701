#include "coppice/lm/model.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "coppice/base/error.h"
#include "lm/hash_tables.h"
#include "lm/ngram_store.h"
#include "lm/trie_tables.h"

namespace coppice::lm {

namespace {

constexpr std::array<const char*, 2> kStorageNames = {"hash", "trie"};

Word raw(WordId word) noexcept { return static_cast<Word>(word); }

// The longest n-gram that `context` lets grow out of one that is there already.
template <class Tables>
struct Growth {
  float prob;                  // as stored
  unsigned length;             // words of the n-gram
  typename Tables::Path path;  // to it
  unsigned matched;            // words of the context in it

  // Whether still more words could change the probability: all that there were matched.
  bool can_extend(std::size_t context) const noexcept {
    return matched == context && is_extended_left(prob);
  }
  Score score(float log10_prob, std::size_t context) const noexcept {
    return {log10_prob, static_cast<std::uint8_t>(length), can_extend(context),
            NgramId{path.ngram}};
  }
};

// Adds words of context to an n-gram, the nearest first, while the model has it.
// visit(i, backoff) is called for every n-gram found with i + 1 words of context, unless it is one
// of the longest.
template <class Tables, class Visit>
void grow(const Tables& tables, std::span<const WordId> context, Growth<Tables>& at,
          const Visit& visit) {
  while (at.matched < context.size() && is_extended_left(at.prob)) {
    const Word word = raw(context[at.matched]);
    if (at.length + 1 == tables.order()) {
      if (float found = 0; tables.find_longest(at.path, word, found)) {
        at.prob = without_extension(found);
        ++at.length;
        ++at.matched;
      }
      return;
    }
    Weights found{};
    if (!tables.find(at.length + 1, at.path, word, found)) return;
    at.prob = found.prob;
    ++at.length;
    visit(at.matched++, found.backoff);
  }
}

// Requires that `in` and `out` are two objects.
template <class Tables>
Score score_with(const Tables& tables, const State& in, Word word, State& out) noexcept {
  const auto context = std::span(in.words).first(in.length);
  const Weights unigram = tables.unigram(word);
  Growth<Tables> at{unigram.prob, 1, tables.path(1, word, std::span<const WordId>(context)), 0};
  out.words[0] = WordId{word};
  out.backoffs[0] = unigram.backoff;
  out.length = extends_right(unigram.backoff) && tables.order() > 1 ? 1 : 0;
  grow(tables, context, at, [&](unsigned i, float backoff) {
    out.words[i + 1] = context[i];
    out.backoffs[i + 1] = backoff;
    if (extends_right(backoff)) out.length = static_cast<std::uint8_t>(i + 2);
  });
  Score score = at.score(log10_of(at.prob), context.size());
  for (std::size_t i = at.matched; i < context.size(); ++i) score.log10_prob += in.backoffs[i];
  return score;
}

template <class Tables>
LeftExtension extend_with(const Tables& tables, Word ngram, unsigned length,
                          std::span<const WordId> context,
                          std::span<const float> context_backoffs) noexcept {
  const float old = tables.weights(length, ngram).prob;
  Growth<Tables> at{old, length, tables.path(length, ngram, context), 0};
  LeftExtension extension;
  grow(tables, context, at, [&](unsigned i, float backoff) {
    extension.backoffs[i] = backoff;
    if (extends_right(backoff)) extension.length = static_cast<std::uint8_t>(i + 1);
  });
  extension.score = at.score(log10_of(at.prob) - log10_of(old), context.size());
  for (std::size_t i = at.matched; i < context.size(); ++i)
    extension.score.log10_prob += context_backoffs[i];
  return extension;
}

nlohmann::json config_of(const ModelFile& file) {
  nlohmann::json config = nlohmann::json::parse(file.text("config"), nullptr, false);
  const bool is_fine = config.is_object() && config.contains("order") &&
                       config["order"].is_number_unsigned() && config.contains("storage") &&
                       config["storage"].is_string();
  if (!is_fine || config["order"] < 1 || config["order"] > kMaxOrder)
    throw ModelError("the model's config is not that of a language model",
                     {.code = "E404", .where = {.file = file.name()}});
  return config;
}

}  // namespace

Storage parse_storage(std::string_view name) {
  for (std::size_t i = 0; i < kStorageNames.size(); ++i)
    if (name == kStorageNames[i]) return static_cast<Storage>(i);
  throw InvalidArgument(concat("a language model is stored as hash or trie, not ", name));
}

const char* to_string(Storage storage) noexcept {
  return kStorageNames[static_cast<std::size_t>(storage)];
}

BinaryModel binary_model(const Ngrams& ngrams, Storage storage, const std::string& card,
                         const Workspace& workspace) {
  BinaryModel model{ModelWriter(kTask)};
  ModelWriter& writer = model.writer;
  if (!card.empty()) writer.add_section("card", card, {.codec = Codec::kZstd, .hashed = false});
  writer.add_section(
      "config", nlohmann::json{{"order", ngrams.order()}, {"storage", to_string(storage)}}.dump());
  Vocabulary::add_sections(writer, ngrams.words());
  if (storage == Storage::kHash)
    HashTables::add_sections(model, ngrams, workspace);
  else
    TrieTables::add_sections(model, ngrams, workspace);
  return model;
}

struct Model::Parts {
  template <class Use>
  decltype(auto) visit(const Use& use) const {
    if (const auto* const hash = std::get_if<HashTables>(&tables)) return use(*hash);
    return use(*std::get_if<TrieTables>(&tables));
  }

  explicit Parts(ModelFile&& opened) : file(std::move(opened)) {
    file.require_task(kTask);
    const nlohmann::json config = config_of(file);
    const auto order = config["order"].get<unsigned>();
    vocabulary = Vocabulary(file);
    if (config["storage"] == to_string(Storage::kHash))
      tables = HashTables(file, order, vocabulary.size());
    else if (config["storage"] == to_string(Storage::kTrie))
      tables = TrieTables(file, order, vocabulary.size());
    else
      throw ModelError("the model is stored in a way that this version does not know",
                       {.code = "E404", .where = {.file = file.name()}});
    begin = visit([](const auto& t) {
      const float backoff = t.unigram(kBeginWord).backoff;
      State state;
      state.words[0] = kSentenceBegin;
      state.backoffs[0] = backoff;
      state.length = extends_right(backoff) && t.order() > 1 ? 1 : 0;
      return state;
    });
  }

  ModelFile file;
  Vocabulary vocabulary{};
  std::variant<HashTables, TrieTables> tables{};
  State begin{};
};

Model Model::open(const std::string& path) {
  return Model(ModelFile::open(path, Verify::kOnAccess));
}
Model::Model(ModelFile file) : parts_(std::make_unique<Parts>(std::move(file))) {}
Model::~Model() = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;

unsigned Model::order() const noexcept {
  return parts_->visit([](const auto& tables) { return tables.order(); });
}
Storage Model::storage() const noexcept {
  return std::holds_alternative<HashTables>(parts_->tables) ? Storage::kHash : Storage::kTrie;
}
const Vocabulary& Model::vocabulary() const noexcept { return parts_->vocabulary; }
const ModelFile& Model::file() const noexcept { return parts_->file; }
State Model::sentence_begin() const noexcept { return parts_->begin; }

Score Model::score(const State& in, WordId word, State& out) const noexcept {
  if (&in == &out) {
    const State copy = in;
    return score(copy, word, out);
  }
  return parts_->visit([&](const auto& tables) { return score_with(tables, in, raw(word), out); });
}

LeftExtension Model::extend_left(NgramId ngram, unsigned length, std::span<const WordId> context,
                                 std::span<const float> context_backoffs) const noexcept {
  return parts_->visit([&](const auto& tables) {
    return extend_with(tables, static_cast<Word>(ngram), length, context, context_backoffs);
  });
}

Ngrams Model::ngrams(const Workspace& workspace) const {
  Symbols words;
  for (WordId id : vocabulary().ids()) {
    if (index(words.add(vocabulary()[id])) != index(id))
      throw ModelError("the model has a word twice",
                       {.code = "E404", .where = {.file = file().name()}});
  }
  auto store = std::make_unique<NgramStore>();
  for (unsigned length = 1; length <= order(); ++length) {
    NgramSorter sorter(length, NgramOrder::kSuffix, nullptr, shared_among(workspace, order()));
    std::uint64_t count = 0;
    const auto add = [&](const Word* ngram, float log_prob, float backoff) {
      sorter.add(ngram, FloatPair{log_prob, backoff}.words().data());
      ++count;
    };
    parts_->visit([&](const auto& tables) { tables.for_each(length, add); });
    store->lengths.push_back({.weights = sorter.finish(), .count = count});
  }
  return {std::move(words), std::move(store)};
}

}  // namespace coppice::lm
