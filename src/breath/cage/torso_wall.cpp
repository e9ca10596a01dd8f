#include <algorithm>
#include <cmath>

#include "breath/cage/torso_mesh.h"

/// The wall of the belly: its muscles, and the floor of the pelvis.
namespace pneuma::breath::internal {
namespace {

// Of the columns of a half, 1 to 6 hold the rectus, 7 to 12 are the side, the others the back.
constexpr int kRectusColumns = 6;
constexpr int kFreeColumns = 12;
constexpr int kRows = 7;  // at refinement 1

/// The rim of the pelvis at the columns of refinement 1, left side.
std::vector<Vec3> pelvicRim(const TorsoAnatomy& a) {
  std::vector<Vec3> rim;
  const Vec3 pubicEnd = a.pubicCrest + 0.25 * (a.iliacSpine - a.pubicCrest);
  for (int c = 0; c <= kRectusColumns; ++c)
    rim.push_back(a.pubicCrest + (pubicEnd - a.pubicCrest) * c / kRectusColumns);
  for (int c = 1; c <= 3; ++c) rim.push_back(pubicEnd + (a.iliacSpine - pubicEnd) * c / 3.0);
  rim.push_back(a.iliacTubercle);
  rim.push_back(0.5 * (a.iliacTubercle + a.iliacCrest));
  rim.push_back(a.iliacCrest);
  for (int c = 1; c <= 4; ++c)
    rim.push_back(a.iliacCrest + (a.promontory - a.iliacCrest) * c / 4.0);
  return rim;
}

Vec3 between(const std::vector<Vec3>& line, double column) {
  const auto i = std::min(static_cast<std::size_t>(column), line.size() - 2);
  const double t = column - static_cast<double>(i);
  return (1 - t) * line[i] + t * line[i + 1];
}

/// A node of the wall at height fraction t between rim and pelvis.
Vec3 wallPoint(const TorsoAnatomy& a, const Vec3& top, const Vec3& bottom, double t) {
  const Vec3 axis = a.wall.center;
  const double topAzimuth = azimuthOf(top, axis), bottomAzimuth = azimuthOf(bottom, axis);
  const auto radiusAt = [&](const Vec3& p) { return std::hypot(p.x(), p.z() - axis.z()); };
  const double topBend = radiusAt(top) - a.wall.radius(top.y(), topAzimuth);
  const double bottomBend = radiusAt(bottom) - a.wall.radius(bottom.y(), bottomAzimuth);
  const double azimuth = (1 - t) * topAzimuth + t * bottomAzimuth;
  const double y = (1 - t) * top.y() + t * bottom.y();
  const double r = a.wall.radius(y, azimuth) + (1 - t) * topBend + t * bottomBend;
  const double side = top.x() < 0 ? -1 : 1;
  return {side * r * std::sin(azimuth), y, axis.z() + r * std::cos(azimuth)};
}

/// The wall of the belly as a grid: rows from the rim down to the pelvis, columns around from the
/// front to the left.
class Wall {
 public:
  Wall(const TorsoConfig& config, TorsoMesh& mesh)
      : mesh_(mesh),
        refinement_(config.refinement),
        columns_(mesh.columns),
        rows_(kRows * config.refinement),
        onGround_(config.ground) {
    mesh.rows = rows_;
  }

  /// Points below the rim: free in front and at the sides, on spine and pelvis behind and below.
  void addPoints(const TorsoAnatomy& anatomy) {
    const std::vector<Vec3> pelvis = pelvicRim(anatomy);
    mesh_.wall = mesh_.rim;
    for (int k = 1; k <= rows_; ++k)
      for (int c = 0; c < columns_; ++c) {
        const Vec3 top = mesh_.position(mesh_.rim[static_cast<std::size_t>(c)]);
        const Vec3 bottom = onSide(between(pelvis, half(c)), c > columns_ / 2 ? 1 : 0);
        const double t = static_cast<double>(k) / rows_;
        const bool free = half(c) < kFreeColumns + 0.99 && k < rows_;
        mesh_.wall.push_back(free ? mesh_.addParticle(wallPoint(anatomy, top, bottom, t))
                                  : addHeld(anatomy, (1 - t) * top + t * bottom));
      }
  }

  /// Muscles of one cell: its left and lower sides and its diagonals.
  void addMuscles(int k, int c) {
    const double across = length(node(k, c), node(k, c + 1));
    const double across2 = length(node(k + 1, c), node(k + 1, c + 1));
    const double down =
        0.5 * (length(node(k, c), node(k + 1, c)) + length(node(k, c + 1), node(k + 1, c + 1)));
    const double before = length(node(k, c - 1), node(k, c));
    // Rectus: vertical, beside the white line.
    if (half(c) > 0 && half(c) <= kRectusColumns)
      mesh_.addSpring(node(k, c), node(k + 1, c), MuscleGroup::Rectus, channel::kRectus,
                      0.5 * (across + before));
    // Transversus: horizontal, in every free row.
    if (k + 1 < rows_ && (isFree(node(k + 1, c)) || isFree(node(k + 1, c + 1))))
      mesh_.addSpring(node(k + 1, c), node(k + 1, c + 1), MuscleGroup::Transverse,
                      channel::kTransverse, down);
    // Obliques: both diagonals of the cells beside the rectus.
    const double strip = std::max(half(c), half((c + 1) % columns_));
    if (strip > kRectusColumns && strip <= kFreeColumns + 1) {
      const double area = 0.5 * (across + across2) * down;
      for (const auto& [p, q] :
           {std::pair{node(k, c), node(k + 1, c + 1)}, std::pair{node(k, c + 1), node(k + 1, c)}})
        mesh_.addSpring(p, q, MuscleGroup::Transverse, channel::kTransverse, area / length(p, q),
                        SpringPart::Oblique);
    } else if (strip <= kRectusColumns) {
      addLiner(mesh_, node(k, c), node(k, c + 1), node(k + 1, c), node(k + 1, c + 1));
    }
  }
  void addMuscles() {
    for (int c = 0; c < columns_; ++c)
      for (int k = 0; k < rows_; ++k) addMuscles(k, c);
  }

  void addSurface() {
    for (int k = 0; k < rows_; ++k)
      for (int c = 0; c < columns_; ++c)
        addFaces(node(k + 1, c), node(k + 1, c + 1), node(k, c), node(k, c + 1), c < columns_ / 2,
                 false, mesh_.wallFaces);
  }

  /// The floor of the pelvis.
  void addFloor(const TorsoAnatomy& anatomy) {
    const Vec3 deep(0, anatomy.pubicCrest.y(),
                    0.5 * (anatomy.pubicCrest.z() + anatomy.promontory.z()));
    const PointRef floor = addHeld(anatomy, deep);
    for (int c = 0; c < columns_; ++c)
      mesh_.wallFaces.push_back({node(rows_, c), floor, node(rows_, c + 1)});
  }

  void addGirth() {
    for (int c = 0; c < columns_; ++c) mesh_.girths[2].push_back(node(rows_ / 2, c));
  }

 private:
  /// Column of refinement 1, without side.
  double half(int c) const { return static_cast<double>(std::min(c, columns_ - c)) / refinement_; }
  PointRef node(int row, int column) const {
    return mesh_.wall[static_cast<std::size_t>(row * columns_ + (column + columns_) % columns_)];
  }
  double length(PointRef p, PointRef q) const { return distance(mesh_, p, q); }
  /// A point of the loins, or of the pelvis; they are the ground of a trunk by itself.
  PointRef addHeld(const TorsoAnatomy& anatomy, const Vec3& p) {
    return onGround_ ? mesh_.addFixed(p) : mesh_.addBonePoint(columnBone(anatomy, p.y()), p);
  }
  static bool isFree(PointRef p) { return p.kind == PointKind::Particle; }

  TorsoMesh& mesh_;
  int refinement_, columns_, rows_;
  bool onGround_;
};

}  // namespace

void addWall(const TorsoAnatomy& anatomy, const TorsoConfig& config, TorsoMesh& mesh) {
  Wall wall(config, mesh);
  wall.addPoints(anatomy);
  wall.addMuscles();
  wall.addSurface();
  wall.addFloor(anatomy);
  wall.addGirth();
}

}  // namespace pneuma::breath::internal
