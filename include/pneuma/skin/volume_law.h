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
///   t_i = (s_i - X_b q_i) . n_i           depth of sample q_i of bone b under the skin's point s_i
///   push_v = max over i of k(|p_v - s_i|) max(0, t_min,i - t_i),    k(r) = (1 - r^2/a^2)^2
///
/// s_i is the point of the skin nearest to the sample at rest (triangle and barycentric weights),
/// n_i that triangle's normal now, a = 20 mm measured along edges. t_min,i is the wanted depth, or
/// that at rest where it is less: the skin at rest is never pushed. Skin within 3 mm of that is
/// held against the volume law's steps inwards, fully where nothing is left:
///
///   held_v = max over i of k max(0, 1 - max(0, t_i - t_min,i) / 3 mm)
class BoneFloor {
 public:
  BoneFloor(const TriangleMesh& rest, const std::vector<BoneSample>& samples, double depth);

  /// Pushes; returns the largest push [m].
  double apply(std::span<const Pose> bones, std::span<Vec3> positions);
  std::span<const double> held() const { return held_; }  ///< after the last call

 private:
  struct Sample {
    int bone = 0;
    Vec3 place;
    Triangle triangle{};
    Vec3 barycentric;
    double least = 0;                // t_min [m]
    std::size_t begin = 0, end = 0;  // of the vertices it pushes
  };
  void addReach(const TriangleMesh& rest, const std::vector<std::vector<std::int32_t>>& neighbours,
                Sample& sample);

  std::vector<Sample> samples_;
  std::vector<std::int32_t> vertex_;
  std::vector<double> kernel_;
  std::vector<Vec3> push_;
  std::vector<double> held_;
  std::vector<std::int32_t> touched_;
};

}  // namespace pneuma::skin
