#include "coppice/base/model_file.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>

#include "base/decompression.h"
#include "base/model_layout.h"
#include "coppice/base/error.h"

namespace coppice {

namespace {

using model_layout::aligned;
using model_layout::checksum;
using model_layout::Entry;
using model_layout::Header;
using model_layout::is_name;
using model_layout::kByteOrder;
using model_layout::kHashedFlag;
using model_layout::kHeaderChecked;
using model_layout::kMaxSections;
using model_layout::PayloadDigest;
using model_layout::to_hex;

// Four bytes of zstd make at most one block of 128 KiB, so a content beyond that is a lie.
constexpr std::uint64_t kMaxZstdRatio = 32768;
constexpr std::uint64_t kMaxZstdContent = std::uint64_t{1} << 32;

struct AlignedDelete {
  void operator()(std::byte* bytes) const noexcept {
    ::operator delete (bytes, std::align_val_t{kSectionAlignment});
  }
};

// Bytes at a multiple of kSectionAlignment, not initialised.
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t size)
      : data_(static_cast<std::byte*>(::operator new (size, std::align_val_t{kSectionAlignment}))),
        size_(size) {}

  std::byte* data() noexcept { return data_.get(); }
  std::span<const std::byte> bytes() const noexcept { return {data_.get(), size_}; }

 private:
  std::unique_ptr<std::byte, AlignedDelete> data_;
  std::size_t size_ = 0;
};

// The text of a field; empty unless it is visible ASCII followed by zeros only.
template <std::size_t kCapacity>
std::string text_of(const std::array<char, kCapacity>& field) {
  const auto end = std::ranges::find(field, '\0');
  const bool visible = std::all_of(field.begin(), end, [](char c) { return c > ' ' && c <= '~'; });
  const bool filled = std::all_of(end, field.end(), [](char c) { return c == '\0'; });
  if (!visible || !filled || end == field.end()) return {};
  return {field.begin(), end};
}

// Raises the faults of one file.
struct Faults {
  std::string file;

  template <class... Parts>
  [[noreturn]] void raise(const char* code, const Parts&... parts) const {
    throw ModelError(concat(parts...), {.code = code, .where = {.file = file}});
  }
  template <class... Parts>
  void damaged_unless(bool holds, const Parts&... parts) const {
    if (!holds) raise("E404", "the model is damaged: ", parts...);
  }
};

}  // namespace

struct ModelFile::State {
  // What is known of a section beyond its row of the table; guarded by `mutex`.
  struct Access {
    bool checked = false;
    std::optional<AlignedBuffer> content;  // of a compressed one
  };

  void read_header();
  void refuse_foreign() const;
  void refuse_other_version(const Header& header) const;
  void read_table();
  SectionInfo info_of(const Entry& entry, std::uint64_t end_before) const;
  std::span<const std::byte> stored(const SectionInfo& section) const;
  void check_stored(const SectionInfo& section) const;
  void check_padding() const;
  AlignedBuffer decompressed(const SectionInfo& section) const;
  std::span<const std::byte> content(std::size_t index);

  Faults faults;
  std::optional<MappedFile> mapped;
  AlignedBuffer copy;  // without a mapped file
  std::span<const std::byte> bytes;
  Header header{};
  std::string task;
  std::string tool_version;
  std::string digest;
  std::vector<SectionInfo> sections;
  std::mutex mutex;
  std::vector<Access> access;  // one a section
};

void ModelFile::State::refuse_foreign() const {
  const std::size_t shown = std::min(bytes.size(), sizeof kModelMagic);
  if (bytes.empty()) faults.raise("E402", "not a Coppice model: the file is empty");
  if (std::memcmp(bytes.data(), kModelMagic, shown) != 0)
    faults.raise("E402", "not a Coppice model: the file begins with other bytes");
}

void ModelFile::State::refuse_other_version(const Header& found) const {
  if (found.format_major == kModelFormat.major_version) return;
  const bool newer = found.format_major > kModelFormat.major_version;
  faults.raise("E401", "model format ", found.format_major, '.', found.format_minor, " is ",
               newer ? "newer" : "older", " than this tool reads (", kModelFormat.major_version,
               ".x); it was written by coppice ", tool_version);
}

void ModelFile::State::read_header() {
  refuse_foreign();
  if (bytes.size() < sizeof(Header))
    faults.raise("E403", "the model is truncated: it ends within its header, after ", bytes.size(),
                 " bytes");
  std::memcpy(&header, bytes.data(), sizeof header);
  faults.damaged_unless(header.checksum == checksum(bytes.first(kHeaderChecked)),
                        "the checksum of its header is wrong");
  tool_version = text_of(header.tool_version);
  task = text_of(header.task);
  faults.damaged_unless(!tool_version.empty() && is_name(task, sizeof header.task),
                        "its header holds bytes that are no text");
  digest = to_hex(header.digest);
  refuse_other_version(header);
  faults.damaged_unless(header.byte_order == kByteOrder && header.reserved == 0,
                        "its header is not as version 1 has it");
  if (bytes.size() < header.file_size)
    faults.raise("E403", "the model is truncated: ", bytes.size(), " of its ", header.file_size,
                 " bytes are there");
  faults.damaged_unless(bytes.size() == header.file_size, bytes.size() - header.file_size,
                        " bytes follow its end");
}

// Sections follow one another without gaps but for alignment: with the end of the one before, this
// determines every offset, and excludes overlaps.
void ModelFile::State::read_table() {
  const std::span<const std::byte> rest = bytes.subspan(sizeof(Header));
  faults.damaged_unless(header.num_sections <= kMaxSections, "its header announces ",
                        header.num_sections, " sections, and ", kMaxSections, " is the most");
  faults.damaged_unless(header.num_sections <= rest.size() / sizeof(Entry),
                        "its section table is longer than the file");
  const std::span<const std::byte> table = rest.first(header.num_sections * sizeof(Entry));
  faults.damaged_unless(header.table_checksum == checksum(table),
                        "the checksum of its section table is wrong");
  std::uint64_t end = sizeof(Header) + table.size();
  for (std::size_t i = 0; i < header.num_sections; ++i) {
    Entry entry;
    std::memcpy(&entry, table.data() + i * sizeof entry, sizeof entry);
    sections.push_back(info_of(entry, end));
    end = sections.back().offset + sections.back().stored_size;
  }
  faults.damaged_unless(end == bytes.size(), "its sections do not fill the file");
  access.resize(sections.size());
}

SectionInfo ModelFile::State::info_of(const Entry& entry, std::uint64_t end_before) const {
  const std::string name = text_of(entry.name);
  faults.damaged_unless(is_name(name, sizeof entry.name), "a section has a broken name");
  for (const SectionInfo& other : sections)
    faults.damaged_unless(other.name != name, "section \"", name, "\" stands in it twice");
  faults.damaged_unless(entry.offset == aligned(end_before) && entry.offset <= bytes.size() &&
                            entry.stored_size <= bytes.size() - entry.offset,
                        "section \"", name, "\" of ", entry.stored_size, " bytes at byte ",
                        entry.offset, " does not fit into a file of ", bytes.size(),
                        " bytes, after what ends at byte ", end_before);
  const auto codec = static_cast<Codec>(entry.codec);
  faults.damaged_unless((entry.flags & ~kHashedFlag) == 0 && entry.reserved == 0 &&
                            (codec != Codec::kNone || entry.size == entry.stored_size),
                        "section \"", name,
                        "\" is described by numbers that contradict one another");
  return {.name = name,
          .offset = entry.offset,
          .stored_size = entry.stored_size,
          .size = entry.size,
          .checksum = entry.checksum,
          .codec = codec,
          .hashed = (entry.flags & kHashedFlag) != 0};
}

std::span<const std::byte> ModelFile::State::stored(const SectionInfo& section) const {
  return bytes.subspan(section.offset, section.stored_size);
}

void ModelFile::State::check_stored(const SectionInfo& section) const {
  faults.damaged_unless(checksum(stored(section)) == section.checksum, "the checksum of section \"",
                        section.name, "\" is wrong");
}

void ModelFile::State::check_padding() const {
  std::uint64_t at = sizeof(Header) + sections.size() * sizeof(Entry);
  for (const SectionInfo& section : sections) {
    const auto padding = bytes.subspan(at, section.offset - at);
    faults.damaged_unless(
        std::ranges::all_of(padding, [](std::byte byte) { return byte == std::byte{0}; }),
        "a byte before section \"", section.name, "\" is not zero");
    at = section.offset + section.stored_size;
  }
}

AlignedBuffer ModelFile::State::decompressed(const SectionInfo& section) const {
  if (section.codec != Codec::kZstd)
    faults.raise("E401", "section \"", section.name, "\" is stored by codec ",
                 static_cast<unsigned>(section.codec),
                 ", which this tool does not know; it was written by coppice ", tool_version);
  const auto source = stored(section);
  const bool possible = section.size <= kMaxZstdContent &&
                        section.size / kMaxZstdRatio <= section.stored_size &&
                        ZSTD_getFrameContentSize(source.data(), source.size()) == section.size;
  faults.damaged_unless(possible, "section \"", section.name, "\" cannot have ", section.size,
                        " bytes");
  AlignedBuffer content(section.size);
  const std::size_t size =
      ZSTD_decompress(content.data(), section.size, source.data(), source.size());
  faults.damaged_unless(!ZSTD_isError(size) && size == section.size, "section \"", section.name,
                        "\" cannot be decompressed");
  return content;
}

std::span<const std::byte> ModelFile::State::content(std::size_t index) {
  const SectionInfo& section = sections[index];
  const std::scoped_lock lock(mutex);
  Access& state = access[index];
  if (!state.checked) check_stored(section);
  state.checked = true;
  if (section.codec == Codec::kNone) return stored(section);
  if (!state.content) state.content = decompressed(section);
  return state.content->bytes();
}

ModelFile::ModelFile(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
ModelFile::~ModelFile() = default;
ModelFile::ModelFile(ModelFile&&) noexcept = default;
ModelFile& ModelFile::operator=(ModelFile&&) noexcept = default;

ModelFile ModelFile::loaded(std::unique_ptr<State> state, Verify verify) {
  state->read_header();
  state->read_table();
  if (verify == Verify::kAtOpen) {
    state->check_padding();
    for (std::size_t i = 0; i < state->sections.size(); ++i) {
      state->check_stored(state->sections[i]);
      state->access[i].checked = true;
    }
  }
  return ModelFile(std::move(state));
}

namespace {

// Of a pipe, which cannot be mapped, and of a compressed file.
ModelFile from_content(const std::string& path, Verify verify) {
  std::string content;
  try {
    content = read_file(path);
  } catch (const ParseError& error) {
    throw ModelError(error.what(),
                     {.code = error.code(), .where = error.where(), .help = error.help()});
  }
  return ModelFile::from_bytes(std::as_bytes(std::span(content)), path == "-" ? "<stdin>" : path,
                               verify);
}

bool is_compressed(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto found = detail::compression_of(text);
  return found == detail::Compression::kGzip || found == detail::Compression::kZstd;
}

}  // namespace

ModelFile ModelFile::open(const std::string& path, Verify verify) {
  // A pipe cannot be mapped.
  if (std::error_code ignored; path == "-" || std::filesystem::is_fifo(path, ignored))
    return from_content(path, verify);
  auto state = std::make_unique<State>();
  state->faults.file = path;
  try {
    state->bytes = state->mapped.emplace(path).bytes();
  } catch (const IoError& error) {
    // A model that is not there is the model's fault, not the system's.
    if (std::error_code ignored; std::filesystem::exists(path, ignored)) throw;
    throw ModelError(error.what(), {.code = error.code(), .where = error.where()});
  }
  if (is_compressed(state->bytes)) return from_content(path, verify);
  return loaded(std::move(state), verify);
}

ModelFile ModelFile::from_bytes(std::span<const std::byte> bytes, std::string name, Verify verify) {
  auto state = std::make_unique<State>();
  state->faults.file = std::move(name);
  state->copy = AlignedBuffer(bytes.size());
  std::ranges::copy(bytes, state->copy.data());
  state->bytes = state->copy.bytes();
  return loaded(std::move(state), verify);
}

const std::string& ModelFile::name() const noexcept { return state_->faults.file; }
const std::string& ModelFile::task() const noexcept { return state_->task; }
FormatVersion ModelFile::format() const noexcept {
  return {state_->header.format_major, state_->header.format_minor};
}
const std::string& ModelFile::tool_version() const noexcept { return state_->tool_version; }
const std::string& ModelFile::payload_digest() const noexcept { return state_->digest; }
std::span<const SectionInfo> ModelFile::sections() const noexcept { return state_->sections; }
std::span<const std::byte> ModelFile::file_bytes() const noexcept { return state_->bytes; }

void ModelFile::require_task(std::string_view task) const {
  if (state_->task != task)
    state_->faults.raise("E406", "the model is for the task \"", state_->task, "\", not \"", task,
                         '"');
}

bool ModelFile::has(std::string_view section) const noexcept {
  return std::ranges::find(state_->sections, section, &SectionInfo::name) != state_->sections.end();
}

std::span<const std::byte> ModelFile::bytes(std::string_view section) const {
  const auto found = std::ranges::find(state_->sections, section, &SectionInfo::name);
  if (found == state_->sections.end())
    state_->faults.raise("E405", "the model has no section \"", section, '"');
  return state_->content(static_cast<std::size_t>(found - state_->sections.begin()));
}

std::string_view ModelFile::text(std::string_view section) const {
  const std::span<const std::byte> content = bytes(section);
  return {reinterpret_cast<const char*>(content.data()), content.size()};
}

std::span<const std::byte> ModelFile::elements(std::string_view section,
                                               std::size_t element_size) const {
  const std::span<const std::byte> content = bytes(section);
  state_->faults.damaged_unless(content.size() % element_size == 0, "section \"", section, "\" of ",
                                content.size(), " bytes is no array of elements of ", element_size);
  return content;
}

void ModelFile::verify() const {
  state_->check_padding();
  PayloadDigest digest(state_->task);
  for (const SectionInfo& section : state_->sections) {
    state_->check_stored(section);
    const AlignedBuffer content =
        section.codec == Codec::kNone ? AlignedBuffer() : state_->decompressed(section);
    if (section.hashed)
      digest.add(section.name,
                 section.codec == Codec::kNone ? state_->stored(section) : content.bytes());
  }
  state_->faults.damaged_unless(digest.value() == state_->header.digest,
                                "its identity is not that of its sections");
}

}  // namespace coppice
