#include "fit/named_ends.h"

#include <fmt/format.h>

#include <algorithm>

#include "pneuma/core/error.h"

namespace pneuma::fit {
namespace {

constexpr double kFarthestEnd = 0.1;  // of the character's length, from an end given to the skin

/// The vertex nearest to an end that a user names.
std::int32_t namedVertex(const TriangleMesh& mesh, const Landmark& end, double size) {
  const auto distance = [&](const Vec3& p) { return (p - end.place).squaredNorm(); };
  const auto nearest = std::ranges::min_element(mesh.positions, {}, distance);
  const double off = (*nearest - end.place).norm();
  if (off > kFarthestEnd * size)
    throw InputError(
        Diagnostic{.subject = "landmarks",
                   .field = end.name,
                   .message = fmt::format("lies {:.3g} beside a character {:.3g} long", off, size),
                   .expected = "a place on its skin, in the file's units and axes"});
  return static_cast<std::int32_t>(nearest - mesh.positions.begin());
}

}  // namespace

std::optional<FiveEnds> internal::namedEnds(const TriangleMesh& mesh,
                                            const std::vector<Landmark>& landmarks) {
  const auto isEnd = [](const Landmark& l) {
    return l.name == "head" || l.name.starts_with("hand_") || l.name.starts_with("foot_");
  };
  if (std::ranges::none_of(landmarks, isEnd)) return std::nullopt;
  const double size = boundingBox(mesh.positions).size().maxCoeff();
  const auto vertex = [&](const char* name) {
    const auto found = std::ranges::find(landmarks, name, &Landmark::name);
    if (found == landmarks.end())
      throw InputError(Diagnostic{.subject = "landmarks",
                                  .field = name,
                                  .message = "is not given",
                                  .expected = "head, hand_l, hand_r, foot_l and foot_r"});
    return namedVertex(mesh, *found, size);
  };
  FiveEnds ends;
  ends.head = vertex("head");
  ends.hands = {vertex("hand_l"), vertex("hand_r")};
  ends.feet = {vertex("foot_l"), vertex("foot_r")};
  // One place for two would pass for a body with a limb less.
  std::vector<std::int32_t> all = {ends.head, ends.hands[0], ends.hands[1], ends.feet[0],
                                   ends.feet[1]};
  std::ranges::sort(all);
  if (std::ranges::adjacent_find(all) != all.end())
    throw InputError(Diagnostic{.subject = "landmarks",
                                .message = "two ends lie in one place",
                                .expected = "head, two hands and two feet apart from each other"});
  return ends;
}

}  // namespace pneuma::fit
