#include "pneuma/skin/volume_law.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/core/index.h"

namespace pneuma::skin {
namespace {}  // namespace

VolumeLaw::VolumeLaw(std::vector<Triangle> triangles, std::vector<double> compliance)
    : triangles_(std::move(triangles)),
      compliance_(std::move(compliance)),
      gradient_(compliance_.size()) {
  if (std::ranges::none_of(compliance_, [](double c) { return c > 0; }))
    throw InputError("volume law: no vertex of the skin may move");
}

// About a point of the surface: far from the origin the tetrahedra would cancel.
double VolumeLaw::volume(std::span<const Vec3> x) const {
  const Vec3 origin = x[at(triangles_.front()[0])];
  double sum = 0;
  for (const Triangle& t : triangles_)
    sum += (x[at(t[0])] - origin).dot((x[at(t[1])] - origin).cross(x[at(t[2])] - origin));
  return sum / 6;
}

double VolumeLaw::apply(double wanted, std::span<Vec3> x, std::span<const double> held, int steps) {
  constexpr double kDone = 1e-15;  // [m^3], the rounding of a person's volume
  double total = 0;
  for (int step = 0; step < steps; ++step) {
    const double lacking = wanted - volume(x);
    if (std::abs(lacking) < kDone) break;
    const Vec3 origin = x[at(triangles_.front()[0])];
    std::ranges::fill(gradient_, Vec3::Zero());
    for (const Triangle& t : triangles_) {
      const Vec3 a = x[at(t[0])] - origin, b = x[at(t[1])] - origin, c = x[at(t[2])] - origin;
      gradient_[at(t[0])] += b.cross(c);
      gradient_[at(t[1])] += c.cross(a);
      gradient_[at(t[2])] += a.cross(b);
    }
    const bool inwards = lacking < 0 && !held.empty();
    const auto free = [&](std::size_t v) {
      return inwards ? compliance_[v] * (1 - held[v]) : compliance_[v];
    };
    double slope = 0;
    for (std::size_t v = 0; v < x.size(); ++v)
      if (compliance_[v] > 0) slope += free(v) * gradient_[v].norm() / 6;
    if (slope <= 0) break;  // everything is held
    const double lambda = lacking / slope;
    for (std::size_t v = 0; v < x.size(); ++v)
      if (const double g = gradient_[v].norm(); compliance_[v] > 0 && g > 0)
        x[v] += lambda * free(v) / g * gradient_[v];
    total += lambda;
  }
  return total;
}

}  // namespace pneuma::skin
