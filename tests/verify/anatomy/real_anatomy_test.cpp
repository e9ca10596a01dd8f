// The generated bones and muscles against the meshes they were measured on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "anatomy/shape/distance_volume.h"
#include "anatomy/shape/spline.h"
#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/survey/measure.h"
#include "survey/measure_points.h"

namespace pneuma::survey {
namespace {

using namespace anatomy;

std::filesystem::path anatomyFolder() {
  const char* shared = std::getenv("PNEUMA_SHARED");
  const std::filesystem::path base =
      shared ? std::filesystem::path(shared)
             : std::filesystem::path(PNEUMA_SOURCE_DIR).parent_path() / "shared";
  return base / "anatomy";
}

class RealAnatomy : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(anatomyFolder() / "manifest.json"))
      GTEST_SKIP() << "no real anatomy at " << anatomyFolder();
    pack_.emplace(anatomyFolder());
    body_ = loadBody(defaultBodyPath()).valueOrThrow();
  }

  TriangleMesh generated(const std::string& bone) const {
    const auto it = std::find_if(body_.shapes.begin(), body_.shapes.end(),
                                 [&](const Shape& s) { return s.bone == bone; });
    EXPECT_NE(it, body_.shapes.end()) << bone;
    return cache_.boneMesh(it->shape);
  }

  std::optional<AnatomyPack> pack_;
  Body body_;
  GeometryCache cache_;
};

std::string ribName(int i) {
  return std::string("rib_") + (i < 10 ? "0" : "") + std::to_string(i) + "_l";
}

TEST_F(RealAnatomy, RibCentrelinesLieWithin6mm) {
  const auto front = [](const Vec3& p) { return p.z(); };
  for (int i = 1; i <= 12; ++i) {
    const std::vector<Vec3> real = measureCentreline(pack_->mesh(ribName(i)), 40, front, 0.0015);
    const std::vector<Vec3> ours = measureCentreline(generated(ribName(i)), 40, front, 0.0015);
    double sum = 0;
    for (const Vec3& p : ours) {
      const double d = anatomy::internal::distanceToPolyline(p, real);
      sum += d * d / static_cast<double>(ours.size());
    }
    EXPECT_LT(std::sqrt(sum), 0.006) << ribName(i);
    RecordProperty(ribName(i) + "_rms_um", static_cast<int>(std::sqrt(sum) * 1e6));
    EXPECT_LT((ours.front() - real.front()).norm(), 0.012) << ribName(i);
    EXPECT_LT((ours.back() - real.back()).norm(), 0.012) << ribName(i);
  }
}

/// The pack's own table, made by other means than ours, judges the generated vertebrae.
TEST_F(RealAnatomy, VertebralCentresLieWithin4mm) {
  std::ifstream file(anatomyFolder() / "measurements.json");
  const nlohmann::json table = nlohmann::json::parse(file)["vertebrae"];
  int compared = 0;
  for (const auto& [level, entry] : table.items()) {
    if (level == "c1" || level == "c2") continue;  // no body; body and dens in one
    const TriangleMesh mesh = generated("vertebra_" + level);
    const std::vector<TriangleMesh> one{mesh};
    const auto volume = anatomy::internal::makeDistanceVolume(one, 0.001, 0.004);
    const auto points = internal::vertebraPoints(volume, true);
    ASSERT_TRUE(points.contains("body_center")) << level;
    const auto& c = entry["body_centre"];
    const Vec3 real(0, (c[2].get<double>() + 13.6) / 1000, -c[1].get<double>() / 1000);
    EXPECT_LT((points.at("body_center") - real).norm(), 0.004) << level;
    ++compared;
  }
  EXPECT_EQ(compared, 22);
}

double lengthAlong(const TriangleMesh& mesh, const Vec3& axis) {
  double low = 1e300, high = -1e300;
  for (const Vec3& p : mesh.positions) {
    low = std::min(low, p.dot(axis));
    high = std::max(high, p.dot(axis));
  }
  return high - low;
}

TEST_F(RealAnatomy, LongBoneLengthsAgreeWithin3Percent) {
  for (const char* bone :
       {"humerus_l", "ulna_l", "radius_l", "femur_l", "tibia_l", "fibula_l", "clavicle_l"}) {
    const TriangleMesh real = pack_->mesh(bone);
    const Box box = boundingBox(real.positions);
    Vec3 axis = Vec3::Zero();  // the longest direction of its box
    int longest;
    box.size().maxCoeff(&longest);
    axis[longest] = 1;
    const double expected = lengthAlong(real, axis);
    EXPECT_NEAR(lengthAlong(generated(bone), axis), expected, 0.03 * expected) << bone;
  }
}

/// Area of the convex hull of points in the plane (monotone chain).
double hullArea(std::vector<Vec2> points) {
  if (points.size() < 3) return 0;
  std::sort(points.begin(), points.end(), [](const Vec2& a, const Vec2& b) {
    return std::pair(a.x(), a.y()) < std::pair(b.x(), b.y());
  });
  const auto turn = [](const Vec2& a, const Vec2& b, const Vec2& c) {
    return (b - a).x() * (c - a).y() - (b - a).y() * (c - a).x();
  };
  std::vector<Vec2> hull;
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t start = hull.size();
    for (const Vec2& p : points) {
      while (hull.size() >= start + 2 && turn(hull[hull.size() - 2], hull.back(), p) <= 0)
        hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  double area = 0;
  for (std::size_t i = 0; i < hull.size(); ++i) {
    const Vec2 &a = hull[i], &b = hull[(i + 1) % hull.size()];
    area += 0.5 * (a.x() * b.y() - a.y() * b.x());
  }
  return area;
}

/// Volume of the stack of convex hulls of horizontal slices, 4 mm thick.
double cageVolume(const std::vector<TriangleMesh>& bones) {
  constexpr double kSlice = 0.004;
  std::map<int, std::vector<Vec2>> slices;
  for (const TriangleMesh& m : bones)
    for (const Vec3& p : m.positions)
      slices[static_cast<int>(std::floor(p.y() / kSlice))].emplace_back(p.x(), p.z());
  double volume = 0;
  for (auto& [level, points] : slices) volume += kSlice * hullArea(points);
  return volume;
}

TEST_F(RealAnatomy, RibCageVolumeAgreesWithin8Percent) {
  std::vector<TriangleMesh> real, ours;
  for (int i = 1; i <= 12; ++i) {
    std::string right = ribName(i);
    right.back() = 'r';
    for (const std::string& name : {ribName(i), right}) {
      real.push_back(pack_->mesh(name));
      ours.push_back(generated(name));
    }
  }
  for (const char* name : {"manubrium", "body_of_sternum", "xiphoid_process"}) {
    real.push_back(pack_->mesh(name));
    ours.push_back(generated(name));
  }
  const double expected = cageVolume(real), actual = cageVolume(ours);
  EXPECT_GT(expected, 0.008);
  EXPECT_NEAR(actual, expected, 0.08 * expected);
}

TEST_F(RealAnatomy, ThirtyLargestMuscleVolumesAgreeWithin25Percent) {
  const SkinModel model = skinModelOf(body_);
  std::vector<std::string> names = measurableMuscles(*pack_, 1e-6);
  std::sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return pack_->part(a).volume > pack_->part(b).volume;
  });
  int found = 0;
  for (std::size_t i = 0; i < 30; ++i) {
    const auto it = std::find_if(model.muscles.begin(), model.muscles.end(),
                                 [&](const Shape& s) { return s.bone == names[i]; });
    if (it == model.muscles.end()) continue;
    ++found;
    const double real = enclosedVolume(pack_->mesh(names[i]));
    EXPECT_NEAR(enclosedVolume(cache_.boneMesh(it->shape)), real, 0.25 * real) << names[i];
  }
  EXPECT_EQ(found, 30);
}

}  // namespace
}  // namespace pneuma::survey
