// From the text of a regular expression to a syntax tree, and from there to instructions.
#include <charconv>
#include <limits>
#include <string>
#include <utility>

#include "coppice/base/error.h"
#include "text/regex_program.h"
#include "text/utf8.h"

namespace coppice::text {

namespace {

constexpr std::uint32_t kMaxRepeat = 255;
constexpr std::uint32_t kNoLimit = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kMaxInstructions = 4096;
constexpr int kMaxDepth = 64;

[[noreturn]] void fail(std::size_t at, const std::string& message) {
  throw ParseError("regular expression: " + message,
                   {.code = "E122",
                    .where = {.file = "", .line = 0, .column = at + 1},
                    .help = "docs/templates.md lists what a regular expression may contain"});
}

struct Node {
  enum class Kind : std::uint8_t { kEmpty, kSet, kSequence, kChoice, kRepeat, kAtStart, kAtEnd };
  Kind kind = Kind::kEmpty;
  std::uint32_t set = 0;
  std::uint32_t least = 0, most = 0;
  std::vector<Node> children{};
};

constexpr std::uint32_t bit(CharClass c) { return 1u << static_cast<unsigned>(c); }
constexpr std::uint32_t kLetters = (bit(CharClass::kOtherLetter) << 1) - 1;
constexpr std::uint32_t kCased =
    bit(CharClass::kUpper) | bit(CharClass::kLower) | bit(CharClass::kTitle);
constexpr std::uint32_t kNumbers = bit(CharClass::kDigit) | bit(CharClass::kNumber);

struct NamedClass {
  std::string_view name;
  std::uint32_t classes;
};
constexpr NamedClass kNamedClasses[] = {{"L", kLetters},
                                        {"Lu", bit(CharClass::kUpper)},
                                        {"Ll", bit(CharClass::kLower)},
                                        {"Lt", bit(CharClass::kTitle)},
                                        {"Lo", kLetters & ~kCased},
                                        {"N", kNumbers},
                                        {"Nd", bit(CharClass::kDigit)},
                                        {"M", bit(CharClass::kMark)},
                                        {"P", bit(CharClass::kPunctuation)},
                                        {"S", bit(CharClass::kSymbol)},
                                        {"Z", bit(CharClass::kSpace)},
                                        {"Han", bit(CharClass::kHan)},
                                        {"Hiragana", bit(CharClass::kHiragana)},
                                        {"Katakana", bit(CharClass::kKatakana)},
                                        {"Hangul", bit(CharClass::kHangul)}};

bool is_ascii_punctuation(char32_t c) {
  return c < 128 && c > ' ' && c != 127 && !is_letter(char_class(c)) &&
         char_class(c) != CharClass::kDigit;
}

class Parser {
 public:
  Parser(std::string_view pattern, std::vector<CharSet>& sets) : pattern_(pattern), sets_(sets) {}

  Node parse() {
    Node all = choice(0);
    if (!done()) fail(at_, "')' without '('");
    return all;
  }

 private:
  bool done() const { return at_ >= pattern_.size(); }
  bool next_is(char c) const { return !done() && pattern_[at_] == c; }
  bool take(char c) { return next_is(c) && (++at_, true); }
  char32_t take_any() {
    const CodePoint point = decode(pattern_, at_);
    at_ += point.bytes;
    return point.value;
  }

  Node choice(int depth) {
    Node node{.kind = Node::Kind::kChoice};
    do {
      node.children.push_back(sequence(depth));
    } while (take('|'));
    return node.children.size() == 1 ? Node(std::move(node.children.front())) : node;
  }

  Node sequence(int depth) {
    Node node{.kind = Node::Kind::kSequence};
    while (!done() && !next_is('|') && !next_is(')')) node.children.push_back(repeated(depth));
    if (node.children.empty()) node.kind = Node::Kind::kEmpty;
    return node;
  }

  Node repeated(int depth) {
    Node node = single(depth);
    const std::size_t begin = at_;
    std::uint32_t least = 0, most = kNoLimit;
    if (take('+')) {
      least = 1;
    } else if (take('?')) {
      most = 1;
    } else if (take('{')) {
      bounds(begin, least, most);
    } else if (!take('*')) {
      return node;
    }
    if (next_is('*') || next_is('+') || next_is('?') || next_is('{')) {
      fail(at_, "repetition of a repetition; use a group");
    }
    Node repeat{.kind = Node::Kind::kRepeat, .least = least, .most = most};
    repeat.children.push_back(std::move(node));
    return repeat;
  }

  void bounds(std::size_t begin, std::uint32_t& least, std::uint32_t& most) {
    least = most = number(begin);
    if (take(',')) most = next_is('}') ? kNoLimit : number(begin);
    if (!take('}')) fail(begin, "expected {n}, {n,} or {n,m}");
    if (most < least) fail(begin, "the bounds are the wrong way round");
  }

  std::uint32_t number(std::size_t begin) {
    std::uint32_t value = 0;
    const char* last = pattern_.data() + pattern_.size();
    const auto [end, error] = std::from_chars(pattern_.data() + at_, last, value);
    if (error != std::errc() || value > kMaxRepeat) {
      fail(begin, "expected a number up to 255 in { }; write \\{ for the character");
    }
    at_ = static_cast<std::size_t>(end - pattern_.data());
    return value;
  }

  Node single(int depth) {
    const std::size_t begin = at_;
    switch (const char32_t c = take_any()) {
      case '(':
        return group(begin, depth);
      case '[':
        return set_node(bracket(begin));
      case '\\':
        return set_node({{escape(begin)}});
      case '.':
        return set_node({{{.first = 0, .last = kLastCodePoint}}});
      case '^':
        return Node{.kind = Node::Kind::kAtStart};
      case '$':
        return Node{.kind = Node::Kind::kAtEnd};
      case '*':
      case '+':
      case '?':
      case '{':
        fail(begin, "nothing to repeat");
      default:
        return set_node({{{.first = c, .last = c}}});
    }
  }

  Node group(std::size_t begin, int depth) {
    if (depth >= kMaxDepth) fail(begin, "groups nested too deeply");
    if (take('?') && !take(':')) fail(begin, "only (?:...) may follow '(?'");
    Node inside = choice(depth + 1);
    if (!take(')')) fail(begin, "'(' without ')'");
    return inside;
  }

  Node set_node(CharSet set) {
    sets_.push_back(std::move(set));
    return Node{.kind = Node::Kind::kSet, .set = static_cast<std::uint32_t>(sets_.size() - 1)};
  }

  CharSet bracket(std::size_t begin) {
    CharSet set{.items = {}, .negated = take('^')};
    for (bool first = true; first || !next_is(']'); first = false) {
      if (done()) fail(begin, "'[' without ']'");
      CharSetItem item = element();
      if (next_is('-') && at_ + 1 < pattern_.size() && pattern_[at_ + 1] != ']') {
        const std::size_t dash = at_++;
        const CharSetItem upper = element();
        if (item.first != item.last || upper.first != upper.last) {
          fail(dash, "a range needs a character on each side");
        }
        item.last = upper.last;
        if (item.last < item.first) fail(dash, "the range is the wrong way round");
      }
      set.items.push_back(item);
    }
    ++at_;
    return set;
  }

  CharSetItem element() {
    const std::size_t begin = at_;
    const char32_t c = take_any();
    if (c == '\\') return escape(begin);
    return {.first = c, .last = c};
  }

  CharSetItem escape(std::size_t begin) {
    if (done()) fail(begin, "nothing after '\\'");
    const char32_t c = take_any();
    const auto one = [](char32_t value) { return CharSetItem{.first = value, .last = value}; };
    switch (c) {
      case 'd':
      case 'D':
        return {.classes = bit(CharClass::kDigit), .negated = c == 'D'};
      case 's':
      case 'S':
        return {.classes = bit(CharClass::kSpace), .negated = c == 'S'};
      case 'w':
      case 'W':
        return {.first = '_',
                .last = '_',
                .classes = kLetters | kNumbers | bit(CharClass::kMark),
                .negated = c == 'W'};
      case 'p':
      case 'P':
        return {.classes = named_class(begin), .negated = c == 'P'};
      case 'n':
        return one('\n');
      case 't':
        return one('\t');
      case 'r':
        return one('\r');
      case 'x':
        return one(hexadecimal(begin));
      default:
        if (!is_ascii_punctuation(c)) fail(begin, "unknown escape");
        return one(c);
    }
  }

  std::uint32_t named_class(std::size_t begin) {
    const std::size_t close = pattern_.find('}', at_);
    if (!take('{') || close == std::string_view::npos) fail(begin, "expected \\p{CLASS}");
    const std::string_view name = pattern_.substr(at_, close - at_);
    for (const NamedClass& known : kNamedClasses) {
      if (known.name == name) {
        at_ = close + 1;
        return known.classes;
      }
    }
    fail(begin, "unknown class \\p{" + std::string(name) + "}");
  }

  char32_t hexadecimal(std::size_t begin) {
    const bool braced = take('{');
    const std::size_t close = braced ? pattern_.find('}', at_) : at_ + 2;
    std::uint32_t value = 0;
    if (close == std::string_view::npos || close > pattern_.size() || close == at_ ||
        std::from_chars(pattern_.data() + at_, pattern_.data() + close, value, 16).ptr !=
            pattern_.data() + close ||
        value > kLastCodePoint) {
      fail(begin, "expected \\xHH or \\x{H...}, up to 10FFFF");
    }
    at_ = close + (braced ? 1 : 0);
    return value;
  }

  std::string_view pattern_;
  std::vector<CharSet>& sets_;
  std::size_t at_ = 0;
};

class Compiler {
 public:
  explicit Compiler(std::vector<Instruction>& code) : code_(code) {}

  // Instructions for `node`, which go on with whatever is emitted after them.
  void emit(const Node& node) {
    using Kind = Instruction::Kind;
    switch (node.kind) {
      case Node::Kind::kEmpty:  // counted, so that (){255} nested cannot run away
        step(Kind::kJump);
        break;
      case Node::Kind::kSet:
        code_[step(Kind::kSet)].other = node.set;
        break;
      case Node::Kind::kAtStart:
        step(Kind::kAtStart);
        break;
      case Node::Kind::kAtEnd:
        step(Kind::kAtEnd);
        break;
      case Node::Kind::kSequence:
        for (const Node& child : node.children) emit(child);
        break;
      case Node::Kind::kChoice:
        emit_choice(node);
        break;
      case Node::Kind::kRepeat:
        emit_repeat(node);
        break;
    }
  }

  void accept() { step(Instruction::Kind::kAccept); }

 private:
  std::uint32_t here() const { return static_cast<std::uint32_t>(code_.size()); }

  std::uint32_t step(Instruction::Kind kind) {
    if (code_.size() >= kMaxInstructions) fail(0, "too large: over 4096 instructions");
    code_.push_back({.kind = kind, .next = here() + 1});
    return here() - 1;
  }

  void emit_choice(const Node& node) {
    std::vector<std::uint32_t> exits;
    for (std::size_t i = 0; i + 1 < node.children.size(); ++i) {
      const std::uint32_t split = step(Instruction::Kind::kSplit);
      emit(node.children[i]);
      exits.push_back(step(Instruction::Kind::kJump));
      code_[split].other = here();
    }
    emit(node.children.back());
    for (std::uint32_t exit : exits) code_[exit].next = here();
  }

  void emit_repeat(const Node& node) {
    const Node& body = node.children.front();
    if (node.most == 0) step(Instruction::Kind::kJump);  // counted, as kEmpty is
    for (std::uint32_t i = 0; i < node.least; ++i) emit(body);
    if (node.most == kNoLimit) {
      const std::uint32_t split = step(Instruction::Kind::kSplit);
      emit(body);
      code_[step(Instruction::Kind::kJump)].next = split;
      code_[split].other = here();
      return;
    }
    std::vector<std::uint32_t> splits;
    for (std::uint32_t i = node.least; i < node.most; ++i) {
      splits.push_back(step(Instruction::Kind::kSplit));
      emit(body);
    }
    for (std::uint32_t split : splits) code_[split].other = here();
  }

  std::vector<Instruction>& code_;
};

}  // namespace

Regex::Program compile_regex(std::string_view pattern, LetterCase letter_case) {
  Regex::Program program;
  program.letter_case = letter_case;
  const Node tree = Parser(pattern, program.sets).parse();
  Compiler compiler(program.code);
  compiler.emit(tree);
  compiler.accept();
  return program;
}

}  // namespace coppice::text
