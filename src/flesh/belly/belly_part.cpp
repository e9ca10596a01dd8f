#include "flesh/belly/belly_part.h"

#include <Eigen/Cholesky>
#include <algorithm>

namespace pneuma::flesh::internal {
namespace {

Vec3 pointAcceleration(const Vec6& a, const Vec6& v, const Vec3& arm) {
  const Vec3 w = v.head<3>();
  return a.tail<3>() + Vec3(a.head<3>()).cross(arm) + w.cross(Vec3(v.tail<3>() + w.cross(arm)));
}

Mat3 crossMatrix(const Vec3& a) {
  Mat3 m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}

Vec6 wrenchOf(const Vec3& arm, const Vec3& force) {
  return spatial(arm.cross(force), force);
}

/// A spring between rows i and j of a scalar stiffness matrix.
void addSpring(MatX& S, int i, int j, double k) {
  S(i, i) += k;
  S(j, j) += k;
  S(i, j) -= k;
  S(j, i) -= k;
}

/// An angular spring: particle a against the middle of b and c.
void addAngular(MatX& S, int a, int b, int c, double k) {
  const std::array<int, 3> at{a, b, c};
  const std::array<double, 3> share{1, -0.5, -0.5};
  for (std::size_t p = 0; p < 3; ++p)
    for (std::size_t q = 0; q < 3; ++q) S(at[p], at[q]) += k * share[p] * share[q];
}

/// Bound of the stiffness of all springs within a belly, the same along every direction.
MatX springBound(const BellyModel& m) {
  const BellyConfig& c = m.config();
  const int around = m.around(), rings = m.slices(), last = m.particleCount() - 1;
  const auto at = [&](int ring, int a) {
    if (ring < 0) return 0;
    if (ring >= rings) return last;
    return 1 + ring * around + (a + around) % around;
  };
  MatX S = MatX::Zero(m.particleCount(), m.particleCount());
  for (int a = 0; a < around; ++a) {
    addSpring(S, at(-1, a), at(0, a), c.elasticityVertical);
    for (int r = 0; r < rings; ++r) {
      addSpring(S, at(r, a), at(r + 1, a), c.elasticityVertical);
      addSpring(S, at(r, a), at(r, a + 1), c.elasticityHorizontal);
      addAngular(S, at(r, a), at(r, a - 1), at(r, a + 1), c.curvatureHorizontal);
      addAngular(S, at(r, a), at(r - 1, a), at(r + 1, a), c.curvatureVertical);
    }
  }
  return S;
}

}  // namespace

BellyPart::BellyPart(const FigureBellies& bellies, int part, Eigen::Index first,
                     const BodyBellyConfig& config)
    : index(part), n(bellies.belly(part).model().particleCount()), offset(first) {
  const BellyModel& m = bellies.belly(part).model();
  mass = m.particleMass();
  stiffness = m.config().shapeStiffness;
  damping = m.config().damping;
  endStiffness = mass * config.endSwing * config.endSwing;
  for (int i = 0; i < m.particleCount(); ++i) ring.push_back(ringOf(m, i));
  for (const auto& p : bellies.linePoints(part)) links.push_back(p.link);
  for (const auto& tie : bellies.boneTies(part)) links.push_back(tie.link);
  std::ranges::sort(links);
  links.erase(std::unique(links.begin(), links.end()), links.end());
  freeLinks.assign(links.size(), 0);
  held.resize(links.size());
  pulled.resize(links.size());
  for (Rows* rows : {&change, &x, &given, &carried, &besides}) rows->setZero(n, 3);
  weights.assign(links.size(), MatX::Zero(n, 4));
  answers = weights;
}

std::size_t BellyPart::slot(int link) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(links, link) - links.begin());
}

void BellyPart::carryVelocities(const skeleton::Kinematics& k, BelliesState& s) const {
  for (Eigen::Index i = 0; i < n; ++i) {
    const Vec3 at = in(s.position).row(i).transpose();
    Vec3 u = Vec3::Zero();
    for (const Carrier& c : carriersOf(i)) u += c.weight * skeleton::pointVelocity(k, c.link, at);
    in(s.velocity).row(i) = u.transpose();
  }
}

void BellyPart::setKnown(std::span<const std::uint8_t> known) {
  coupled = false;
  for (std::size_t s = 0; s < links.size(); ++s) {
    freeLinks[s] = !known[static_cast<std::size_t>(links[s])];
    coupled = coupled || freeLinks[s];
  }
}

void BellyPart::evaluate(const BellyView& v) {
  const Belly& belly = v.bellies.belly(index);
  findCarriers(v.bellies);
  belly.elasticForces(forces);  // springs, goals, and inner particles to their line
  x = in(v.state.position);
  for (Vec6& f : held) f.setZero();
  const Eigen::Map<const Rows> target(belly.carried().data(), n, 3),
      ahead(belly.state().x.data(), n, 3), elastic(forces.data(), n, 3);
  for (Eigen::Index i = 0; i < n; ++i) {
    const bool end = i == 0 || i + 1 == n;
    const Vec3 at = x.row(i).transpose(), arm = at - v.kinematics.origin;
    const Vec3 pull = (end ? endStiffness : stiffness) * (target.row(i) - ahead.row(i)).transpose();
    Vec3 force = elastic.row(i).transpose() + mass * v.gravity;
    if (end) force += pull;
    Vec3 known = Vec3::Zero();
    const Vec3 velocity = in(v.state.velocity).row(i).transpose();
    for (const Carrier& c : carriersOf(i)) {
      const auto l = static_cast<std::size_t>(c.link);
      const Mat3 turn =
          v.kinematics.X_WL[l].rotation * v.tree.links[l].X_WL_rest.rotation.transpose();
      const Vec3 slip = skeleton::pointVelocity(v.kinematics, c.link, at) - velocity;
      const Vec3 own = damping * slip - mass * (turn * v.restGravity);
      force += c.weight * own;
      held[slot(c.link)] -= c.weight * wrenchOf(arm, pull + own);
      known += c.weight * v.h * pointAcceleration(v.acceleration[l], v.kinematics.velocity[l], arm);
    }
    carried.row(i) = known.transpose();
    given.row(i) = (v.h * force - mass * known).transpose();
  }
  // What is tied to a bone pulls at it where the particle is.
  for (const FigureBellies::BoneTie& tie : v.bellies.boneTies(index)) {
    const BellyGoal& goal = belly.goals()[tie.goal];
    const Eigen::Index i = goal.particles[0];
    const Vec3 pull = goal.share * belly.model().config().goalStiffness *
                      (goal.target - ahead.row(i).transpose());
    held[slot(tie.link)] -= wrenchOf(x.row(i).transpose() - v.kinematics.origin, pull);
  }
}

void BellyPart::factor(const BellyModel& model, double h) {
  gain = VecX::Constant(n, h * damping + h * h * stiffness);
  gain[0] = gain[n - 1] = h * damping + h * h * endStiffness;
  MatX A = h * h * springBound(model);
  A.diagonal() += gain + VecX::Constant(n, mass);
  inverse = A.llt().solve(MatX::Identity(n, n));
}

/// Reactions of what the gains add within the step: g y at every particle.
void BellyPart::pullLinks(const Vec3& origin) {
  for (Vec6& f : pulled) f.setZero();
  for (Eigen::Index i = 0; i < n; ++i) {
    const Vec6 f = wrenchOf(x.row(i).transpose() - origin, gain[i] * besides.row(i).transpose());
    for (const Carrier& c : carriersOf(i)) pulled[slot(c.link)] += c.weight * f;
  }
}

void BellyPart::solve(const Vec3& origin) {
  besides.noalias() = inverse * given;
  change = carried + besides;
  pullLinks(origin);
}

void BellyPart::condense(const Vec3& origin) {
  for (std::size_t s = 0; s < links.size(); ++s)
    if (freeLinks[s]) weights[s].setZero();
  for (Eigen::Index i = 0; i < n; ++i)
    for (const Carrier& c : carriersOf(i)) {
      const std::size_t s = slot(c.link);
      if (!freeLinks[s]) continue;
      weights[s].row(i) << c.weight, c.weight * (x.row(i) - origin.transpose());
    }
  for (std::size_t s = 0; s < links.size(); ++s)
    if (freeLinks[s]) answers[s].noalias() = mass * (inverse * weights[s]);
}

/// Links L (rows) and K (columns): a twist (omega, v) of K makes y_i = -(v z_i + omega x r_i), with
/// (z, r) the answers to its weights; L gets -g w_iL times that, where the particle is.
void BellyPart::addGains(const skeleton::Model& tree, const skeleton::Kinematics& k,
                         const std::vector<int>& freeIndex, MatX& gains) const {
  const auto forEachFree = [&](int link, const auto& use) {
    for (const skeleton::DofRange& range : tree.ancestorRanges(link))
      for (int j = range.begin; j < range.end; ++j)
        if (freeIndex[static_cast<std::size_t>(j)] >= 0) use(j);
  };
  for (std::size_t a = 0; a < links.size(); ++a) {
    if (!freeLinks[a]) continue;
    for (std::size_t b = 0; b < links.size(); ++b) {
      if (!freeLinks[b]) continue;
      Mat6 block = Mat6::Zero();
      for (Eigen::Index i = 0; i < n; ++i) {
        const double w = weights[a](i, 0);
        if (w == 0) continue;
        const double z = gain[i] * w * answers[b](i, 0);
        const Mat3 r = gain[i] * w * crossMatrix(answers[b].row(i).tail<3>().transpose());
        const Mat3 arm = crossMatrix(weights[a].row(i).tail<3>().transpose() / w);
        block.topLeftCorner<3, 3>() -= arm * r;
        block.topRightCorner<3, 3>() += z * arm;
        block.bottomLeftCorner<3, 3>() -= r;
        block.bottomRightCorner<3, 3>() += z * Mat3::Identity();
      }
      forEachFree(links[b], [&](int column) {
        const Vec6 f = block * k.axis[static_cast<std::size_t>(column)];
        forEachFree(links[a], [&](int row) {
          gains(freeIndex[static_cast<std::size_t>(row)],
                freeIndex[static_cast<std::size_t>(column)]) +=
              k.axis[static_cast<std::size_t>(row)].dot(f);
        });
      });
    }
  }
}

void BellyPart::answer(const std::vector<Vec6>& twist, const Vec3& origin) {
  change = carried;
  for (std::size_t s = 0; s < links.size(); ++s) {
    if (!freeLinks[s]) continue;
    const Vec3 turn = twist[static_cast<std::size_t>(links[s])].head<3>(),
               shift = twist[static_cast<std::size_t>(links[s])].tail<3>();
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto moved = [&](const MatX& by) -> Vec3 {
        return by(i, 0) * shift + turn.cross(Vec3(by.row(i).tail<3>().transpose()));
      };
      change.row(i) += moved(weights[s]).transpose();
      besides.row(i) -= moved(answers[s]).transpose();
    }
  }
  change += besides;
  pullLinks(origin);
}

}  // namespace pneuma::flesh::internal
