#include <zstd.h>

#include <algorithm>
#include <utility>

#include "base/model_layout.h"
#include "coppice/base/error.h"
#include "coppice/base/model_file.h"

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

constexpr int kZstdLevel = 9;  // beyond it, time doubles for a few per cent
constexpr std::array<std::byte, kSectionAlignment> kZeros{};
constexpr std::string_view kToolVersion = COPPICE_VERSION;
static_assert(kToolVersion.size() < sizeof Header::tool_version);

template <std::size_t kCapacity>
std::array<char, kCapacity> padded(std::string_view text) {
  std::array<char, kCapacity> field{};
  std::ranges::copy(text, field.begin());
  return field;
}

// What stands in the file for a section.
struct Stored {
  Codec codec = Codec::kNone;
  std::vector<std::byte> compressed{};
  std::span<const std::byte> bytes{};  // of `compressed`, or the content itself
};

Stored stored_form(std::span<const std::byte> content, Codec codec) {
  if (codec == Codec::kNone) return {.bytes = content};
  std::vector<std::byte> smaller(ZSTD_compressBound(content.size()));
  const std::size_t size =
      ZSTD_compress(smaller.data(), smaller.size(), content.data(), content.size(), kZstdLevel);
  if (ZSTD_isError(size)) throw Error(concat("zstd: ", ZSTD_getErrorName(size)));
  if (size >= content.size()) return {.bytes = content};
  smaller.resize(size);
  Stored stored{.codec = Codec::kZstd, .compressed = std::move(smaller)};
  stored.bytes = stored.compressed;  // moving a vector keeps its elements where they are
  return stored;
}

Entry entry_of(std::string_view name, bool hashed, std::uint64_t size, std::uint64_t offset,
               const Stored& stored) {
  return {.name = padded<sizeof Entry::name>(name),
          .offset = offset,
          .stored_size = stored.bytes.size(),
          .size = size,
          .checksum = checksum(stored.bytes),
          .codec = static_cast<std::uint16_t>(stored.codec),
          .flags = hashed ? kHashedFlag : std::uint16_t{0},
          .reserved = 0};
}

Header header_of(std::string_view task, const std::array<unsigned char, 16>& digest,
                 std::span<const Entry> table, std::uint64_t file_size) {
  Header header{.magic = std::to_array(kModelMagic),
                .format_major = kModelFormat.major_version,
                .format_minor = kModelFormat.minor_version,
                .byte_order = kByteOrder,
                .file_size = file_size,
                .num_sections = static_cast<std::uint32_t>(table.size()),
                .reserved = 0,
                .tool_version = padded<sizeof Header::tool_version>(kToolVersion),
                .task = padded<sizeof Header::task>(task),
                .digest = digest,
                .table_checksum = checksum(std::as_bytes(table)),
                .checksum = 0};
  header.checksum = checksum(std::as_bytes(std::span(&header, 1)).first(kHeaderChecked));
  return header;
}

template <class Sections>
std::array<unsigned char, 16> digest_of(std::string_view task, const Sections& sections) {
  PayloadDigest digest(task);
  for (const auto& section : sections) {
    if (section.options.hashed) digest.add(section.name, section.content);
  }
  return digest.value();
}

void write_bytes(std::ostream& out, std::span<const std::byte> bytes) {
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

void write_zeros(std::ostream& out, std::uint64_t count) {
  write_bytes(out, std::span(kZeros).first(static_cast<std::size_t>(count)));
}

}  // namespace

struct ModelWriter::Section {
  std::string name;
  std::span<const std::byte> content;
  std::shared_ptr<const void> owner;  // null: the caller's
  SectionOptions options;
};

ModelWriter::ModelWriter(std::string task) : task_(std::move(task)) {
  require(is_name(task_, sizeof Header::task), "\"", task_,
          "\" cannot name a model's task: 1 to 31 of a-z, 0-9, '_', '-', '.'");
}
ModelWriter::~ModelWriter() = default;
ModelWriter::ModelWriter(ModelWriter&&) noexcept = default;
ModelWriter& ModelWriter::operator=(ModelWriter&&) noexcept = default;

void ModelWriter::add(std::string name, std::span<const std::byte> content,
                      std::shared_ptr<const void> owner, SectionOptions options) {
  require(is_name(name, sizeof Entry::name), "\"", name,
          "\" cannot name a section: 1 to 23 of a-z, 0-9, '_', '-', '.'");
  require(std::ranges::find(sections_, name, &Section::name) == sections_.end(), "section \"", name,
          "\" was added already");
  require(sections_.size() < kMaxSections, "a model has at most ", kMaxSections, " sections");
  sections_.push_back({std::move(name), content, std::move(owner), options});
}

std::string ModelWriter::payload_digest() const { return to_hex(digest_of(task_, sections_)); }

void ModelWriter::write(const std::string& path, Overwrite overwrite) const {
  OutputFile file(path, overwrite);
  write(file.stream());
  file.commit();
}

void ModelWriter::write(std::ostream& out) const {
  std::vector<Stored> stored;
  std::vector<Entry> table;
  std::uint64_t end = sizeof(Header) + sections_.size() * sizeof(Entry);
  for (const Section& section : sections_) {
    stored.push_back(stored_form(section.content, section.options.codec));
    table.push_back(entry_of(section.name, section.options.hashed, section.content.size(),
                             aligned(end), stored.back()));
    end = table.back().offset + table.back().stored_size;
  }
  const Header header = header_of(task_, digest_of(task_, sections_), table, end);
  write_bytes(out, std::as_bytes(std::span(&header, 1)));
  write_bytes(out, std::as_bytes(std::span(table)));
  std::uint64_t at = sizeof(Header) + table.size() * sizeof(Entry);
  for (std::size_t i = 0; i < table.size(); ++i) {
    write_zeros(out, table[i].offset - at);
    write_bytes(out, stored[i].bytes);
    at = table[i].offset + table[i].stored_size;
  }
}

}  // namespace coppice
