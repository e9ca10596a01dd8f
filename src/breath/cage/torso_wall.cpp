#include <algorithm>
#include <cmath>

#include "breath/cage/torso_mesh.h"

/// The wall of the belly: its muscles, and the floor of the pelvis.
namespace pneuma::breath::internal {
namespace {

// Of the columns of a half, 1 to 6 hold the rectus, 7 to 12 are the side, the others the back.
constexpr int kRectusColumns = 6;
constexpr int kFreeColumns = 12;
constexpr int kRows = 7;      // at refinement 1
constexpr int kNavelRow = 3;  // of them, around which the belly's girth is taken

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
        const Vec3 p = place(anatomy, pelvis, k, c);
        if (k == rows_)
          mesh_.wall.push_back(addHeld(anatomy, p));
        else
          mesh_.wall.push_back(isFree(c) ? mesh_.addParticle(p) : addLoin(anatomy, k, c, p));
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
    if (rectusPart(c) > 0)
      mesh_.addSpring(node(k, c), node(k + 1, c), MuscleGroup::Rectus, channel::kRectus,
                      0.5 * (across + before) * rectusPart(c));
    // Transversus: horizontal, in every free row.
    if (k + 1 < rows_ && (isParticle(node(k + 1, c)) || isParticle(node(k + 1, c + 1))))
      mesh_.addSpring(node(k + 1, c), node(k + 1, c + 1), MuscleGroup::Transverse,
                      channel::kTransverse, down * hoopPart(k + 1));
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
    for (int c = 0; c < columns_; ++c) mesh_.girths[2].push_back(node(kNavelRow * refinement_, c));
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
  /// A point of the loins. It is held, but down to the first row of refinement 1 it follows the rim
  /// by how near it is: held fast beside a rib that moves, the wall would hold that rib the more
  /// the finer it is.
  PointRef addLoin(const TorsoAnatomy& anatomy, int k, int c, const Vec3& p) {
    const PointRef rim = mesh_.rim[static_cast<std::size_t>(c)];
    const double share = 1 - static_cast<double>(k) / refinement_;
    if (share <= 0 || isParticle(rim)) return addHeld(anatomy, p);
    BlendSpec blend;
    const auto add = [&](int point, double weight) { blend.parts.emplace_back(point, weight); };
    add(mesh_.addBonePoint(columnBone(anatomy, p.y()), p).index, 1);
    add(mesh_.addBonePoint(thoracicBone(kRibCount), mesh_.position(rim)).index, -share);
    if (rim.kind == PointKind::Bone)
      add(rim.index, share);
    else
      for (const auto& [part, weight] : mesh_.blends[static_cast<std::size_t>(rim.index)].parts)
        add(part, share * weight);
    mesh_.blends.push_back(blend);
    return {PointKind::Blend, static_cast<int>(mesh_.blends.size()) - 1};
  }
  static bool isParticle(PointRef p) { return p.kind == PointKind::Particle; }
  bool isFree(int column) const { return half(column) < kFreeColumns + 0.99; }

  /// Where a node lies: those of refinement 1 on the measured wall, others in the cells between, so
  /// that every mesh has the same wall.
  Vec3 place(const TorsoAnatomy& anatomy, const std::vector<Vec3>& pelvis, int k, int c) const {
    const int n = refinement_, row = k / n * n, column = c / n * n;
    const double u = static_cast<double>(k - row) / n, v = static_cast<double>(c - column) / n;
    const auto along = [&](int r) -> Vec3 {
      const Vec3 p = measured(anatomy, pelvis, r, column);
      return v > 0 ? Vec3((1 - v) * p + v * measured(anatomy, pelvis, r, column + n)) : p;
    };
    return u > 0 ? Vec3((1 - u) * along(row) + u * along(row + n)) : along(row);
  }
  Vec3 measured(const TorsoAnatomy& anatomy, const std::vector<Vec3>& pelvis, int k, int c) const {
    const int column = c % columns_;
    const Vec3 top = mesh_.position(mesh_.rim[static_cast<std::size_t>(column)]);
    if (k == 0) return top;
    const Vec3 bottom = onSide(between(pelvis, half(column)), column > columns_ / 2 ? 1 : 0);
    const double t = static_cast<double>(k) / rows_;
    return isFree(column) && k < rows_ ? wallPoint(anatomy, top, bottom, t)
                                       : Vec3((1 - t) * top + t * bottom);
  }

  /// Part of a column's breadth that the rectus takes: half a column beside the white line is free.
  double rectusPart(int c) const {
    const double from = half(c) - 0.5 / refinement_, to = half(c) + 0.5 / refinement_;
    return refinement_ * std::max(0.0, std::min(to, kRectusColumns + 0.5) - std::max(from, 0.5));
  }
  /// Part of a row that has hoops: none within half a row of refinement 1 of the margin, on which
  /// their fibres end. (Beside the pelvis, which does not move, they make no difference.)
  double hoopPart(int row) const { return std::clamp(row + 0.5 - 0.5 * refinement_, 0.0, 1.0); }

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
