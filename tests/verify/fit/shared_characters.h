#pragma once

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pneuma/anatomy/person.h"
#include "pneuma/core/interpolate.h"
#include "pneuma/fit/fitted_figure.h"
#include "pneuma/io/mesh_file.h"
#include "tests/support/shared_data.h"

/// The shared characters (MakeHuman, CC0), and stylised variants, poses and fat levels made from
/// them. Markers of their armature go through the same change.
namespace pneuma::test {

struct SharedCharacter {
  std::string name;
  anatomy::Sex sex = anatomy::Sex::Male;
  TriangleMesh mesh;                   ///< [m], +Y up, +Z front; empty: no shared data
  std::vector<fit::Landmark> markers;  ///< of the armature: shoulder_l ... ankle_r [m]

  const Vec3& marker(const std::string& joint) const {
    return std::ranges::find(markers, joint, &fit::Landmark::name)->place;
  }
  template <class Change>
  SharedCharacter changed(std::string as, Change&& change) const {
    SharedCharacter c{std::move(as), sex, mesh, markers};
    for (Vec3& p : c.mesh.positions) p = change(p);
    for (fit::Landmark& m : c.markers) m.place = change(m.place);
    return c;
  }
};

inline SharedCharacter sharedCharacter(const std::string& name) {
  SharedCharacter c{.name = name};
  const auto folder = sharedData("characters");
  if (folder.empty()) return c;
  c.sex = name.starts_with("female") ? anatomy::Sex::Female : anatomy::Sex::Male;
  c.mesh = io::readMesh(folder / (name + ".obj"));
  std::ifstream file(folder / "characters.json");
  const nlohmann::json joints = nlohmann::json::parse(file)["joints"][name];
  constexpr std::pair<const char*, const char*> kNames[] = {
      {"shoulder", "shoulder"}, {"elbow", "elbow"}, {"wrist", "hand"},
      {"hip", "upper-leg"},     {"knee", "knee"},   {"ankle", "ankle"}};
  for (const auto& [ours, theirs] : kNames)
    for (const char* side : {"l", "r"}) {
      const auto p = joints[std::string(side) + "-" + theirs].get<std::array<double, 3>>();
      c.markers.push_back({std::string(ours) + "_" + side, Vec3(p[0], p[1], p[2])});
    }
  return c;
}

/// From one character to another with the same vertices, and beyond (share > 1).
inline SharedCharacter between(const SharedCharacter& a, const SharedCharacter& b, double share,
                               std::string name) {
  SharedCharacter c{std::move(name), a.sex, a.mesh, a.markers};
  for (std::size_t v = 0; v < c.mesh.vertexCount(); ++v)
    c.mesh.positions[v] += share * (b.mesh.positions[v] - a.mesh.positions[v]);
  for (std::size_t k = 0; k < c.markers.size(); ++k)
    c.markers[k].place += share * (b.markers[k].place - a.markers[k].place);
  return c;
}

/// Legs 0.7, head 1.5.
inline SharedCharacter childLike() {
  return sharedCharacter("male_average").changed("child-like", [](Vec3 p) {
    const double larger = 0.5 * smoothStep(1.46, 1.54, p.y());
    p.y() -= 0.3 * std::min(p.y(), 0.8);
    return Vec3(p + larger * (p - Vec3(0, 1.24, 0.012)));
  });
}

/// 2.42 m.
inline SharedCharacter giant() {
  return sharedCharacter("male_average").changed("giant", [](Vec3 p) { return Vec3(1.4 * p); });
}

/// Arms 1.3, legs 1.25.
inline SharedCharacter longLimbed() {
  const SharedCharacter man = sharedCharacter("male_average");
  if (man.mesh.empty()) return man;
  const Vec3 shoulder = man.marker("shoulder_l");
  const Vec3 along = (man.marker("wrist_l") - shoulder).normalized();
  return man.changed("long-limbed", [&](Vec3 p) {
    const double side = p.x() < 0 ? -1 : 1;
    const Vec3 from = Vec3(side * p.x(), p.y(), p.z()) - shoulder;
    const double arm = smoothStep(0.19, 0.26, side * p.x()) * smoothStep(0.75, 0.85, p.y());
    Vec3 longer = 0.3 * arm * std::max(along.dot(from), 0.0) * along;
    longer.x() *= side;
    longer.y() += 0.25 * std::min(p.y(), 0.8);
    return Vec3(p + longer);
  });
}

/// 120 kg at 1.73 m: beyond the heavy man as far as he is beyond the average one, and more.
inline SharedCharacter veryHeavy() {
  const SharedCharacter heavy = sharedCharacter("male_heavy");
  if (heavy.mesh.empty()) return heavy;
  return between(sharedCharacter("male_average"), heavy, 2.3, "very heavy");
}

/// Arms turned about the shoulders by an angle, upwards [rad].
inline SharedCharacter withArmsTurned(const SharedCharacter& c, double angle, std::string name) {
  if (c.mesh.empty()) return c;
  const Vec3 shoulder = c.marker("shoulder_l");
  const Vec3 along = (c.marker("wrist_l") - shoulder).normalized();
  return c.changed(std::move(name), [&](Vec3 p) {
    const double side = p.x() < 0 ? -1 : 1;
    const Vec3 from = Vec3(side * p.x(), p.y(), p.z()) - shoulder;
    const double out = along.dot(from), off = (from - out * along).norm();
    // What lies about the arm's line: hips are as far out as it is, and stay.
    const double arm = smoothStep(-0.05, 0.09, out) * (1 - smoothStep(0.11, 0.16, off));
    Vec3 turned = Eigen::AngleAxisd(arm * angle, Vec3::UnitZ()) * from + shoulder;
    turned.x() *= side;
    return turned;
  });
}

/// Those that every claim of the fit is shown on.
inline std::vector<SharedCharacter> allSharedCharacters() {
  std::vector<SharedCharacter> all;
  for (const char* name :
       {"male_thin", "male_average", "male_heavy", "female_thin", "female_average"})
    all.push_back(sharedCharacter(name));
  all.push_back(childLike());
  all.push_back(giant());
  all.push_back(longLimbed());
  all.push_back(veryHeavy());
  const SharedCharacter man = sharedCharacter("male_average");
  all.push_back(withArmsTurned(man, -0.35, "man, arms down"));
  all.push_back(withArmsTurned(man, 0.6, "man, arms out"));
  return all;
}

}  // namespace pneuma::test
