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
    CodeEntry{"E006", "options that exclude each other",
              "Two options were given of which only one can be obeyed, or one that has no use with "
              "what another one asks for. Nothing that was asked for is passed over silently.",
              "coppice forest draw --svg --dot f.jsonl"},
    CodeEntry{"E100", "argument refused by the library",
              "A value has the right type, but the library cannot work with it; the message says "
              "what it requires.",
              "coppice forest prune --max-marginal -1 f.jsonl"},
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
    CodeEntry{"E110", "a bad list of column names",
              "A list of columns is names with commas between them. It must not be empty, no "
              "name may be empty or have a blank in it, and only _ (a column to pass over) "
              "may come twice.",
              "--columns form,,ner    # meant: --columns form,_,ner"},
    CodeEntry{"E111", "a format that does not fit",
              "The name of a format is unknown, or an option was given that the format does "
              "not take: only column files have named columns, comments and sets of labels.",
              "--format collums       # meant: --format columns"},
    CodeEntry{"E112", "no such column",
              "An option names a column that the file does not have. The help line lists "
              "those there are.",
              "--columns form,ner --label tag    # meant: --label ner"},
    CodeEntry{"E113", "unknown label scheme",
              "The schemes of labels for spans are raw, IOB1, IOB2, BIOES and BILOU, in upper "
              "or lower case.",
              "--scheme bio           # meant: --scheme iob2"},
    CodeEntry{"E114", "spans that do not fit",
              "Spans of one sentence must have at least one token each, must not overlap, and "
              "end within the sentence. Raw labels express no spans at all.",
              "[0, 2) LOC and [1, 3) PER in one sentence overlap"},
    CodeEntry{"E115", "a cell that the format cannot hold",
              "Column formats have no way to write a cell that is empty, or has a separator "
              "or an end of line in it. JSON lines can hold any text.",
              "the form \"New York\" in a file whose columns are separated by blanks"},
    CodeEntry{
        "E116", "costs that cannot be read",
        "Costs of errors are written fn=COST,fp=COST: what a missed item and what a wrong one "
        "cost, numbers from 0 up. Costs of items of one type have the type before them.",
        "coppice train tag --cost Disease:fn=5,fp=1 -t train.conll -o ner.cop"},
    CodeEntry{"E120", "a feature template that is not one",
              "The line of a template file breaks the grammar of templates at the place "
              "shown. docs/templates.md describes it, and how templates of CRF++ and Wapiti "
              "are imported.",
              "w[0                    # meant: w[0]"},
    CodeEntry{"E121", "unknown name in a feature template",
              "A template uses a column, a function or a word list that is not defined. The "
              "help line lists what is known.",
              "pos[0]                 # needs a line: columns w pos"},
    CodeEntry{"E122", "a bad regular expression",
              "The expression is malformed or too large. The column points at the fault, and "
              "the message says what it is.",
              "match(w[0],/a(/)       # '(' without ')'"},
    CodeEntry{"E123", "the same thing twice in a template file",
              "Equal templates would give every feature two weights, and a name that is "
              "defined twice has no clear meaning.",
              "w[0]\nw[-1..1]              # this stands for w[-1], w[0], w[1]"},
    CodeEntry{"E124", "a bad line in a word list",
              "A file of word classes has lines of BITS, word and COUNT, or of word and "
              "CLASS, with tabs between them.",
              "0110\tBern\t12"},
    CodeEntry{
        "E125", "a bad line in a constraints file",
        "A rule is forbid or allow with two labels, or forbid-first, allow-first, forbid-last "
        "or allow-last with one; * in a label stands for any characters. docs/tagging.md "
        "describes the file.",
        "forbid O I-*\nforbid-first I-*"},
    CodeEntry{"E126", "a constraint on labels that are not there",
              "The pattern matches no label of the training data; a rule that can never apply is "
              "taken for a mistake.",
              "forbid O I_*           # meant: I-*"},
    CodeEntry{
        "E127", "bad class weights",
        "Class weights are the word balanced, or labels with a weight each; a label may have * "
        "for any characters, and must match labels of the training data.",
        "--class-weight balanced\n--class-weight 'B-*=2,O=0.5'"},
    CodeEntry{
        "E130", "no such value on the edges",
        "The edges of a forest have named values, and in all of the input none has this "
        "name. The message lists names there are. They come from the program that wrote the "
        "forest; coppice forest check lists them too. A symbol that coppice forest parse used "
        "in no sentence of the input is such a name; where one sentence has it, it counts as "
        "0 in the others.",
        "coppice forest expect --value NNP f.jsonl    # the forest has NP"},
    CodeEntry{"E131", "unknown semiring",
              "coppice forest inside --help lists the semirings. top needs a number from 1 to "
              "100.",
              "coppice forest inside --semiring viterby f.jsonl\ncoppice forest inside --semiring "
              "top:5 f.jsonl"},
    CodeEntry{"E132", "forests that do not match",
              "The forests of --other must be those of the input, in the same order: the same "
              "nodes, edges and tails, with other scores, and as many of them.",
              "coppice forest kl --other q.jsonl p.jsonl"},
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
    CodeEntry{"E146", "there are no words",
              "The command learns from words, and files of attributes (CRFsuite's) have none.", ""},
    CodeEntry{"E147", "there are no trees",
              "The gold data, or the format to write, is of trees, and a record has none. Brackets "
              "have one in every record; JSON lines have it under \"tree\".",
              "coppice eval --gold test.mrg --pred tagged.conll"},
    CodeEntry{"E148", "trees over other words",
              "Predicted trees have other words than the gold trees of their sentences. They count "
              "as not parsed: their gold brackets are missed, and nothing was predicted. Often "
              "words were changed on the way, such as ( for -LRB- or / for \\/.",
              ""},
    CodeEntry{
        "E150", "a table that cannot be plotted",
        "A row has more or fewer cells than the header line, or a cell of a plotted column is "
        "not a number; an empty cell and - stand for none.",
        "tau\tf1\n0.1\thigh"},
    CodeEntry{
        "E151", "no such column in a table",
        "--x, --y or --by names a column that a file does not have. The help line lists those "
        "there are.",
        "coppice plot run.jsonl --y f1      # meant: --y dev_f1"},
    CodeEntry{"E200", "a cell that is not a number",
              "A feature template reads a column with value(), which takes finite numbers; _ "
              "stands for none.",
              "Bern\tNNP\thigh         # with the template value(c2[0])"},
    CodeEntry{"E201", "a set of labels with an empty member",
              "In a column of partial labels, ? is any label and A|B is one of two. Nothing "
              "may be missing beside a |.",
              "Bern\tB-LOC|"},
    CodeEntry{"E202", "the line is not UTF-8",
              "The bytes at the column shown are not UTF-8. Convert the file, for example "
              "with iconv, or read it as bytes where an option allows it.",
              "iconv -f latin1 -t utf-8 old.conll > new.conll"},
    CodeEntry{"E203", "wrong number of columns",
              "A line of a column file has more or fewer columns than the lines before it. Often "
              "a tab was lost, or a blank stands where the separator should be.",
              "Peter\tNNP\tB-NP\tB-PER\nBern\tNNP\tI-LOC        # three columns, not four"},
    CodeEntry{"E204", "no sentences",
              "The file has no sentence at all, or none without problems. The help line says "
              "in which format it was read; often it is another one.",
              "--format columns on an empty file"},
    CodeEntry{"E205", "a NUL byte",
              "The line has a byte 0, which no text has. The file may be binary, compressed "
              "or UTF-16.",
              "iconv -f utf-16 -t utf-8 old.txt > new.txt"},
    CodeEntry{"E206", "a sentence above 4 GiB",
              "One sentence is larger than the reader's limit. Often the blank lines between "
              "sentences are missing.",
              "a column file without blank lines"},
    CodeEntry{"E207", "CoNLL-U ids out of order",
              "Words are numbered 1, 2, 3; a range such as 3-4 stands before its first word; "
              "empty nodes after word 3 are 3.1, 3.2; every sentence has a word.",
              "1\tI\t...\n3\tsaw\t...      # expected the id 2"},
    CodeEntry{"E208", "a bad weight of a sentence",
              "The weight of a sentence is a finite number from 0 up.", "# weight = -1"},
    CodeEntry{"E209", "a bad line in CRFsuite's format",
              "A line is a label and attributes with tabs between them. An attribute may end "
              "in a colon and a number. A colon or backslash that belongs to a name has a "
              "backslash before it.",
              "O\tw=a\\:b:0.5"},
    CodeEntry{"E210", "an empty label",
              "A token of the training data has no label in the label column.", "Bern\tNNP\t"},
    CodeEntry{"E211", "labels that the constraints forbid",
              "A training sentence has labels that break the label scheme, or a rule of "
              "--constraints, so that the model could never give them. The line is that of the "
              "sentence's beginning.",
              "Bern\tO\nTown\tI-LOC           # in IOB2 a span begins with B-"},
    CodeEntry{
        "E212", "a line above 1 GiB",
        "The file has a line longer than any reader takes. Often it is no text, or a device or "
        "pipe that never ends a line.",
        "coppice check /dev/zero"},
    CodeEntry{
        "E213", "no spans to score",
        "--metric f1 is the F1 of spans, and the training labels are of no scheme that spells "
        "spans (IOB1, IOB2, BIOES, BILOU). --metric accuracy counts tokens.",
        "coppice train tag -t en.conllu -d dev.conllu -o pos.cop --metric f1"},
    CodeEntry{"E214", "not a CCGbank derivation",
              "A record of an AUTO file is a line ID=... and a line with a tree: an inner node is "
              "(<T category head children> ... ), a leaf (<L category pos pos word category>). The "
              "column says where the tree goes wrong.",
              "(<L NP NNP NNP Ada NP>)"},
    CodeEntry{"E215", "not a PARG file",
              "A sentence of a PARG file is a line <s id=\"...\"> with the number of its last "
              "word, lines of argument, functor, category, slot and the two words with tabs "
              "between them, and a line <\\s>.",
              "0\t1\t(S[dcl]\\NP)/NP\t1\tShe reads"},
    CodeEntry{
        "E216", "damaged compressed data",
        "Input that begins as gzip or zstd files do is decompressed while it is read, whatever "
        "its name. This one is cut off, has wrong checksums, or goes on with something else. "
        "What was read before the damage has been worked on, but nothing is saved.",
        "gzip -t train.conll.gz    # says what is wrong, too"},
    CodeEntry{"E217", "a bad cost matrix",
              "A line of a cost matrix has three words: the gold label, the answered label, and "
              "what that costs, a number from 0 up. A right answer costs nothing.",
              "B-Disease O 5"},
    CodeEntry{"E220", "a forest record of the wrong form",
              "A line of a forest file is JSON, but not a record: a key is unknown, missing "
              "or given twice, or a value has the wrong type. docs/forest-format.md lists the "
              "keys.",
              "{\"v\":1,\"nodes\":[{}],\"edges\":[{\"tails\":[]}],\"root\":0}    # the edge lacks "
              "\"head\""},
    CodeEntry{"E221", "a forest with a cycle",
              "An edge leads from a node back to itself, directly or through other nodes, so "
              "that no order computes tails before heads.",
              "{\"v\":1,\"nodes\":[{}],\"edges\":[{\"head\":0,\"tails\":[0]}],\"root\":0}"},
    CodeEntry{"E222", "no such node",
              "A head, a tail or the root is not the number of a node. Nodes are numbered "
              "from 0 in the order of \"nodes\".",
              "{\"v\":1,\"nodes\":[{}],\"edges\":[{\"head\":1}],\"root\":0}"},
    CodeEntry{"E223", "a bad number in a forest",
              "Scores and values are numbers that fit in a double, or the string \"-inf\".",
              "{\"head\":0,\"score\":\"high\"}"},
    CodeEntry{"E224", "a bad span in a forest",
              "A span is [begin, end] with begin <= end, both within the tokens. Either all "
              "nodes have one or none.",
              "{\"label\":\"NP\",\"span\":[2,1]}"},
    CodeEntry{"E225", "a damaged binary forest file",
              "A record does not match its checksum, or the file ends before its end mark: it "
              "was cut short, or the program that wrote it was stopped.",
              "head -c 100 f.cpf | coppice forest check -"},
    CodeEntry{"E226", "not a binary forest file of ours",
              "The file begins with other bytes, or has a version that this program does not "
              "read.",
              "coppice forest check notes.cpf    # a file of another program"},
    CodeEntry{"E227", "a cycle that branches",
              "On a cyclic graph, the total weight is found by going round cycles. That needs "
              "edges with at most one tail on the cycle.",
              "node 1 <- nodes 1 and 1"},
    CodeEntry{"E228", "a cycle without a finite sum",
              "Going round the cycle again and again gives a sum that grows without end in "
              "this semiring.",
              "counting the paths of a graph with a cycle"},
    CodeEntry{"E230", "a grammar without rules",
              "The file has no rule. A rule looks like  S -> NP VP.", "# only comments\n%start S"},
    CodeEntry{"E231", "not a grammar rule",
              "A rule is one nonterminal, ->, and symbols; words stand in quotes. "
              "docs/grammar-format.md has it all.",
              "S NP VP                # meant: S -> NP VP"},
    CodeEntry{"E232", "an empty right side",
              "Rules that derive nothing are not supported. List the rules that use the "
              "symbol both with it and without it.",
              "NP -> Det N |"},
    CodeEntry{"E233", "a bad word in a grammar",
              "A word in quotes must be closed on its line and have at least one letter. "
              "There are no escapes: a word with ' stands in \".",
              "N -> 'o'clock'         # meant: \"o'clock\""},
    CodeEntry{"E234", "a bad weight in a grammar",
              "A weight stands in brackets at the end of a right side and is a positive "
              "number, or ln and its logarithm.",
              "NP -> Det N [0]\nNP -> Det N [ln -1.5]"},
    CodeEntry{"E235", "a bad directive in a grammar",
              "The only directive is %start NAME, once, on a line of its own.",
              "%begin S               # meant: %start S"},
    CodeEntry{"E240", "not JSON",
              "The line breaks the rules of JSON at the column shown. Every line of a JSON "
              "lines file is a whole document.",
              "{\"tokens\":[\"a\",]}      # the second comma is wrong"},
    CodeEntry{"E241", "a JSON value of the wrong type or range",
              "A key of the record is known, but its value is not what it should be; the "
              "message says what was expected.",
              "{\"tokens\":\"a b\"}       # meant: [\"a\",\"b\"]"},
    CodeEntry{"E242", "a JSON record without tokens",
              "Every sentence needs the key \"tokens\", a list of strings.", "{\"id\":\"s1\"}"},
    CodeEntry{"E243", "JSON lists of different lengths",
              "Lists that go with the tokens, such as \"tags\", have one member for each of "
              "them.",
              "{\"tokens\":[\"a\",\"b\"],\"tags\":[\"O\"]}"},
    CodeEntry{"E244", "another version of the JSON schema",
              "The key \"v\" is the version of the record's form; this program reads version 1.",
              "{\"v\":2,\"tokens\":[\"a\"]}"},
    CodeEntry{"E245", "a JSON key that comes twice", "Only one of the two values could be meant.",
              "{\"tokens\":[\"a\"],\"tokens\":[\"b\"]}"},
    CodeEntry{"E246", "JSON that nests too deep",
              "Lists and objects may be nested 64 deep, more than any data needs.",
              "{\"meta\":{\"a\":{\"a\":{\"a\": ..."},
    CodeEntry{"E250", "a tree that is not closed",
              "A bracket that a tree opens has no closing one. In a file whose trees begin their "
              "lines, the next tree shows it; else the end of the file does. The line shown is "
              "where it was seen, the message says where the tree began.",
              "(S (NP (PRP they)) (VP (VBP sleep))      # one ) is missing"},
    CodeEntry{"E251", "text outside all trees",
              "Between trees there may be blanks and empty lines only. A sentence that could not "
              "be parsed is written () or (()).",
              "(S (NP (PRP they)) (VP (VBP sleep))))    # one ) too many"},
    CodeEntry{"E252", "a word that needs brackets of its own",
              "A bracket has a tag and one word, or a label and brackets. Brackets that are words "
              "are written -LRB- and -RRB-.",
              "(NP the (NN dog))                        # meant: (NP (DT the) (NN dog))"},
    CodeEntry{"E253", "a tree in JSON lines that does not fit",
              "The value of \"tree\" must be one tree in brackets whose words, without empty "
              "elements, are the tokens.",
              "{\"tokens\":[\"they\"],\"tree\":\"(NP (PRP them))\"}"},
    CodeEntry{"E260", "a word that is no feature",
              "A line of features is a label and names; a name may be followed by a colon and a "
              "finite number. A colon that belongs to the name has a backslash before it.",
              "spam money caps:high   # meant: caps=high, or caps:0.9"},
    CodeEntry{
        "E261", "a bad importance of an example",
        "The number after the label's colon says how much the example counts; it is positive.",
        "spam:-1 money"},
    CodeEntry{"E262", "a feature that comes twice", "Only one of the two values could be meant.",
              "spam money:1 money:2"},
    CodeEntry{"E263", "a label that is missing or unknown",
              "Training and scoring need a label in every line, and development and test data "
              "have the labels of the training data.",
              "? money                # fine for coppice predict only"},
    CodeEntry{"E264", "no examples", "The file has no line with an example.",
              "an empty file, or one of comments"},
    CodeEntry{"E270", "not a category",
              "A category is an atom, perhaps with a feature, or two categories with a slash "
              "between them; brackets group. The column is that of the category's own text. A "
              "category has at most 4,095 parts.",
              "(S[dcl]\\NP)/NP"},
    CodeEntry{"E271", "too many variables in a category",
              "The parts of a co-indexed category have at most 16 variables.",
              "((S{1}\\NP{2}){1}/NP{3}){1}"},
    CodeEntry{"E272", "a bad line in a rule list",
              "A line names a root, punctuation, a conjunction, a unary rule or a pair of "
              "categories that may combine; docs/ccg.md describes the file.",
              "change 1 N NP"},
    CodeEntry{"E273", "a node that no rule makes",
              "The combinators do not make the category of a derivation's node from those below "
              "it. Perhaps a unary rule or a category's co-indexation is missing: see --rules and "
              "--markup in docs/ccg.md.",
              "(<T S 0 2> (<L NP N N a NP>) (<L NP N N b NP>) )"},
    CodeEntry{"E274", "a bad entry in a mark-up file",
              "An entry is a category on a line, and below it, indented, the number of its slots "
              "and the marked category, which must be the same category.",
              "N/N\n  1 (N{Y}/N{Y}<1>){_}"},
    CodeEntry{
        "E275", "a derivation too large to be drawn",
        "A drawing as text has a line for each level, as long as the sentence; this one would "
        "pass 100 million characters. The picture (svg) or the dependencies (deps) have no "
        "such bound.",
        "coppice convert long.auto --to deps"},
    CodeEntry{
        "E280", "a word that is no link",
        "A line of an alignment in Pharaoh format has words such as 0-2: the position of a "
        "source word, '-' (or '?' for a link that is only possible), the position of a target "
        "word, and perhaps ':' and a probability. Positions count from 0.",
        "0-0 1-2 2:3            # meant: 2-3"},
    CodeEntry{"E281", "a sentence without words",
              "Both sentences of a pair that is to be aligned have words. --on-error skip leaves "
              "the pair without links.",
              "an empty line in one of two files"},
    CodeEntry{"E282", "a sentence that is too long to align",
              "The time of a pair grows with the product of the lengths of its sentences. "
              "--max-length sets the limit, --on-error skip leaves the pair without links.",
              "a paragraph where there should be a sentence"},
    CodeEntry{"E283", "files of different numbers of lines",
              "Line k of one file is the translation of line k of the other, so both have as many. "
              "The message names the first line that one of them does not have; the fault may lie "
              "far above it.",
              "coppice align -s train.fr -t dev.en"},
    CodeEntry{"E284", "nothing to align", "There is no pair of sentences that both have words.",
              "coppice align -s empty.fr -t empty.en"},
    CodeEntry{"E285", "a link to a word that is not there",
              "A position in an alignment is that of a word of the sentence, counted from 0.",
              "5-0                    # of a sentence of five words: 0 to 4"},
    CodeEntry{
        "E290", "a special word in the text of a language model",
        "<s>, </s> and <unk> stand for the beginning and end of a sentence and for any word that "
        "the model does not know. The first two are added to every sentence; the text must have "
        "none of them.",
        "<s> peel the onion </s>    # meant: peel the onion"},
    CodeEntry{
        "E291", "not an ARPA file",
        "A language model in ARPA format begins with \\data\\ and the number of n-grams of "
        "each length, then lists them below titles such as \\1-grams:, and ends with \\end\\. "
        "The line shown is another, or the numbers do not agree.",
        "\\data\\\nngram 1=3\n\n\\1-grams:\n-0.9\t<s>\t-0.3"},
    CodeEntry{
        "E292", "a bad number in an ARPA file",
        "Probabilities and backoffs are written as log10. That of a probability is at most 0.",
        "0.5\tonion             # meant: -0.301\tonion"},
    CodeEntry{"E293", "n-grams of an ARPA file that do not fit together",
              "An n-gram comes twice, or has a word that is no 1-gram, or the n-gram without its "
              "last word is missing, so that no query could find it.",
              "a 2-gram \"red onion\" without the 1-gram \"red\""},
    CodeEntry{"E294", "discounts that the text does not give",
              "Kneser-Ney smoothing learns how much to take from counts of 1, 2 and more from how "
              "many n-grams occur one to four times. A small or repetitive text has none of some, "
              "and fixed discounts are used instead. The model is sound, but more text, or a lower "
              "--order, would make it better.",
              "coppice lm train -t ten-lines.txt --order 5 -o small.lm"},
    CodeEntry{"E301", "no derivation",
              "The forest has no derivation of positive weight, so that nothing is "
              "distributed over its derivations. Some edge of each has the score -inf, or the "
              "root has no edges.",
              "{\"v\":1,\"nodes\":[{}],\"edges\":[],\"root\":0}"},
    CodeEntry{"E302", "no derivation that the annotation allows",
              "Every derivation of the forest breaks the annotation, or has the weight 0. Check "
              "that the gold answer can be built from the edges of the forest.",
              "an annotation with an edge of score -inf"},
    CodeEntry{"E310", "the objective is not finite",
              "Training met an infinite value or one that is not a number. Look for values in "
              "the data that are infinite or huge, or make the penalty stronger.",
              "an attribute whose value is 1e300"},
    CodeEntry{"E311", "too many steps", "The optimiser counts its steps in 32 bits.",
              "4 294 967 296 steps"},
    CodeEntry{"E312", "no step size works",
              "Every step size that was tried made the objective infinite. Look for values in "
              "the data that are infinite or huge.",
              "an attribute whose value is 1e300"},
    CodeEntry{"E313", "labels that a loss needs",
              "A loss compares answers with the whole gold answer, but a sentence is annotated "
              "only in part. Leave such sentences out, or train with --objective likelihood, which "
              "sums over what the annotation leaves open.",
              "{\"tokens\":[\"New\",\"York\"],\"tags\":[\"B-LOC\",null]}"},
    CodeEntry{"E330", "no parse",
              "The grammar knows all words of the sentence but derives the sentence in no "
              "way.",
              "coppice forest parse --grammar g.cfg --sentence \"dog the saw\""},
    CodeEntry{"E331", "infinitely many parses",
              "Rules such as A -> B and B -> A form a cycle that a parse of the sentence can "
              "enter. Remove one of the rules, or count every symbol of a chain once with "
              "--unary-cycles once.",
              "NP -> Nom\nNom -> NP | 'dog'"},
    CodeEntry{"E332", "a sentence that needs too many edges",
              "The chart or the forest of the sentence passes the limit. Split the sentence, "
              "or raise --max-edges.",
              "coppice forest parse --max-edges 100000000 --grammar g.cfg long.txt"},
    CodeEntry{"E333", "a word that the grammar does not have",
              "A word of the sentence is in no rule of the grammar. Words match byte by byte: "
              "letter case and accents count.",
              "coppice forest parse --grammar g.cfg --sentence \"the Dog\""},
    CodeEntry{"E340", "no label sequence is left",
              "The constraints on labels (those of their scheme, or a file of them) forbid every "
              "sequence of this sentence's length. With BIOES labels but no O and no S-, for "
              "instance, a sentence of one word can have no labels.",
              "coppice predict -m ner.cop --on-error skip  # leaves such sentences out"},
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
    CodeEntry{
        "E407", "a model without the names of its features",
        "Features are stored as numbers. Their names, which people read, are a section of "
        "their own that training with --no-names leaves out; without it, weights cannot be "
        "listed.",
        "coppice train tag -t train.conll -o m.cop --no-names; coppice inspect m.cop --top 5"},
    CodeEntry{"E430", "a damaged checkpoint",
              "The state of an interrupted training was cut short, or belongs to another "
              "learner. Start the training again.",
              "a checkpoint of L-BFGS where SGD goes on"},
    CodeEntry{"E431", "a checkpoint of another run",
              "--resume gives the model that an uninterrupted run gives, so it takes the same data "
              "and options; only limits may be others. Repeat the command of the interrupted run, "
              "or start again without --resume.",
              "coppice train tag -t train.conll -o ner.cop --resume --l2 2"},
    CodeEntry{"E501", "the system refused a file",
              "A file could not be opened, read or written; the message ends with the system's "
              "reason.",
              "coppice forest check missing.jsonl"},
    CodeEntry{"E502", "the output file exists",
              "Nothing is overwritten without being asked. Choose another name or add --force.",
              "coppice forest parse -o f.jsonl ...    # again; add --force"},
    CodeEntry{"E503", "standard output cannot be written",
              "The disk may be full. A reader that goes away (as head does) is no error: the "
              "program then stops in silence, with status 141.",
              "coppice forest parse ... > /full/disk/f.jsonl"},
    CodeEntry{"E504", "out of memory",
              "The system has no memory left for the program. Fewer threads, shorter sentences or "
              "a smaller model help.",
              "coppice forest parse --grammar large.cfg very_long.txt"},
    CodeEntry{"E900", "unexpected failure",
              "This is a bug in coppice. Please report it with the command line and the output of "
              "coppice doctor.",
              "coppice doctor > report.txt"},
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
