#include "survey/measure_points.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "pneuma/core/error.h"
#include "survey/directions.h"

namespace pneuma::survey::internal {

using namespace anatomy;
using namespace anatomy::internal;
namespace {

/// A landmark by rule. The region is given in fractions of the bone's box, low and high corner
/// (x to the left, y up, z to the front).
struct PointRule {
  const char* bone;
  const char* point;
  Vec3 direction;  ///< extreme in this direction; zero: centre of a fitted sphere
  Vec3 low = Vec3::Zero();
  Vec3 high = Vec3::Ones();
};

const Vec3 kSphere = Vec3::Zero();

const std::vector<PointRule>& rules() {
  static const std::vector<PointRule> all = {
      // Shoulder girdle and arm (left side; +x is lateral).
      {"clavicle_l", "sternal_end", kMedial},
      {"clavicle_l", "acromial_end", kLateral},
      {"scapula_l", "acromion", Vec3(1, 0.3, 0), {0.5, 0.7, 0}, {1, 1, 1}},
      {"scapula_l", "coracoid", kFront},
      {"scapula_l", "inferior_angle", kDown},
      {"scapula_l", "superior_angle", Vec3(-0.6, 1, 0), {0, 0.6, 0}, {0.45, 1, 1}},
      {"scapula_l", "spine_root", kMedial, {0, 0.55, 0}, {1, 0.85, 1}},
      {"humerus_l", "head_center", kSphere, {0, 0.9, 0}, {0.45, 1, 1}},
      {"humerus_l", "head_top", kUp},
      {"humerus_l", "greater_tubercle", kLateral, {0, 0.85, 0}, {1, 1, 1}},
      {"humerus_l", "lateral_epicondyle", kLateral, {0, 0, 0}, {1, 0.15, 1}},
      {"humerus_l", "medial_epicondyle", kMedial, {0, 0, 0}, {1, 0.2, 1}},
      {"humerus_l", "distal_end", kDown},
      {"ulna_l", "olecranon", kUp},
      {"ulna_l", "coronoid", kFront, {0, 0.75, 0}, {1, 1, 1}},
      {"ulna_l", "styloid", kDown},
      {"radius_l", "head", kUp},
      {"radius_l", "tuberosity", Vec3(-1, 0, 0.3), {0, 0.75, 0}, {1, 0.93, 1}},
      {"radius_l", "styloid", kDown},
      // Pelvis and leg.
      {"hip_bone_l", "asis", Vec3(0.3, 0, 1), {0.3, 0.55, 0.3}, {1, 0.95, 1}},
      {"hip_bone_l", "psis", kBack, {0, 0.5, 0}, {1, 1, 1}},
      {"hip_bone_l", "crest_top", kUp},
      {"hip_bone_l", "pubic_symphysis", kMedial, {0, 0, 0.5}, {1, 0.5, 1}},
      {"hip_bone_l", "ischial_tuberosity", kDown},
      {"femur_l", "head_center", kSphere, {0, 0.91, 0}, {0.42, 1, 1}},
      {"femur_l", "head_top", kUp},
      {"femur_l", "greater_trochanter", kLateral, {0, 0.8, 0}, {1, 1, 1}},
      {"femur_l", "lesser_trochanter", Vec3(-1, 0, -0.7), {0, 0.78, 0}, {1, 0.88, 1}},
      {"femur_l", "lateral_epicondyle", kLateral, {0, 0, 0}, {1, 0.1, 1}},
      {"femur_l", "medial_epicondyle", kMedial, {0, 0, 0}, {1, 0.12, 1}},
      {"femur_l", "distal_end", kDown},
      {"patella_l", "apex", kDown},
      {"patella_l", "base", kUp},
      {"tibia_l", "plateau", kUp},
      {"tibia_l", "tuberosity", kFront, {0, 0.8, 0}, {1, 1, 1}},
      {"tibia_l", "medial_malleolus", kDown},
      {"fibula_l", "head", kUp},
      {"fibula_l", "lateral_malleolus", kDown},
      {"sacrum", "promontory", kFront, {0.4, 0.6, 0}, {0.6, 1, 1}},
      {"sacrum", "tip", kDown},
      {"sacrum", "ala_l", kLateral},
      // Head.
      {"skull", "vertex", kUp},
      {"skull", "glabella", kFront, {0.4, 0.5, 0}, {0.6, 0.75, 1}},
      {"skull", "occiput", kBack},
      {"skull", "mastoid_l", kDown, {0.8, 0, 0.1}, {1, 0.5, 0.7}},
      {"skull", "zygion_l", kLateral, {0.5, 0, 0.55}, {1, 0.6, 1}},
      {"mandible", "condyle_l", kUp, {0.5, 0.5, 0}, {1, 1, 0.3}},
      {"mandible", "gonion_l", Vec3(1, -1, -1), {0.5, 0, 0}, {1, 0.7, 0.5}},
      {"mandible", "menton", kDown, {0.4, 0, 0.7}, {0.6, 1, 1}},
      {"mandible", "coronoid_l", kUp, {0.5, 0.5, 0.25}, {1, 1, 0.6}},
      {"hyoid", "body", kFront},
      {"hyoid", "greater_horn_l", kBack, {0.5, 0, 0}, {1, 1, 1}},
      {"thyroid_cartilage", "prominence", kFront},
      // Sternum.
      {"manubrium", "jugular_notch", kUp, {0.42, 0.5, 0}, {0.58, 1, 1}},
      {"manubrium", "lower_end", kDown},
      {"body_of_sternum", "upper_end", kUp},
      {"body_of_sternum", "lower_end", kDown},
      {"xiphoid_process", "tip", kDown},
      // Hand and foot.
      {"hand_l", "fingertip", kDown},
      {"hand_l", "wrist", kUp},
      {"hindfoot_l", "heel", kBack},
      {"toes_l", "toe_tip", kFront},
      {"talus_l", "trochlea", kUp},
  };
  return all;
}

std::vector<Vec3> inRegion(const TriangleMesh& mesh, const Vec3& from, const Vec3& to) {
  const Box box = boundingBox(mesh.positions);
  const Vec3 low = box.min + from.cwiseProduct(box.size());
  const Vec3 high = box.min + to.cwiseProduct(box.size());
  std::vector<Vec3> points;
  for (const Vec3& p : mesh.positions)
    if ((p.array() >= low.array()).all() && (p.array() <= high.array()).all()) points.push_back(p);
  return points;
}

Vec3 farthest(const std::vector<Vec3>& points, const Vec3& direction) {
  const Vec3 d = direction.normalized();
  double most = -1e300;
  for (const Vec3& p : points) most = std::max(most, p.dot(d));
  Vec3 sum = Vec3::Zero();
  double count = 0;
  for (const Vec3& p : points)
    if (p.dot(d) > most - 0.0015) sum += p, count += 1;
  return sum / count;
}

}  // namespace

Sphere fitSphere(std::span<const Vec3> points) {
  // |p|^2 = 2 c.p + (r^2 - |c|^2), linear in c and the bracket; centred for accuracy.
  Vec3 mean = Vec3::Zero();
  for (const Vec3& p : points) mean += p / static_cast<double>(points.size());
  MatX a(static_cast<Eigen::Index>(points.size()), 4);
  VecX b(a.rows());
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    const Vec3 q = points[static_cast<std::size_t>(i)] - mean;
    a.row(i) << 2 * q.transpose(), 1;
    b[i] = q.squaredNorm();
  }
  const VecX x = a.colPivHouseholderQr().solve(b);
  Sphere s;
  s.center = mean + x.head<3>();
  s.radius = std::sqrt(std::max(x[3] + x.head<3>().squaredNorm(), 0.0));
  for (const Vec3& p : points) {
    const double e = (p - s.center).norm() - s.radius;
    s.rms += e * e / static_cast<double>(points.size());
  }
  s.rms = std::sqrt(s.rms);
  return s;
}

Sphere fitSphereTrimmed(std::vector<Vec3> points, double trim) {
  Sphere s = fitSphere(points);
  for (int pass = 0; pass < 30; ++pass) {
    // The allowance shrinks towards `trim`, so that a rough start loses no good points.
    const double allowed = std::max(trim, 0.3 * s.radius * std::pow(0.8, pass));
    std::vector<Vec3> kept;
    for (const Vec3& p : points)
      if (std::abs((p - s.center).norm() - s.radius) < allowed) kept.push_back(p);
    if (kept.size() < 20) break;
    s = fitSphere(kept);
  }
  return s;
}

Vec3 extremePoint(const TriangleMesh& mesh, const Vec3& direction, const Vec3& low,
                  const Vec3& high) {
  const std::vector<Vec3> region = inRegion(mesh, low, high);
  if (region.empty())
    throw InputError(Diagnostic{.message = "a mesh has no points where a landmark is sought"});
  return farthest(region, direction);
}

NamedPoints surfacePoints(const std::string& name, const TriangleMesh& mesh) {
  NamedPoints points;
  for (const PointRule& rule : rules()) {
    if (name != rule.bone) continue;
    const std::vector<Vec3> region = inRegion(mesh, rule.low, rule.high);
    if (region.size() < 4) continue;
    points[rule.point] = rule.direction.isZero() ? fitSphereTrimmed(region, 0.001).center
                                                 : farthest(region, rule.direction);
  }
  return points;
}

namespace {

double median(std::vector<double> a) {
  std::nth_element(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(a.size() / 2), a.end());
  return a[a.size() / 2];
}

/// The hole that the spinal cord passes through.
struct Canal {
  Vec3 center;
  double front = 0;      ///< z of the body's back, its front wall [m]
  double halfWidth = 0;  ///< [m]
};

/// Along the mid-plane, from back to front, the first gap between two solid stretches; medians over
/// the levels that have one. Nothing where none has.
std::optional<Canal> findCanal(const DistanceVolume& v) {
  const Box box = v.interiorBounds();
  const double h = v.cell();
  std::vector<double> wall, gapMiddle, level;
  for (double y = box.min.y(); y <= box.max.y(); y += h) {
    int state = 0;  // 0 before the arch, 1 in it, 2 in the gap
    double gapStart = 0;
    for (double z = box.min.z() - h; z <= box.max.z(); z += h) {
      const bool solid = v.sample({0, y, z}) < 0;
      if (state == 0 && solid) state = 1;
      if (state == 1 && !solid) state = 2, gapStart = z;
      if (state == 2 && solid && z - gapStart > 0.008) {
        wall.push_back(z), gapMiddle.push_back(0.5 * (z + gapStart)), level.push_back(y);
        break;
      }
    }
  }
  if (wall.empty()) return std::nullopt;
  Canal canal{Vec3(0, median(level), median(gapMiddle)), median(wall)};
  while (canal.halfWidth < 0.05 && v.sample(canal.center + Vec3(canal.halfWidth, 0, 0)) > 0)
    canal.halfWidth += h;
  return canal;
}

void addTips(const DistanceVolume& v, NamedPoints& points) {
  Vec3 spinous(0, 0, 1e300), transverse(-1e300, 0, 0);
  for (std::size_t i = 0; i < v.values().size(); ++i) {
    if (v.at(i) >= 0) continue;
    const Vec3 p = v.position(i);
    if (p.z() < spinous.z() && std::abs(p.x()) < 0.006) spinous = Vec3(0, p.y(), p.z());
    if (p.x() > transverse.x()) transverse = p;
  }
  points["spinous_tip"] = spinous;
  points["transverse_tip_l"] = transverse;
}

/// The facets: highest and lowest points of the arch beside the canal.
void addFacets(const DistanceVolume& v, const Canal& canal, NamedPoints& points) {
  Vec3 upper(0, -1e300, 0), lower(0, 1e300, 0);
  for (std::size_t i = 0; i < v.values().size(); ++i) {
    if (v.at(i) >= 0) continue;
    const Vec3 p = v.position(i);
    const bool beside = p.x() > 0.4 * canal.halfWidth && p.x() < canal.halfWidth + 0.012;
    if (p.z() >= canal.front || !beside) continue;
    if (p.y() > upper.y()) upper = p;
    if (p.z() > canal.center.z() - 0.03 && p.y() < lower.y()) lower = p;
  }
  points["superior_facet_l"] = upper;
  points["inferior_facet_l"] = lower;
}

/// The body in front of the canal: its middle, and where its surface is above, below and before it.
void addVertebralBody(const DistanceVolume& v, const Canal& canal, NamedPoints& points) {
  Vec3 sum = Vec3::Zero();
  double count = 0;
  for (std::size_t i = 0; i < v.values().size(); ++i) {
    if (v.at(i) >= 0) continue;
    const Vec3 p = v.position(i);
    if (p.z() > canal.front && std::abs(p.x()) < std::max(canal.halfWidth, 0.008))
      sum += p, count += 1;
  }
  if (count == 0) return;
  Vec3 center = sum / count;
  center.x() = 0;
  const auto leave = [&](const Vec3& direction) {
    double s = 0;
    while (s < 0.05 && v.sample(center + s * direction) < 0) s += 0.5 * v.cell();
    return Vec3(center + s * direction);
  };
  points["body_center"] = center;
  points["body_top"] = leave(kUp);
  points["body_bottom"] = leave(kDown);
  points["body_front"] = leave(kFront);
}

}  // namespace

NamedPoints vertebraPoints(const DistanceVolume& v, bool hasBody) {
  NamedPoints points;
  addTips(v, points);
  const std::optional<Canal> canal = findCanal(v);
  if (!canal) return points;
  points["canal_center"] = canal->center;
  addFacets(v, *canal, points);
  if (hasBody) addVertebralBody(v, *canal, points);
  return points;
}

}  // namespace pneuma::survey::internal
