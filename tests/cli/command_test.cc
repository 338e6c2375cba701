// Every kind of option, through the parser, TOML and help, on a program made up for the test.
#include "cli/command.h"

#include <gtest/gtest.h>

#include "cli/config.h"
#include "cli/globals.h"
#include "cli/help_text.h"
#include "cli/parse.h"
#include "cli/verbs.h"
#include "coppice/base/usage_error.h"
#include "support/temporary_directory.h"

namespace coppice::cli {
namespace {

using Words = std::vector<std::string>;

struct Sample {
  bool keep = true;
  int beam = 8;
  std::uint64_t seed = 1;
  double rate = 0.5;
  std::optional<double> limit;
  std::string output = "-";
  std::string draw;
  Words metrics = {"bleu"};
  Words dev;
  Words models;
  std::string smoothing = "none";
  bool strict = false;
  Words files;

  Command program() {
    Command tag{
        .name = "tag",
        .summary = "train a tagger",
        .options =
            {{.name = "keep", .value = &keep, .help = "keep"},
             {.name = "beam", .letter = 'b', .value = &beam, .help = "b", .min = 1},
             {.name = "seed", .value = &seed, .help = "seed"},
             {.name = "rate", .value = &rate, .help = "rate"},
             {.name = "limit", .value = &limit, .help = "limit"},
             {.name = "output",
              .letter = 'o',
              .value = &output,
              .metavar = "FILE",
              .help = "write here",
              .required = true},
             {.name = "draw",
              .value = &draw,
              .choices = {"text", "svg"},
              .help = "draw",
              .bare = "text"},
             {.name = "metrics",
              .value = &metrics,
              .choices = {"bleu", "chrf", "ter"},
              .help = "measures"},
             {.name = "dev", .value = &dev, .help = "two files", .arity = 2},
             {.name = "model", .letter = 'm', .value = &models, .help = "models", .separate = true},
             {.name = "smoothing",
              .value = &smoothing,
              .help = "of two measures",
              .only_with = {"metrics", {"bleu", "chrf"}}},
             {.name = "strict",
              .value = &strict,
              .help = "drop the rest",
              .only_with = {"keep", {"false"}}}},
        .files = {.values = &files, .min = 1, .max = 2}};
    return {.name = "coppice",
            .summary = "sample",
            .verbs = {{.name = "train", .summary = "train", .verbs = {tag}}}};
  }

  // Parses `words` after "train tag" and sets the variables.
  void read(Words words) {
    words.insert(words.begin(), {"train", "tag"});
    const Command root = program();
    const Invocation invocation = parse(root, words);
    apply(invocation);
    check_complete(invocation);
    check_company(invocation);
  }

  std::string error_of(const Words& words) {
    try {
      read(words);
    } catch (const UsageError& error) {
      return error.code() + ' ' + error.what();
    }
    return "none";
  }
};

TEST(Parse, ReadsEveryWayToGiveAValue) {
  for (const Words& words : {Words{"--beam", "3", "f"}, Words{"--beam=3", "f"},
                             Words{"-b", "3", "f"}, Words{"f", "-b3"}}) {
    Sample sample;
    sample.read(words);
    EXPECT_EQ(sample.beam, 3);
    EXPECT_EQ(sample.files, Words{"f"});
  }
}

TEST(Parse, ReadsEveryType) {
  Sample sample;
  sample.read({"--keep=false", "--seed", "18446744073709551615", "--rate", "-1e-3", "--limit",
               "2.5", "-o", "x", "f"});
  EXPECT_FALSE(sample.keep);
  EXPECT_EQ(sample.seed, 18446744073709551615u);
  EXPECT_EQ(sample.rate, -1e-3);
  EXPECT_EQ(sample.limit, 2.5);
  EXPECT_EQ(sample.output, "x");
}

TEST(Parse, JoinsListsAndReplacesTheirDefault) {
  Sample sample;
  sample.read({"--metrics", "chrf,ter", "--metrics", "bleu", "-m", "a,b", "-m", "c", "--dev", "x",
               "y", "f"});
  EXPECT_EQ(sample.metrics, (Words{"chrf", "ter", "bleu"}));
  EXPECT_EQ(sample.models, (Words{"a,b", "c"}));
  EXPECT_EQ(sample.dev, (Words{"x", "y"}));
}

TEST(Parse, LetsAnOptionStandAlone) {
  Sample alone;
  alone.read({"--draw", "f"});
  EXPECT_EQ(alone.draw, "text");
  EXPECT_EQ(alone.files, Words{"f"});
  Sample chosen;
  chosen.read({"--draw", "svg", "f"});
  EXPECT_EQ(chosen.draw, "svg");
}

TEST(Parse, TakesDashAndWhatFollowsTwoDashesAsFiles) {
  Sample sample;
  sample.read({"-", "--", "--beam"});
  EXPECT_EQ(sample.files, (Words{"-", "--beam"}));
}

TEST(Parse, RefusesWhatIsWrong) {
  Sample sample;
  EXPECT_EQ(sample.error_of({"--beam", "0", "f"}), "E003 --beam: 0 is too small; the least is 1");
  EXPECT_EQ(sample.error_of({"--beam", "3x", "f"}), "E003 --beam: \"3x\" is not a whole number");
  EXPECT_EQ(sample.error_of({"--beam", "", "f"}), "E003 --beam: \"\" is not a whole number");
  EXPECT_EQ(sample.error_of({"--seed", "-1", "f"}), "E003 --seed: \"-1\" is not a whole number");
  EXPECT_EQ(sample.error_of({"--rate", "nan", "f"}), "E003 --rate: \"nan\" is not a number");
  EXPECT_EQ(sample.error_of({"--metrics", "bleu,tre", "f"}),
            "E003 --metrics: unknown value \"tre\"; did you mean \"ter\"?");
  EXPECT_EQ(sample.error_of({"--dev", "x", "--beam", "3"}), "E004 --dev needs 2 values");
  EXPECT_EQ(sample.error_of({"--beem", "3"}),
            "E002 train tag has no option --beem; did you mean --beam?");
  EXPECT_EQ(sample.error_of({}), "E004 train tag needs a FILE");
  EXPECT_EQ(sample.error_of({"a", "b", "c"}), "E005 train tag: unexpected argument \"c\"");
  EXPECT_EQ(sample.error_of({"-o", "", "a"}), "E004 train tag needs the option -o or --output");
}

TEST(Parse, RefusesAnOptionWithoutUse) {
  EXPECT_EQ(Sample().error_of({"--smoothing", "exp", "f"}), "none");
  EXPECT_EQ(Sample().error_of({"--smoothing", "exp", "--metrics", "ter,chrf", "f"}), "none");
  EXPECT_EQ(Sample().error_of({"--smoothing", "exp", "--metrics", "ter", "f"}),
            "E006 --smoothing goes only with --metrics bleu or chrf, not with ter");
  EXPECT_EQ(Sample().error_of({"--strict", "--keep=false", "f"}), "none");
  EXPECT_EQ(Sample().error_of({"--strict=false", "f"}), "none");
  EXPECT_EQ(Sample().error_of({"--strict", "f"}), "E006 --strict does not go with --keep");
}

void expect_known_companies(const Command& command) {
  for (const Command& verb : command.verbs) expect_known_companies(verb);
  for (const Option& option : command.options) {
    const Company& company = option.only_with;
    if (company.option.empty()) continue;
    const Option* other = find_option(command, company.option);
    ASSERT_NE(other, nullptr) << command.name << " --" << option.name;
    ASSERT_FALSE(company.values.empty()) << command.name << " --" << option.name;
    for (const std::string& value : company.values) {
      // throws where the other option cannot have the value
      EXPECT_NO_THROW(assign(*other, {value}, other->name)) << command.name << ' ' << value;
    }
  }
}

TEST(Verbs, OnlyNameOptionsAndValuesThatExistAsCompany) {
  Globals globals;
  expect_known_companies(make_program(globals, all_verbs()));
}

TEST(Parse, NamesTheCommandsOfAGroup) {
  Sample sample;
  const Command root = sample.program();
  try {
    check_complete(parse(root, Words{"train"}));
    FAIL() << "expected UsageError";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "train needs a command: tag");
  }
  try {
    parse(root, Words{"train", "tga"});
    FAIL() << "expected UsageError";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "unknown command \"tga\" of train; did you mean \"tag\"?");
  }
}

TEST(Config, ReadsBackWhatItPrints) {
  Sample given;
  given.read(
      {"--beam", "3", "--rate", "0.1", "--metrics", "ter", "-m", "a,\"b", "-o", "x\ty", "f"});
  const Command given_root = given.program();
  const Command* train = &given_root.verbs[0];
  const std::vector<const Command*> path = {&given_root, train, &train->verbs[0]};
  const std::string text = config_text(path);

  const testing::TemporaryDirectory dir;
  Sample read_back;
  const Command root = read_back.program();
  apply_config(dir.write("a.toml", text), root);
  EXPECT_EQ(read_back.beam, 3);
  EXPECT_EQ(read_back.rate, 0.1);
  EXPECT_EQ(read_back.limit, std::nullopt);
  EXPECT_EQ(read_back.metrics, given.metrics);
  EXPECT_EQ(read_back.models, given.models);
  EXPECT_EQ(read_back.output, "x\ty");
  EXPECT_NE(text.find("[train.tag]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("# limit is not set\n"), std::string::npos) << text;
}

TEST(Config, PointsAtTheUnknownKeyOfANestedTable) {
  const testing::TemporaryDirectory dir;
  Sample sample;
  const Command root = sample.program();
  try {
    apply_config(dir.write("a.toml", "[train.tag]\nbeam = 2\nraet = 1.0\n"), root);
    FAIL() << "expected UsageError";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "unknown key \"raet\" in [train.tag]; did you mean \"rate\"?");
    EXPECT_EQ(error.where().line, 3u);
    EXPECT_EQ(error.where().column, 1u);
  }
}

TEST(Help, ShowsChoicesDefaultsAndWhatIsRequired) {
  Sample sample;
  const Command root = sample.program();
  const auto& options = root.verbs[0].verbs[0].options;
  const auto line = [&](std::size_t i) {
    return option_names(options[i]) + " | " + option_help(options[i]);
  };
  EXPECT_EQ(line(0), "    --keep | keep (default)");
  EXPECT_EQ(line(1), "-b, --beam VALUE | b (default: 8)");
  EXPECT_EQ(line(4), "    --limit VALUE | limit");
  EXPECT_EQ(line(5), "-o, --output FILE | write here (required)");
  EXPECT_EQ(line(6), "    --draw[=CHOICE] | draw: text, svg");
  EXPECT_EQ(line(8), "    --dev VALUE VALUE | two files");
}

}  // namespace
}  // namespace coppice::cli
