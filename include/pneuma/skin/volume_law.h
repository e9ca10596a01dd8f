#pragma once

#include <span>
#include <vector>

#include "pneuma/skin/joint_groups.h"

/// What holds a breathing skin to the body inside it: tissue is incompressible, and ribs stay under
/// the skin.
namespace pneuma::skin {

/// Gives a closed skin a wanted volume by the least smooth correction along its normals.
///
///   minimise  1/2 sum_v A_v s_v^2 / c_v    subject to    V(x + s n) = V*
///
///   s_v displacement along the normal n_v [m]     A_v area of the vertex [m^2]
///   c_v compliance, 0 where the skin holds still   V enclosed volume [m^3]
///
/// V changes by sum_v A_v s_v at first order, so s_v = lambda c_v with one multiplier lambda [m],
/// found by Newton steps on the exact volume:
///
///   lambda = (V* - V) / sum_v c_v |g_v|,   g_v = dV/dx_v = 1/6 sum over triangles of x_b x x_c
///   x_v   <- x_v + lambda c_v g_v / |g_v|
///
/// Each step squares the error; three leave less than 1e-6 of the change wanted.
class VolumeLaw {
 public:
  /// Throws InputError when no vertex may move.
  VolumeLaw(std::vector<Triangle> triangles, std::vector<double> compliance);

  double volume(std::span<const Vec3> positions) const;
  /// Newton steps towards the wanted volume; returns the sum of the multipliers [m]. `held`, 0 .. 1
  /// per vertex or empty, takes that part of the compliance away from steps inwards.
  double apply(double wanted, std::span<Vec3> positions, std::span<const double> held = {},
               int steps = 3);
  const std::vector<double>& compliance() const { return compliance_; }

 private:
  std::vector<Triangle> triangles_;
  std::vector<double> compliance_;
  std::vector<Vec3> gradient_;
};

/// Keeps bones a least depth under the skin: a one-sided push outwards.
///
///   t_i = signed distance of sample q_i (now X_b q_i) to the skin above it, positive inside
///   c_v = max over the samples under v of max(0, t_min,i - t_i)
///   s_u = max over v of k(r_uv) c_v         along     d_u ~ sum over v of k(r_uv) c_v o_v
///   held_u = max over i of k(r_uv) max(0, 1 - max(0, t_i - t_min,i) / 3 mm)
///
/// The skin above a sample is found by walking over the vertices near bones, from one to the next
/// nearer one, starting where it was at rest, so that skin may slide over ribs; only skin that
/// faces as the sample's outward direction o_i counts (towards the nearest skin at rest, turned
/// with the bone): the inner side of an arm that lies on the chest does not. r_uv is the way along
/// edges at rest; k is 1 as far as the next vertices and falls to 0 over 30 mm. Outward directions
/// of a cage part from one another, so pushes along them do not turn triangles over, where the
/// normals of a creased skin would cross. t_min,i is the wanted depth, or that at rest where it is
/// less: the skin at rest is never pushed. Held skin takes no part in the volume law's steps
/// inwards.
class BoneFloor {
 public:
  /// `over` marks vertices of skin that lies over the bones at rest; samples elsewhere are left
  /// out.
  BoneFloor(const TriangleMesh& rest, const std::vector<bool>& over,
            const std::vector<BoneSample>& samples, double depth);

  /// Pushes, at most 15 mm; returns the largest push that was called for [m].
  double apply(std::span<const Pose> bones, std::span<Vec3> positions);
  std::span<const double> held() const { return held_; }  ///< after the last call

 private:
  struct Sample {
    int bone = 0;
    Vec3 place, outward;     // at rest
    std::int32_t start = 0;  // vertex above it at rest
    double least = 0;        // t_min [m]
  };
  /// What the samples under a vertex ask for.
  struct Contact {
    double lacking = 0, hold = 0;  // c_v [m], held_v
    Vec3 outward = Vec3::Zero();   // sum of c_i o_i
  };
  /// Rows of one list per vertex.
  struct Rows {
    std::vector<std::int32_t> begin{0}, item;
    std::span<const std::int32_t> operator[](std::int32_t v) const {
      const auto i = static_cast<std::size_t>(v);
      return {item.data() + begin[i], item.data() + begin[i + 1]};
    }
  };
  void bind(const TriangleMesh& rest, const std::vector<bool>& over,
            const std::vector<BoneSample>& samples, double depth);
  void addReach(const TriangleMesh& rest, std::int32_t vertex);
  std::int32_t walk(std::int32_t from, const Vec3& p, const Vec3& outward,
                    std::span<const Vec3> positions) const;
  void updateNormals(std::span<const Vec3> positions);
  /// Depth of p under the triangles around a vertex; beyond `enough` a plane stands for them.
  double depthAt(std::int32_t vertex, const Vec3& p, std::span<const Vec3> positions,
                 double enough) const;
  void touch(const Sample& sample, const Pose& bone, std::span<const Vec3> positions);

  std::vector<Triangle> triangles_;
  std::vector<Sample> samples_;
  Rows neighbours_, around_, reach_;  // vertices, triangles, vertices of a push
  std::vector<double> kernel_;        // of reach_.item
  std::vector<std::int32_t> near_;    // vertices that a sample may come to lie under
  std::vector<Vec3> normals_;         // of those
  std::vector<Contact> contacts_;     // of each vertex
  std::vector<double> size_, held_;   // s_v, held_v
  std::vector<Vec3> direction_;
  std::vector<std::int32_t> touched_, pushed_;
};

}  // namespace pneuma::skin
