// What gzip and zstd have packed is read as it was, in pieces of any size, and damage is refused.
#include "base/decompression.h"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <memory>
#include <optional>

#include "coppice/base/error.h"
#include "coppice/base/file.h"
#include "coppice/base/model_file.h"
#include "support/memory_source.h"
#include "support/temporary_directory.h"

namespace coppice {
namespace {

using detail::Compression;
using detail::compression_of;
using testing::MemorySource;

std::string gzip(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// With a checksum, as the program zstd packs.
std::string zstd(std::string_view text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  packed.resize(ZSTD_compress2(context, packed.data(), packed.size(), text.data(), text.size()));
  ZSTD_freeCCtx(context);
  return packed;
}

using Pack = std::string (*)(std::string_view);
constexpr Pack kPackers[] = {gzip, zstd};

std::string unpacked(std::string_view packed, std::size_t piece = 1 << 16,
                     std::size_t room = 4096) {
  const auto input = detail::open_input(std::make_unique<MemorySource>(packed, piece), "packed");
  std::string all;
  std::string buffer(room, '\0');
  while (const std::size_t got = input.bytes->read(buffer.data(), room)) all.append(buffer, 0, got);
  return all;
}

// The message of the error that reading ends with.
std::string damage_in(std::string_view packed) {
  try {
    unpacked(packed);
  } catch (const ParseError& error) {
    EXPECT_EQ(error.code(), "E216");
    EXPECT_EQ(to_string(error.where()), "packed");
    return error.what();
  }
  return "none";
}

// Packs badly and well in turns.
std::string sample_text() {
  std::string text;
  unsigned state = 1;
  for (int i = 0; i < 100'000; ++i) {
    state = state * 1664525u + 1013904223u;
    text += i % 1000 < 500 ? 'a' : static_cast<char>(state >> 24);
  }
  return text;
}

TEST(Decompression, IsKnownByTheFirstBytes) {
  EXPECT_EQ(compression_of("The dog"), Compression::kNone);
  EXPECT_EQ(compression_of("(\n"), Compression::kNone);  // as zstd begins, and a line
  EXPECT_EQ(compression_of(""), Compression::kUndecided);
  EXPECT_EQ(compression_of("("), Compression::kUndecided);
  EXPECT_EQ(compression_of("\x1f\x8b\x08\x01"), Compression::kGzip);
  EXPECT_EQ(compression_of("\x28\xb5\x2f\xfd"), Compression::kZstd);
  EXPECT_EQ(compression_of("\x5e\x2a\x4d\x18"), Compression::kZstd);  // a frame to be skipped
}

TEST(Decompression, GivesBackWhatWasPackedInPiecesOfAnySize) {
  const std::string text = sample_text();
  for (const Pack pack : kPackers) {
    const std::string packed = pack(text);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, packed.size()})
      for (const std::size_t room : {std::size_t{13}, std::size_t{1} << 20})
        EXPECT_EQ(unpacked(packed, piece, room), text) << piece << " into " << room;
    EXPECT_EQ(unpacked(pack("")), "");
  }
  for (const std::string plain : {"", "(", "plain", "\x1f\x8b"}) EXPECT_EQ(unpacked(plain), plain);
}

TEST(Decompression, ReadsMembersAfterEachOther) {
  for (const Pack pack : kPackers)
    EXPECT_EQ(unpacked(pack("one\n") + pack("") + pack("two\n"), 5), "one\ntwo\n");
  EXPECT_EQ(unpacked(gzip("padded") + std::string(1000, '\0'), 5), "padded");
}

TEST(Decompression, RefusesTruncatedInputWhereverItIsCut) {
  for (const Pack pack : kPackers) {
    const std::string packed = pack("a few words, a few words, and a few words more\n");
    for (std::size_t size = 4; size < packed.size(); ++size)
      EXPECT_NE(damage_in(std::string_view(packed).substr(0, size)).find("end too early"),
                std::string::npos)
          << size;
  }
}

TEST(Decompression, RefusesDamageAndWhatComesAfterTheEnd) {
  std::string packed = gzip(sample_text());
  packed[packed.size() - 6] ^= 1;
  EXPECT_EQ(damage_in(packed), "the gzip data are damaged: incorrect data check");
  EXPECT_EQ(damage_in(gzip("one") + "two"), "the gzip data are damaged: incorrect header check");
  packed = zstd(sample_text());
  packed[packed.size() / 2] ^= 1;
  EXPECT_NE(damage_in(packed).find("the zstd data are damaged"), std::string::npos);
  EXPECT_EQ(damage_in(zstd("one") + "two."), "the zstd data are damaged: Unknown frame descriptor");
}

TEST(Decompression, IsPartOfReadingFilesAndModels) {
  const testing::TemporaryDirectory dir;
  ModelWriter writer("test");
  writer.add_section("text", std::as_bytes(std::span(std::string_view("content"))));
  writer.write(dir.file("m"), Overwrite::kAllow);
  const std::string model = read_file(dir.file("m"));
  for (const Pack pack : kPackers) {
    const std::string lines = dir.write("a", pack("one\ntwo\n"));
    EXPECT_EQ(read_file(lines), "one\ntwo\n");
    LineReader reader(lines);
    std::string_view line;
    EXPECT_TRUE(reader.next(line) && reader.next(line));
    EXPECT_EQ(line, "two");
    EXPECT_FALSE(reader.is_mappable());
    EXPECT_EQ(ModelFile::open(dir.write("b", pack(model))).text("text"), "content");
    EXPECT_THROW(ModelFile::open(dir.write("c", pack(model).substr(0, 50))), ModelError);
  }
}

}  // namespace
}  // namespace coppice
