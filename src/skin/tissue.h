#pragma once

#include <memory>
#include <vector>

#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/core/surface_query.h"
#include "pneuma/flesh/figure_bellies.h"
#include "pneuma/skin/primitive.h"

namespace pneuma::skin::internal {

/// What lies under the skin, by group: bones on their links, bellies, primitives. Answers where a
/// ray leaves the outermost of them. [Nedel00, Sec. 5]
class Tissue {
 public:
  /// `bellies` may be null.
  Tissue(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
         const skeleton::Model& model, const flesh::FigureBellies* bellies,
         const anatomy::GeometryCache& cache);

  const PrimitiveSet& primitives() const { return primitives_; }
  void follow(const VecX& q, const skeleton::Kinematics& kinematics);

  /// Distance of the outermost surface of these groups (and the root group) along a ray, or a
  /// negative number when there is none within reach [m].
  double outermost(std::span<const int> groups, const Vec3& origin, const Vec3& direction,
                   double reach) const;

 private:
  struct Bones {
    int link;
    Vec3 center;  // of a sphere around them, in the link's frame
    double radius;
    SurfaceQuery surface;
  };
  struct Group {
    std::vector<Bones> bones;
    std::vector<int> bellies;
    std::vector<std::int32_t> first;  // vertex of each belly in the joined surface
    std::unique_ptr<SurfaceQuery> flesh;
    std::vector<int> blended, unblended;  // primitives
    std::vector<Ellipsoid> melted;        // the blended ones now
  };
  void addBones(Group& group, const anatomy::SkinGroup& described, const anatomy::Body& body,
                const anatomy::CompiledBody& compiled, const std::vector<int>& links,
                const anatomy::GeometryCache& cache);
  double castGroup(const Group& group, const Vec3& origin, const Vec3& direction,
                   double reach) const;

  const flesh::FigureBellies* bellies_;
  PrimitiveSet primitives_;
  std::vector<Group> groups_;
  int root_ = -1;
  std::vector<Pose> poses_;           // of the links now
  std::vector<Vec3> points_, belly_;  // scratch
};

}  // namespace pneuma::skin::internal
