#include "text/attribute_name.h"

#include <algorithm>

#include "coppice/base/error.h"
#include "text/attribute_hash.h"

namespace coppice::text {

namespace {

void append_escaped(std::string_view text, std::string& out) {
  constexpr std::string_view hex = "0123456789abcdef";
  if (text.starts_with("_BOS") || text.starts_with("_EOS")) out += '\\';
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      out += "\\x";
      out += hex[byte >> 4];
      out += hex[byte & 15];
      continue;
    }
    if (c == '\\' || c == '|') out += '\\';
    out += c;
  }
}

// One use of a slot at a token: its text, escaped, or an empty one where it has none; nullopt
// when it is absent.
class Speller {
 public:
  Speller(const ExtractionProgram& program, const Cells& cells, std::size_t row)
      : program_(program), cells_(cells), row_(row) {}

  std::optional<std::string> spell(const Slot& slot) {
    const std::size_t tokens = cells_.rows();
    const auto at = static_cast<std::ptrdiff_t>(row_) + slot.offset;
    if (at < 0) return outside(slot, static_cast<int>(at));
    const auto place = static_cast<std::size_t>(at);
    if (place >= tokens) return outside(slot, static_cast<int>(place - tokens) + 1);
    return slot.group == Slot::kSentence ? of_sentence(program_.sentence[slot.atom], place)
                                         : of_cell(slot, place);
  }

 private:
  std::optional<std::string> outside(const Slot& slot, int distance) const {
    if (slot.group == Slot::kSentence || program_.set.outside == Outside::kOmit ||
        program_.columns[slot.group].atoms[slot.atom].yield != Yield::kText) {
      return std::nullopt;
    }
    return boundary_text(distance);
  }

  std::optional<std::string> of_cell(const Slot& slot, std::size_t at) {
    const ColumnAtoms& column = program_.columns[slot.group];
    const WordAtom& atom = column.atoms[slot.atom];
    const std::string_view word = cells_.cell(at, column.column);
    if (answer(atom, word, buffers_) == 0) return std::nullopt;
    std::string out;
    if (atom.answer != WordAtom::Answer::kHash) return out;
    if (const auto text = apply(atom.steps, word, buffers_)) append_escaped(*text, out);
    return out;
  }

  std::optional<std::string> of_sentence(const SentenceAtom& atom, std::size_t at) {
    const std::size_t tokens = cells_.rows();
    if (atom.function == Function::kIn) return of_list(atom, at);
    if (atom.function == Function::kPosition) return std::string(position_text(at, tokens));
    if (!holds_at(atom.function, at, tokens)) return std::nullopt;
    return "";
  }

  std::optional<std::string> of_list(const SentenceAtom& question, std::size_t at) {
    const ColumnAtoms& column = program_.columns[question.group];
    std::vector<std::uint32_t> numbers;
    numbers.reserve(cells_.rows());
    for (std::size_t t = 0; t < cells_.rows(); ++t) {
      numbers.push_back(static_cast<std::uint32_t>(
          answer(column.atoms[question.atom], cells_.cell(t, column.column), buffers_)));
    }
    std::vector<char> tags(numbers.size());
    program_.list_of(question).tag(numbers, tags);
    if (tags[at] == 0) return std::nullopt;
    return std::string(1, tags[at]);
  }

  const ExtractionProgram& program_;
  const Cells& cells_;
  std::size_t row_;
  TextBuffers buffers_;
};

// The number of a text as append_escaped wrote it; nullopt where it did not.
std::optional<std::uint64_t> number_of_text(std::string_view escaped) {
  if (escaped.starts_with("_BOS") || escaped.starts_with("_EOS")) {
    return hash_text(escaped, kBoundarySeed);
  }
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  std::string text;
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    if (escaped[i] != '\\') {
      text += escaped[i];
      continue;
    }
    if (++i == escaped.size()) return std::nullopt;
    if (escaped[i] != 'x') {
      text += escaped[i];
      continue;
    }
    if (i + 2 >= escaped.size()) return std::nullopt;
    const int high = digit(escaped[i + 1]), low = digit(escaped[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    text += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return hash_text(text);
}

// Cuts the first text off `rest`, at a | without a \\ before it.
std::string_view take_text(std::string_view& rest) {
  std::size_t end = 0;
  while (end < rest.size() && rest[end] != '|') end += rest[end] == '\\' ? 2 : 1;
  end = std::min(end, rest.size());
  const std::string_view text = rest.substr(0, end);
  rest.remove_prefix(end);
  return text;
}

}  // namespace

std::string boundary_text(int distance) {
  return distance < 0 ? concat("_BOS", -distance, "_") : concat("_EOS", distance, "_");
}

std::string_view position_text(std::size_t t, std::size_t tokens) noexcept {
  if (t == 0) return tokens == 1 ? "only" : "first";
  return t + 1 == tokens ? "last" : "middle";
}

bool holds_at(Function function, std::size_t t, std::size_t tokens) noexcept {
  if (function == Function::kFirst) return t == 0;
  if (function == Function::kLast) return t + 1 == tokens;
  return true;
}

std::optional<std::uint64_t> attribute_key(const ExtractionProgram& program,
                                           std::string_view name) {
  for (std::size_t index = 0; index < program.prefixes.size(); ++index) {
    const CompiledTemplate& one = program.templates[index];
    if (!name.starts_with(program.prefixes[index])) continue;
    std::string_view rest = name.substr(program.prefixes[index].size());
    std::uint64_t key = one.seed;
    bool fits = true;
    for (std::uint32_t i = 0; fits && i < one.texts; ++i) {
      fits = rest.starts_with(i == 0 ? '=' : '|');
      if (!fits) break;
      rest.remove_prefix(1);
      const auto number = number_of_text(take_text(rest));
      fits = number.has_value();
      key = mix(key, number.value_or(0));
    }
    if (fits && rest.empty()) return key;
  }
  return std::nullopt;
}

std::optional<std::string> attribute_name(const ExtractionProgram& program, std::size_t index,
                                          const Cells& cells, std::size_t row) {
  require(index < program.set.templates.size() && row < cells.rows() &&
              cells.columns >= program.columns_read,
          "name: template ", index, " at token ", row, " of a sentence that has no such thing");
  const CompiledTemplate& one = program.templates[index];
  Speller speller(program, cells, row);
  std::string name = program.prefixes[index];
  for (std::uint32_t i = 0; i < one.texts + one.conditions + one.numbers; ++i) {
    const auto text = speller.spell(program.slots[program.uses[one.first + i]]);
    if (!text) return std::nullopt;
    if (i >= one.texts) continue;
    name += i == 0 ? '=' : '|';
    name += *text;
  }
  return name;
}

}  // namespace coppice::text
