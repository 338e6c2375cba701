// Keys are equal exactly where names are; names say what the cells do.
#include "coppice/text/extractor.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "coppice/text/template_defaults.h"
#include "support/seeds.h"

namespace coppice::text {
namespace {

struct Table {
  std::vector<std::string> texts;
  std::size_t columns;
  std::vector<std::string_view> views{};

  Table(std::vector<std::string> cells, std::size_t width)
      : texts(std::move(cells)), columns(width), views(texts.begin(), texts.end()) {}
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  Cells cells() const { return {.cells = views, .columns = columns}; }
};

std::vector<std::string> names_at(const Extractor& extractor, const Table& table, std::size_t row) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < extractor.set().templates.size(); ++i) {
    if (auto name = extractor.name(i, table.cells(), row)) names.push_back(*name);
  }
  return names;
}

using Names = std::vector<std::string>;

// Words that are traps for names and for hashing; the third column holds numbers.
std::vector<std::string> random_cells(Random& random) {
  constexpr std::string_view kWords[] = {
      "a",   "A",    "b|a",  "a\\",    "|",        "\\",       "_BOS1_", "ab", "New",  "York", "",
      "Xx1", "12-3", "\x01", "_EOS1_", "\\_BOS1_", "\xC3\xA9", "\xFF",   "=a", "true", "B"};
  constexpr std::string_view kTags[] = {"DT", "NN", "N|N", "NN\\"};
  constexpr std::string_view kNumbers[] = {"0", "0.5", "-2", "_", "1e3"};
  std::vector<std::string> cells;
  for (std::uint64_t i = random.below(6); i > 0; --i) {
    cells.emplace_back(kWords[random.below(21)]);
    cells.emplace_back(kTags[random.below(4)]);
    cells.emplace_back(kNumbers[random.below(5)]);
  }
  return cells;
}

constexpr std::string_view kEverything = R"(
columns w pos score
list places = p
classes brown = b
w[-2..2]
w[-1]|w[0]
w[0]|w[1]
w[0]|pos[0]|w[-1]
w[-1]|w[0]|w[1]|pos[1]
lower(w[0])
prefix(lower(w[0]),1..3)
suffix(w[-1..1],1..2)
shape(w[0])|pos[0]
collapsed(w[-1])
class(w[0])
length(w[0])
match(w[0],/^[a-z]+$/)
match(w[-1],/^a$/)|w[0]
test(w[0],/a/)
find(w[0],/[A-Z]/)
in(w[0],places)
in(lower(w[-1]),places)|w[0]
cluster(w[0],brown)
cluster(w[0],brown,2)
value(score[0])
w[0]|value(score[0])|value(score[1])
position()
first()
last()|w[0]
bias()
near: w[-1]
near: w[1]
near: lower(w[0])
near: first()|w[0]
near: w[0]|pos[0]
transition: w[0]
transition: pos[-1]|pos[0]
transition: near: w[0]
)";

ResourceTexts resources() {
  return {{"places", "New York\nYork\na\n\n"}, {"brown", "0110\ta\t7\n0111\tNew\t2\n10\tab\t1\n"}};
}

// Checks one list against names, and remembers which name has which key.
void hold_keys_to_names(const Extractor& extractor, const Table& table, const AttributeList& list,
                        Scope scope, std::map<std::string, std::uint64_t>& key_of,
                        std::map<std::uint64_t, std::string>& name_of) {
  const Cells cells = table.cells();
  ASSERT_EQ(list.offsets.size(), cells.rows() + 1);
  ASSERT_EQ(list.keys.size(), list.offsets.back());
  for (std::size_t t = 0; t < cells.rows(); ++t) {
    std::map<std::uint32_t, std::uint64_t> by_template;
    for (std::size_t a = list.offsets[t]; a < list.offsets[t + 1]; ++a) {
      by_template[list.templates[a]] = list.keys[a];
    }
    ASSERT_EQ(by_template.size(), list.offsets[t + 1] - list.offsets[t]);
    for (std::uint32_t i = 0; i < extractor.set().templates.size(); ++i) {
      if (extractor.set().templates[i].scope != scope) continue;
      const auto name = extractor.name(i, cells, t);
      ASSERT_EQ(name.has_value(), by_template.contains(i)) << to_text(extractor.set()) << i;
      if (!name) continue;
      const std::uint64_t key = by_template[i];
      ASSERT_EQ(key_of.emplace(*name, key).first->second, key) << *name;
      ASSERT_EQ(name_of.emplace(key, *name).first->second, *name);
      ASSERT_EQ(extractor.key(*name), key) << *name;
    }
  }
}

TEST(Extractor, HasNoKeyForNamesThatItDoesNotGive) {
  const Extractor extractor(parse_templates("w[0]\nw[-1]|w[0]\nfirst()\n"));
  EXPECT_TRUE(extractor.key("w[0]=").has_value());
  for (const char* name : {"", "w[0]", "w[1]=a", "w[0]=a|b", "w[-1]|w[0]=a", "first()=", "w[0]=\\",
                           "w[0]=\\x0", "w[0]=\\xzz", "w[-1]|w[0]=a|b|c"}) {
    EXPECT_FALSE(extractor.key(name).has_value()) << name;
  }
}

TEST(Extractor, GivesEqualKeysExactlyToEqualNames) {
  for (const char* outside : {"outside mark\n", "outside omit\n"}) {
    const TemplateSet set = parse_templates(concat(outside, kEverything));
    Extractor extractor(set, resources(), {.cached_words = 8});
    std::map<std::string, std::uint64_t> key_of;
    std::map<std::uint64_t, std::string> name_of;
    for (std::uint64_t seed = 0; seed < testing::seeds(400); ++seed) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed);
      Random random(seed);
      const Table table(random_cells(random), 3);
      Attributes out;
      extractor.extract(table.cells(), out, Origins::kRecord);
      hold_keys_to_names(extractor, table, out.states, Scope::kState, key_of, name_of);
      hold_keys_to_names(extractor, table, out.transitions, Scope::kTransition, key_of, name_of);
      if (HasFatalFailure()) return;
    }
    EXPECT_GT(key_of.size(), 1000u);
  }
}

TEST(Extractor, GivesTheSameInThreeParts) {
  for (const char* outside : {"outside mark\n", "outside omit\n"}) {
    const TemplateSet set = parse_templates(concat(outside, kEverything));
    Extractor whole(set, resources()), parts(set, resources(), {.cached_words = 8});
    ASSERT_GT(parts.num_phrase_places(), 0u);
    std::map<std::uint64_t, std::vector<std::uint64_t>> phrases;
    for (std::uint64_t seed = 0; seed < testing::seeds(400); ++seed) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed);
      Random random(seed);
      const Table table(random_cells(random), 3);
      Attributes expected, joint;
      whole.extract(table.cells(), expected);
      parts.extract_joint(table.cells(), joint);
      EXPECT_EQ(joint.transitions.keys, expected.transitions.keys);
      std::vector<std::uint64_t> word_keys;
      for (std::size_t t = 0; t < table.cells().rows(); ++t) {
        std::multiset<std::uint64_t> keys(joint.states.keys.begin() + joint.states.offsets[t],
                                          joint.states.keys.begin() + joint.states.offsets[t + 1]);
        for (std::size_t place = 0; place < parts.num_word_places(); ++place) {
          ASSERT_EQ(parts.words(place).size(), table.cells().rows());
          parts.word_keys(place, parts.words(place)[t], word_keys);
          keys.insert(word_keys.begin(), word_keys.end());
        }
        for (std::size_t place = 0; place < parts.num_phrase_places(); ++place) {
          parts.phrase_keys(place, t, word_keys);
          keys.insert(word_keys.begin(), word_keys.end());
          const std::uint64_t phrase = parts.phrases()[t * parts.num_phrase_places() + place];
          const auto [known, is_new] = phrases.emplace(phrase, word_keys);
          EXPECT_EQ(known->second, word_keys) << "one phrase, two sets of attributes";
        }
        const auto begin = expected.states.keys.begin();
        EXPECT_EQ(keys, std::multiset<std::uint64_t>(begin + expected.states.offsets[t],
                                                     begin + expected.states.offsets[t + 1]));
      }
    }
    EXPECT_GT(parts.word_epoch(), 0u);
  }
}

TEST(Extractor, SpellsNames) {
  const Extractor extractor(
      parse_templates("w[-1]|w[0]\nsuffix(w[0],3)\nlower(w[1])\nfirst()\n"
                      "near: w[0]\ntransition: w[0]\n"));
  const Table table({"The", "walking", "a|b\\", "_BOS9"}, 1);
  EXPECT_EQ(names_at(extractor, table, 0),
            (Names{"w[-1]|w[0]=_BOS1_|The", "suffix(w[0],3)=The", "lower(w[1])=walking", "first()",
                   "near=The", "transition: w[0]=The"}));
  EXPECT_EQ(names_at(extractor, table, 1),
            (Names{"w[-1]|w[0]=The|walking", "suffix(w[0],3)=ing", "lower(w[1])=a\\|b\\\\",
                   "near=walking", "transition: w[0]=walking"}));
  EXPECT_EQ(names_at(extractor, table, 3),
            (Names{"w[-1]|w[0]=a\\|b\\\\|\\_BOS9", "suffix(w[0],3)=OS9", "lower(w[1])=_EOS1_",
                   "near=\\_BOS9", "transition: w[0]=\\_BOS9"}));
}

TEST(Extractor, OmitsWhatReachesOutsideWhenToldTo) {
  const Extractor extractor(crfsuite_chunking_templates());
  const Table table({"Hello", "UH"}, 2);
  EXPECT_EQ(names_at(extractor, table, 0), (Names{"w[0]=Hello", "pos[0]=UH", "first()", "last()"}));
}

TEST(Extractor, FindsTheLongestEntriesFromTheLeft) {
  const TemplateSet set = parse_templates("list l = f\nin(w[0],l)\nin(w[1],l)\n");
  const Extractor extractor(set, {{"l", "New York\nNew York City\nYork\nCity Hall\r\n"}});
  const Table table({"New", "York", "City", "Hall", "York", "New"}, 1);
  const auto tag = [&](std::size_t row) { return extractor.name(0, table.cells(), row); };
  EXPECT_EQ(tag(0), "in(w[0],l)=B");
  EXPECT_EQ(tag(1), "in(w[0],l)=I");
  EXPECT_EQ(tag(2), "in(w[0],l)=I");
  EXPECT_EQ(tag(3), std::nullopt);  // City belongs to the entry before
  EXPECT_EQ(tag(4), "in(w[0],l)=B");
  EXPECT_EQ(tag(5), std::nullopt);
  EXPECT_EQ(extractor.name(1, table.cells(), 3), "in(w[1],l)=B");
  EXPECT_EQ(extractor.name(1, table.cells(), 5), std::nullopt);
}

TEST(Extractor, TakesTheClassOfTheLowerCaseWhereTheWordHasNone) {
  const Extractor extractor(parse_templates("classes c = f\ncluster(w[0],c)\n"),
                            {{"c", "cat\tanimal\nBill\tname\nbill\tthing\n"}});
  const Table table({"CAT", "Bill", "BILL"}, 1);
  EXPECT_EQ(names_at(extractor, table, 0), Names{"cluster(w[0],c)=animal"});
  EXPECT_EQ(names_at(extractor, table, 1), Names{"cluster(w[0],c)=name"});
  EXPECT_EQ(names_at(extractor, table, 2), Names{"cluster(w[0],c)=thing"});
}

TEST(Extractor, ReadsWordClassesOfBothFormats) {
  const TemplateSet set = parse_templates("classes c = f\ncluster(w[0],c,2)\ncluster(w[0],c)\n");
  const Table table({"cat", "dog", "cow"}, 1);
  const Extractor brown(set, {{"c", "0101\tcat\t3\n1\tdog\t1\n"}});
  EXPECT_EQ(names_at(brown, table, 0), (Names{"cluster(w[0],c,2)=01", "cluster(w[0],c)=0101"}));
  EXPECT_EQ(names_at(brown, table, 1), (Names{"cluster(w[0],c,2)=1", "cluster(w[0],c)=1"}));
  EXPECT_EQ(names_at(brown, table, 2), Names{});
  const Extractor plain(set, {{"c", "cat\tanimal\n"}});
  EXPECT_EQ(names_at(plain, table, 0), (Names{"cluster(w[0],c,2)=an", "cluster(w[0],c)=animal"}));
  try {
    const Extractor broken(set, {{"c", "cat\tanimal\ncow\n"}});
    FAIL();
  } catch (const ParseError& error) {
    EXPECT_EQ(error.code(), "E124");
    EXPECT_EQ(to_string(error.where()), "f:2");
  }
}

TEST(Extractor, CarriesNumbers) {
  const TemplateSet set =
      parse_templates("columns w x\nw[0]|value(x[0])\nvalue(x[0])|value(x[1])\nw[0]\n");
  Extractor extractor(set);
  const Table table({"a", "0.5", "b", "-3", "c", "_"}, 2);
  Attributes out;
  extractor.extract(table.cells(), out, Origins::kRecord);
  EXPECT_EQ(out.states.offsets, (std::vector<std::size_t>{0, 3, 5, 6}));
  EXPECT_EQ(out.states.templates, (std::vector<std::uint32_t>{2, 0, 1, 2, 0, 2}));
  EXPECT_EQ(out.states.values, (std::vector<float>{1, 0.5f, -1.5f, 1, -3, 1}));
  for (const char* bad : {"x", "nan", "inf", "1.0 ", "1e999"}) {
    const Table wrong({"a", bad}, 2);
    try {
      extractor.extract(wrong.cells(), out);
      FAIL() << bad;
    } catch (const ParseError& error) {
      EXPECT_EQ(error.what(), concat("expected a number, found \"", bad, "\""));
      EXPECT_EQ(error.code(), "E200");
    }
  }
  extractor.extract(table.cells(), out);  // as before
  EXPECT_EQ(out.states.keys.size(), 6u);
}

TEST(Extractor, TakesAnEmptySentence) {
  Extractor extractor(crfsuite_chunking_templates());
  Attributes out;
  extractor.extract({.cells = {}, .columns = 2}, out);
  EXPECT_EQ(out.states.offsets, std::vector<std::size_t>{0});
  EXPECT_TRUE(out.states.keys.empty());
  EXPECT_EQ(out.transitions.offsets, std::vector<std::size_t>{0});
}

TEST(Extractor, RefusesTooFewColumnsAndMissingResources) {
  Extractor extractor(crfsuite_chunking_templates());
  const Table table({"a"}, 1);
  Attributes out;
  EXPECT_THROW(extractor.extract(table.cells(), out), InvalidArgument);
  EXPECT_EQ(extractor.columns_read(), 2u);
  EXPECT_THROW(Extractor(parse_templates("list l = f\nin(w[0],l)\n")), InvalidArgument);
}

TEST(Extractor, KeepsItsCacheBoundedAndItsKeysTheSame) {
  const TemplateSet set = default_templates(std::vector<std::string>{"w"});
  Extractor large(set), small(set, {}, {.cached_words = 16});
  for (int sentence = 0; sentence < 200; ++sentence) {
    std::vector<std::string> words;
    for (int i = 0; i < 5; ++i) words.push_back(concat("w", sentence * i % 97));
    const Table table(std::move(words), 1);
    Attributes expected, out;
    large.extract(table.cells(), expected);
    small.extract(table.cells(), out);
    ASSERT_EQ(out.states.keys, expected.states.keys);
    ASSERT_LE(small.cached_words(), 16u);
  }
  EXPECT_GT(large.cached_words(), 50u);
}

TEST(Extractor, TakesASentenceLongerThanItsCache) {
  Extractor extractor(crfsuite_chunking_templates(), {}, {.cached_words = 16});
  std::vector<std::string> cells;
  for (int i = 0; i < 100000; ++i) cells.insert(cells.end(), {std::to_string(i), "CD"});
  const Table table(std::move(cells), 2);
  Attributes out;
  extractor.extract(table.cells(), out);
  EXPECT_EQ(out.states.offsets.size(), 100001u);
  const Table next({"a", "DT"}, 2);
  extractor.extract(next.cells(), out);
  EXPECT_LE(extractor.cached_words(), 16u);
}

TEST(Extractor, SharesItsTemplatesWithACopyButNotItsCache) {
  Extractor one(default_templates(std::vector<std::string>{"w"}));
  const Table table({"to", "be", "or", "not", "to", "be"}, 1);
  Attributes expected, out;
  one.extract(table.cells(), expected);
  Extractor two = one;
  EXPECT_EQ(one.cached_words(), 4u);
  EXPECT_EQ(two.cached_words(), 0u);
  two.extract(table.cells(), out);
  EXPECT_EQ(out.states.keys, expected.states.keys);
}

// Models hold keys: should these numbers change, old models no longer fit.
TEST(Extractor, HasKeysThatNeverChange) {
  Extractor extractor(parse_templates("w[0]\nw[-1]|w[0]\n"));
  const Table table({"the"}, 1);
  Attributes out;
  extractor.extract(table.cells(), out);
  EXPECT_EQ(out.states.keys,
            (std::vector<std::uint64_t>{15348218143317521601u, 18192756413033098742u}));
  EXPECT_EQ(key_of_name("the"), 7879210126669812419u);
}

TEST(KeyOfName, IsApartFromTheKeysOfTemplates) {
  Extractor extractor(parse_templates("w[0]\n"));
  const Table table({"the"}, 1);
  Attributes out;
  extractor.extract(table.cells(), out);
  EXPECT_NE(key_of_name("w[0]=the"), out.states.keys[0]);
  EXPECT_NE(key_of_name("a"), key_of_name("b"));
  EXPECT_EQ(key_of_name("a"), key_of_name("a"));
}

}  // namespace
}  // namespace coppice::text
