// The binary format: round trips bit for bit; every damage is one ParseError.
#include "coppice/forest/binary.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "coppice/forest/json.h"
#include "support/expect_error.h"
#include "support/random_record.h"
#include "support/seeds.h"
#include "support/temporary_directory.h"

namespace coppice {
namespace {

using testing::error_of;

std::string to_binary(const std::vector<ForestRecord>& records) {
  std::ostringstream out;
  ForestBinaryWriter writer(out);
  for (const ForestRecord& record : records) writer.write(record);
  writer.finish();
  return out.str();
}

std::vector<ForestRecord> read_all(ForestReader& reader) {
  std::vector<ForestRecord> records;
  while (auto record = reader.next()) records.push_back(std::move(*record));
  return records;
}

std::vector<ForestRecord> from_binary(const std::string& bytes) {
  return read_all(*read_forest_binary(std::as_bytes(std::span(bytes)), "f.cpf"));
}

std::vector<ForestRecord> some_records() {
  std::vector<ForestRecord> records;
  for (std::uint64_t seed = 0; seed < 4; ++seed) records.push_back(testing::random_record(seed));
  return records;
}

TEST(ForestBinary, ReadsBackWhatItWroteBitForBit) {
  for (std::uint64_t seed = 0; seed < testing::seeds(500); ++seed) {
    SCOPED_TRACE(seed);
    const ForestRecord record = testing::random_record(seed);
    const std::string bytes = to_binary({record});
    const auto again = from_binary(bytes);
    ASSERT_EQ(again.size(), 1u);
    ASSERT_EQ(again[0], record);
    ASSERT_EQ(to_binary(again), bytes);
  }
}

TEST(ForestBinary, HoldsManyRecordsOrNone) {
  EXPECT_EQ(from_binary(to_binary(some_records())), some_records());
  EXPECT_TRUE(from_binary(to_binary({})).empty());
}

TEST(ForestBinary, HoldsAMillionNodesInFewBytes) {
  ForestBuilder builder;
  builder.add_edge(builder.add_node(), {});
  for (std::uint32_t i = 1; i < 1'000'000; ++i) {
    builder.add_edge(builder.add_node(), {static_cast<NodeId>(i - 1)});
  }
  const ForestRecord record = make_record(std::move(builder).build());
  const std::string bytes = to_binary({record});
  EXPECT_LT(bytes.size(), 15'000'000u);
  EXPECT_EQ(from_binary(bytes)[0].forest, record.forest);
}

TEST(ForestBinary, NoticesEveryTruncation) {
  const std::string bytes = to_binary(some_records());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_THROW(from_binary(bytes.substr(0, size)), ParseError) << size;
  }
}

TEST(ForestBinary, NoticesEveryFlippedBit) {
  std::string bytes = to_binary({testing::random_record(3)});
  for (std::size_t i = 0; i < 8 * bytes.size(); ++i) {
    bytes[i / 8] = static_cast<char>(bytes[i / 8] ^ (1 << (i % 8)));
    ASSERT_THROW(from_binary(bytes), ParseError) << "bit " << i;
    bytes[i / 8] = static_cast<char>(bytes[i / 8] ^ (1 << (i % 8)));
  }
}

TEST(ForestBinary, SaysAtWhichByteAndWhat) {
  const std::string bytes = to_binary({testing::random_record(3)});
  const auto error_with = [&](std::size_t at, char byte) {
    std::string damaged = bytes;
    damaged[at] = byte;
    return error_of([&] { from_binary(damaged); });
  };
  EXPECT_EQ(error_with(0, 'x'),
            "E226 f.cpf: byte 0: not a binary forest file; it begins with other bytes");
  EXPECT_EQ(error_with(8, 2), "E226 f.cpf: byte 8: forest format 2.0, this library reads 1.0");
  EXPECT_EQ(error_with(12, 1), "E226 f.cpf: byte 12: the byte order mark is wrong");
  EXPECT_EQ(error_with(40, 'x'),
            "E225 f.cpf: byte 16: record 0 does not match its checksum; the file is damaged");
  EXPECT_EQ(error_of([&] { from_binary(bytes.substr(0, bytes.size() - 16)); }),
            concat("E225 f.cpf: byte ", bytes.size() - 16,
                   ": the file ends without its end mark; it is truncated"));
  EXPECT_EQ(error_of([&] { from_binary(bytes + "x"); }),
            concat("E225 f.cpf: byte ", bytes.size(), ": the file goes on after its end mark"));
  EXPECT_EQ(error_with(22, 1).substr(0, 40), "E225 f.cpf: byte 16: record 0 has 281474");
}

TEST(ForestBinary, GoesOnBehindADamagedRecord) {
  const auto records = some_records();
  std::string bytes = to_binary(records);
  bytes[36] = static_cast<char>(bytes[36] ^ 1);
  const auto reader = read_forest_binary(std::as_bytes(std::span(bytes)), "f.cpf");
  EXPECT_THROW(reader->next(), ParseError);
  EXPECT_EQ(reader->next(), records[1]);
  EXPECT_EQ(read_all(*reader).size(), 2u);
}

TEST(ForestBinary, StaysBrokenBehindATruncation) {
  std::string bytes = to_binary(some_records());
  bytes.resize(bytes.size() - 17);
  const auto reader = read_forest_binary(std::as_bytes(std::span(bytes)), "f.cpf");
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(reader->next().has_value());
  for (int i = 0; i < 2; ++i) EXPECT_THROW(reader->next(), ParseError);
}

TEST(ForestBinary, WritesNothingOfABadRecord) {
  std::ostringstream out;
  ForestBinaryWriter writer(out);
  const std::string before = out.str();
  ForestRecord record = testing::random_record(3);
  record.id = "\xff";
  EXPECT_THROW(writer.write(record), InvalidArgument);
  EXPECT_EQ(out.str(), before);
}

TEST(OpenForests, TellsTheFormatsApart) {
  const testing::TemporaryDirectory directory;
  const auto records = some_records();
  std::ostringstream lines;
  for (const ForestRecord& record : records) write_forest_json(lines, record);
  EXPECT_EQ(read_all(*open_forests(directory.write("f.cpf", to_binary(records)))), records);
  EXPECT_EQ(read_all(*open_forests(directory.write("f.jsonl", lines.str()))), records);
  EXPECT_TRUE(read_all(*open_forests(directory.write("empty", ""))).empty());
  EXPECT_THROW(open_forests(directory.file("missing")), IoError);
}

TEST(OpenForests, ReadsAStreamAsItReadsAMap) {
  const testing::TemporaryDirectory directory;
  const auto path = directory.write("f.cpf", to_binary(some_records()));
  EXPECT_EQ(read_all(*read_forest_binary(LineReader(path))), some_records());
  const auto cut = directory.write("cut.cpf", to_binary(some_records()).substr(0, 60));
  EXPECT_THROW(read_all(*read_forest_binary(LineReader(cut))), ParseError);
}

}  // namespace
}  // namespace coppice
