#include "cli/codes.h"

#include <fmt/core.h>

#include <array>
#include <cctype>

#include "cli/human.h"

namespace coppice::cli {

namespace {

constexpr std::array kCodes = {
    CodeEntry{"E001", "unknown command",
              "The first word that is not an option must be one of the commands that coppice help "
              "lists; some commands, such as forest, are followed by a second one.",
              "coppice docter        # meant: coppice doctor"},
    CodeEntry{"E002", "unknown option",
              "The command has no option of that name. Names are never abbreviated, so that a "
              "script keeps its meaning when options are added. coppice COMMAND --help-all lists "
              "every option of a command.",
              "coppice doctor --jsn  # meant: --json"},
    CodeEntry{"E003", "bad value of an option",
              "The value is not of the option's type, not one of its choices, or out of its range.",
              "coppice doctor --color blue\ncoppice doctor -j two"},
    CodeEntry{"E004", "something is missing",
              "An option stands without its value, or the command needs an option, a file or a "
              "second command that was not given. A value that begins with '-' and is not a "
              "number must be joined: --name=-value.",
              "coppice doctor -j     # -j needs a number"},
    CodeEntry{"E005", "unexpected argument", "The command takes fewer arguments than were given.",
              "coppice version 2"},
    CodeEntry{"E100", "argument refused by the library",
              "A value has the right type, but the library cannot work with it; the message says "
              "what it requires.",
              ""},
    CodeEntry{"E101", "unknown key in a configuration",
              "A key of the file given with --config, or of --set, is not the long name of an "
              "option, or stands in the wrong table. Options of a command stand in the table of "
              "its words, those that all commands have stand at the top of the file.",
              "threads = 4\n[doctor]\njson = true"},
    CodeEntry{"E102", "bad value in a configuration",
              "The value of a key is not of the option's type, not one of its choices, or out of "
              "its range.",
              "threads = \"two\"       # meant: threads = 2"},
    CodeEntry{"E103", "the configuration is not TOML",
              "The file given with --config breaks the rules of TOML 1.0 at the place shown. Text "
              "values need quotes.",
              "color = never         # meant: color = \"never\""},
    CodeEntry{"E140", "gold and predicted data do not fit together",
              "The two files must have the same sentences with the same tokens in the same order; "
              "the message says where they part. Perhaps a sentence was left out by the program "
              "that predicted, or the files were cut differently.",
              ""},
    CodeEntry{"E141", "labels break their scheme",
              "The labels look like those of spans (IOB1, IOB2, BIOES or BILOU), but one follows "
              "another that it cannot follow. Strict matching sees no span there, conlleval's "
              "does. coppice convert --scheme writes sequences that are whole.",
              "Bern\tO\nTown\tI-LOC           # in IOB2 a span begins with B-"},
    CodeEntry{"E143", "the conversion would lose something",
              "The new format has no place for something that the data has; the message says for "
              "what. With --lossy it is left out.",
              ""},
    CodeEntry{"E144", "conlleval and strict matching differ",
              "Some labels break their scheme. conlleval repairs such sequences, strict matching "
              "counts no span there, so the scores differ. Say with a score which was used, or "
              "give the signature line.",
              ""},
    CodeEntry{"E145", "there are no labels",
              "The command needs labels, and the file has none, or not in the column that was "
              "named. --columns and --label-column say where they are.",
              ""},
    CodeEntry{"E203", "wrong number of columns",
              "A line of a column file has more or fewer columns than the lines before it. Often "
              "a tab was lost, or a blank stands where the separator should be.",
              "Peter\tNNP\tB-NP\tB-PER\nBern\tNNP\tI-LOC        # three columns, not four"},
    CodeEntry{"E221", "a forest with a cycle",
              "An edge leads from a node back to itself, directly or through other nodes, so "
              "that no order computes tails before heads.",
              ""},
    CodeEntry{"E401", "a model of another version",
              "The model file, or a section of it, is in a format that this version of coppice "
              "does not read; the message says which version wrote it. Every version reads the "
              "models of all earlier ones with the same major format number. Use that version or "
              "a later one, or train the model again.",
              ""},
    CodeEntry{"E402", "not a model",
              "The file is not a model file of coppice: its first bytes are others. Perhaps data "
              "and model were exchanged on the command line.",
              "coppice inspect train.conll   # meant: coppice inspect ner.cop"},
    CodeEntry{"E403", "a truncated model",
              "The file ends before the model does: a copy or a download was cut short. Copy it "
              "again. coppice itself never leaves half a model behind.",
              ""},
    CodeEntry{"E404", "a damaged model",
              "A checksum does not fit the bytes, or the parts of the file contradict one another; "
              "the message names the part. Copy the file again, as bytes and not as text.",
              ""},
    CodeEntry{"E405", "a part of the model is missing",
              "The model file has no section of the name shown, and the command needs it. Models "
              "differ in what they hold; coppice inspect FILE --sections lists it.",
              ""},
    CodeEntry{"E406", "a model of another task",
              "The command, or the other files given to it, need a model for another task than "
              "the one it was trained for.",
              ""},
    CodeEntry{"E501", "the system refused a file",
              "A file could not be opened, read or written; the message ends with the system's "
              "reason.",
              ""},
    CodeEntry{"E502", "the output file exists",
              "Nothing is overwritten without being asked. Choose another name or add --force.",
              ""},
    CodeEntry{"E503", "standard output cannot be written",
              "The disk may be full. A reader that goes away (as head does) is no error: the "
              "program then stops in silence, with status 141.",
              ""},
    CodeEntry{"E504", "out of memory",
              "The system has no memory left for the program. Fewer threads, shorter sentences or "
              "a smaller model help.",
              ""},
    CodeEntry{"E900", "unexpected failure",
              "This is a bug in coppice. Please report it with the command line and the output of "
              "coppice doctor.",
              ""},
};

}  // namespace

std::span<const CodeEntry> all_codes() { return kCodes; }

const CodeEntry* find_code(std::string_view code) {
  for (const CodeEntry& entry : kCodes) {
    if (entry.code == code) return &entry;
    const bool small = code.size() == entry.code.size() && code.starts_with('e') &&
                       code.substr(1) == entry.code.substr(1);
    if (small) return &entry;
  }
  return nullptr;
}

std::string code_text(const CodeEntry& entry) {
  std::string text =
      fmt::format("{}: {}\n\n{}", entry.code, entry.title, wrapped(entry.explanation, 80, 0));
  if (entry.example.empty()) return text;
  text += "\nexample:\n";
  for (std::size_t at = 0; at <= entry.example.size();) {
    const std::size_t stop = std::min(entry.example.find('\n', at), entry.example.size());
    text += fmt::format("  {}\n", entry.example.substr(at, stop - at));
    at = stop + 1;
  }
  return text;
}

}  // namespace coppice::cli
