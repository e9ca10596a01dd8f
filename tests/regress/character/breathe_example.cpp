// Gives a character a made-up breath, for outside judges (the Khronos validator, Blender, a
// browser) to look at what comes back. Its own body stands for the skin that a fit would lay onto
// it.
//
//   breathe_example <character> <out folder>
//
// Prints what the judges should find, as JSON.
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "pneuma/core/error.h"
#include "pneuma/fit/breathing_character.h"

using namespace pneuma;

namespace {

constexpr int kKeys = 25;
constexpr double kPeriod = 4;  // [s]

double bell(double y, double middle, double width) {
  return std::exp(-std::pow((y - middle) / width, 2));
}

/// The body's own surface, chest above belly, in metres with the feet at zero.
anatomy::SkinSurface skinOf(const fit::Character& c, const fit::BodyFrame& frame) {
  anatomy::SkinSurface skin{.mesh = {frame.toBody(c.body.positions), c.body.triangles}};
  const double height = boundingBox(skin.mesh.positions).size().y();
  for (const Vec3& p : skin.mesh.positions)
    skin.parts.push_back(p.y() > 0.85 * height   ? anatomy::SkinPart::Head
                         : p.y() > 0.65 * height ? anatomy::SkinPart::Chest
                         : p.y() > 0.45 * height ? anatomy::SkinPart::Abdomen
                                                 : anatomy::SkinPart::Thigh);
  return skin;
}

fit::CharacterBreath breathOf(const anatomy::SkinSurface& skin) {
  fit::CharacterBreath breath{.targets = {{.name = "breath_chest"}, {.name = "breath_belly"}}};
  const double height = boundingBox(skin.mesh.positions).size().y();
  for (const Vec3& p : skin.mesh.positions) {
    const double y = p.y() / height, front = p.z() > 0 ? 1 : 0.2;
    breath.targets[0].offsets.push_back(0.012 * bell(y, 0.74, 0.05) * Vec3(0, 0.5, front));
    breath.targets[1].offsets.push_back(0.015 * bell(y, 0.56, 0.04) * Vec3(0, 0, front));
  }
  for (int i = 0; i < kKeys; ++i) {
    const double share = static_cast<double>(i) / (kKeys - 1);
    breath.times.push_back(kPeriod * share);
    breath.weights.push_back(0.5 * (1 - std::cos(2 * kPi * share)));
    breath.weights.push_back(std::pow(std::sin(kPi * share), 2) * (i == kKeys - 1 ? 0 : 1));
  }
  return breath;
}

int run(const std::filesystem::path& file, const std::filesystem::path& folder) {
  const fit::Character c = fit::readCharacter(file);
  const Box box = boundingBox(c.body.positions);
  const fit::BodyFrame frame{.offset = Vec3(0, -box.min.y(), 0)};
  const anatomy::SkinSurface skin = skinOf(c, frame);
  const fit::BreathTransfer transfer(c, frame, skin);
  const fit::CharacterFiles written =
      fit::writeBreathingCharacter(folder, c, frame, transfer, breathOf(skin));
  nlohmann::ordered_json facts = {{"file", written.files[0].filename().string()},
                                  {"period", kPeriod},
                                  {"largest_mm", 1e3 * written.largestOffset},
                                  {"seam_mm", 1e3 * written.seam},
                                  {"bound", transfer.report().bound},
                                  {"cloth", transfer.report().cloth},
                                  {"still", transfer.report().still},
                                  {"notes", c.notes}};
  for (const fit::CharacterPiece& p : c.pieces) facts["pieces"].push_back(p.name);
  for (const io::GltfJoint& j : c.joints) facts["joints"].push_back(j.name);
  std::printf("%s\n", facts.dump(1).c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  try {
    return run(argv[1], argv[2]);
  } catch (const InputError& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
