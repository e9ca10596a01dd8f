#include "pneuma/fit/character.h"

#include <fmt/format.h>

#include "fit/character_parts.h"
#include "pneuma/core/index.h"
#include "pneuma/io/file.h"
#include "pneuma/io/mesh_file.h"

namespace pneuma::fit {
namespace {

constexpr double kJoin = 1e-6;             // of the file's size: corners that close are one
constexpr double kMostBranchEdges = 0.05;  // of the edges of a body
constexpr std::size_t kCoarse = 1500;      // vertices below which a body is hard to read

/// The body's triangles over joined vertices of their own.
void extractBody(Character& c) {
  std::vector<std::int32_t> place(c.surface.vertexCount(), -1);
  c.bodyVertex.assign(c.surface.vertexCount(), -1);
  for (const std::int32_t t : c.pieces[c.bodyPiece].triangles) {
    Triangle corners{};
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t v = c.surface.triangles[at(t)][k], first = c.joined[at(v)];
      if (place[at(first)] < 0) {
        place[at(first)] = static_cast<std::int32_t>(c.body.vertexCount());
        c.body.positions.push_back(c.surface.positions[at(first)]);
      }
      corners[k] = place[at(first)];
    }
    const auto& p = c.body.positions;
    if (triangleArea(p[at(corners[0])], p[at(corners[1])], p[at(corners[2])]) > 0)
      c.body.triangles.push_back(corners);
  }
  // Copies that no triangle of the body uses (a buffer shared by primitives) go along.
  for (std::size_t v = 0; v < c.surface.vertexCount(); ++v)
    c.bodyVertex[v] = place[at(c.joined[v])];
}

void noteRepairs(const internal::RepairCounts& counts, Character& c) {
  const std::size_t triangles = c.body.triangleCount();
  if (counts.repeated > 0)
    c.notes.push_back(fmt::format("{} triangles lie there twice: counted once", counts.repeated));
  if (2 * counts.turned > triangles)
    c.notes.push_back("the body is inside out: turned to be measured, left as it is in the file");
  else if (counts.turned > 0)
    c.notes.push_back(fmt::format(
        "{} triangles face inwards: turned to be measured, left as they are in the file",
        counts.turned));
  if (counts.holes > 0)
    c.notes.push_back(fmt::format("{} holes of the body are closed to be measured", counts.holes));
  if (counts.branchEdges > 0)
    c.notes.push_back(
        fmt::format("{} edges have more than two triangles: left so", counts.branchEdges));
  if (c.body.vertexCount() < kCoarse)
    c.notes.push_back(fmt::format("the body has only {} vertices: landmarks may be uncertain",
                                  c.body.vertexCount()));
}

void nameOtherPieces(Character& c) {
  if (c.pieces.size() < 2) return;
  std::vector<std::string> cloth, still;
  for (const CharacterPiece& p : c.pieces) {
    if (p.kind == PieceKind::Cloth) cloth.push_back(p.name);
    if (p.kind == PieceKind::Still) still.push_back(p.name);
  }
  c.notes.push_back(fmt::format("'{}' counts as body", c.pieces[c.bodyPiece].name));
  if (!cloth.empty()) c.notes.push_back(fmt::format("follow the body: {}", fmt::join(cloth, ", ")));
  if (!still.empty()) c.notes.push_back(fmt::format("stay still: {}", fmt::join(still, ", ")));
}

void takeArmature(Character& c) {
  const std::int32_t object = c.triangleObject[at(c.pieces[c.bodyPiece].triangles.front())];
  const int index = c.objects[at(object)].gltfObject;
  if (index >= 0) c.joints = c.gltf->objects()[static_cast<std::size_t>(index)].joints;
}

}  // namespace

void internal::refuseCharacter(const Character& c, std::string message, std::string expected) {
  throw InputError(io::fileError(c.file.string(), std::move(message), std::move(expected)));
}

const std::vector<std::string>& characterEndings() {
  static const std::vector<std::string> endings = [] {
    std::vector<std::string> list = io::meshEndings();
    list.push_back(".fbx");
    return list;
  }();
  return endings;
}

Character readCharacter(const std::filesystem::path& path, const CharacterRequest& request) {
  Character c = internal::loadCharacter(path);
  const double size = boundingBox(c.surface.positions).size().maxCoeff();
  internal::joinVertices(kJoin * size, c);
  internal::findPieces(c);
  c.bodyPiece = internal::chooseBody(c, request.bodyPiece);
  c.pieces[c.bodyPiece].kind = PieceKind::Body;
  if (c.pieces[c.bodyPiece].openShare >= kMostOpenShare)
    internal::refuseCharacter(
        c,
        fmt::format("piece '{}' is open: holes of {:.0f} % of its area", c.pieces[c.bodyPiece].name,
                    100 * c.pieces[c.bodyPiece].openShare),
        fmt::format("less than {:.0f} %", 100 * kMostOpenShare));
  extractBody(c);
  if (c.body.vertexCount() < kFewestVertices)
    internal::refuseCharacter(c, fmt::format("its body has {} vertices", c.body.vertexCount()),
                              fmt::format("at least {}", kFewestVertices));
  const internal::RepairCounts counts = internal::repairSurface(c.body);
  if (static_cast<double>(counts.branchEdges) >
      kMostBranchEdges * static_cast<double>(counts.edges))
    internal::refuseCharacter(c,
                              fmt::format("{} of {} edges have more than two triangles",
                                          counts.branchEdges, counts.edges),
                              "a surface with one outside");
  nameOtherPieces(c);
  noteRepairs(counts, c);
  if (c.gltf) takeArmature(c);
  return c;
}

}  // namespace pneuma::fit
