// Files in and out. "-" is standard input or standard output.
//
// Reading: a whole file, a memory map, or line by line as lines arrive (a pipe's line is returned
// when it is there, without waiting for more). Writing: aside, and renamed into place when
// complete, so that no reader ever sees half a file.
// What is read by content or by line may be compressed with gzip or zstd; its first bytes say so,
// whatever its name. Mapping and writing know no compression.
// Everything throws IoError, with the path and the system's reason; reading compressed data also
// throws ParseError (E216) where they are damaged or end too early.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

namespace coppice {

// The whole content of `path`, decompressed.
std::string read_file(const std::string& path);

// Whether `path` names a regular file. Anything else (a pipe, standard input, a terminal) may give
// its content only once.
bool can_reopen(const std::string& path);

// A file's bytes, mapped read-only; they live as long as the object does.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// Reads lines without their '\n'; a '\r' before it stays. The last line needs none.
class LineReader {
 public:
  // Longer lines are refused: a device or a pipe may never end one, and memory does end.
  static constexpr std::size_t kMaxLineBytes = std::size_t{1} << 30;

  explicit LineReader(const std::string& path, std::size_t max_line_bytes = kMaxLineBytes);
  // Reads from memory; `name` takes the path's place in messages.
  static LineReader over(std::string_view text, std::string name);
  ~LineReader();
  LineReader(LineReader&& other) noexcept;
  LineReader& operator=(LineReader&& other) noexcept;

  // Sets `line`, valid until the next call; false at the end of the file. Throws ParseError (E212)
  // where a line is too long.
  bool next(std::string_view& line);
  // Puts the line that next() returned last back, so that the next call returns it again.
  // Requires that next() returned true since construction and since the last unread().
  void unread() noexcept;

  // The next `size` bytes without consuming them, fewer at the end of the file; valid until the
  // next call. For telling formats apart.
  std::string_view peek(std::size_t size);
  // Consumes up to `size` bytes, newlines among them; fewer only at the end of the file. For files
  // that turn out not to be lines; they do not count as lines.
  std::size_t read(char* to, std::size_t size);

  // The path, or "<stdin>".
  const std::string& name() const noexcept;
  // The number of the line that next() returned last, from 1.
  std::size_t line_number() const noexcept;
  // Whether the line that next() returned last ended in '\n'.
  bool line_was_terminated() const noexcept;

  // Whether the bytes are those of a regular file as it stands, so that MappedFile would show them.
  bool is_mappable() const noexcept;
  // base/digest.h's digest of all bytes read ahead so far, decompressed: at the end of the file, of
  // its content.
  std::string digest() const;

 private:
  struct State;
  explicit LineReader(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

// An input whose lines are read more than once. A regular file is opened each time; the content of
// anything else is kept in memory.
class RepeatableInput {
 public:
  // Reads all of what cannot be opened again.
  explicit RepeatableInput(std::string path);

  const std::string& path() const noexcept { return path_; }
  LineReader open() const;

 private:
  std::string path_;
  std::optional<std::string> content_;
};

enum class Overwrite { kRefuse, kAllow };

// Writes beside `path` and renames when commit() is called; without it, nothing is left behind.
class OutputFile {
 public:
  // Throws IoError when the file exists and may not be overwritten, or when it cannot be created.
  explicit OutputFile(const std::string& path, Overwrite overwrite = Overwrite::kAllow);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;  // leaves nothing to write to in the other
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::ostream& stream() noexcept;

  // Flushes, syncs and renames. Throws IoError when any byte could not be written.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace coppice
