#include "coppice/base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <utility>
#include <vector>

#include "base/decompression.h"
#include "base/io_failure.h"
#include "coppice/base/digest.h"
#include "coppice/base/error.h"

namespace coppice {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16;

// "-" is what people type, and no name.
std::string shown_name(const std::string& path) { return path == "-" ? "<stdin>" : path; }

// A file descriptor that closes itself; standard input stays open.
class Descriptor {
 public:
  explicit Descriptor(const std::string& path)
      : fd_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) detail::fail_io(path, "open");
    struct stat status {};
    if (::fstat(fd_, &status) == 0 && S_ISDIR(status.st_mode)) {
      close();
      errno = EISDIR;
      detail::fail_io(path, "read");
    }
  }
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const noexcept { return fd_; }

  // Like read(2), but not disturbed by signals.
  std::size_t read(char* to, std::size_t size, const std::string& path) const {
    for (;;) {
      const ssize_t got = ::read(fd_, to, size);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) detail::fail_io(path, "read");
    }
  }

 private:
  void close() noexcept {
    if (fd_ > STDIN_FILENO) ::close(fd_);
  }
  int fd_;
};

class FileBytes final : public detail::ByteSource {
 public:
  explicit FileBytes(const std::string& path) : file_(path), path_(path) {}
  std::size_t read(char* to, std::size_t size) override { return file_.read(to, size, path_); }

 private:
  Descriptor file_;
  std::string path_;
};

detail::OpenedInput open_bytes(const std::string& path) {
  return detail::open_input(std::make_unique<FileBytes>(path), shown_name(path));
}

}  // namespace

std::string read_file(const std::string& path) {
  const auto bytes = open_bytes(path).bytes;
  std::string content;
  for (std::size_t size = 0;;) {
    content.resize(size + kBufferBytes);
    const std::size_t got = bytes->read(content.data() + size, kBufferBytes);
    size += got;
    if (got == 0) {
      content.resize(size);
      return content;
    }
  }
}

MappedFile::MappedFile(const std::string& path) {
  const Descriptor file(path);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) detail::fail_io(path, "read");
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) return;
  void* data = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED) detail::fail_io(path, "map");
  data_ = static_cast<const std::byte*>(data);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

struct LineReader::State {
  State(const std::string& path, std::size_t most)
      : input(open_bytes(path)),
        name(shown_name(path)),
        buffer(kBufferBytes),
        max_line(most),
        mappable(input.compression == detail::Compression::kNone && can_reopen(path)) {}
  State(std::string_view text, std::string text_name)
      : name(std::move(text_name)), buffer(text.begin(), text.end()), end(text.size()) {
    seen.add(text);
  }

  // Moves what is left to the front, makes room, and reads more; false at the end of the file.
  bool refill() {
    if (begin != end) std::memmove(buffer.data(), buffer.data() + begin, end - begin);
    end -= begin;
    begin = 0;
    if (!input.bytes) return false;
    if (end == buffer.size()) buffer.resize(2 * buffer.size());
    const std::size_t got = input.bytes->read(buffer.data() + end, buffer.size() - end);
    seen.add({buffer.data() + end, got});
    end += got;
    return got > 0;
  }

  [[noreturn]] void refuse_line() const {
    throw ParseError(concat("the line is longer than ", max_line, " bytes"),
                     {.code = "E212",
                      .where = {name, line_number + 1},
                      .help = "is this a text file? end its lines"});
  }

  detail::OpenedInput input;  // without bytes: everything is in the buffer already
  Digest seen;
  std::string name;
  std::vector<char> buffer;  // unread bytes are [begin, end)
  std::size_t max_line = kMaxLineBytes;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t line_begin = 0;  // of the line returned last, for unread()
  std::size_t line_number = 0;
  bool terminated = true;
  bool mappable = false;
};

LineReader::LineReader(const std::string& path, std::size_t max_line_bytes)
    : state_(std::make_unique<State>(path, max_line_bytes)) {}
LineReader::LineReader(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
LineReader LineReader::over(std::string_view text, std::string name) {
  return LineReader(std::make_unique<State>(text, std::move(name)));
}
LineReader::~LineReader() = default;
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;

bool LineReader::next(std::string_view& line) {
  State& s = *state_;
  std::size_t searched = 0;  // bytes after begin that hold no '\n'
  for (;;) {
    const char* start = s.buffer.data() + s.begin;
    const std::size_t size = s.end - s.begin;
    if (const void* stop =
            size == searched ? nullptr : std::memchr(start + searched, '\n', size - searched)) {
      const auto length = static_cast<std::size_t>(static_cast<const char*>(stop) - start);
      line = {start, length};
      s.line_begin = s.begin;
      s.begin += length + 1;
      s.terminated = true;
      ++s.line_number;
      return true;
    }
    searched = size;
    if (size > s.max_line) s.refuse_line();
    if (s.refill()) continue;
    if (s.end == 0) return false;
    line = {s.buffer.data(), s.end};
    s.line_begin = 0;
    s.begin = s.end;
    s.terminated = false;
    ++s.line_number;
    return true;
  }
}

void LineReader::unread() noexcept {
  state_->begin = state_->line_begin;
  --state_->line_number;
}

std::string_view LineReader::peek(std::size_t size) {
  State& s = *state_;
  while (s.end - s.begin < size && s.refill()) {
  }
  return {s.buffer.data() + s.begin, std::min(size, s.end - s.begin)};
}

std::size_t LineReader::read(char* to, std::size_t size) {
  State& s = *state_;
  std::size_t done = 0;
  while (done < size && (s.begin < s.end || s.refill())) {
    const std::size_t step = std::min(size - done, s.end - s.begin);
    std::memcpy(to + done, s.buffer.data() + s.begin, step);
    s.begin += step;
    done += step;
  }
  return done;
}

const std::string& LineReader::name() const noexcept { return state_->name; }
std::size_t LineReader::line_number() const noexcept { return state_->line_number; }
bool LineReader::line_was_terminated() const noexcept { return state_->terminated; }
bool LineReader::is_mappable() const noexcept { return state_->mappable; }
std::string LineReader::digest() const { return state_->seen.text(); }

bool can_reopen(const std::string& path) {
  std::error_code ignored;
  return path != "-" && std::filesystem::is_regular_file(path, ignored);
}

RepeatableInput::RepeatableInput(std::string path) : path_(std::move(path)) {
  if (!can_reopen(path_)) content_ = read_file(path_);
}

LineReader RepeatableInput::open() const {
  return content_ ? LineReader::over(*content_, shown_name(path_)) : LineReader(path_);
}

struct OutputFile::State {
  std::string path;
  std::string temporary;  // empty for standard output
  std::ofstream file;
  bool committed = false;
};

OutputFile::OutputFile(const std::string& path, Overwrite overwrite)
    : state_(std::make_unique<State>()) {
  state_->path = path;
  if (path == "-") return;
  if (overwrite == Overwrite::kRefuse && ::access(path.c_str(), F_OK) == 0) {
    throw IoError("file exists", {.code = "E502",
                                  .where = {.file = path},
                                  .help = "choose another name, or overwrite it with --force"});
  }
  state_->temporary = concat(path, ".tmp", ::getpid());
  state_->file.open(state_->temporary, std::ios::binary | std::ios::trunc);
  if (!state_->file) detail::fail_io(path, "create");
}

OutputFile::OutputFile(OutputFile&&) noexcept = default;

OutputFile::~OutputFile() {
  if (!state_ || state_->committed || state_->temporary.empty()) return;
  state_->file.close();
  ::unlink(state_->temporary.c_str());
}

std::ostream& OutputFile::stream() noexcept {
  if (state_->temporary.empty()) return std::cout;
  return state_->file;
}

void OutputFile::commit() {
  if (!stream().flush()) detail::fail_io(state_->path, "write");
  if (state_->temporary.empty()) return;
  state_->file.close();
  const int fd = ::open(state_->temporary.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) detail::fail_io(state_->path, "write");
  const bool synced = ::fsync(fd) == 0;
  ::close(fd);
  if (!synced) detail::fail_io(state_->path, "write");
  if (::rename(state_->temporary.c_str(), state_->path.c_str()) != 0)
    detail::fail_io(state_->path, "write");
  state_->committed = true;
}

}  // namespace coppice
