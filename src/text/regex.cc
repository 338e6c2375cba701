#include "coppice/text/regex.h"

#include <algorithm>

#include "text/regex_program.h"
#include "text/utf8.h"

namespace coppice::text {

namespace {

bool contains_exactly(const CharSet& set, char32_t c) noexcept {
  return std::any_of(set.items.begin(), set.items.end(),
                     [c](const CharSetItem& item) { return item.contains(c); });
}

bool contains(const CharSet& set, char32_t c, LetterCase letter_case) noexcept {
  bool found = contains_exactly(set, c);
  if (!found && letter_case == LetterCase::kIgnored) {
    found = contains_exactly(set, to_lower(c)) || contains_exactly(set, to_upper(c));
  }
  return found != set.negated;
}

// One pass over a text. A thread is an instruction with the place where its match began; of the
// threads at one instruction only the one that began first is kept. Threads stand in order of
// where they began, because stepping keeps the order and new ones come last.
class Simulation {
 public:
  Simulation(const Regex::Program& program, std::string_view text)
      : program_(program), text_(text), seen_at_(program.code.size(), never) {}

  // With `any`, stops at the first match found, which need not be the leftmost longest.
  std::optional<std::string_view> run(bool any) {
    for (std::size_t at = 0;;) {
      if (!found_) add(0, at, at);
      if ((found_ && any) || at >= text_.size()) break;
      const CodePoint point = decode(text_, at);
      at += point.bytes;
      std::swap(threads_, previous_);
      threads_.clear();
      step(point.value, at);
      if (found_ && threads_.empty()) break;
    }
    if (!found_) return std::nullopt;
    return text_.substr(begin_, end_ - begin_);
  }

 private:
  struct Thread {
    std::uint32_t instruction;
    std::size_t begin;
  };
  static constexpr std::size_t never = static_cast<std::size_t>(-1);

  void step(char32_t c, std::size_t at) {
    for (const Thread& thread : previous_) {
      if (found_ && thread.begin > begin_) break;  // a match further left is known
      const Instruction& instruction = program_.code[thread.instruction];
      if (contains(program_.sets[instruction.other], c, program_.letter_case)) {
        add(instruction.next, thread.begin, at);
      }
    }
  }

  // Follows everything that reads no character.
  void add(std::uint32_t first, std::size_t begin, std::size_t at) {
    pending_.push_back(first);
    while (!pending_.empty()) {
      const std::uint32_t here = pending_.back();
      pending_.pop_back();
      if (seen_at_[here] == at) continue;
      seen_at_[here] = at;
      const Instruction& instruction = program_.code[here];
      switch (instruction.kind) {
        case Instruction::Kind::kSet:
          threads_.push_back({here, begin});
          break;
        case Instruction::Kind::kSplit:
          pending_.push_back(instruction.other);
          pending_.push_back(instruction.next);
          break;
        case Instruction::Kind::kJump:
          pending_.push_back(instruction.next);
          break;
        case Instruction::Kind::kAtStart:
          if (at == 0) pending_.push_back(instruction.next);
          break;
        case Instruction::Kind::kAtEnd:
          if (at == text_.size()) pending_.push_back(instruction.next);
          break;
        case Instruction::Kind::kAccept:
          accept(begin, at);
          break;
      }
    }
  }

  void accept(std::size_t begin, std::size_t end) {
    if (found_ && begin > begin_) return;
    found_ = true;
    begin_ = begin;
    end_ = end;
  }

  const Regex::Program& program_;
  std::string_view text_;
  std::vector<std::size_t> seen_at_;  // the place at which an instruction was last reached
  std::vector<Thread> threads_, previous_;
  std::vector<std::uint32_t> pending_;
  bool found_ = false;
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace

Regex::Regex(std::string_view pattern, LetterCase letter_case)
    : program_(std::make_shared<const Program>(compile_regex(pattern, letter_case))) {}

bool Regex::matches(std::string_view text) const {
  return Simulation(*program_, text).run(true).has_value();
}

std::optional<std::string_view> Regex::find(std::string_view text) const {
  return Simulation(*program_, text).run(false);
}

}  // namespace coppice::text
