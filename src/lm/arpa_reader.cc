#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/lm/arpa.h"
#include "lm/ngram_store.h"

namespace coppice::lm {

namespace {

constexpr float kMissingLog = -100.0F;  // of a special word that the file lacks

bool is_arpa_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r'; }

// The parts of a line between blanks; those that do not fit are counted only.
struct ArpaFields {
  explicit ArpaFields(std::string_view line) {
    for (std::size_t at = 0; at < line.size();) {
      const std::size_t begin = at;
      while (at < line.size() && !is_arpa_blank(line[at])) ++at;
      if (at > begin) {
        if (count < parts.size()) parts[count] = line.substr(begin, at - begin);
        ++count;
      }
      while (at < line.size() && is_arpa_blank(line[at])) ++at;
    }
  }
  std::array<std::string_view, kMaxOrder + 2> parts{};
  std::size_t count = 0;
};

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && is_arpa_blank(line.back())) line.remove_suffix(1);
  while (!line.empty() && is_arpa_blank(line.front())) line.remove_prefix(1);
  return line;
}

bool is_blank_ngram(const Word* payload) noexcept {
  return std::isnan(FloatPair::at(payload).first);
}

// Of a blank and an n-gram the n-gram stays. Two n-grams are marked: the line of neither is known
// here, so whoever reads them says so.
constexpr float kTwice = 1;

void combine_ngrams(Word* kept, const Word* other, unsigned length) {
  if (is_blank_ngram(other + length)) return;
  if (is_blank_ngram(kept + length)) {
    std::copy_n(other + length, kPayloadWords, kept + length);
  } else {
    std::ranges::copy(FloatPair{kTwice, 0}.words(), kept + length);
  }
}

class ArpaReader {
 public:
  ArpaReader(LineReader lines, Workspace workspace)
      : lines_(std::move(lines)), workspace_(std::move(workspace)) {}

  Ngrams read(ArpaNotes& notes) {
    read_header();
    for (unsigned length = 1; length <= order(); ++length) read_section(length);
    if (line_ != "\\end\\") fail("expected \\end\\", "E291");
    notes.unknown_added = !has_word_[0];
    add_special_words();
    auto store = std::make_unique<NgramStore>();
    for (unsigned length = 1; length <= order(); ++length) {
      Sorters& sorters = sorters_[length - 1];
      store->lengths.push_back(
          {.weights = sorters.weights.finish(), .contexts = sorters.contexts.finish()});
    }
    for (unsigned length = order(); length >= 1; --length) {
      check(store->lengths[length - 1], length);
      if (length > 1) fill_suffixes(store->lengths[length - 1], store->lengths[length - 2], length);
      notes.blanks += store->lengths[length - 1].num_blanks;
    }
    return {std::move(words_), std::move(store)};
  }

 private:
  struct Sorters {
    NgramSorter weights;
    NgramSorter contexts;
  };

  unsigned order() const { return static_cast<unsigned>(counts_.size()); }

  [[noreturn]] void fail(const std::string& message, const char* code,
                         const std::string& help = "") const {
    throw ParseError(message, {.code = code,
                               .where = {lines_.name(), lines_.line_number()},
                               .excerpt = std::string(line_.substr(0, 200)),
                               .help = help});
  }

  // A fault that is no single line's.
  [[noreturn]] void fail_ngram(const Word* words, unsigned length, const char* message) const {
    std::string text;
    for (unsigned i = length; i-- > 0;) {
      if (!text.empty()) text += ' ';
      text += words_[static_cast<SymbolId>(words[i])];
    }
    throw ParseError(concat("the n-gram \"", text, "\" ", message),
                     {.code = "E293", .where = {.file = lines_.name()}});
  }

  // The next line that is not blank, without blanks around it; false at the end.
  bool next_line() {
    while (lines_.next(line_)) {
      line_ = trimmed(line_);
      if (!line_.empty()) return true;
    }
    line_ = {};
    return false;
  }
  void require_line(const char* expected) {
    if (!next_line()) fail(concat("the file ends where ", expected, " is expected"), "E291");
  }

  void read_header() {
    do {
      require_line("\\data\\");
    } while (line_ != "\\data\\");
    for (require_line("an n-gram count"); line_.starts_with("ngram"); require_line("\\1-grams:")) {
      counts_.push_back(count_in_header());
    }
    if (counts_.empty()) fail("expected a line such as \"ngram 1=100\"", "E291");
    for (unsigned length = 1; length <= order(); ++length) {
      const Workspace share = shared_among(workspace_, std::uint64_t{2} * order());
      sorters_.push_back({NgramSorter(length, NgramOrder::kSuffix, combine_ngrams, share),
                          NgramSorter(length, NgramOrder::kSuffix, keep_first, share)});
    }
  }

  std::uint64_t count_in_header() const {
    std::string_view rest = trimmed(line_.substr(5));
    const std::size_t equals = rest.find('=');
    std::uint64_t length = 0;
    std::uint64_t count = 0;
    if (equals == std::string_view::npos || !parse_whole(trimmed(rest.substr(0, equals)), length) ||
        !parse_whole(trimmed(rest.substr(equals + 1)), count))
      fail("expected a line such as \"ngram 1=100\"", "E291");
    if (length != counts_.size() + 1)
      fail(concat("expected the number of ", counts_.size() + 1, "-grams"), "E291");
    if (length > kMaxOrder)
      fail(concat("the model has n-grams of ", length, " words; at most ", kMaxOrder,
                  " are supported"),
           "E291");
    return count;
  }

  static bool parse_whole(std::string_view text, std::uint64_t& number) {
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    return fault == std::errc{} && end == text.data() + text.size();
  }

  void read_section(unsigned length) {
    const std::string title = concat('\\', length, "-grams:");
    if (line_ != title) fail(concat("expected ", title), "E291");
    std::uint64_t found = 0;
    for (require_line("an n-gram or \\end\\"); line_.front() != '\\' || !is_title();
         require_line("an n-gram or \\end\\")) {
      ++found;
      read_ngram(length);
    }
    if (found != counts_[length - 1])
      fail(concat("there are ", found, " ", length, "-grams, but the header says ",
                  counts_[length - 1]),
           "E291", "the file may have been cut or edited");
  }

  // A line that begins with a backslash and has no number is no n-gram.
  bool is_title() const { return line_ == "\\end\\" || line_.ends_with("-grams:"); }

  void read_ngram(unsigned length) {
    const ArpaFields fields(line_);
    const bool has_backoff = fields.count == length + 2;
    if (fields.count != length + 1 && !has_backoff)
      fail(concat("expected a number, ", length, length == 1 ? " word" : " words",
                  " and perhaps a backoff, found ", fields.count,
                  fields.count == 1 ? " field" : " fields"),
           "E291");
    const float log_prob = number(fields.parts[0], "log10 of a probability");
    if (log_prob > 0)
      fail("log10 of a probability is a number up to 0", "E292",
           "was the file written with natural logarithms or as probabilities?");
    const float backoff =
        has_backoff ? number(fields.parts[length + 1], "log10 of a backoff") : 0.0F;
    Word* const record = sorters_[length - 1].weights.append();
    for (unsigned i = 0; i < length; ++i)
      record[length - 1 - i] = word(fields.parts[i + 1], length);
    std::ranges::copy(FloatPair{log_prob + 0.0F, backoff == 0 ? kNoBackoff : backoff}.words(),
                      record + length);
    if (length > 1) add_context(record + 1, length - 1);
  }

  void add_context(const Word* words, unsigned length) {
    sorters_[length - 1].contexts.add(words, FloatPair{kNotANumber, 0}.words().data());
  }

  float number(std::string_view text, const char* what) const {
    if (text.starts_with('+')) text.remove_prefix(1);
    float value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    // SRILM writes -inf; so far below, any number will do.
    if (fault == std::errc{} && end == text.data() + text.size() && !std::isnan(value) &&
        value < 1e6F)
      return std::max(value, kMissingLog);
    fail(concat("expected ", what, ", found \"", text, "\""), "E292");
  }

  Word word(std::string_view text, unsigned length) {
    if (length == 1) {
      if (text == "<UNK>") text = kUnknownText;
      const auto id = static_cast<Word>(words_.add(text));
      if (id >= has_word_.size()) has_word_.resize(id + 1, 0);
      if (std::exchange(has_word_[id], static_cast<unsigned char>(1)) != 0)
        fail(concat("the word \"", text, "\" comes twice"), "E293");
      return id;
    }
    const auto id = words_.find(text == "<UNK>" ? kUnknownText : text);
    if (!id || has_word_[index(*id)] == 0)
      fail(concat("the word \"", text, "\" is not among the 1-grams"), "E293");
    return static_cast<Word>(*id);
  }

  void add_special_words() {
    for (Word id = 0; id < 3; ++id) {
      if (has_word_[id] == 0)
        sorters_[0].weights.add(&id, FloatPair{kMissingLog, kNoBackoff}.words().data());
    }
  }

  // Counts the n-grams; none may come twice, and every context must be one of them.
  void check(NgramsOfLength& ngrams, unsigned length) const {
    SortedNgrams::Reader contexts = ngrams.contexts.read();
    const Word* context = contexts.next();
    SortedNgrams::Reader reader = ngrams.weights.read();
    ngrams.count = 0;
    ngrams.num_blanks = 0;
    while (const Word* record = reader.next()) {
      ++ngrams.count;
      if (is_blank_ngram(record + length)) ++ngrams.num_blanks;
      if (FloatPair::at(record + length).first == kTwice) fail_ngram(record, length, "comes twice");
      if (context == nullptr) continue;
      if (std::equal(context, context + length, record)) {
        context = contexts.next();
      } else if (std::lexicographical_compare(context, context + length, record, record + length)) {
        break;
      }
    }
    if (context != nullptr)
      fail_ngram(context, length, "is the context of a longer one, but not there itself");
  }

  // Adds a blank to the shorter n-grams for every suffix that they lack.
  void fill_suffixes(const NgramsOfLength& ngrams, NgramsOfLength& shorter, unsigned length) const {
    std::optional<NgramSorter> filled;
    SortedNgrams::Reader suffixes = shorter.weights.read();
    const Word* suffix = suffixes.next();
    SortedNgrams::Reader reader = ngrams.weights.read();
    while (const Word* record = reader.next()) {
      const auto is_before = [&] {
        return std::lexicographical_compare(suffix, suffix + length - 1, record,
                                            record + length - 1);
      };
      while (suffix != nullptr && is_before()) suffix = suffixes.next();
      if (suffix != nullptr && std::equal(suffix, suffix + length - 1, record)) continue;
      if (!filled)
        filled.emplace(length - 1, NgramOrder::kSuffix, combine_ngrams,
                       shared_among(workspace_, std::uint64_t{2} * order()));
      filled->add(record, FloatPair{kNotANumber, kNoBackoff}.words().data());
    }
    if (!filled) return;
    SortedNgrams::Reader old = shorter.weights.read();
    while (const Word* record = old.next()) filled->add(record, record + length - 1);
    shorter.weights = filled->finish();
  }

  LineReader lines_;
  Workspace workspace_;
  std::string_view line_{};
  std::vector<std::uint64_t> counts_{};
  std::vector<Sorters> sorters_{};
  Symbols words_ = special_words();
  std::vector<unsigned char> has_word_ = std::vector<unsigned char>(3);  // as a 1-gram of the file
};

}  // namespace

Ngrams read_arpa(LineReader lines, const Workspace& workspace, ArpaNotes* notes) {
  ArpaNotes ignored;
  return ArpaReader(std::move(lines), workspace).read(notes != nullptr ? *notes : ignored);
}

}  // namespace coppice::lm
