#include "pneuma/stage/complexion.h"

#include <array>
#include <cmath>
#include <cstdint>

#include "pneuma/core/interpolate.h"
#include "stage/hairline.h"
#include "stage/lid_line.h"

namespace pneuma::stage {
namespace {

/// A patch of skin of another colour: an ellipsoid around a place of the measured man's left half.
struct Patch {
  Vec3 center, radii;   ///< [m]
  std::uint32_t color;  ///< sRGB
  double strength;      ///< in the middle, 0..1
  double edge;          ///< share of the radius over which it fades
};

// Chosen by eye after the usual colours of people; no one's skin was measured.
constexpr std::uint32_t kBlood = 0xcc7463, kLips = 0xb96a5e, kAreola = 0x9c604f, kShade = 0xb98a76,
                        kBeard = 0x9b8479, kSlit = 0x74403a;
const std::array kPatches{
    Patch{{0, 1.512, 0.205}, {0.020, 0.018, 0.03}, kBlood, 0.4, 1.0},      // nose
    Patch{{0.045, 1.510, 0.155}, {0.032, 0.028, 0.05}, kBlood, 0.3, 1.0},  // cheek
    Patch{{0.085, 1.532, 0.07}, {0.022, 0.032, 0.05}, kBlood, 0.45, 0.6},  // ear
    Patch{{0.031, 1.553, 0.17}, {0.022, 0.012, 0.04}, kShade, 0.4, 1.0},   // eyelid
    Patch{{0.11, 1.23, 0.19}, {0.018, 0.018, 0.06}, kAreola, 0.65, 0.5},
    Patch{{0, 0.984, 0.21}, {0.011, 0.011, 0.05}, kShade, 0.6, 0.8},       // navel
    Patch{{0.076, 0.455, 0.12}, {0.045, 0.05, 0.07}, kBlood, 0.3, 1.0},    // knee
    Patch{{0.212, 1.075, 0.02}, {0.035, 0.045, 0.04}, kBlood, 0.35, 1.0},  // elbow
    Patch{{0.08, 0.02, 0.21}, {0.07, 0.05, 0.06}, kBlood, 0.35, 1.0},      // toes
    Patch{{0.078, 0.02, 0.0}, {0.05, 0.04, 0.05}, kBlood, 0.35, 1.0},      // heel
    Patch{{0.27, 0.68, 0.16}, {0.08, 0.05, 0.06}, kBlood, 0.35, 1.0},      // fingers
    Patch{{0.26, 0.75, 0.11}, {0.05, 0.025, 0.025}, kBlood, 0.3, 1.0},     // knuckles
};

constexpr double kBeardShare = 0.42, kLipShare = 0.52, kWomansLips = 0.6, kBrowShare = 0.84,
                 kCrop = 0.86;  // strengths
constexpr double kHead = 1.40;  // no hair or lips below it [m]

// The measured man's face [m]: heights of its lines, and where its front begins.
constexpr double kFaceFront = 0.11, kMouth = 1.479, kMouthHalf = 0.0275;
constexpr double kBrowLine = 1.5585, kBrowFrom = 0.010, kBrowTo = 0.060;

double noise(const Vec3& p, const Vec3& size) {
  return smoothNoise(p, size);
}
double noise(const Vec3& p, double size) {
  return noise(p, Vec3::Constant(size));
}

/// How far a place lies in a patch: 1 in the middle, 0 beyond its rim.
double shareOf(const Patch& patch, const Vec3& p) {
  const Vec3 d = (Vec3(std::abs(p.x()), p.y(), p.z()) - patch.center).cwiseQuotient(patch.radii);
  const double squared = d.squaredNorm();
  if (squared >= 1) return 0;
  return patch.strength * (1 - smoothStep(1 - patch.edge, 1.0, std::sqrt(squared)));
}

/// 1 between two heights, fading over `edge` to both sides [m].
double band(double y, double low, double high, double edge) {
  return smoothStep(low - edge, low + edge, y) * (1 - smoothStep(high - edge, high + edge, y));
}

/// The red of the lips: a bow above the mouth's line, fuller below it.
double lips(const Vec3& p) {
  const double t = std::abs(p.x()) / kMouthHalf;
  if (p.z() < kFaceFront || t >= 1) return 0;
  const double full = 1 - t * t, bow = 0.0016 * std::exp(-std::pow(p.x() / 0.004, 2));
  return band(p.y(), kMouth - 0.0115 * std::pow(full, 0.7), kMouth + 0.0088 * full - bow, 0.0018);
}

/// The line where the lips meet: in the shade of both, whatever the triangles in the slit do.
double mouthLine(const Vec3& p) {
  const double t = std::abs(p.x()) / kMouthHalf;
  if (p.z() < kFaceFront || t >= 1) return 0;
  return 0.6 * band(p.y(), kMouth - 0.0002, kMouth + 0.0007, 0.0007) * (1 - smoothStep(0.7, 1, t));
}

/// Lashes along the closed lids.
double lashes(const Vec3& p) {
  const double u = LidLine::along(std::abs(p.x()));
  if (p.z() < kFaceFront || u <= 0 || u >= 1) return 0;
  const double line = LidLine::height(u);
  return 0.8 * band(p.y(), line - 0.0004, line + 0.0001, 0.0004) * smoothStep(0, 0.2, u);
}

/// Brows: hairs that stand nearly upright beside the nose and lie down towards the temple, dense in
/// the middle and single at the rims; a woman's are narrower and arch higher. A hair is a line of
/// equal `across` = height over the brow's line less the integral of the slope of the hairs.
double brows(const Vec3& p, anatomy::Sex sex) {
  const bool female = sex == anatomy::Sex::Female;
  constexpr double kSteep = 1.5, kFlat = 0.15;  // slope of the hairs at both ends
  const Vec3 kHairs(0.0045, 0.00042, 1), kTufts(0.003, 0.0011, 1);  // sizes [m]
  const double length = kBrowTo - kBrowFrom, u = (std::abs(p.x()) - kBrowFrom) / length;
  if (p.z() < kFaceFront || u <= -0.1 || u >= 1.1) return 0;
  const double line = kBrowLine + (female ? 0.0024 + 0.0060 * std::sin(2.3 * u)
                                          : 0.0016 + 0.0046 * std::sin(2.1 * u)),
               half = (female ? 0.0039 : 0.0056) * (1 - 0.55 * std::max(0.0, u)),
               over = p.y() - line;
  if (std::abs(over) > 2 * half) return 0;
  const double across = over - length * (kSteep * u + 0.5 * (kFlat - kSteep) * u * u);
  const Vec3 q(std::abs(p.x()), across, p.x() > 0 ? 0.4 : 5.4);  // the other brow is another one
  const double dense = (1 - smoothStep(0.25, 1.25, std::abs(over) / half)) *
                       smoothStep(-0.08, 0.25, u) * (1 - smoothStep(0.65, 1.08, u));
  const double hairs = 0.6 * noise(q, kHairs) + 0.4 * noise(q, kTufts);
  // None grows by itself away from the others.
  return smoothStep(0.08, 0.32, dense) * smoothStep(-0.5, 0.7, hairs + 1.55 * dense - 0.85);
}

/// Cropped hair: above a line from the forehead over temples and ears to the nape, single hairs at
/// its rim and ever denser over a finger's breadth.
double scalp(const Vec3& p) {
  const Vec3 kHairs(0.0006, 0.0022, 0.0006);  // sizes of a hair and of the gaps [m]
  const double dense = hairDensity(overHairline(p));
  if (dense <= 0) return 0;
  const double hairs = noise(p, kHairs) + 0.5 * noise(p, 0.0005);
  const double grain = 0.88 + 0.2 * noise(p, 0.0006);
  return grain * dense * (0.5 + 0.5 * smoothStep(-0.6, 0.6, hairs + 2.6 * dense - 1.5));
}

/// The shade of a shaven beard on jaw, chin and upper lip.
double beard(const Vec3& p) {
  constexpr double kTop = 1.50, kJaw = 1.435;
  if (p.z() < 0.07) return 0;
  const double cheek = kTop - 0.012 + 0.25 * std::max(0.0, std::abs(p.x()) - 0.045);
  return smoothStep(kJaw - 0.01, kJaw + 0.012, p.y()) *
         (1 - smoothStep(cheek - 0.012, cheek + 0.014, p.y())) * smoothStep(0.07, 0.13, p.z()) *
         (0.75 + 0.25 * noise(p, 0.0012) + 0.3 * noise(p, 0.0005));
}

}  // namespace

render::Color complexionAt(const Vec3& p, const Complexion& c) {
  constexpr double kBlotches = 0.03, kMottling = 0.009;  // sizes [m]
  render::Color color = c.tone;
  for (const Patch& patch : kPatches)
    if (const double s = shareOf(patch, p); s > 0)
      color = render::mix(color, render::Color::hex(patch.color), s);
  // Blood shows in green and blue, pigment in all.
  const double blood = 0.025 * noise(p, kBlotches) + 0.02 * noise(p, kMottling),
               pigment = 0.015 * noise(p + Vec3(7, 3, 5), 1.7 * kBlotches);
  const auto channel = [](float base, double by) {
    return static_cast<float>(std::clamp(base * by, 0.0, 1.0));
  };
  color = {channel(color.r, 1 + pigment), channel(color.g, 1 + pigment - blood),
           channel(color.b, 1 + pigment - blood)};
  if (p.y() < kHead) return color;
  if (c.sex == anatomy::Sex::Male)
    color = render::mix(color, render::Color::hex(kBeard), kBeardShare * beard(p));
  color = render::mix(color, render::Color::hex(kLips),
                      (c.sex == anatomy::Sex::Male ? kLipShare : kWomansLips) * lips(p));
  color = render::mix(color, render::Color::hex(kSlit), mouthLine(p));
  const double lid = c.lidsClosed ? lashes(p) : 0;
  color = render::mix(color, c.hair, std::max(lid, kBrowShare * brows(p, c.sex)));
  return render::mix(color, c.hair, kCrop * scalp(p));
}

double poreHeight(const Vec3& p) {
  constexpr double kPores = 0.0008, kLines = 0.0025;          // sizes [m]
  constexpr double kPoreDepth = 1.2e-5, kLineDepth = 2.5e-5;  // [m]
  return kPoreDepth * noise(p, kPores) + kLineDepth * noise(p, kLines);
}

std::shared_ptr<const render::Texture> skinTexture(const anatomy::SkinTopology& topology,
                                                   const Complexion& complexion, bool pores) {
  return std::make_shared<const render::Texture>(
      render::Texture{.places = topology.places,
                      .color = [complexion](const Vec3& p) { return complexionAt(p, complexion); },
                      .relief = pores ? poreHeight : std::function<double(const Vec3&)>()});
}

}  // namespace pneuma::stage
