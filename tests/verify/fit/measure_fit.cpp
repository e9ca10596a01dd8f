// Fits one of the shared characters or their variants, and prints what the fit is judged by, as
// JSON. Without a name it lists them.
//
//   measure_fit [name]
#include <chrono>
#include <cstdio>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/core/error.h"
#include "pneuma/fit/bone_check.h"
#include "pneuma/fit/fit_figure.h"
#include "pneuma/fit/fitted_lungs.h"
#include "pneuma/fit/inside.h"
#include "pneuma/fit/slim_bones.h"
#include "tests/verify/fit/shared_characters.h"

using namespace pneuma;
using nlohmann::ordered_json;

namespace {

/// The bony cage as one number: volume of the thin ellipsoid shell whose points spread as the ribs'
/// do (a sphere's spread by a third of its squared radius along each axis) [m^3].
double cageVolume(const fit::FigureTemplate& figure, const fit::CarriedAnatomy& inside,
                  const anatomy::GeometryCache& cache) {
  std::vector<Vec3> points;
  for (const anatomy::Shape& s : figure.body->shapes)
    if (s.bone.starts_with("rib_")) {
      const TriangleMesh mesh = fit::carriedMesh(inside, s, cache);
      points.insert(points.end(), mesh.positions.begin(), mesh.positions.end());
    }
  const auto count = static_cast<double>(points.size());
  Vec3 middle = Vec3::Zero();
  for (const Vec3& p : points) middle += p / count;
  Mat3 spread = Mat3::Zero();
  for (const Vec3& p : points) spread += (p - middle) * (p - middle).transpose() / count;
  return 4.0 / 3 * kPi * std::sqrt(27 * spread.determinant());
}

ordered_json measured(const test::SharedCharacter& c) {
  const auto begin = std::chrono::steady_clock::now();
  const anatomy::Body subject = anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow();
  const anatomy::GeometryCache cache;
  fit::FitRequest request;
  request.sex = c.sex;
  const fit::FittedFigure f = fit::fitFigure(c.mesh, subject, request, cache);
  fit::CarriedAnatomy inside = fit::carryBones(*f.figure, f);
  const TriangleMesh surface{f.frame.toBody(c.mesh.positions), c.mesh.triangles};
  fit::slimBones(*f.figure, inside, surface, f.skin.mesh, cache);
  const auto outside = fit::bonesOutside(*f.figure, inside, surface, f.skin.mesh, cache);
  ordered_json j;
  j["height_m"] = f.person.height;
  j["mass_kg"] = f.person.mass;
  j["skin_mean_mm"] = 1e3 * f.report.skin.mean;
  j["skin_p99_mm"] = 1e3 * f.report.skin.p99;
  j["character_mean_mm"] = 1e3 * f.report.character.mean;
  j["character_p99_mm"] = 1e3 * f.report.character.p99;
  const fit::BoneOutside all = fit::summed(outside);
  j["bone_vertices"] = all.vertices;
  j["bone_vertices_outside"] = all.outside;
  for (const fit::BoneOutside& b : outside)
    if (b.outside > 0) j["outside_mm"][b.bone] = {b.outside, b.vertices, 1e3 * b.worst};
  for (const fit::SlimmedBone& b : fit::slimmedBones(*f.figure, inside, cache))
    if (!b.bone.ends_with("_r"))
      j["slimmed"][b.bone] = {{"thinnest", b.thinnest}, {"moved_mm", 1e3 * b.moved}};
  constexpr std::pair<const char*, const char*> kBones[] = {
      {"shoulder", "elbow"}, {"elbow", "wrist"}, {"hip", "knee"}, {"knee", "ankle"}};
  const auto joint = [&](const char* name, std::size_t side) {
    for (const fit::NamedPair& pair : fit::kNamedPairs)
      if (pair.name == std::string(name)) return (inside.joints.*pair.place)[side];
    return Vec3(Vec3::Zero());
  };
  for (const auto& [a, b] : kBones) {
    const double own = (c.marker(std::string(a) + "_l") - c.marker(std::string(b) + "_l")).norm();
    double ours = 0;
    for (std::size_t s = 0; s < 2; ++s) ours += 0.5 * (joint(a, s) - joint(b, s)).norm();
    j["length_percent"][std::string(a) + "-" + b] = 100 * (ours / own - 1);
  }
  for (const fit::NamedPair& pair : fit::kNamedPairs) {
    const Vec3 off = joint(pair.name, 0) - f.frame.toBody(c.marker(std::string(pair.name) + "_l"));
    j["joint_off_mm"][pair.name] = {1e3 * off.x(), 1e3 * off.y(), 1e3 * off.z()};
  }
  j["cage_ratio"] = inside.cageVolume;
  j["cage_l"] = 1e3 * cageVolume(*f.figure, inside, cache);
  anatomy::Body body = anatomy::withFit(subject, fit::fittedShapesOf(f, inside, c.name));
  body.person = f.person;
  const fit::FittedLungs lungs = fit::fittedLungs(anatomy::fitToPerson(body, body.person));
  j["frc_l"] = 1e3 * lungs.residual;
  j["frc_predicted_l"] = 1e3 * lungs.predicted;
  j["frc_z"] = lungs.score;
  j["cavity_l"] = 1e3 * (lungs.residual + anatomy::predictThoracicTissue(body.person));
  j["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return j;
}

}  // namespace

int main(int argc, char** argv) {
  for (const test::SharedCharacter& c : test::allSharedCharacters()) {
    if (c.mesh.empty()) {
      std::fprintf(stderr, "no shared characters\n");
      return 2;
    }
    if (argc < 2) {
      std::printf("%s\n", c.name.c_str());
    } else if (c.name == argv[1]) {
      try {
        std::printf("%s\n", measured(c).dump(1).c_str());
      } catch (const InputError& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 2;
      }
    }
  }
  return 0;
}
