#include "flesh/embedded/muscle_architecture.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/index.h"
#include "pneuma/flesh/embedded/fibre_paths.h"

namespace pneuma::flesh::embedded {
namespace {

constexpr double kTail = 0.02;          // of a belly's volume, at either end counted as tendon
constexpr double kEndPart = 0.15;       // of a belly's length: where its end has its middle
constexpr double kLeastTendon = 0.008;  // [m]
constexpr double kStep = 0.002;         // along a tendon [m]
constexpr double kWithin = 0.25;        // of a belly's length: how far a tendon reaches into it
constexpr double kEnthesis = 0.002;     // what a tendon gives on its bone under full force [m]

/// A bit of a line's flesh: a fibre of the model, how far along the path, and how much of it.
struct Bit {
  std::size_t fibre = 0;
  double length = 0, volume = 0;
  Vec3 place = Vec3::Zero();
};

Vec3 centre(const Lattice& l, std::size_t tet) {
  Vec3 sum = Vec3::Zero();
  for (const std::int32_t n : l.tets[tet]) sum += l.nodes[at(n)];
  return sum / 4;
}
/// As the kernels weigh an element.
double weighed(const Lattice& l, std::size_t tet) {
  return l.volume(tet) * double(std::max(l.share[tet], kLeastShare));
}

/// The flesh of each line, by its place along the path.
std::vector<std::vector<Bit>> bitsOf(const FleshAnatomy& anatomy, const BodyFlesh& flesh) {
  std::vector<std::vector<Bit>> bits(anatomy.lines.size());
  for (std::size_t i = 0; i < flesh.model.fibres.size(); ++i) {
    const Fibre& f = flesh.model.fibres[i];
    const Vec3 place = centre(*flesh.model.lattice, at(f.tet));
    bits[at(f.line)].push_back({i, lengthAt(anatomy.lines[at(f.line)].points, place),
                                double(f.share) * weighed(*flesh.model.lattice, at(f.tet)), place});
  }
  for (std::vector<Bit>& of : bits) std::ranges::stable_sort(of, {}, &Bit::length);
  return bits;
}

/// Fibres of the line get its strength and its length.
void strengthen(const FleshLine& line, const std::vector<Bit>& bits, FleshModel& model) {
  const double strength = line.force / (line.section * model.fibreLaw.maximumStress);
  const double stand = std::min(line.restFibre, 1.0) * model.fibreLaw.optimalStretch;
  for (const Bit& b : bits) {
    Fibre& f = model.fibres[b.fibre];
    f.share *= float(strength);
    f.direction *= stand;
  }
}

/// Lays tendons along paths.
class TendonLayer {
 public:
  TendonLayer(const TissueConstants& constants, BodyFlesh& flesh) : flesh_(flesh) {
    const muscle::ZajacCurves curves;
    slack_ = 1 - curves.config().activeWidthShort;
    const double taut = curves.activeForceLength(slack_ * (1 + constants.tendonStrain)).value;
    perForce_ = 1 / (flesh.model.fibreLaw.maximumStress * slack_ * taut);
  }

  /// From `from` to the end of the path, `shift` beside it up to `free` of its length from the end.
  void lay(std::int32_t number, const FleshLine& line, double from, double free,
           const Vec3& shift) {
    const std::span<const Vec3> path = line.points;
    const double length = pathLength(path) - from;
    const auto steps = static_cast<std::size_t>(std::ceil(length / kStep));
    const double step = length / double(steps);
    const auto place = [&](double walked) -> Vec3 {
      return alongPath(path, from + walked).place + std::min(1.0, (length - walked) / free) * shift;
    };
    std::vector<std::pair<std::int32_t, Vec3>> cells;
    for (std::size_t i = 0; i < steps; ++i) {
      const Vec3 a = place(double(i) * step), b = place(double(i + 1) * step);
      const std::int32_t tet = flesh_.model.lattice->locate(0.5 * (a + b)).tet;
      if (cells.empty() || cells.back().first != tet) cells.push_back({tet, Vec3::Zero()});
      cells.back().second += b - a;
    }
    for (const auto& [tet, way] : cells)
      flesh_.model.fibres.push_back(
          {tet, number,
           float(perForce_ * line.force * way.norm() / weighed(*flesh_.model.lattice, at(tet))),
           slack_ * flesh_.model.fibreLaw.optimalStretch * way.normalized()});
  }

 private:
  BodyFlesh& flesh_;
  double slack_ = 0;     ///< where the active curve begins
  double perForce_ = 0;  ///< [1/Pa]
};

/// A tendon's spring on its bone, among the anchors of bones.
void fasten(std::int32_t bone, const Vec3& place, double stiffness, BodyFlesh& flesh) {
  if (bone < 0) return;
  flesh.model.anchors.insert(flesh.model.anchors.begin() + std::ptrdiff_t(flesh.boneAnchors.size()),
                             {flesh.model.lattice->locate(place), stiffness});
  flesh.boneAnchors.push_back({bone, place});
}

/// Where a belly ends, and how far beside the path its end lies.
struct BellyEnd {
  double length = 0;
  Vec3 shift = Vec3::Zero();
};
/// `bits` from the other end of the belly on.
BellyEnd bellyEnd(std::span<const Vec3> path, const std::vector<Bit>& bits) {
  double volume = 0, walked = 0;
  for (const Bit& b : bits) volume += b.volume;
  BellyEnd end;
  for (const Bit& b : bits) {
    walked += b.volume;
    end.length = b.length;
    if (walked >= (1 - kTail) * volume) break;
  }
  const double from = end.length - kEndPart * (end.length - bits.front().length);
  double sum = 0;
  Vec3 beside = Vec3::Zero();
  for (const Bit& b : bits)
    if (b.length >= from && b.length <= end.length)
      sum += b.volume, beside += b.volume * (b.place - alongPath(path, b.length).place);
  if (sum > 0) end.shift = beside / sum;
  return end;
}

/// The same line seen from its insertion.
FleshLine reversed(const FleshLine& line) {
  FleshLine r = line;
  std::ranges::reverse(r.points);
  std::swap(r.originBone, r.insertionBone);
  return r;
}
std::vector<Bit> reversed(const FleshLine& line, std::vector<Bit> bits) {
  const double whole = pathLength(line.points);
  std::ranges::reverse(bits);
  for (Bit& b : bits) b.length = whole - b.length;
  return bits;
}

/// The tendon of insertion, if there is one. It begins within the belly: fibres at its thin end
/// would tear the soft flesh around them otherwise.
void addTendon(std::int32_t number, const FleshLine& line, const std::vector<Bit>& bits,
               TendonLayer& layer, BodyFlesh& flesh) {
  const BellyEnd end = bellyEnd(line.points, bits);
  const double free = pathLength(line.points) - end.length;
  if (free < kLeastTendon) return;
  for (const Bit& b : bits)
    if (b.length > end.length) flesh.model.fibres[b.fibre].share = 0;
  const double within = kWithin * (end.length - bits.front().length);
  layer.lay(number, line, end.length - within, free, end.shift);
  fasten(line.insertionBone, line.points.back(), line.force / kEnthesis, flesh);
}

}  // namespace

void addArchitecture(const FleshAnatomy& anatomy, const TissueConstants& constants,
                     BodyFlesh& flesh) {
  const std::vector<std::vector<Bit>> bits = bitsOf(anatomy, flesh);
  TendonLayer layer(constants, flesh);
  for (std::size_t l = 0; l < bits.size(); ++l) {
    const FleshLine& line = anatomy.lines[l];
    if (bits[l].empty() || line.force <= 0) continue;
    strengthen(line, bits[l], flesh.model);
    if (flesh.tube[l]) continue;
    const auto number = static_cast<std::int32_t>(l);
    addTendon(number, line, bits[l], layer, flesh);
    addTendon(number, reversed(line), reversed(line, bits[l]), layer, flesh);
  }
}

}  // namespace pneuma::flesh::embedded
