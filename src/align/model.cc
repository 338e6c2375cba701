#include "coppice/align/model.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "align/diagonal.h"
#include "align/jumps.h"
#include "coppice/base/error.h"

namespace coppice::align {

namespace {

using nlohmann::json;

constexpr std::string_view kAlignTask = "align";

[[noreturn]] void damaged_model(const ModelFile& file, const std::string& what) {
  throw ModelError(what, {.code = "E404", .where = {.file = file.name()}});
}

std::string words_text(const Symbols& words) {
  std::string text;
  for (const SymbolId id : words.ids()) (text += words[id]) += '\n';
  return text;
}

Symbols words_of(const ModelFile& file, const std::string& section) {
  Symbols words;
  std::size_t lines = 0;
  for (std::string_view rest = file.text(section); !rest.empty(); ++lines) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos)
      damaged_model(file, "section " + section + ": no last line end");
    words.add(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  if (words.size() != lines) damaged_model(file, "section " + section + ": a word comes twice");
  return words;
}

std::vector<std::uint32_t> numbers_of(const Symbols& words,
                                      std::span<const std::string_view> sentence) {
  std::vector<std::uint32_t> numbers;
  for (const std::string_view word : sentence) {
    const auto id = words.find(word);
    numbers.push_back(id ? static_cast<std::uint32_t>(index(*id)) : kUnknownWord);
  }
  return numbers;
}

json priors_json(const GibbsPriors& priors) {
  return {{"null_probability", priors.null_probability},
          {"lexical", priors.lexical},
          {"null_lexical", priors.null_lexical},
          {"jump", priors.jump},
          {"fertility", priors.fertility}};
}

GibbsPriors priors_from(const json& object) {
  GibbsPriors priors;
  object.at("null_probability").get_to(priors.null_probability);
  object.at("lexical").get_to(priors.lexical);
  object.at("null_lexical").get_to(priors.null_lexical);
  object.at("jump").get_to(priors.jump);
  object.at("fertility").get_to(priors.fertility);
  bool is_fine = priors.null_probability > 0 && priors.null_probability < 1;
  for (const double prior : {priors.lexical, priors.null_lexical, priors.jump})
    is_fine = is_fine && prior > 0 && std::isfinite(prior);
  for (const double prior : priors.fertility)
    is_fine = is_fine && prior > 0 && std::isfinite(prior);
  require(is_fine, "section config: a prior is out of its range");
  return priors;
}

// Reads one direction of a file that may hold anything.
class DirectionReader {
 public:
  DirectionReader(const ModelFile& file, std::string prefix, std::size_t num_sources,
                  std::size_t num_targets)
      : file_(file),
        prefix_(std::move(prefix)),
        num_sources_(num_sources),
        num_targets_(num_targets) {}

  std::unique_ptr<LinkModel> gibbs(const GibbsPriors& priors) const {
    GibbsCounts counts;
    copy(links(), counts.links);
    copy(file_.as<float>(prefix_ + "jumps"), counts.jumps);
    copy(file_.as<std::array<float, kFertilities>>(prefix_ + "fertilities"), counts.fertilities);
    if (counts.jumps.size() % 2 == 0) fail("jumps", "an even number of counts");
    for (const float count : counts.jumps) check_count(count, "jumps");
    if (counts.fertilities.size() != num_sources_ + 1) fail("fertilities", "not one for each word");
    for (const auto& word : counts.fertilities)
      for (const float count : word) check_count(count, "fertilities");
    return std::make_unique<GibbsLinkModel>(std::move(counts), priors, num_sources_, num_targets_);
  }

  std::unique_ptr<LinkModel> em(Method method) const {
    auto lexicon = std::make_shared<Lexicon>(num_sources_ + 1, num_targets_, links());
    return std::make_unique<EmLinkModel>(std::move(lexicon), positions(method));
  }

 private:
  template <class T>
  static void copy(std::span<const T> from, std::vector<T>& to) {
    to.assign(from.begin(), from.end());
  }

  [[noreturn]] void fail(const std::string& section, const std::string& what) const {
    damaged_model(file_, "section " + prefix_ + section + ": " + what);
  }

  void check_count(float count, const std::string& section) const {
    if (!(count >= 0 && std::isfinite(count))) fail(section, "a count is negative or not finite");
  }

  std::span<const LexicalEntry> links() const {
    const auto links = file_.as<LexicalEntry>(prefix_ + "links");
    for (std::size_t k = 0; k < links.size(); ++k) {
      const LexicalEntry& link = links[k];
      if (link.source > num_sources_ || link.target >= num_targets_)
        fail("links", "a word that is not there");
      check_count(link.value, "links");
      if (k == 0) continue;
      const LexicalEntry& last = links[k - 1];
      if (last.target > link.target || (last.target == link.target && last.source >= link.source)) {
        fail("links", "not in order");
      }
    }
    return links;
  }

  std::shared_ptr<const Positions> positions(Method method) const {
    const auto parameters = file_.as<double>(prefix_ + "positions");
    if (method == Method::kIbm1) return std::make_shared<UniformPositions>();
    if (method == Method::kDiagonal) {
      if (parameters.size() != 2) fail("positions", "not two parameters");
      return std::make_shared<DiagonalPositions>(parameters[0], parameters[1]);
    }
    if (parameters.empty()) fail("positions", "no parameters");
    return std::make_shared<JumpPositions>(
        parameters[0], std::vector<double>(parameters.begin() + 1, parameters.end()));
  }

  const ModelFile& file_;
  std::string prefix_;
  std::size_t num_sources_, num_targets_;
};

}  // namespace

AlignmentModel AlignmentModel::open(const std::string& path) {
  return AlignmentModel(ModelFile::open(path));
}

AlignmentModel::AlignmentModel(const ModelFile& file) {
  file.require_task(kAlignTask);
  source_ = words_of(file, "source.words");
  target_ = words_of(file, "target.words");
  const DirectionReader forward(file, "forward.", source_.size(), target_.size());
  const DirectionReader backward(file, "backward.", target_.size(), source_.size());
  try {
    const json config = json::parse(file.text("config"));
    method_ = parse_method(config.at("method").get<std::string>());
    if (method_ == Method::kGibbs) {
      const GibbsPriors priors = priors_from(config.at("priors"));
      forward_ = forward.gibbs(priors);
      backward_ = backward.gibbs(priors);
    } else {
      forward_ = forward.em(method_);
      backward_ = backward.em(method_);
    }
  } catch (const json::exception& error) {
    damaged_model(file, concat("section config: ", error.what()));
  } catch (const InvalidArgument& error) {
    damaged_model(file, error.what());
  }
}

PairPosteriors AlignmentModel::align(const SentencePair& pair, std::uint64_t seed,
                                     std::uint64_t number) const {
  PairPosteriors posteriors;
  if (pair.empty()) return posteriors;
  const std::vector<std::uint32_t> source = numbers_of(source_, pair.source);
  const std::vector<std::uint32_t> target = numbers_of(target_, pair.target);
  forward_->align(source, target, Random(seed, 2 * number), posteriors.forward);
  backward_->align(target, source, Random(seed, 2 * number + 1), posteriors.backward);
  return posteriors;
}

ModelWriter write_model(const AlignmentTraining& training, const Bitext& bitext,
                        const std::string& card) {
  ModelWriter writer{std::string(kAlignTask)};
  json config{{"method", to_string(training.options().method)}};
  if (training.options().method == Method::kGibbs)
    config["priors"] = priors_json(priors_of(training.options()));
  writer.add_section("card", card, {.codec = Codec::kZstd, .hashed = false});
  writer.add_section("config", config.dump());
  writer.add_section("source.words", words_text(bitext.source.words), {.codec = Codec::kZstd});
  writer.add_section("target.words", words_text(bitext.target.words), {.codec = Codec::kZstd});
  training.write_models(writer);
  return writer;
}

}  // namespace coppice::align
