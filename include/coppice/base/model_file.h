// Model files: named sections of bytes in one checked, memory-mapped file, whatever the task.
//
//     ModelWriter writer("tag");
//     writer.add_section("card", json, {.codec = Codec::kZstd, .hashed = false});
//     writer.add_section("weights", std::span(weights));          // not copied
//     writer.write("ner.cop", Overwrite::kRefuse);
//
//     const ModelFile model = ModelFile::open("ner.cop");
//     model.require_task("tag");
//     std::span<const float> weights = model.as<float>("weights");  // in the mapped file itself
//
// The layout stands byte by byte in docs/model-format.md. Every byte of a file is covered by a
// checksum or must be zero, and every length is checked against the file's real size, so a damaged
// file is refused and never crashes. A reader skips sections that it does not know; hence a newer
// minor version is read, a newer major version is refused.
//
// Faults throw ModelError, with the file in where():
//     E401  a format version or codec that this library does not read; says who wrote the file
//     E402  another kind of file
//     E403  truncated
//     E404  damaged; names the section
//     E405  a section is missing
//     E406  a model of another task
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "coppice/base/file.h"

namespace coppice {

// The first eight bytes: no text file begins so, and a transfer that rewrites line ends breaks it.
inline constexpr unsigned char kModelMagic[8] = {0x89, 'C', 'O', 'P', '\r', '\n', 0x1a, '\n'};

// Contents of sections begin at multiples of this, in the file and in memory.
inline constexpr std::size_t kSectionAlignment = 64;

// How a section is stored. What is read at every start stays plain, and is then used in the mapped
// file without a copy; zstd is for what is rarely looked at.
enum class Codec : std::uint16_t { kNone = 0, kZstd = 1 };

struct FormatVersion {
  std::uint16_t major_version = 0;
  std::uint16_t minor_version = 0;
  friend bool operator==(const FormatVersion&, const FormatVersion&) = default;
};

// The version that ModelWriter writes.
inline constexpr FormatVersion kModelFormat{1, 0};

// What an array in a section may hold: values whose bytes are the value. Padding inside a struct
// must be zeroed by its owner, or files will differ by chance.
template <class T>
concept ModelElement =
    std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && alignof(T) <= kSectionAlignment;

struct SectionOptions {
  Codec codec = Codec::kNone;
  // Whether the section is part of the model's identity; false for what holds the date.
  bool hashed = true;
};

// Collects sections and writes them in the order in which they were added. The same sections give
// the same bytes (compressed ones: with the same release of zstd).
class ModelWriter {
 public:
  // `task` names the kind of model, such as "tag". Throws InvalidArgument unless it is 1 to 31
  // small letters, digits, '_', '-' or '.'.
  explicit ModelWriter(std::string task);
  ~ModelWriter();
  ModelWriter(ModelWriter&& other) noexcept;
  ModelWriter& operator=(ModelWriter&& other) noexcept;

  // Text and vectors are moved in. A span is not copied: what it shows must outlive the writer.
  // Throws InvalidArgument when the name is taken already, or is not as that of a task is, with at
  // most 23 characters, or when there are 1000 sections already. A compressed section that would
  // not become smaller is stored plain.
  void add_section(std::string name, std::string text, SectionOptions options = {}) {
    const auto owner = std::make_shared<const std::string>(std::move(text));
    add(std::move(name), std::as_bytes(std::span(*owner)), owner, options);
  }
  template <ModelElement T>
  void add_section(std::string name, std::vector<T> values, SectionOptions options = {}) {
    const auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    add(std::move(name), std::as_bytes(std::span(*owner)), owner, options);
  }
  template <ModelElement T>
  void add_section(std::string name, std::span<T> values, SectionOptions options = {}) {
    add(std::move(name), std::as_bytes(values), nullptr, options);
  }

  // The model's identity: 32 hexadecimal digits, the 128-bit XXH3 of the task and of the names and
  // contents of the hashed sections. Codecs, the other sections and the writing tool do not count.
  std::string payload_digest() const;

  // Aside, synced and renamed. Throws IoError, and leaves no file, when it cannot be written.
  void write(const std::string& path, Overwrite overwrite) const;
  // The stream is checked by its owner.
  void write(std::ostream& out) const;

 private:
  struct Section;
  static_assert(std::endian::native == std::endian::little, "model files hold arrays as they are");

  void add(std::string name, std::span<const std::byte> content, std::shared_ptr<const void> owner,
           SectionOptions options);

  std::string task_;
  std::vector<Section> sections_;
};

// A row of the section table.
struct SectionInfo {
  std::string name;
  std::uint64_t offset = 0;       // of the stored bytes, from the start of the file
  std::uint64_t stored_size = 0;  // in the file
  std::uint64_t size = 0;         // of the content
  std::uint64_t checksum = 0;     // XXH3 (64 bits) of the stored bytes
  Codec codec = Codec::kNone;     // may be one that this library does not know
  bool hashed = true;
};

// When the checksums of sections are compared. Header and table always are at once.
enum class Verify {
  kAtOpen,    // all sections; reads the whole file
  kOnAccess,  // each when it is first asked for; for files too large to read through at start
};

// An open model. Spans that it returns live as long as it does, also when it is moved.
// Threads: const functions may be called at the same time.
class ModelFile {
 public:
  // Maps the file; reads a pipe, or standard input for "-". Throws ModelError also when there is no
  // such file, IoError when it cannot be read. The file must not be changed in place while it is
  // open; a ModelWriter never does that. Cost: reads the file once with kAtOpen, 3 to 5 ms for 40
  // MB in the page cache.
  static ModelFile open(const std::string& path, Verify verify = Verify::kAtOpen);
  // Copies the bytes; `name` takes the path's place in messages.
  static ModelFile from_bytes(std::span<const std::byte> bytes, std::string name = "<memory>",
                              Verify verify = Verify::kAtOpen);
  ~ModelFile();
  ModelFile(ModelFile&& other) noexcept;
  ModelFile& operator=(ModelFile&& other) noexcept;

  // The path, or the name given.
  const std::string& name() const noexcept;
  const std::string& task() const noexcept;
  FormatVersion format() const noexcept;
  // The version of the coppice that wrote the file.
  const std::string& tool_version() const noexcept;
  // See ModelWriter::payload_digest.
  const std::string& payload_digest() const noexcept;
  // In the order of the file.
  std::span<const SectionInfo> sections() const noexcept;
  // The whole file, as from_bytes takes it.
  std::span<const std::byte> file_bytes() const noexcept;

  // Throws E406 when the model is of another task.
  void require_task(std::string_view task) const;

  bool has(std::string_view section) const noexcept;

  // The content, at an address that is a multiple of 64. A compressed section is decompressed by
  // the first call and kept. Throws E405 when it is missing, E404 when it is damaged, E401 when its
  // codec is unknown. Cost: takes a lock; call it when loading, not in a loop.
  std::span<const std::byte> bytes(std::string_view section) const;
  std::string_view text(std::string_view section) const;
  // The same as an array; throws E404 when the size is no multiple of sizeof(T).
  template <ModelElement T>
  std::span<const T> as(std::string_view section) const {
    static_assert(std::endian::native == std::endian::little,
                  "model files hold arrays as they are");
    const std::span<const std::byte> content = elements(section, sizeof(T));
    return {reinterpret_cast<const T*>(content.data()), content.size() / sizeof(T)};
  }

  // Reads everything again: checksums, the zeros between sections, compressed contents, identity.
  // Throws E404, or E401 for a codec that is unknown.
  void verify() const;

 private:
  struct State;
  explicit ModelFile(std::unique_ptr<State> state) noexcept;
  static ModelFile loaded(std::unique_ptr<State> state, Verify verify);
  std::span<const std::byte> elements(std::string_view section, std::size_t element_size) const;

  std::unique_ptr<State> state_;
};

}  // namespace coppice
