#include "base/decompression.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "coppice/base/error.h"

namespace coppice::detail {

namespace {

constexpr std::size_t kInputBytes = std::size_t{1} << 16;
constexpr std::size_t kMostOutput = std::size_t{1} << 30;  // zlib counts in 32 bits
constexpr int kGzipOnly = 15 + 16;                         // inflateInit2: largest window, gzip

struct Mark {
  std::array<unsigned char, 4> bytes;
  std::array<unsigned char, 4> mask;  // of bits that must be as they are in `bytes`
  Compression compression;
};

constexpr std::array<Mark, 3> kMarks = {{
    {{0x1f, 0x8b, 0x08, 0}, {0xff, 0xff, 0xff, 0}, Compression::kGzip},
    {{0x28, 0xb5, 0x2f, 0xfd}, {0xff, 0xff, 0xff, 0xff}, Compression::kZstd},
    // A frame to be skipped, with which pzstd begins.
    {{0x50, 0x2a, 0x4d, 0x18}, {0xf0, 0xff, 0xff, 0xff}, Compression::kZstd},
}};

// The source's bytes through a buffer, so that the first ones can be looked at.
class BufferedInput {
 public:
  explicit BufferedInput(std::unique_ptr<ByteSource> source)
      : source_(std::move(source)), buffer_(kInputBytes) {}

  std::string_view unread() const { return {buffer_.data() + begin_, end_ - begin_}; }
  void consume(std::size_t size) { begin_ += size; }

  // Reads behind what is unread; false at the end. Requires room: fewer unread bytes than a mark
  // has, or none.
  bool refill() {
    if (begin_ == end_) begin_ = end_ = 0;
    const std::size_t got = source_->read(buffer_.data() + end_, buffer_.size() - end_);
    end_ += got;
    return got > 0;
  }

  std::size_t read(char* to, std::size_t size) {
    if (begin_ == end_) return source_->read(to, size);
    const std::size_t step = std::min(size, end_ - begin_);
    std::memcpy(to, buffer_.data() + begin_, step);
    begin_ += step;
    return step;
  }

 private:
  std::unique_ptr<ByteSource> source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // unread bytes are [begin, end)
  std::size_t end_ = 0;
};

class PlainInput final : public ByteSource {
 public:
  explicit PlainInput(BufferedInput input) : input_(std::move(input)) {}
  std::size_t read(char* to, std::size_t size) override { return input_.read(to, size); }

 private:
  BufferedInput input_;
};

struct Step {
  std::size_t consumed = 0;
  std::size_t produced = 0;
  bool complete = false;  // a member or frame has ended: the file may end here
};

class Decoder {
 public:
  Decoder(std::string format, std::string file)
      : format_(std::move(format)), file_(std::move(file)) {}
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  virtual ~Decoder() = default;

  virtual Step step(std::string_view input, char* to, std::size_t size) = 0;

  [[noreturn]] void fail(const std::string& what) const {
    throw ParseError(concat("the ", format_, " data ", what),
                     {.code = "E216",
                      .where = {.file = file_},
                      .help = concat("the file is not whole: ", format_,
                                     " -t says the same of it; copy or make it again")});
  }

 private:
  std::string format_;
  std::string file_;
};

class GzipDecoder final : public Decoder {
 public:
  explicit GzipDecoder(const std::string& file) : Decoder("gzip", file) {
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~GzipDecoder() override { inflateEnd(&stream_); }

  Step step(std::string_view input, char* to, std::size_t size) override {
    if (ended_ && !input.empty()) {
      // Zeros after a member are how tapes and block devices fill up.
      const std::size_t zeros = std::min(input.find_first_not_of('\0'), input.size());
      if (zeros > 0) return {.consumed = zeros, .complete = true};
      inflateReset(&stream_);
      ended_ = false;
    }
    // zlib promises not to write there.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    stream_.avail_in = static_cast<uInt>(input.size());
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(size);
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    ended_ = result == Z_STREAM_END;
    if (!ended_ && result != Z_OK && result != Z_BUF_ERROR)
      fail(concat("are damaged: ", stream_.msg == nullptr ? "no reason given" : stream_.msg));
    return {input.size() - stream_.avail_in, size - stream_.avail_out, ended_};
  }

 private:
  z_stream stream_{};
  bool ended_ = false;
};

class ZstdDecoder final : public Decoder {
 public:
  explicit ZstdDecoder(const std::string& file)
      : Decoder("zstd", file), stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  ~ZstdDecoder() override { ZSTD_freeDStream(stream_); }

  Step step(std::string_view input, char* to, std::size_t size) override {
    ZSTD_inBuffer in{input.data(), input.size(), 0};
    ZSTD_outBuffer out{to, size, 0};
    const std::size_t result = ZSTD_decompressStream(stream_, &out, &in);
    if (ZSTD_isError(result)) fail(concat("are damaged: ", ZSTD_getErrorName(result)));
    return {in.pos, out.pos, result == 0};
  }

 private:
  ZSTD_DStream* stream_;
};

class CompressedInput final : public ByteSource {
 public:
  CompressedInput(BufferedInput input, std::unique_ptr<Decoder> decoder)
      : input_(std::move(input)), decoder_(std::move(decoder)) {}

  std::size_t read(char* to, std::size_t size) override {
    size = std::min(size, kMostOutput);
    for (;;) {
      if (!holds_more_ && input_.unread().empty() && !input_.refill()) {
        if (complete_) return 0;
        decoder_->fail("end too early");
      }
      const Step step = decoder_->step(input_.unread(), to, size);
      input_.consume(step.consumed);
      if (step.consumed + step.produced > 0) complete_ = step.complete;
      // A full output may have left more inside the decoder, which needs no input to come out.
      holds_more_ = step.produced == size && !complete_;
      if (step.produced > 0) return step.produced;
    }
  }

 private:
  BufferedInput input_;
  std::unique_ptr<Decoder> decoder_;
  bool complete_ = false;
  bool holds_more_ = false;
};

}  // namespace

Compression compression_of(std::string_view start) noexcept {
  Compression found = Compression::kNone;
  for (const Mark& mark : kMarks) {
    const auto differs = [&](std::size_t i) {
      return ((static_cast<unsigned char>(start[i]) ^ mark.bytes[i]) & mark.mask[i]) != 0;
    };
    const std::size_t shared = std::min(start.size(), mark.bytes.size());
    std::size_t same = 0;
    while (same < shared && !differs(same)) ++same;
    if (same < shared) continue;
    if (shared == mark.bytes.size()) return mark.compression;
    found = Compression::kUndecided;
  }
  return found;
}

OpenedInput open_input(std::unique_ptr<ByteSource> source, const std::string& name) {
  BufferedInput input(std::move(source));
  Compression compression = Compression::kUndecided;
  // Waits for more only where all there is could begin a mark; none of them has a newline in it, so
  // that a terminal's line is never waited for twice.
  while (compression == Compression::kUndecided && input.refill())
    compression = compression_of(input.unread());
  if (compression == Compression::kGzip)
    return {
        std::make_unique<CompressedInput>(std::move(input), std::make_unique<GzipDecoder>(name)),
        compression};
  if (compression == Compression::kZstd)
    return {
        std::make_unique<CompressedInput>(std::move(input), std::make_unique<ZstdDecoder>(name)),
        compression};
  return {std::make_unique<PlainInput>(std::move(input)), Compression::kNone};
}

}  // namespace coppice::detail
