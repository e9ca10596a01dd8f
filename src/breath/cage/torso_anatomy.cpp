#include "pneuma/breath/torso_anatomy.h"

#include <algorithm>
#include <cmath>

namespace pneuma::breath {
namespace {

/// Index i and weight w of the later entry, so that x ~ (1 - w) v[i] + w v[i + 1].
std::pair<std::size_t, double> bracket(const std::vector<double>& v, double x) {
  const auto later = std::upper_bound(v.begin(), v.end(), x);
  if (later == v.begin()) return {0, 0.0};
  if (later == v.end()) return {v.size() - 2, 1.0};
  const auto i = static_cast<std::size_t>(later - v.begin()) - 1;
  return {i, (x - v[i]) / (v[i + 1] - v[i])};
}

/// A map of the points of an anatomy.
template <class Map>
void transformPoints(TorsoAnatomy& a, const Map& map) {
  const auto rib = [&](RibAnatomy& r) {
    for (Vec3& p : r.centerline) p = map(p);
    const Vec3 tubercle = map(r.head + r.neckAxis);
    r.head = map(r.head);
    r.neckAxis = (tubercle - r.head).normalized();
    r.cartilageOnRib = map(r.cartilageOnRib);
    r.cartilageOnSternum = map(r.cartilageOnSternum);
  };
  for (RibAnatomy& r : a.ribs) rib(r);
  for (RibAnatomy& r : a.floatingRibs) rib(r);
  for (Vec3& p : a.vertebrae) p = map(p);
  for (Vec3* p :
       {&a.jugularNotch, &a.manubriosternal, &a.xiphisternal, &a.xiphoidTip, &a.marginJoin,
        &a.pubicCrest, &a.iliacSpine, &a.iliacTubercle, &a.iliacCrest, &a.promontory,
        &a.sternoclavicular, &a.acromioclavicular, &a.shoulder, &a.elbow, &a.wrist})
    *p = map(*p);
}

}  // namespace

double RadialTable::radius(double parameter, double azimuth) const {
  const auto [i, u] = bracket(parameters, parameter);
  const auto [j, w] = bracket(azimuths, azimuth);
  const std::size_t n = azimuths.size();
  const auto row = [&](std::size_t r) {
    return (1 - w) * radii[r * n + j] + w * radii[r * n + j + 1];
  };
  return (1 - u) * row(i) + u * row(i + 1);
}

TorsoAnatomy scaled(const TorsoAnatomy& anatomy, double up, double across) {
  TorsoAnatomy a = anatomy;
  a.height *= up;
  a.up *= up;
  a.across *= across;
  // The middle of the trunk in depth stays where the scaled body has it.
  const double middle = anatomy.trunk.center.z();
  const auto map = [&](const Vec3& p) -> Vec3 {
    return {across * p.x(), up * p.y(), up * middle + across * (p.z() - middle)};
  };
  transformPoints(a, map);
  for (RibAnatomy& r : a.ribs) r.radius *= up;
  for (RibAnatomy& r : a.floatingRibs) r.radius *= up;
  for (RadialTable* t : {&a.wall, &a.trunk}) {
    t->center = map(t->center);
    for (double& y : t->parameters) y *= up;
    for (double& r : t->radii) r *= across;
  }
  // Directions of the dome tilt when the two factors differ; the small tilt is left out.
  a.dome.center = map(a.dome.center);
  const double mean = std::cbrt(up * across * across);
  for (double& r : a.dome.radii) r *= mean;
  return a;
}

}  // namespace pneuma::breath
