// Which region each vertex of the template belongs to.
#include <array>
#include <limits>

#include "anatomy/skin/skin_topology.h"
#include "pneuma/core/parallel.h"

namespace pneuma::anatomy {
namespace internal {
namespace {

/// Region of a place on the subject, on that piece of skin.
SkinPart labelOf(const Vec3& p, const std::string& piece) {
  const double x = std::abs(p.x()), y = p.y();
  const bool front = p.z() > 0.075;
  if (piece.starts_with("skin_hand")) return SkinPart::Hand;
  if (piece.starts_with("skin_foot")) return SkinPart::Foot;
  if (piece.starts_with("skin_arm"))
    return y > 1.27 ? SkinPart::Shoulder : y > 1.075 ? SkinPart::UpperArm : SkinPart::Forearm;
  if (piece.starts_with("skin_leg")) return y > 0.455 ? SkinPart::Thigh : SkinPart::Shank;
  // Below the groin and the fold under the buttock the trunk's piece is thigh.
  if (y < (front ? 0.785 + 0.7 * std::max(0.0, x - 0.03) : 0.76)) return SkinPart::Thigh;
  if (y > 1.4)  // under the chin the head begins lower than at the nape
    return y < 1.45 && p.z() < 0.14 + 0.6 * (1.45 - y) ? SkinPart::Neck : SkinPart::Head;
  if (y < 0.93) return SkinPart::Pelvis;
  if (x > 0.135 && y > 1.29) return SkinPart::Shoulder;
  if (!front) return SkinPart::Back;
  return y > 1.18 ? SkinPart::Chest : SkinPart::Abdomen;
}

}  // namespace

std::vector<SkinPart> skinLabels(const SymmetricMesh& subject, const SkinEnvelope& envelope) {
  std::vector<std::pair<std::string, ShapeField>> fields;
  for (const auto& [name, shape] : envelope) fields.emplace_back(name, ShapeField(shape));
  std::vector<SkinPart> labels(subject.mesh.vertexCount());
  parallelFor(subject.left.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::int32_t v = subject.left[i];
      const Vec3& p = subject.mesh.positions[at(v)];
      double best = std::numeric_limits<double>::infinity();
      for (const auto& [name, field] : fields) {
        const double d = field.distance(p);
        if (d < best) best = d, labels[at(v)] = labelOf(p, name);
      }
      labels[at(subject.mirror[at(v)])] = labels[at(v)];
    }
  });
  return labels;
}

}  // namespace internal

std::string_view name(SkinPart part) {
  static constexpr std::array<std::string_view, kSkinParts> names = {
      "head",      "neck",    "chest", "abdomen", "back",  "pelvis", "shoulder",
      "upper_arm", "forearm", "hand",  "thigh",   "shank", "foot"};
  return names[static_cast<std::size_t>(part)];
}

}  // namespace pneuma::anatomy
