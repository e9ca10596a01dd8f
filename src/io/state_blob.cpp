#include "pneuma/io/state_blob.h"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "pneuma/core/check.h"
#include "pneuma/core/hash.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/io/file.h"

namespace pneuma::io {

static_assert(std::endian::native == std::endian::little, "binary files are little-endian");

namespace {

constexpr std::array<char, 8> kMagic{'P', 'N', 'E', 'U', 'M', 'A', 'B', '1'};

struct BlobHeader {
  std::array<char, 8> magic{};
  std::array<char, 16> kind{};  ///< zero-padded
  std::uint64_t tag = 0;
  std::uint64_t size = 0;
  std::uint64_t hash = 0;  ///< of kind, tag, size and payload
};
static_assert(sizeof(BlobHeader) == 48);

BlobHeader makeHeader(std::string_view kind, std::uint64_t tag, std::string_view payload) {
  BlobHeader header{.magic = kMagic, .tag = tag, .size = payload.size()};
  PNEUMA_CHECK(kind.size() <= header.kind.size(), "kind '{}'", kind);
  std::memcpy(header.kind.data(), kind.data(), kind.size());
  header.hash =
      Hash64().bytes(header.kind.data(), header.kind.size()).value(tag).text(payload).digest();
  return header;
}

}  // namespace

const char* StateReader::take(std::size_t size) {
  if (size > bytes_.size())
    throw InputError(
        fmt::format("saved state ends too early: {} bytes wanted, {} left", size, bytes_.size()));
  const char* start = bytes_.data();
  bytes_.remove_prefix(size);
  return start;
}

std::size_t StateReader::count(std::size_t elementSize) {
  const auto n = get<std::uint64_t>();
  if (n > bytes_.size() / elementSize)
    throw InputError(fmt::format("saved state claims {} elements, but only {} bytes are left", n,
                                 bytes_.size()));
  return static_cast<std::size_t>(n);
}

void writeBlob(const std::filesystem::path& path, std::string_view kind, std::uint64_t tag,
               std::string_view payload) {
  const BlobHeader header = makeHeader(kind, tag, payload);
  AtomicFile file(path);
  file.write(&header, sizeof header);
  file.write(payload);
  file.commit();
}

Result<std::string> readBlob(const std::filesystem::path& path, std::string_view kind,
                             std::uint64_t tag) {
  Result<std::string> content = readFile(path);
  if (!content) return content;
  const std::string name = path.string();
  BlobHeader header;
  if (content->size() < sizeof header) return fileError(name, "is truncated: no complete header");
  std::memcpy(&header, content->data(), sizeof header);
  if (header.magic != kMagic) return fileError(name, "is not a Pneuma binary file");
  const std::string_view payload = std::string_view(*content).substr(sizeof header);
  if (payload.size() != header.size)
    return fileError(name,
                     fmt::format("is truncated: {} of {} bytes", payload.size(), header.size));
  const BlobHeader expected = makeHeader(kind, tag, payload);
  if (header.kind != expected.kind)
    return fileError(name, fmt::format("holds another kind of data than '{}'", kind));
  if (header.tag != tag)
    return fileError(name,
                     "is of another version, or of a run with other settings or another moment");
  if (header.hash != expected.hash) return fileError(name, "is damaged: content hash differs");
  content->erase(0, sizeof header);
  return content;
}

}  // namespace pneuma::io
