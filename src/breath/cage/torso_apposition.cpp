#include "breath/cage/torso_mesh.h"

/// The zone of apposition: where the diaphragm lies on the inside of the lower ribs, the belly's
/// pressure acts on them instead of that of the lungs.
namespace pneuma::breath::internal {
namespace {

constexpr int kApposedRings = 3;  // of the dome, at refinement 1

std::vector<double> partsOf(const TorsoMesh& mesh, const std::vector<PointRef>& line) {
  std::vector<double> at{0};
  for (std::size_t k = 0; k + 1 < line.size(); ++k)
    at.push_back(at.back() + distance(mesh, line[k], line[k + 1]));
  for (double& a : at) a /= at.back();
  return at;
}

/// Triangles between two lines with the same ends, facing up.
void addBand(const std::vector<PointRef>& dome, const std::vector<PointRef>& ribs, bool left,
             TorsoMesh& mesh) {
  const std::vector<double> domeAt = partsOf(mesh, dome), ribsAt = partsOf(mesh, ribs);
  const auto same = [](PointRef p, PointRef q) { return p.kind == q.kind && p.index == q.index; };
  std::size_t i = 0, j = 0;
  while (i + 1 < dome.size() || j + 1 < ribs.size()) {
    const bool onDome =
        j + 1 == ribs.size() || (i + 1 < dome.size() && domeAt[i + 1] <= ribsAt[j + 1]);
    TrianglePoints t = onDome ? TrianglePoints{dome[i + 1], dome[i], ribs[j]}
                              : TrianglePoints{dome[i], ribs[j], ribs[j + 1]};
    onDome ? ++i : ++j;
    if (same(t[0], t[1]) || same(t[1], t[2]) || same(t[2], t[0])) continue;
    if (!left) std::swap(t[1], t[2]);
    mesh.partitionFaces.push_back(t);
  }
}

}  // namespace

void addApposition(const TorsoConfig& config, TorsoMesh& mesh) {
  mesh.partitionFaces.clear();
  const int rings = kApposedRings * config.refinement;
  const auto covered = [&](int column) {  // a cell, from its column to the next
    const int right = mesh.columns - 1 - column;
    return (column >= mesh.apposed[0].front && column < mesh.apposed[0].back) ||
           (right >= mesh.apposed[1].front && right < mesh.apposed[1].back);
  };
  // Faces of the dome come by rings, two in a cell but for the last ring.
  for (std::size_t f = 0; f < mesh.domeFaces.size(); ++f) {
    const int cell = static_cast<int>(f / 2);
    const bool apposed =
        config.apposition && cell < rings * mesh.columns && covered(cell % mesh.columns);
    if (!apposed) mesh.partitionFaces.push_back(mesh.domeFaces[f]);
  }
  if (!config.apposition) return;
  for (std::size_t side = 0; side < 2; ++side) {
    const TorsoMesh::Apposed& apposed = mesh.apposed[side];
    const auto node = [&](int ring, int column) {
      const int c = side == 0 ? column : (mesh.columns - column) % mesh.columns;
      return mesh.dome[static_cast<std::size_t>(ring * mesh.columns + c)];
    };
    std::vector<PointRef> dome, ribs{node(0, apposed.front)};
    for (int k = 0; k < rings; ++k) dome.push_back(node(k, apposed.front));
    for (int c = apposed.front; c <= apposed.back; ++c) dome.push_back(node(rings, c));
    for (int k = rings; k-- > 0;) dome.push_back(node(k, apposed.back));
    ribs.insert(ribs.end(), apposed.border.begin(), apposed.border.end());
    ribs.push_back(node(0, apposed.back));
    addBand(dome, ribs, side == 0, mesh);
    mesh.partitionFaces.insert(mesh.partitionFaces.end(), apposed.faces.begin(),
                               apposed.faces.end());
  }
}

}  // namespace pneuma::breath::internal
