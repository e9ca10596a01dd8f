#include <fmt/format.h>

#include "pneuma/core/hash.h"
#include "pneuma/flesh/embedded/lattice.h"
#include "pneuma/io/state_blob.h"

namespace pneuma::flesh::embedded {
namespace {

/// Changes whenever the same surface gives another lattice or the file another layout.
constexpr std::uint32_t kLatticeVersion = 1;
constexpr std::string_view kKind = "flesh lattice";

std::uint64_t keyOf(const TriangleMesh& surface, const LatticeConfig& config) {
  Hash64 hash;
  hash.value(kLatticeVersion).value(config.spacing).value(config.leafLevels);
  hash.value(config.coarsestNodes).value(surface.positions.size());
  hash.bytes(surface.positions.data(), surface.positions.size() * sizeof(Vec3));
  hash.bytes(surface.triangles.data(), surface.triangles.size() * sizeof(Triangle));
  return hash.digest();
}

template <class T>
void putVector(io::StateWriter& out, const std::vector<T>& values) {
  out.putAll(std::span<const T>(values));
}
template <class T>
void getVector(io::StateReader& in, std::vector<T>& values) {
  values = in.getAll<T>();
}

void put(io::StateWriter& out, const SparseRows& rows) {
  putVector(out, rows.start), putVector(out, rows.column), putVector(out, rows.weight);
}
void get(io::StateReader& in, SparseRows& rows) {
  getVector(in, rows.start), getVector(in, rows.column), getVector(in, rows.weight);
}

std::string packed(const Lattice& l) {
  io::StateWriter out;
  out.put(l.origin), out.put(l.nodes), out.put(l.freeCount);
  putVector(out, l.tets), putVector(out, l.share), putVector(out, l.size), putVector(out, l.piece);
  put(out, l.bindings);
  out.put(static_cast<std::uint64_t>(l.prolongations.size()));
  for (const SparseRows& p : l.prolongations) put(out, p);
  putVector(out, l.tree), out.put(l.topCells), out.put(l.topSpacing);
  return out.bytes();
}

Lattice unpacked(const std::string& bytes, const LatticeConfig& config) {
  io::StateReader in(bytes);
  Lattice l;
  l.config = config;
  in.get(l.origin), in.get(l.nodes), in.get(l.freeCount);
  getVector(in, l.tets), getVector(in, l.share), getVector(in, l.size), getVector(in, l.piece);
  get(in, l.bindings);
  l.prolongations.resize(in.get<std::uint64_t>());
  for (SparseRows& p : l.prolongations) get(in, p);
  getVector(in, l.tree), in.get(l.topCells), in.get(l.topSpacing);
  return l;
}

}  // namespace

Lattice cachedLattice(const TriangleMesh& surface, const LatticeConfig& config,
                      const std::filesystem::path& folder) {
  const std::uint64_t key = keyOf(surface, config);
  const std::filesystem::path file = folder / "flesh" / fmt::format("{:016x}.lattice", key);
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored))
    if (const Result<std::string> stored = io::readBlob(file, kKind, key); stored.ok())
      return unpacked(*stored, config);
  Lattice lattice = makeLattice(surface, config);
  try {
    io::writeBlob(file, kKind, key, packed(lattice));
  } catch (const InputError&) {
    // A full or read-only disk: the lattice is made again next time.
  }
  return lattice;
}

}  // namespace pneuma::flesh::embedded
