// Writes a simple person who breathes by a learned model, and where the vertices must be:
//
//   example_person <folder>
//
// perform.glb, person.breathshape, facts.json. The positions are those of the library, not of the
// files.

#include <nlohmann/json.hpp>

#include "pneuma/io/atomic_file.h"
#include "pneuma/shape/bake.h"
#include "pneuma/stage/perform.h"
#include "tests/unit/shape/small_body.h"

using namespace pneuma;
using Json = nlohmann::ordered_json;

namespace {

constexpr double kLitre = 1e-3;  // [m^3]

/// A breath as `Breathing` of the examples has it: volume [m^3] and flow at a share of its time.
struct SineMoment {
  double volume, flow;
};
SineMoment sineAt(double share, double rate, double tidal) {
  const double angle = 2 * kPi * share;
  return {0.5 * tidal * kLitre * (1 - std::cos(angle)),
          0.5 * tidal * kLitre * 2 * kPi * rate / 60 * std::sin(angle)};
}

Json skinAt(const shape::PersonBreath& person, const SineMoment& m, double type, double depth) {
  std::vector<Vec3> x(person.rest().size());
  person.apply(person.weights(depth * m.volume, depth * m.flow, type), x);
  Json list = Json::array();
  for (const Vec3& p : x) list.push_back({p.x(), p.y(), p.z()});
  return list;
}

stage::BreathTrack oneBreath(double rate, double tidal) {
  stage::BreathTrack track{.framesPerSecond = 25};
  const auto frames = static_cast<std::size_t>(std::lround(60 / rate * track.framesPerSecond));
  for (std::size_t k = 0; k <= frames; ++k) {
    const SineMoment m = sineAt(static_cast<double>(k) / static_cast<double>(frames), rate, tidal);
    track.volume.push_back(m.volume);
    track.flow.push_back(m.flow);
    track.type.push_back(0.5);
  }
  return track;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::filesystem::path folder = argv[1];
  const shape::ShapeTemplate body = shape::test::smallBody();
  const shape::BreathModel model = shape::test::smallModel(body);
  const shape::PersonBreath person(model, body.mesh.positions);
  const double rate = 15, tidal = 0.8;  // [1/min], [L]
  const stage::BreathTrack track = oneBreath(rate, tidal);
  const std::vector<VecX> weights = stage::performWeights(person, track);
  io::writeGlb(folder / "perform.glb", stage::performScene(model, person, track, weights));
  io::writeFile(folder / "person.breathshape", shape::bakePerson(model, person));
  Json facts{{"rate", rate}, {"tidal", tidal}, {"seconds", 60 / rate}, {"moments", Json::array()}};
  for (const double type : {0.0, 0.5, 1.0})
    for (const double depth : {0.0, 1.0, 1.5})
      for (const double share : {0.25, 0.5})
        facts["moments"].push_back(
            {{"type", type},
             {"depth", depth},
             {"share", share},
             {"skin", skinAt(person, sineAt(share, rate, tidal), type, depth)}});
  io::writeFile(folder / "facts.json", facts.dump());
}
