#include "pneuma/flesh/embedded/fibre_paths.h"

#include <algorithm>
#include <array>
#include <limits>

#include "pneuma/core/index.h"

namespace pneuma::flesh::embedded {
namespace {

/// Lines that stand for several muscles with solids of their own.
struct Alias {
  std::string_view line, solid;
};
constexpr std::array<Alias, 4> kAliases{{{"quadriceps_femoris", "vastus_lateralis"},
                                         {"quadriceps_femoris", "vastus_medialis"},
                                         {"quadriceps_femoris", "vastus_intermedius"},
                                         {"quadriceps_femoris", "rectus_femoris"}}};

bool pulls(std::string_view line, std::string_view solid) {
  if (line == solid) return true;
  return std::ranges::any_of(kAliases,
                             [&](const Alias& a) { return a.line == line && a.solid == solid; });
}

}  // namespace

double pathLength(std::span<const Vec3> points) {
  double sum = 0;
  for (std::size_t i = 1; i < points.size(); ++i) sum += (points[i] - points[i - 1]).norm();
  return sum;
}

PathPoint alongPath(std::span<const Vec3> points, double length) {
  PathPoint at{points.front(), Vec3::UnitX()};
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Vec3 step = points[i] - points[i - 1];
    const double piece = step.norm();
    if (piece <= 0) continue;
    at.tangent = step / piece;
    at.place = points[i - 1] + std::min(length, piece) * at.tangent;
    if (length <= piece) break;
    length -= piece;
  }
  return at;
}

double lengthAt(std::span<const Vec3> points, const Vec3& place) {
  double walked = 0, nearest = 0, least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Vec3 step = points[i] - points[i - 1];
    const double length = step.norm();
    if (length <= 0) continue;
    const double s = std::clamp((place - points[i - 1]).dot(step) / (length * length), 0.0, 1.0);
    const double d = (points[i - 1] + s * step - place).squaredNorm();
    if (d < least) least = d, nearest = walked + s * length;
    walked += length;
  }
  return nearest;
}

std::string_view sideOf(std::string_view name) {
  return name.ends_with("_l") || name.ends_with("_r") ? name.substr(name.size() - 2)
                                                      : std::string_view();
}

std::string_view muscleOf(std::string_view solid) {
  solid.remove_suffix(sideOf(solid).size());
  constexpr std::string_view kOf = "_of_";
  if (const auto of = solid.rfind(kOf); of != std::string_view::npos)
    solid.remove_prefix(of + kOf.size());
  // The number of an intercostal space.
  const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
  while (!solid.empty() && isDigit(solid.back())) solid.remove_suffix(1);
  if (solid.ends_with('_')) solid.remove_suffix(1);
  return solid;
}

FibrePaths::FibrePaths(const FleshAnatomy& anatomy)
    : anatomy_(anatomy), lines_(anatomy.muscles.size()) {
  for (std::size_t m = 0; m < lines_.size(); ++m) {
    const std::string& solid = anatomy.muscles[m].name;
    for (std::size_t l = 0; l < anatomy.lines.size(); ++l) {
      const FleshLine& line = anatomy.lines[l];
      if (sideOf(line.name) == sideOf(solid) && pulls(line.muscle, muscleOf(solid)))
        lines_[m].push_back(static_cast<std::int32_t>(l));
    }
  }
}

FibrePaths::Nearest FibrePaths::nearest(std::size_t solid, const Vec3& place) const {
  Nearest best;
  double least = std::numeric_limits<double>::infinity();
  for (const std::int32_t l : lines_[solid]) {
    const std::vector<Vec3>& p = anatomy_.lines[at(l)].points;
    for (std::size_t i = 1; i < p.size(); ++i) {
      const Vec3 step = p[i] - p[i - 1];
      const double length = step.norm();
      if (length <= 0) continue;
      const double s = std::clamp((place - p[i - 1]).dot(step) / (length * length), 0.0, 1.0);
      const double d = (p[i - 1] + s * step - place).squaredNorm();
      if (d >= least) continue;
      least = d;
      const auto direction = [&](std::size_t k) -> Vec3 {  // of piece k, 1 the first
        return k < 1 || k >= p.size() ? step / length : Vec3((p[k] - p[k - 1]).normalized());
      };
      const Vec3 other = direction(s < 0.5 ? i - 1 : i + 1);
      const Vec3 blended = (1 - std::abs(s - 0.5)) * step / length + std::abs(s - 0.5) * other;
      best = {l, blended.normalized()};
    }
  }
  return best;
}

}  // namespace pneuma::flesh::embedded
