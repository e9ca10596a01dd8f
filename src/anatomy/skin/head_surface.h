#pragma once

#include <array>

#include "pneuma/anatomy/bone_shape.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/core/surface_query.h"

/// Heads as measured in full: eyelids, lips, nostrils and ears.
namespace pneuma::anatomy::internal {

/// How finely the places of a surface want to be told: 1 where it is flat, up to `most` where it
/// bends over less than `radius` [m].
std::vector<double> detailDensity(const TriangleMesh& surface, double radius, double most);

/// The left half of a head, from the neck up, as a table of points over the unit square (a geometry
/// image, Gu, Gortler and Hoppe 2002), for a man and a woman: the same place of the square is the
/// same place of the face in both. The mid-line runs along u = 0 (throat to forehead), v = 1 and
/// u = 1 (down to the nape), the rim at the neck along v = 0 from front to back. In the measured
/// man's size.
class HeadTable {
 public:
  HeadTable(const ShapePart& man, const ShapePart& woman);

  int size() const { return size_; }
  /// Cubic between the points of the table (Catmull and Rom); across the mid-line it is its own
  /// mirror image. x is 0 on the mid-line.
  Vec3 point(Sex sex, const Vec2& place) const;
  /// Unit normal, smoothed over some points: which way the skin grows with what lies under it.
  Vec3 outward(Sex sex, const Vec2& place) const;
  /// detailDensity of the man's head.
  double detail(const Vec2& place) const;
  Vec2 placeOf(int column, int row) const {
    return Vec2(column, row) / static_cast<double>(size_ - 1);
  }
  /// The surface through the table's points: vertex row * size + column.
  TriangleMesh mesh(Sex sex) const;
  /// The closed solid of both halves: below the rim the surface goes on straight for some
  /// centimetres, drawing in a little so that it ends within the neck.
  TriangleMesh solid(Sex sex) const;
  std::uint64_t contentHash() const { return hash_; }

 private:
  const std::vector<Vec3>& points(Sex sex) const { return points_[sex == Sex::Female ? 1 : 0]; }
  Vec3 node(Sex sex, int column, int row) const;
  template <class T>
  T bilinear(const std::vector<T>& values, const Vec2& place) const;

  int size_ = 0;
  std::array<std::vector<Vec3>, 2> points_, outward_;
  std::vector<double> detail_;
  std::uint64_t hash_ = 0;
};

/// Closest places on the man's head, and how far it is the head that a place belongs to.
class HeadSurface {
 public:
  explicit HeadSurface(const HeadTable& table);

  struct Place {
    Vec2 place = Vec2::Zero();
    Vec3 point = Vec3::Zero(), normal = Vec3::Zero();
    double distance = 0;  ///< [m]
    double share = 0;     ///< 0 at and below the rim, 1 on the head
  };
  /// Of a point with x >= 0; one with x = 0 finds its place on the mid-line.
  Place closest(const Vec3& p) const;
  /// Whether a point of a surface near the head's lies on the head or within `margin` [m] of its
  /// rim.
  bool covers(const Vec3& p, double margin) const;
  /// Relative length of edges that shows what is there.
  double wantedLength(const Place& at) const;

  const HeadTable& table() const { return table_; }
  const TriangleMesh& mesh() const { return query_.mesh(); }

 private:
  double rimDistance(const Vec3& p) const;
  Place onMidline(const Vec3& p) const;
  void finish(Place& place, const Vec3& p) const;

  const HeadTable& table_;
  SurfaceQuery query_;
  std::vector<Vec3> normals_;
  std::vector<std::int32_t> midline_;  ///< vertices from throat to nape
};

}  // namespace pneuma::anatomy::internal
