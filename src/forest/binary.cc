#include "coppice/forest/binary.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "coppice/base/error.h"
#include "forest/binary_record.h"
#include "forest/bytes.h"

namespace coppice {

namespace {

constexpr std::uint64_t kMajor = 1, kMinor = 0;
constexpr std::uint64_t kByteOrder = 0x01020304;
constexpr std::size_t kHeaderBytes = 16;  // magic, major, minor, byte order
constexpr std::size_t kFrameBytes = 16;   // length and checksum; zero and count at the end
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

// The length is the seed, so that a damaged length is found out too.
std::uint64_t checksum(const void* data, std::size_t size) {
  return XXH3_64bits_withSeed(data, size, size);
}

void write_bytes(std::ostream& out, const std::string& bytes) {
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// Where the bytes come from. take() returns fewer than asked only at the end; what it returned is
// valid until the next call.
class Source {
 public:
  virtual ~Source() = default;
  virtual std::span<const std::byte> take(std::uint64_t size) = 0;
};

class MemorySource : public Source {
 public:
  explicit MemorySource(std::span<const std::byte> bytes) : bytes_(bytes) {}
  explicit MemorySource(MappedFile file) : file_(std::move(file)), bytes_(file_->bytes()) {}

  std::span<const std::byte> take(std::uint64_t size) override {
    const auto taken =
        bytes_.first(static_cast<std::size_t>(std::min<std::uint64_t>(size, bytes_.size())));
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }

 private:
  std::optional<MappedFile> file_;
  std::span<const std::byte> bytes_;
};

class StreamSource : public Source {
 public:
  explicit StreamSource(LineReader stream) : stream_(std::move(stream)) {}

  // Grows with what arrives, not with what was announced.
  std::span<const std::byte> take(std::uint64_t size) override {
    buffer_.clear();
    while (buffer_.size() < size) {
      const std::size_t before = buffer_.size();
      const auto step =
          static_cast<std::size_t>(std::min<std::uint64_t>(size - before, kChunkBytes));
      buffer_.resize(before + step);
      const std::size_t got = stream_.read(buffer_.data() + before, step);
      buffer_.resize(before + got);
      if (got < step) break;
    }
    return std::as_bytes(std::span(buffer_));
  }

 private:
  LineReader stream_;
  std::vector<char> buffer_;
};

class BinaryReader : public ForestReader {
 public:
  BinaryReader(std::unique_ptr<Source> source, std::string name)
      : source_(std::move(source)), name_(std::move(name)) {
    read_header();
  }

  std::optional<ForestRecord> next() override {
    if (broken_) throw ParseError(*broken_);
    if (ended_) return std::nullopt;
    const std::uint64_t start = offset_;
    const auto frame = take(kFrameBytes);
    if (frame.size() < kFrameBytes) {
      fail_for_good(start, "the file ends without its end mark; it is truncated");
    }
    detail::ByteCursor cursor(frame, start);
    const std::uint64_t length = cursor.fixed(8), sum = cursor.fixed(8);
    if (length == 0) return read_end(sum);
    const auto content = take(length);
    if (content.size() < length) {
      fail_for_good(start, concat("record ", records_, " has ", length, " bytes, but only ",
                                  content.size(), " follow; the file is truncated or damaged"));
    }
    return read_record(content, sum, start);
  }

  Location where() const override { return {.file = name_}; }

 private:
  void read_header() {
    const auto header = take(kHeaderBytes);
    const auto begins = std::as_bytes(std::span(kForestMagic));
    if (header.size() < kHeaderBytes || !std::equal(begins.begin(), begins.end(), header.begin())) {
      foreign("byte 0: not a binary forest file; it begins with other bytes");
    }
    detail::ByteCursor cursor(header.subspan(begins.size()), begins.size());
    const std::uint64_t major = cursor.fixed(2), minor = cursor.fixed(2), order = cursor.fixed(4);
    if (order != kByteOrder) foreign("byte 12: the byte order mark is wrong");
    if (major != kMajor || minor > kMinor) {
      foreign(concat("byte 8: forest format ", major, ".", minor, ", this library reads ", kMajor,
                     ".", kMinor));
    }
  }

  ForestRecord read_record(std::span<const std::byte> content, std::uint64_t sum,
                           std::uint64_t start) {
    const std::uint64_t number = records_++;
    if (checksum(content.data(), content.size()) != sum) {
      fail(start, concat("record ", number, " does not match its checksum; the file is damaged"));
    }
    try {
      return detail::decode(detail::ByteCursor(content, start + kFrameBytes));
    } catch (const ParseError& error) {
      throw ParseError(error.what(), {.code = error.code(), .where = where()});
    } catch (const InvalidArgument& error) {
      fail(start, concat("record ", number, ": ", error.what()));
    }
  }

  std::optional<ForestRecord> read_end(std::uint64_t count) {
    const std::uint64_t end = offset_;
    if (count != records_) {
      fail_for_good(end,
                    concat("the end mark counts ", count, " records, but there are ", records_));
    }
    if (!take(1).empty()) fail_for_good(end, "the file goes on after its end mark");
    ended_ = true;
    return std::nullopt;
  }

  std::span<const std::byte> take(std::uint64_t size) {
    const auto taken = source_->take(size);
    offset_ += taken.size();
    return taken;
  }

  [[noreturn]] void fail(std::uint64_t at, const std::string& message) const {
    throw ParseError(concat("byte ", at, ": ", message), {.code = "E225", .where = where()});
  }

  // Where the next record begins is not known any more.
  [[noreturn]] void fail_for_good(std::uint64_t at, const std::string& message) {
    broken_ = ParseError(concat("byte ", at, ": ", message), {.code = "E225", .where = where()});
    throw ParseError(*broken_);
  }

  [[noreturn]] void foreign(const std::string& message) const {
    throw ParseError(message, {.code = "E226", .where = where()});
  }

  std::unique_ptr<Source> source_;
  std::string name_;
  std::uint64_t offset_ = 0;
  std::uint64_t records_ = 0;
  bool ended_ = false;
  std::optional<ParseError> broken_;
};

}  // namespace

ForestBinaryWriter::ForestBinaryWriter(std::ostream& out) : out_(&out) {
  std::string header(std::begin(kForestMagic), std::end(kForestMagic));
  detail::append_fixed(header, kMajor, 2);
  detail::append_fixed(header, kMinor, 2);
  detail::append_fixed(header, kByteOrder, 4);
  write_bytes(*out_, header);
}

void ForestBinaryWriter::write(const ForestRecord& record) {
  validate(record);
  const std::string content = detail::encode(record);
  std::string frame;
  detail::append_fixed(frame, content.size(), 8);
  detail::append_fixed(frame, checksum(content.data(), content.size()), 8);
  write_bytes(*out_, frame);
  write_bytes(*out_, content);
  ++records_;
}

void ForestBinaryWriter::finish() {
  std::string end;
  detail::append_fixed(end, 0, 8);
  detail::append_fixed(end, records_, 8);
  write_bytes(*out_, end);
}

std::unique_ptr<ForestReader> read_forest_binary(MappedFile file, std::string name) {
  return std::make_unique<BinaryReader>(std::make_unique<MemorySource>(std::move(file)),
                                        std::move(name));
}

std::unique_ptr<ForestReader> read_forest_binary(LineReader stream) {
  std::string name = stream.name();
  return std::make_unique<BinaryReader>(std::make_unique<StreamSource>(std::move(stream)),
                                        std::move(name));
}

std::unique_ptr<ForestReader> read_forest_binary(std::span<const std::byte> bytes,
                                                 std::string name) {
  return std::make_unique<BinaryReader>(std::make_unique<MemorySource>(bytes), std::move(name));
}

}  // namespace coppice
