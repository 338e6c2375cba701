// What is written is read back, and whatever happens to a file, it is refused or read as written.
#include "coppice/base/model_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <numeric>
#include <sstream>
#include <thread>

#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "support/expect_error.h"
#include "support/model_bytes.h"
#include "support/source_directory.h"
#include "support/temporary_directory.h"

namespace coppice {
namespace {

using namespace testing;

const std::string kCard = R"({"task":"tag","date":"2024-05-01","labels":["B-LOC","I-LOC","O"]})";

std::vector<float> weights() {
  std::vector<float> values(100);
  std::iota(values.begin(), values.end(), -3.5F);
  return values;
}

std::string labels() {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "B-LABEL\nI-LABEL\n";
  return text;
}

ModelWriter sample() {
  ModelWriter writer("tag");
  writer.add_section("card", kCard, {.hashed = false});
  writer.add_section("labels", labels(), {.codec = Codec::kZstd});
  writer.add_section("weights", weights());
  writer.add_section("nothing", "");
  writer.add_section("counts", std::vector<std::uint32_t>{1, 2, 3});
  return writer;
}

std::string bytes_of(const ModelWriter& writer) {
  std::ostringstream out;
  writer.write(out);
  return out.str();
}

ModelFile loaded(const std::string& bytes, Verify verify = Verify::kAtOpen) {
  return ModelFile::from_bytes(std::as_bytes(std::span(bytes)), "m.cop", verify);
}

std::string error_of_loading(const std::string& bytes) {
  return error_of([&] { loaded(bytes).verify(); });
}

// Where the entry of the section with that name begins.
std::size_t entry_at(const std::string& bytes, const std::string& name) {
  for (std::size_t at = kTableAt;; at += kEntrySize) {
    if (bytes.compare(at, name.size() + 1, name.c_str(), name.size() + 1) == 0) return at;
  }
}

template <class T>
std::string with_entry(const std::string& section, std::size_t field, T value) {
  std::string bytes = bytes_of(sample());
  put(bytes, entry_at(bytes, section) + field, value);
  return resealed(bytes);
}

TEST(ModelFile, ReadsBackWhatWasWritten) {
  const TemporaryDirectory dir;
  sample().write(dir.file("m.cop"), Overwrite::kRefuse);
  ModelFile first = ModelFile::open(dir.file("m.cop"));
  const std::span<const float> read = first.as<float>("weights");
  const ModelFile model = std::move(first);  // spans outlive a move
  EXPECT_TRUE(std::ranges::equal(read, weights()));
  EXPECT_EQ(model.text("card"), kCard);
  EXPECT_EQ(model.text("labels"), labels());
  EXPECT_EQ(model.text("nothing"), "");
  EXPECT_TRUE(std::ranges::equal(model.as<std::uint32_t>("counts"), std::array{1U, 2U, 3U}));
  EXPECT_EQ(model.task(), "tag");
  EXPECT_EQ(model.format(), kModelFormat);
  EXPECT_EQ(model.name(), dir.file("m.cop"));
  EXPECT_FALSE(model.tool_version().empty());
  model.verify();
  model.require_task("tag");
}

TEST(ModelFile, DescribesItsSections) {
  const ModelFile model = loaded(bytes_of(sample()));
  std::vector<std::string> names;
  for (const SectionInfo& section : model.sections()) {
    names.push_back(section.name);
    EXPECT_EQ(section.offset % kSectionAlignment, 0U);
    EXPECT_EQ(section.size, model.bytes(section.name).size());
    EXPECT_EQ(section.hashed, section.name != "card");
    EXPECT_EQ(section.codec, section.name == "labels" ? Codec::kZstd : Codec::kNone);
    EXPECT_EQ(section.stored_size < section.size, section.name == "labels");
  }
  EXPECT_EQ(names, (std::vector<std::string>{"card", "labels", "weights", "nothing", "counts"}));
  EXPECT_TRUE(model.has("labels"));
  EXPECT_FALSE(model.has("label"));
}

TEST(ModelFile, PutsEveryContentAtAMultipleOfTheAlignment) {
  for (const ModelFile& model :
       {loaded(bytes_of(sample())), loaded(bytes_of(sample()), Verify::kOnAccess)}) {
    for (const SectionInfo& section : model.sections()) {
      const auto address = reinterpret_cast<std::uintptr_t>(model.bytes(section.name).data());
      EXPECT_EQ(address % kSectionAlignment, 0U) << section.name;
    }
  }
}

TEST(ModelFile, MayHaveNoSections) {
  const std::string bytes = bytes_of(ModelWriter("none"));
  EXPECT_EQ(bytes.size(), kTableAt);
  const ModelFile model = loaded(bytes);
  model.verify();
  EXPECT_TRUE(model.sections().empty());
}

TEST(ModelFile, IsReadFromAPipe) {
  const TemporaryDirectory dir;
  const std::string pipe = dir.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << bytes_of(sample()); });
  const ModelFile model = ModelFile::open(pipe);
  writer.join();
  EXPECT_EQ(model.text("card"), kCard);
}

TEST(ModelFile, IsTheSameFromItsOwnBytes) {
  const ModelFile model = loaded(bytes_of(sample()));
  const ModelFile copy = ModelFile::from_bytes(model.file_bytes());
  copy.verify();
  EXPECT_EQ(copy.name(), "<memory>");
  EXPECT_EQ(copy.text("labels"), labels());
  EXPECT_EQ(copy.payload_digest(), model.payload_digest());
}

TEST(ModelFile, DecompressesASectionOnceForAllThreads) {
  const ModelFile model = loaded(bytes_of(sample()), Verify::kOnAccess);
  std::array<const char*, 4> seen{};
  {
    std::vector<std::jthread> threads;
    for (auto& data : seen) threads.emplace_back([&] { data = model.text("labels").data(); });
  }
  EXPECT_TRUE(std::ranges::all_of(seen, [&](auto* data) { return data == seen[0]; }));
}

TEST(ModelWriter, WritesTheSameBytesForTheSameSections) {
  EXPECT_EQ(bytes_of(sample()), bytes_of(sample()));
  const ModelWriter writer = sample();
  EXPECT_EQ(bytes_of(writer), bytes_of(writer));
}

TEST(ModelWriter, DoesNotCopyASpan) {
  std::vector<float> values = weights();
  ModelWriter writer("tag");
  writer.add_section("weights", std::span(values));
  values[0] = 7;
  const std::string bytes = bytes_of(writer);
  EXPECT_EQ(loaded(bytes).as<float>("weights")[0], 7.0F);
}

TEST(ModelWriter, StoresPlainWhatDoesNotBecomeSmaller) {
  ModelWriter writer("tag");
  writer.add_section("short", "x", {.codec = Codec::kZstd});
  writer.add_section("empty", "", {.codec = Codec::kZstd});
  const ModelFile model = loaded(bytes_of(writer));
  EXPECT_EQ(model.sections()[0].codec, Codec::kNone);
  EXPECT_EQ(model.sections()[1].codec, Codec::kNone);
  EXPECT_EQ(model.text("short"), "x");
}

TEST(ModelWriter, OverwritesOnlyWhenAllowed) {
  const TemporaryDirectory dir;
  const std::string path = dir.write("m.cop", "old");
  EXPECT_EQ(error_of([&] { sample().write(path, Overwrite::kRefuse); }),
            "E502 " + path + ": file exists");
  EXPECT_EQ(read_file(path), "old");
  sample().write(path, Overwrite::kAllow);
  EXPECT_EQ(read_file(path), bytes_of(sample()));
}

TEST(ModelWriter, RefusesNamesThatDoNotFit) {
  EXPECT_EQ(error_of([] { ModelWriter("a b"); }),
            "\"a b\" cannot name a model's task: 1 to 31 of a-z, 0-9, '_', '-', '.'");
  ModelWriter writer("tag");
  EXPECT_EQ(error_of([&] { writer.add_section("", "x"); }),
            "\"\" cannot name a section: 1 to 23 of a-z, 0-9, '_', '-', '.'");
  EXPECT_NE(error_of([&] { writer.add_section(std::string(24, 'a'), "x"); }), "no error");
  writer.add_section(std::string(23, 'a'), "x");
  writer.add_section("b", "x");
  EXPECT_EQ(error_of([&] { writer.add_section("b", "y"); }), "section \"b\" was added already");
  EXPECT_EQ(loaded(bytes_of(writer)).text(std::string(23, 'a')), "x");
}

TEST(ModelWriter, WritesAsManySectionsAsAReaderTakes) {
  ModelWriter writer("tag");
  for (int i = 0; i < 1000; ++i) writer.add_section(concat("s", i), std::to_string(i));
  EXPECT_EQ(loaded(bytes_of(writer)).text("s999"), "999");
  EXPECT_EQ(error_of([&] { writer.add_section("one-more", ""); }),
            "a model has at most 1000 sections");
}

TEST(PayloadDigest, IgnoresCodecsAndSectionsThatAreNotHashed) {
  ModelWriter plain("tag");
  plain.add_section("labels", labels());
  ModelWriter packed("tag");
  packed.add_section("card", "another date", {.hashed = false});
  packed.add_section("labels", labels(), {.codec = Codec::kZstd});
  EXPECT_EQ(plain.payload_digest(), packed.payload_digest());
  EXPECT_EQ(loaded(bytes_of(packed)).payload_digest(), packed.payload_digest());
  EXPECT_EQ(plain.payload_digest().size(), 32U);
}

TEST(PayloadDigest, TellsTasksNamesContentsAndTheirBordersApart) {
  const auto digest = [](const std::string& task,
                         const std::vector<std::pair<std::string, std::string>>& sections) {
    ModelWriter writer(task);
    for (const auto& [name, text] : sections) writer.add_section(name, text);
    return writer.payload_digest();
  };
  std::vector<std::string> digests = {
      digest("tag", {}),
      digest("parse", {}),
      digest("tag", {{"a", ""}}),
      digest("tag", {{"b", ""}}),
      digest("tag", {{"a", "b"}}),
      digest("tag", {{"a", "b"}, {"c", ""}}),
      digest("tag", {{"a", ""}, {"b", ""}}),
      digest("tag", {{"b", ""}, {"a", ""}}),
  };
  std::ranges::sort(digests);
  EXPECT_EQ(std::ranges::adjacent_find(digests), digests.end());
}

TEST(ModelFile, NamesTheVersionThatItCannotRead) {
  std::string bytes = bytes_of(sample());
  put<std::uint16_t>(bytes, kMajorAt, 2);
  put<std::uint16_t>(bytes, kMinorAt, 1);
  put_text(bytes, kToolAt, "2.3.0", 32);
  EXPECT_EQ(error_of_loading(resealed(bytes)),
            "E401 m.cop: model format 2.1 is newer than this tool reads (1.x); it was written by "
            "coppice 2.3.0");
  put<std::uint16_t>(bytes, kMajorAt, 0);
  EXPECT_EQ(error_of_loading(resealed(bytes)),
            "E401 m.cop: model format 0.1 is older than this tool reads (1.x); it was written by "
            "coppice 2.3.0");
}

TEST(ModelFile, ReadsANewerMinorVersionAndSkipsWhatItDoesNotKnow) {
  std::string bytes = bytes_of(sample());
  put<std::uint16_t>(bytes, kMinorAt, 9);
  put_text(bytes, entry_at(bytes, "nothing"), "from-the-future", 24);
  put<std::uint16_t>(bytes, entry_at(bytes, "from-the-future") + kCodecAt, 7);
  put_text(bytes, kToolAt, "1.9.0", 32);
  const ModelFile model = loaded(resealed(bytes));
  EXPECT_EQ(model.format(), (FormatVersion{1, 9}));
  EXPECT_EQ(model.text("labels"), labels());
  EXPECT_EQ(error_of([&] { model.bytes("from-the-future"); }),
            "E401 m.cop: section \"from-the-future\" is stored by codec 7, which this tool does "
            "not know; it was written by coppice 1.9.0");
}

// Written by version 0.1.0 (tests/cli/sample_model.cc); it must be read for ever.
TEST(ModelFile, ReadsTheFirstVersionOfTheFormat) {
  const ModelFile model =
      ModelFile::open(testing::source_directory() + "/tests/data/format-1.0.cop");
  model.verify();
  EXPECT_EQ(model.tool_version(), "0.1.0");
  EXPECT_EQ(model.task(), "tag");
  EXPECT_EQ(model.text("labels"), "B-LOC\nI-LOC\nO\n");
  EXPECT_EQ(model.text("dict").substr(0, 20), "w[0]=Bern\nw[0]=Bern\n");
  EXPECT_TRUE(std::ranges::equal(model.as<float>("weights"), std::array{0.5F, -1.25F, 3.0F}));
}

TEST(ModelFile, RefusesOtherFiles) {
  EXPECT_EQ(error_of_loading(""), "E402 m.cop: not a Coppice model: the file is empty");
  EXPECT_EQ(error_of_loading("Peter NNP B-PER\n"),
            "E402 m.cop: not a Coppice model: the file begins with other bytes");
  EXPECT_EQ(error_of_loading(std::string("\x89"
                                         "CPF\r\n\x1a\n",
                                         8)),
            "E402 m.cop: not a Coppice model: the file begins with other bytes");
}

TEST(ModelFile, SaysWhereATruncatedFileEnds) {
  const std::string bytes = bytes_of(sample());
  EXPECT_EQ(error_of_loading(bytes.substr(0, 5)),
            "E403 m.cop: the model is truncated: it ends within its header, after 5 bytes");
  EXPECT_EQ(
      error_of_loading(bytes.substr(0, 300)),
      concat("E403 m.cop: the model is truncated: 300 of its ", bytes.size(), " bytes are there"));
}

TEST(ModelFile, NamesWhatIsDamaged) {
  std::string bytes = bytes_of(sample());
  EXPECT_EQ(error_of_loading(bytes + "xyz"),
            "E404 m.cop: the model is damaged: 3 bytes follow its end");
  bytes[kTaskAt] ^= 1;
  EXPECT_EQ(error_of_loading(bytes),
            "E404 m.cop: the model is damaged: the checksum of its header is wrong");
  bytes = bytes_of(sample());
  bytes[kTableAt] ^= 1;
  EXPECT_EQ(error_of_loading(bytes),
            "E404 m.cop: the model is damaged: the checksum of its section table is wrong");
  bytes = bytes_of(sample());
  bytes[number_at<std::uint64_t>(bytes, entry_at(bytes, "weights") + kOffsetAt)] ^= 1;
  EXPECT_EQ(error_of_loading(bytes),
            "E404 m.cop: the model is damaged: the checksum of section \"weights\" is wrong");
  bytes = bytes_of(sample());
  bytes[number_at<std::uint64_t>(bytes, entry_at(bytes, "weights") + kOffsetAt) - 1] = 1;
  EXPECT_EQ(error_of_loading(bytes),
            "E404 m.cop: the model is damaged: a byte before section \"weights\" is not zero");
}

TEST(ModelFile, ComparesChecksumsOnAccessWhenAsked) {
  std::string bytes = bytes_of(sample());
  bytes[number_at<std::uint64_t>(bytes, entry_at(bytes, "weights") + kOffsetAt)] ^= 1;
  const ModelFile model = loaded(bytes, Verify::kOnAccess);
  EXPECT_EQ(model.text("labels"), labels());
  const std::string fault =
      "E404 m.cop: the model is damaged: the checksum of section \"weights\" is wrong";
  EXPECT_EQ(error_of([&] { model.bytes("weights"); }), fault);
  EXPECT_EQ(error_of([&] { model.bytes("weights"); }), fault) << "the second time too";
  EXPECT_EQ(error_of([&] { model.verify(); }), fault);
}

TEST(ModelFile, RefusesForgedTables) {
  const auto fault = [](const std::string& bytes) { return error_of_loading(bytes); };
  constexpr auto kHuge = ~std::uint64_t{0};
  const std::string damaged = "E404 m.cop: the model is damaged: ";
  EXPECT_EQ(fault(with_entry("weights", kStoredAt, kHuge)).find(damaged + "section \"weights\" of"),
            0U);
  EXPECT_EQ(fault(with_entry("weights", kOffsetAt, kHuge - 63)).find(damaged), 0U);
  EXPECT_EQ(fault(with_entry("weights", kOffsetAt, std::uint64_t{449})).find(damaged), 0U);
  EXPECT_EQ(fault(with_entry("weights", kOffsetAt, std::uint64_t{0})).find(damaged), 0U);
  const std::string contradiction =
      damaged + "section \"weights\" is described by numbers that contradict one another";
  EXPECT_EQ(fault(with_entry("weights", kSizeAt, std::uint64_t{1})), contradiction);
  EXPECT_EQ(fault(with_entry("weights", kFlagsAt, std::uint16_t{2})), contradiction);
  EXPECT_EQ(fault(with_entry("weights", std::size_t{0}, 'W')),
            damaged + "a section has a broken name");
  EXPECT_EQ(fault(with_entry("labels", kSizeAt, std::uint64_t{1} << 40)),
            damaged + "section \"labels\" cannot have 1099511627776 bytes");
  EXPECT_EQ(fault(with_entry("labels", kSizeAt, std::uint64_t{10})),
            damaged + "section \"labels\" cannot have 10 bytes");
  EXPECT_EQ(fault(with_entry("counts", kFlagsAt, std::uint16_t{0})),
            damaged + "its identity is not that of its sections");
  std::string bytes = bytes_of(sample());
  put_text(bytes, entry_at(bytes, "counts"), "card", 24);
  EXPECT_EQ(fault(resealed(bytes)), damaged + "section \"card\" stands in it twice");
  bytes = bytes_of(sample());
  put(bytes, kCountAt, ~std::uint32_t{0});
  EXPECT_EQ(fault(resealed(bytes)),
            damaged + "its header announces 4294967295 sections, and 1000 is the most");
  put(bytes, kCountAt, std::uint32_t{1000});
  EXPECT_EQ(fault(resealed(bytes)), damaged + "its section table is longer than the file");
  put(bytes, kCountAt, std::uint32_t{4});
  EXPECT_EQ(fault(resealed(bytes)).find(damaged), 0U);
  put(bytes, kCountAt, std::uint32_t{0});
  EXPECT_EQ(fault(resealed(bytes)), damaged + "its sections do not fill the file");
}

TEST(ModelFile, RefusesForgedHeaders) {
  std::string bytes = bytes_of(sample());
  put_text(bytes, kToolAt, "\x1b[2J", 32);
  EXPECT_EQ(error_of_loading(resealed(bytes)),
            "E404 m.cop: the model is damaged: its header holds bytes that are no text");
  bytes = bytes_of(sample());
  put(bytes, kByteOrderAt, std::uint32_t{0x04030201});
  EXPECT_EQ(error_of_loading(resealed(bytes)),
            "E404 m.cop: the model is damaged: its header is not as version 1 has it");
}

TEST(ModelFile, RefusesWhatIsNotThereOrNotForIt) {
  const ModelFile model = loaded(bytes_of(sample()));
  EXPECT_EQ(error_of([&] { model.bytes("trees"); }),
            "E405 m.cop: the model has no section \"trees\"");
  EXPECT_EQ(error_of([&] { model.require_task("parse"); }),
            "E406 m.cop: the model is for the task \"tag\", not \"parse\"");
  EXPECT_EQ(error_of([&] { model.as<float>("card"); }),
            concat("E404 m.cop: the model is damaged: section \"card\" of ", kCard.size(),
                   " bytes is no array of elements of 4"));
}

TEST(ModelFile, TakesAMissingFileForAFaultOfTheModel) {
  EXPECT_THROW(ModelFile::open("no/such.cop"), ModelError);
  const TemporaryDirectory dir;
  EXPECT_THROW(ModelFile::open(dir.path().string()), IoError);
}

TEST(ModelFile, NoTruncationLoads) {
  const TemporaryDirectory dir;
  const std::string bytes = bytes_of(sample());
  Random random(1, 0);
  for (int i = 0; i < 1000; ++i) {
    const auto size = static_cast<std::size_t>(random.below(bytes.size()));
    const std::string path = dir.write("m.cop", bytes.substr(0, size));
    EXPECT_THROW(ModelFile::open(path), ModelError) << size;
    EXPECT_THROW(ModelFile::open(path, Verify::kOnAccess), ModelError) << size;
  }
}

TEST(ModelFile, NoFlippedBitLoads) {
  const std::string bytes = bytes_of(sample());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {  // every one; it is quick
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    EXPECT_THROW(loaded(flipped), ModelError) << bit;
    EXPECT_THROW(loaded(flipped, Verify::kOnAccess).verify(), ModelError) << bit;
  }
}

// With fitting checksums, a flip may load as another model; it must not crash.
TEST(ModelFile, NoForgedBitCrashes) {
  const std::string bytes = bytes_of(sample());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    try {
      const ModelFile model = loaded(resealed(flipped));
      for (const SectionInfo& section : model.sections())
        EXPECT_EQ(model.bytes(section.name).size(), section.size);
    } catch (const ModelError& error) {
      EXPECT_FALSE(error.code().empty());
    }
  }
}

}  // namespace
}  // namespace coppice
