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
#include "pneuma/fit/surface_graph.h"
#include "pneuma/io/mesh_file.h"
#include "tests/support/shared_data.h"

/// The shared characters (MakeHuman, CC0), and stylised variants, poses and fat levels made from
/// them. Markers of their armature go through the same change.
namespace pneuma::test {

struct SharedCharacter {
  std::string name;
  anatomy::Sex sex = anatomy::Sex::Male;
  TriangleMesh mesh;                   ///< [m], +Y up, +Z front; empty: no shared data
  std::vector<fit::Landmark> markers;  ///< of the armature: shoulder_l ... ankle_r, hand_l [m]

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
      {"shoulder", "shoulder"}, {"elbow", "elbow"}, {"wrist", "hand"},     {"hip", "upper-leg"},
      {"knee", "knee"},         {"ankle", "ankle"}, {"hand", "finger-3-4"}};
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

/// Upper arms at an angle from hanging [rad], half a turn: overhead; elbows straight, or bent as
/// they were. Upper arms turn about the shoulders, forearms and hands about the elbows, blended
/// linearly as an armature does: by the way along the skin from the hand, so that what lies beside
/// an arm stays.
enum class Elbows { Straight, AsTheyAre };
inline SharedCharacter withArmsAt(const SharedCharacter& c, double angle, std::string name,
                                  Elbows elbows = Elbows::Straight) {
  if (c.mesh.empty()) return c;
  SharedCharacter posed{std::move(name), c.sex, c.mesh, c.markers};
  const fit::SurfaceGraph graph(c.mesh);
  for (const double side : {1.0, -1.0}) {
    const std::string suffix = side > 0 ? "_l" : "_r";
    const Vec3 shoulder = c.marker("shoulder" + suffix), elbow = c.marker("elbow" + suffix),
               wrist = c.marker("wrist" + suffix);
    const Vec3 upper = (elbow - shoulder).normalized(), lower = (wrist - elbow).normalized();
    const Vec3 there(side * std::sin(angle), -std::cos(angle), 0);
    const Mat3 first = Quat::FromTwoVectors(upper, there).toRotationMatrix(),
               second = elbows == Elbows::AsTheyAre
                            ? first
                            : Quat::FromTwoVectors(lower, there).toRotationMatrix();
    const Vec3 bend = shoulder + first * (elbow - shoulder);
    const auto toFingers = [tip = c.marker("hand" + suffix)](const Vec3& p) {
      return (p - tip).squaredNorm();
    };
    const auto hand = std::ranges::min_element(c.mesh.positions, {}, toFingers);
    const std::vector<double> way =
        graph.distances(static_cast<std::int32_t>(hand - c.mesh.positions.begin()));
    // The mean way to the skin around a joint, across the bone that ends there.
    const auto wayTo = [&](const Vec3& joint, const Vec3& along) {
      double sum = 0, count = 0;
      for (std::size_t v = 0; v < way.size(); ++v) {
        const Vec3 from = c.mesh.positions[v] - joint;
        if (std::abs(along.dot(from)) < 0.012 && from.norm() < 0.1) sum += way[v], count += 1;
      }
      return sum / count;
    };
    const double atShoulder = wayTo(shoulder, upper), atElbow = wayTo(elbow, upper);
    for (std::size_t v = 0; v < way.size(); ++v) {
      const double arm = 1 - smoothStep(atShoulder - 0.08, atShoulder + 0.06, way[v]);
      const double forearm = 1 - smoothStep(atElbow - 0.05, atElbow + 0.05, way[v]);
      const Vec3& p = c.mesh.positions[v];
      const Vec3 turned = (1 - forearm) * (shoulder + first * (p - shoulder)) +
                          forearm * (bend + second * (p - elbow));
      posed.mesh.positions[v] += arm * (turned - p);
    }
    for (fit::Landmark& m : posed.markers) {
      if (m.name == "elbow" + suffix) m.place = bend;
      if (m.name == "wrist" + suffix || m.name == "hand" + suffix)
        m.place = bend + second * (m.place - elbow);
    }
  }
  return posed;
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
  all.push_back(withArmsAt(man, 0.3, "man, arms down", Elbows::AsTheyAre));
  all.push_back(withArmsAt(man, 0.3, "man, straight arms down"));
  for (const char* name :
       {"male_thin", "male_average", "male_heavy", "female_thin", "female_average"})
    all.push_back(withArmsAt(sharedCharacter(name), kPi / 2, std::string(name) + ", T-pose"));
  return all;
}

}  // namespace pneuma::test
