#include "pneuma/flesh/embedded/volume_keeper.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/core/index.h"

namespace pneuma::flesh::embedded {
namespace {

/// Parts of what a volume may be off by: a group is brought to the first when it passes the second,
/// and with a pressure but below the third it needs less of it.
constexpr double kWanted = 0.8, kMost = 0.98, kLax = 0.4;
/// The same for regions: all of them at the first part would be what is asked of their sum.
constexpr double kRegionWanted = 0.5;
/// What lies around a group is as stiff as it itself or less: so much more than the bulk modulus
/// asks for.
constexpr double kOverRelaxed = 1.5;
/// No pressure is larger than this part of the bulk modulus, with which a free group would swell by
/// 30 %: bones may leave no room for a volume, whatever presses.
constexpr double kLargest = 0.2;

/// One step of a multiplier towards |change| <= wanted. Returns whether it moved.
bool step(double& multiplier, double change, double wanted, double bulk) {
  const double before = multiplier;
  const double x = before - kOverRelaxed * bulk * change, d = kOverRelaxed * bulk * wanted;
  const double next = x > d ? x - d : x < -d ? x + d : 0;
  multiplier = std::clamp(next, -kLargest * bulk, kLargest * bulk);
  return multiplier != before;
}

/// A pressure that acts where hardly any is missing.
bool lax(double multiplier, double change, double wanted) {
  return (multiplier > 0 && change > -kLax * wanted) || (multiplier < 0 && change < kLax * wanted);
}

}  // namespace

VolumeKeeper::VolumeKeeper(const BodyFlesh& flesh, const NodeCarriers& carriers)
    : flesh_(flesh), carriers_(carriers) {
  for (std::size_t m = 0; m < flesh.muscles.size(); ++m)
    if (flesh.muscles[m].volume >= kLargeMuscle) large_.push_back(static_cast<std::int32_t>(m));
}

/// Of a tetrahedron's change of volume, the part that is not its lung's.
double VolumeKeeper::fleshPart(std::size_t tet) const {
  constexpr auto kLung = std::size_t(Tissue::Lung);
  return 1 - double(flesh_.shares[tet][kLung]) * flesh_.compliance[kLung] *
                 flesh_.model.tissue[tet].kappa;
}

void VolumeKeeper::findGroups() {
  if (!region_.empty()) return;
  const Lattice& l = *flesh_.model.lattice;
  const std::size_t bones = std::max<std::size_t>(1, flesh_.boneNames.size());
  region_.resize(l.tetCount());
  regionVolume_.assign(bones, 0), regionBulk_.assign(bones, 0);
  for (std::size_t t = 0; t < l.tetCount(); ++t) {
    // A corner that hangs goes with the first node that it hangs on.
    const std::int32_t corner = l.bindings.column[at(l.bindings.start[at(l.tets[t][0])])];
    const std::int32_t bone = carriers_.nodes[at(corner)].bone[0];
    region_[t] = static_cast<std::uint16_t>(bone);
    const double volume =
        flesh_.material(t) * (1 - double(flesh_.shares[t][std::size_t(Tissue::Lung)]));
    regionVolume_[at(bone)] += volume;
    regionBulk_[at(bone)] += flesh_.material(t) * fleshPart(t) / flesh_.model.tissue[t].kappa;
  }
  for (std::size_t b = 0; b < bones; ++b)
    regionBulk_[b] = regionVolume_[b] > 0 ? regionVolume_[b] / regionBulk_[b] : 0;
  multipliers_.assign(large_.size() + bones, 0);
}

std::vector<double> VolumeKeeper::regionChanges(std::span<const Vec3> x) const {
  const Lattice& l = *flesh_.model.lattice;
  std::vector<double> change(regionVolume_.size(), 0);
  for (std::size_t t = 0; t < l.tetCount(); ++t) {
    const Vec3& origin = x[at(l.tets[t][0])];
    const auto edge = [&](std::size_t k) -> Vec3 { return x[at(l.tets[t][k])] - origin; };
    const double j = edge(1).cross(edge(2)).dot(edge(3)) / (6 * l.volume(t));
    change[region_[t]] += flesh_.material(t) * fleshPart(t) * (j - 1);
  }
  for (std::size_t r = 0; r < change.size(); ++r)
    change[r] = regionVolume_[r] > 0 ? change[r] / regionVolume_[r] : 0;
  return change;
}

bool VolumeKeeper::adjustMuscles(const FleshVolumes& volumes) {
  const double most = kMost * flesh_.muscleKept, wanted = kWanted * flesh_.muscleKept;
  const double bulk = 1 / flesh_.compliance[std::size_t(Tissue::Muscle)];
  bool off = false;
  for (std::size_t i = 0; i < large_.size(); ++i) {
    const double change = volumes.muscles[at(large_[i])] - 1;
    const double multiplier = multipliers_.empty() ? 0 : multipliers_[i];
    off = off || std::abs(change) > most || lax(multiplier, change, wanted);
  }
  if (!off) return false;
  findGroups();
  bool changed = false;
  for (std::size_t i = 0; i < large_.size(); ++i)
    changed |= step(multipliers_[i], volumes.muscles[at(large_[i])] - 1, wanted, bulk);
  return changed;
}

bool VolumeKeeper::adjustRegions(double flesh, std::span<const Vec3> nodes) {
  const bool off = std::abs(flesh - 1) > kMost * flesh_.fleshKept;
  const std::size_t first = large_.size();
  const bool acting =
      std::any_of(multipliers_.begin() + std::ptrdiff_t(std::min(first, multipliers_.size())),
                  multipliers_.end(), [](double p) { return p != 0; });
  if (!off && !acting) return false;
  findGroups();
  const std::vector<double> change = regionChanges(nodes);
  const double wanted = kRegionWanted * flesh_.fleshKept;
  bool changed = false;
  for (std::size_t r = 0; r < change.size(); ++r) {
    double& p = multipliers_[first + r];
    // While their sum is within its bounds, regions only give up what they need no more.
    if (off || lax(p, change[r], wanted)) changed |= step(p, change[r], wanted, regionBulk_[r]);
  }
  return changed;
}

bool VolumeKeeper::adjust(const FleshVolumes& volumes, std::span<const Vec3> nodes) {
  const bool muscles = adjustMuscles(volumes), regions = adjustRegions(volumes.flesh, nodes);
  if (muscles || regions) fillPressures();
  return muscles || regions;
}

void VolumeKeeper::setMultipliers(std::vector<double> multipliers) {
  if (multipliers.empty()) {
    std::fill(multipliers_.begin(), multipliers_.end(), 0.0);
  } else {
    findGroups();
    if (multipliers.size() != multipliers_.size())
      throw InputError("flesh: the checkpoint is of other muscles");
    multipliers_ = std::move(multipliers);
  }
  fillPressures();
}

void VolumeKeeper::fillPressures() {
  if (std::ranges::all_of(multipliers_, [](double p) { return p == 0; })) {
    std::vector<double>().swap(multipliers_);
    std::vector<std::uint16_t>().swap(region_);
    std::vector<float>().swap(pressures_);
    return;
  }
  const Lattice& l = *flesh_.model.lattice;
  pressures_.assign(l.tetCount(), 0);
  // Places of muscles among the large ones.
  std::vector<std::int32_t> place(flesh_.muscles.size(), -1);
  for (std::size_t i = 0; i < large_.size(); ++i)
    place[at(large_[i])] = static_cast<std::int32_t>(i);
  const double soft = flesh_.compliance[std::size_t(Tissue::Muscle)];
  std::size_t next = 0;
  for (std::size_t t = 0; t < pressures_.size(); ++t) {
    double p = multipliers_[large_.size() + region_[t]] * fleshPart(t);
    for (; next < flesh_.muscleShares.size() && at(flesh_.muscleShares[next].tet) == t; ++next) {
      const MuscleShare& s = flesh_.muscleShares[next];
      if (place[at(s.muscle)] < 0) continue;
      p += multipliers_[at(place[at(s.muscle)])] * double(s.share) * soft *
           flesh_.model.tissue[t].kappa;
    }
    // Slivers count with more than their material in the energy.
    pressures_[t] = static_cast<float>(p * double(l.share[t] / std::max(l.share[t], kLeastShare)));
  }
}

}  // namespace pneuma::flesh::embedded
