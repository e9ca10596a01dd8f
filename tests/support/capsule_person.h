#pragma once

#include <cmath>

#include "pneuma/stage/asset.h"

/// A person simple enough that every number is known: an upright ellipsoid that breathes by two
/// known shapes, on an armature of pelvis, spine, head, legs, two ribs and a sternum, that walks.
namespace pneuma::test {

struct CapsulePerson {
  TriangleMesh skin;
  std::vector<stage::BreathRegion> regions;
  std::vector<Vec3> chest, belly;  ///< the true targets

  /// 20 * 4^levels triangles.
  explicit CapsulePerson(int levels) : skin(makeSphere(1, levels)) {
    for (Vec3& p : skin.positions) {
      p = p.cwiseProduct(Vec3(0.18, 0.875, 0.12)) + Vec3(0, 0.9, 0);
      using enum stage::BreathRegion;
      const bool back = p.z() < -0.03 && p.y() > 0.8;
      regions.push_back(p.y() > 1.5 ? Shoulders : back ? Between : p.y() > 1.2 ? Chest : Belly);
      const double front = p.z() > 0 ? 1 : 0.2;
      chest.push_back(0.012 * bell(p.y(), 1.37, 0.07) * Vec3(p.x() / 0.18, 0.5, front));
      belly.push_back(0.015 * bell(p.y(), 1.02, 0.07) * Vec3(0, 0, front));
    }
  }

  static double bell(double y, double middle, double width) {
    const double d = std::abs(y - middle) / width;
    return d < 2 ? std::pow(std::cos(0.25 * kPi * d), 2) : 0;
  }

  std::vector<Vec3> shape(double chestWeight, double bellyWeight) const {
    std::vector<Vec3> points = skin.positions;
    for (std::size_t v = 0; v < points.size(); ++v)
      points[v] += chestWeight * chest[v] + bellyWeight * belly[v];
    return points;
  }
};

/// A recording: the belly goes `lag` seconds before the chest; breath i is `sizes[i]` deep.
struct CapsuleBreath {
  std::vector<double> times, volumes, chest, belly;
  std::vector<std::vector<Vec3>> frames;

  CapsuleBreath(const CapsulePerson& person, double lag, const std::vector<double>& sizes,
                double period = 4, double rate = 25, double start = -1.3, double drift = 0) {
    const double end = period * static_cast<double>(sizes.size()) + 0.9;
    for (int i = 0; start + i / rate < end; ++i) {
      const double t = start + i / rate;
      times.push_back(i / rate);
      chest.push_back(wave(t, period, sizes) + drift * i / rate);
      belly.push_back(wave(t + lag, period, sizes) + drift * i / rate);
      volumes.push_back(2.5e-3 + 5e-4 * (0.6 * chest.back() + 0.4 * belly.back()));
      frames.push_back(person.shape(chest.back(), belly.back()));
    }
  }

  stage::BreathRecording recording(const CapsulePerson& person) const {
    return {times, volumes, frames, person.skin.triangles, person.regions};
  }

  static double wave(double t, double period, const std::vector<double>& sizes) {
    const double breath = std::floor(t / period);
    const auto last = static_cast<double>(sizes.size()) - 1;
    const double size = sizes[static_cast<std::size_t>(std::clamp(breath, 0.0, last))];
    return size * 0.5 * (1 - std::cos(2 * kPi * (t / period - breath)));
  }
};

/// The person as an asset: UVs around the body with a seam at the back, a walk of 1.2 s, and ribs
/// that swing with the breath.
inline stage::AssetInput capsuleAsset(const CapsulePerson& person, const stage::BreathLoop& breath,
                                      double framesPerSecond = 30) {
  stage::AssetInput in{.copyright = "made for a test"};
  const auto at = [](double x, double y, double z) { return Pose{.position = Vec3(x, y, z)}; };
  in.joints = {{"pelvis", -1, at(0, 0.9, 0)},
               {"spine", 0, {Mat3(Eigen::AngleAxisd(0.1, Vec3::UnitX())), Vec3(0, 1.1, -0.03)}},
               {"head_joint", 1, at(0, 1.5, 0)},
               {"leg_l", 0, at(0.08, 0.8, 0)},
               {"leg_r", 0, at(-0.08, 0.8, 0)},
               {"rib_05_l", 1, at(0.03, 1.35, -0.08)},
               {"rib_05_r", 1, at(-0.03, 1.35, -0.08)},
               {"sternum", 1, at(0, 1.3, 0.08)}};
  in.skin.mesh = person.skin;
  for (const Vec3& p : person.skin.positions) {
    const double up = std::clamp((p.y() - 0.7) / 0.6, 0.0, 1.0);
    const double head = std::clamp((p.y() - 1.4) / 0.2, 0.0, 1.0);
    const double low = std::clamp((0.8 - p.y()) / 0.3, 0.0, 1.0);
    const int leg = p.x() >= 0 ? 3 : 4;
    in.skin.weights.push_back(
        {.joints = {0, 1, 2, leg},
         .weights = {(1 - up) * (1 - low), up * (1 - head), up * head, (1 - up) * low}});
  }

  // One place in the texture for each vertex; triangles that cross the back use copies at u + 1.
  const double pad = 0.05;
  const auto angle = [](const Vec3& p) { return std::atan2(p.x(), p.z()) / (2 * kPi) + 0.5; };
  for (std::size_t v = 0; v < person.skin.vertexCount(); ++v) {
    const Vec3& p = person.skin.positions[v];
    in.skin.atlas.vertexOf.push_back(static_cast<std::int32_t>(v));
    in.skin.atlas.uv.emplace_back(pad + 0.5 * angle(p), p.y() / 1.8);
  }
  std::vector<std::int32_t> copy(person.skin.vertexCount(), -1);
  for (Triangle t : person.skin.triangles) {
    double least = 1, most = 0;
    for (const std::int32_t v : t) {
      const double u = angle(person.skin.positions[static_cast<std::size_t>(v)]);
      least = std::min(least, u);
      most = std::max(most, u);
    }
    for (std::int32_t& v : t) {
      const auto i = static_cast<std::size_t>(v);
      if (most - least < 0.5 || angle(person.skin.positions[i]) > 0.5) continue;
      if (copy[i] < 0) {
        copy[i] = static_cast<std::int32_t>(in.skin.atlas.uv.size());
        in.skin.atlas.vertexOf.push_back(v);
        in.skin.atlas.uv.push_back(in.skin.atlas.uv[i] + Vec2(0.5, 0));
      }
      v = copy[i];
    }
    in.skin.atlas.triangles.push_back(t);
  }

  for (const int side : {5, 6}) {
    const double x = side == 5 ? 1 : -1;
    const std::vector<Vec3> line = {
        {0.03 * x, 1.35, -0.08}, {0.1 * x, 1.32, 0}, {0.03 * x, 1.3, 0.08}};
    const std::vector<double> radii = {5e-3, 5e-3, 5e-3};
    in.bones.push_back({side == 5 ? "rib_05_l" : "rib_05_r", makeTube(line, radii, 12), side});
  }
  in.bones.push_back({"sternum", makeBox(Vec3(0.03, 0.15, 0.01), Vec3(0, 1.3, 0.085)), 7});
  in.bones.push_back({"femur_l", makeBox(Vec3(0.03, 0.4, 0.03), Vec3(0.08, 0.6, 0)), 3});
  in.bones.push_back(
      {"costal_cartilage", makeBox(Vec3(0.06, 0.01, 0.01), Vec3(0, 1.25, 0.08)), 7, true});

  // Each pose in the parent's frame: rest, then a turn about the joint's own x axis.
  const auto rest = [&](std::size_t j) {
    const int parent = in.joints[j].parent;
    return parent < 0
               ? in.joints[j].X_WJ
               : in.joints[static_cast<std::size_t>(parent)].X_WJ.inverse() * in.joints[j].X_WJ;
  };
  const auto turned = [&](std::size_t j, double radians) {
    return rest(j) * Pose{.rotation = Mat3(Eigen::AngleAxisd(radians, Vec3::UnitX()))};
  };
  const double cycle = 1.2;
  in.motion.joints = {0, 1, 3, 4};
  in.motion.poses.resize(4);
  for (int k = 0; k <= std::lround(cycle * framesPerSecond); ++k) {
    const double t = k / framesPerSecond, phase = 2 * kPi * t / cycle;
    in.motion.times.push_back(t);
    Pose root = rest(0);
    root.position += Vec3(0, 0.02 * std::cos(2 * phase), 1.1 * t);
    in.motion.poses[0].push_back(root);
    in.motion.poses[1].push_back(turned(1, 0.1 * std::sin(2 * phase)));
    in.motion.poses[2].push_back(turned(3, 0.5 * std::sin(phase)));
    in.motion.poses[3].push_back(turned(4, -0.5 * std::sin(phase)));
  }
  in.breath = breath;
  in.breathJoints.times = breath.times;
  in.breathJoints.joints = {5, 6, 7};
  in.breathJoints.poses.resize(3);
  for (std::size_t k = 0; k < breath.times.size(); ++k) {
    const double w = breath.weights[k * breath.targetCount()];
    in.breathJoints.poses[0].push_back(turned(5, -0.08 * w));
    in.breathJoints.poses[1].push_back(turned(6, -0.08 * w));
    Pose sternum = rest(7);
    sternum.position += Vec3(0, 0.005, 0.008) * w;
    in.breathJoints.poses[2].push_back(sternum);
  }
  return in;
}

}  // namespace pneuma::test
