#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "pneuma/core/surface_query.h"
#include "pneuma/flesh/embedded/body_flesh.h"
#include "pneuma/flesh/embedded/embedding.h"
#include "pneuma/flesh/embedded/flesh_solver.h"
#include "pneuma/flesh/embedded/vertex_normals.h"

namespace pneuma::flesh::embedded {

/// Skin that stays over the bones: kneecaps, ribs and shoulder blades slide under flesh that is not
/// tied to them.
///
/// A bone's point that has come nearer to the skin than it may pushes the skin there outwards,
/// along the shortest way and without friction. The force of a push goes on into the next round,
/// which adds what is missing (multipliers of an augmented Lagrangian), so bones end under the skin
/// however soft or stiff the springs are. Points near the skin have planes that do not push yet:
/// skin lifted in one place must not sink in the next.
class BoneCover {
 public:
  /// The flesh must outlive this.
  explicit BoneCover(const BodyFlesh& flesh);

  struct Found {
    std::size_t count = 0;  ///< points that push
    double lack = 0;        ///< the most that is missing to what skin must lie over a bone [m]
    double held = 0;        ///< the most that a push has left over [m]
  };
  /// Adds planes for given places of all nodes and motions of the bones from rest.
  Found find(std::span<const Vec3> nodes, std::span<const Pose> bones,
             std::vector<ContactPlane>& planes, const ContactRound& round = {});

  /// Whether flesh is so near to where it was sought last, and so free of pushes, that a search
  /// would find none. The bones must be where they were.
  bool stands(std::span<const Vec3> nodes) const;

  /// With what force each point pushed in the last pose [N]: where the next one begins.
  const std::vector<double>& pushes() const { return push_; }
  void setPushes(std::vector<double> pushes) { push_ = std::move(pushes); }
  /// Nothing pushes any more.
  void release() { std::fill(push_.begin(), push_.end(), 0.0); }
  std::size_t points() const { return points_.size(); }

 private:
  /// A place of the skin that a point pushes.
  struct Held {
    std::size_t point = 0;
    Vec3 rest = Vec3::Zero();  ///< of the skin
    ContactPlane plane;        ///< where the skin must be
    double push = 0;           ///< [N]
  };
  Vec3 restOf(const SurfaceQuery::Hit& hit) const;
  Vec3 placeOf(const LatticePlace& place, std::span<const Vec3> nodes) const;
  ContactPlane planeAt(const SurfaceQuery::Hit& hit, const Vec3& outwards,
                       std::span<const Vec3> nodes, double distance, double stiffness) const;
  void hold(std::vector<Held>& found, std::span<const Vec3> nodes, std::span<const Pose> bones,
            const ContactRound& round);

  const BodyFlesh& flesh_;
  std::vector<Vec3> now_;
  Embedding embedding_;
  VertexNormals normals_;
  SurfaceQuery query_;
  std::vector<BonePoint> points_;  ///< that may come near the skin
  std::vector<double> margin_;     ///< of skin over each [m]
  std::vector<double> push_;       ///< [N]
  std::vector<Held> held_;         ///< of the last round
  std::vector<Vec3> nodes_;        ///< of the last round
  bool pushing_ = true;            ///< in the last round
};

}  // namespace pneuma::flesh::embedded
