#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "flesh/belly/belly_carriers.h"
#include "flesh/belly/link_mass.h"
#include "pneuma/core/error.h"
#include "pneuma/flesh/belly_system.h"

namespace pneuma::flesh {

bool internal::isBody(const RigidInertia& left, const RigidInertia& whole) {
  const Mat3 about = 0.5 * left.inertia.trace() * Mat3::Identity() - left.inertia;
  const Mat3 before = 0.5 * whole.inertia.trace() * Mat3::Identity() - whole.inertia;
  const Eigen::SelfAdjointEigenSolver<Mat3> now(about, Eigen::EigenvaluesOnly),
      then(before, Eigen::EigenvaluesOnly);
  return now.eigenvalues()[0] > kThinnest * then.eigenvalues()[0];
}

namespace {

using internal::isBody;
using internal::without;

/// What the bellies take from one link, in its frame: particles of mass 1 per belly.
struct Taken {
  int belly = 0;
  double mass = 0;             // [kg]
  Vec3 first = Vec3::Zero();   // moment of mass [kg m]
  Mat3 second = Mat3::Zero();  // sum of m x x^T [kg m^2]
};

/// Shares of a belly's mass by link, at rest.
std::vector<std::vector<Taken>> takenFromLinks(const FigureBellies& bellies,
                                               const skeleton::Model& tree) {
  std::vector<std::vector<Taken>> taken(tree.links.size());
  std::vector<internal::Carriers> carriers;
  for (int b = 0; b < bellies.count(); ++b) {
    const Belly& belly = bellies.belly(b);
    internal::findCarriers(bellies, b, carriers);
    for (int i = 0; i < belly.model().particleCount(); ++i)
      for (const internal::Carrier& c : carriers[internal::ringOf(belly.model(), i)].all()) {
        auto& list = taken[static_cast<std::size_t>(c.link)];
        if (list.empty() || list.back().belly != b) list.push_back({.belly = b});
        const Vec3 x = tree.links[static_cast<std::size_t>(c.link)].X_WL_rest.inverse() *
                       belly.state().position(i);
        const double m = c.weight * belly.model().particleMass();
        list.back().mass += m;
        list.back().first += m * x;
        list.back().second += m * x * x.transpose();
      }
  }
  return taken;
}

struct Sum {
  double mass = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
};
Sum sumOf(const std::vector<Taken>& taken, const std::vector<double>& share) {
  Sum s;
  for (const Taken& t : taken) {
    const double part = share[static_cast<std::size_t>(t.belly)];
    s.mass += part * t.mass;
    s.first += part * t.first;
    s.second += part * t.second;
  }
  return s;
}

/// Part of its own mass that each belly has, so that no link gives more than it may.
std::vector<double> massShares(const std::vector<std::vector<Taken>>& taken,
                               const skeleton::Model& tree, int count, double mostOfLink) {
  constexpr double kLess = 0.8;  // in each round
  constexpr int kRounds = 200;
  std::vector<double> share(static_cast<std::size_t>(count), 1.0);
  for (int round = 0; round < kRounds; ++round) {
    bool fits = true;
    for (std::size_t l = 0; l < taken.size(); ++l) {
      if (taken[l].empty()) continue;
      const RigidInertia& I = tree.links[l].inertia;
      const Sum s = sumOf(taken[l], share);
      if (s.mass <= mostOfLink * I.mass && isBody(without(I, s.mass, s.first, s.second), I))
        continue;
      fits = false;
      // Those who ask most give way; who only touches the link keeps what it has.
      double most = 0;
      for (const Taken& t : taken[l])
        most = std::max(most, share[static_cast<std::size_t>(t.belly)] * t.mass);
      for (const Taken& t : taken[l]) {
        double& own = share[static_cast<std::size_t>(t.belly)];
        own *= 1 - (1 - kLess) * own * t.mass / most;
      }
    }
    if (fits) return share;
  }
  throw InputError("the links of the body are too light to carry bellies of their own mass");
}

}  // namespace

BellyPlan planBellies(std::shared_ptr<const anatomy::Body> body, const std::string& articulation,
                      skeleton::Model& tree, const BodyBellyConfig& config,
                      const std::string& muscles) {
  BellyPlan plan{.config = config};
  anatomy::Body planned = *body;
  for (anatomy::Articulation& a : planned.articulations)
    if (a.name == articulation) a.muscles = {muscles};
  plan.lines = anatomy::compileBody(planned, articulation).valueOrThrow();

  const FigureBellies bellies(planned, plan.lines, tree);
  const auto taken = takenFromLinks(bellies, tree);
  const std::vector<double> share = massShares(taken, tree, bellies.count(), config.mostOfLink);
  for (int b = 0; b < bellies.count(); ++b) {
    const BellyModel& m = bellies.belly(b).model();
    std::ranges::find(planned.bellies, bellies.name(b), &anatomy::Belly::name)->mass =
        share[static_cast<std::size_t>(b)] * m.particleMass() * m.particleCount();
  }
  for (std::size_t l = 0; l < taken.size(); ++l) {
    if (taken[l].empty()) continue;
    const Sum s = sumOf(taken[l], share);
    tree.links[l].inertia = without(tree.links[l].inertia, s.mass, s.first, s.second);
  }
  plan.body = std::make_shared<anatomy::Body>(std::move(planned));
  return plan;
}

}  // namespace pneuma::flesh
