#include "flesh/pressure/sealed_part.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "pneuma/core/index.h"

namespace pneuma::flesh::internal {
namespace {

Vec6 sealedWrench(const Vec3& arm, const Vec3& force) {
  return spatial(arm.cross(force), force);
}

/// Change of a point's velocity in a step in which its link accelerates.
Vec3 accelerated(const Vec6& a, const Vec6& v, const Vec3& arm, double h) {
  const Vec3 w = v.head<3>();
  return h *
         (a.tail<3>() + Vec3(a.head<3>()).cross(arm) + w.cross(Vec3(v.tail<3>() + w.cross(arm))));
}

}  // namespace

SealedPart::SealedPart(const SealedBodyPlan& plan, const skeleton::Model& tree, Eigen::Index offset)
    : plan_(plan),
      n_(static_cast<Eigen::Index>(plan.mesh.vertexCount())),
      offset_(offset),
      surface_(plan.mesh, plan.springs),
      law_{.bulkModulus = plan.config.bulkModulus,
           .restVolume = enclosedVolume(plan.mesh),
           .clamp = false},
      mass_(plan.config.mass / static_cast<double>(n_)) {
  for (std::size_t i = 0; i < plan.mesh.vertexCount(); ++i) {
    const int link = plan.carrier[i];
    local_.push_back(tree.links[at(link)].X_WL_rest.inverse() * plan.mesh.positions[i]);
    if (!plan.anchored[i]) continue;
    const auto slot =
        static_cast<std::size_t>(std::find(links_.begin(), links_.end(), link) - links_.begin());
    if (slot == links_.size()) links_.push_back(link);
    anchors_.push_back(static_cast<Eigen::Index>(i));
    slots_.push_back(slot);
  }
  free_.assign(links_.size(), 0);
  held_.assign(links_.size(), Vec6::Zero());
  pulled_ = pressed_ = held_;
  for (Rows* rows : {&x_, &known_, &change_}) rows->setZero(n_, 3);
  sides_.setZero(n_, 6);
  solved_ = sides_;
  weights_.assign(links_.size(), MatX::Zero(n_, 4));
  answers_ = weights_;
}

Vec3 SealedPart::carriedPlace(const skeleton::Kinematics& k, Eigen::Index i) const {
  const auto v = static_cast<std::size_t>(i);
  return k.X_WL[at(plan_.carrier[v])] * local_[v];
}

double SealedPart::volumeOf(const SealedState& s) const {
  TriangleMesh mesh = plan_.mesh;
  for (Eigen::Index i = 0; i < n_; ++i)
    mesh.positions[static_cast<std::size_t>(i)] = in(s.position).row(i).transpose();
  return enclosedVolume(mesh);
}

void SealedPart::setKnown(std::span<const std::uint8_t> known) {
  coupled_ = false;
  for (std::size_t s = 0; s < links_.size(); ++s) {
    free_[s] = !known[at(links_[s])];
    coupled_ = coupled_ || free_[s];
  }
}

void SealedPart::evaluate(const skeleton::Kinematics& k, const SealedState& state,
                          const std::vector<Vec6>& acceleration, const Vec3& gravity, double h) {
  const PressureBodyConfig& c = plan_.config;
  x_ = in(state.position);
  const Eigen::Map<const Rows> v = in(state.velocity);
  for (Eigen::Index i = 0; i < n_; ++i) {
    surface_.position[static_cast<std::size_t>(i)] = pneuma::internal::Quad(x_.row(i).transpose());
    surface_.velocity[static_cast<std::size_t>(i)] = pneuma::internal::Quad(v.row(i).transpose());
  }
  surface_.readVolume();
  surface_.pull(c.edgeStiffness, c.edgeDamping);
  const double pressure = law_.pressure(surface_.volume);
  // As the gut's: half of the stiffness over the step is in the matrix.
  pressureGain_ = 0.5 * h * h * law_.stiffness(surface_.volume);
  for (Eigen::Index i = 0; i < n_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Vec3 gradient = surface_.gradient[at].vector();
    const Vec3 force = surface_.force[at].vector() + pressure * gradient + mass_ * gravity;
    sides_.row(i) << h * force.transpose(), gradient.transpose();
  }
  for (Vec6& f : held_) f.setZero();
  tieGain_ = h * c.anchorDamping + 0.5 * h * h * c.anchorStiffness;
  forEachAnchor([&](Eigen::Index i, std::size_t slot) {
    const int link = links_[slot];
    const Vec3 place = x_.row(i).transpose(), arm = place - k.origin;
    const Vec3 slip = skeleton::pointVelocity(k, link, place) - Vec3(v.row(i).transpose());
    const Vec3 pull = c.anchorStiffness * (carriedPlace(k, i) - place) + c.anchorDamping * slip;
    const Vec3 known = accelerated(acceleration[at(link)], k.velocity[at(link)], arm, h);
    held_[slot] -= sealedWrench(arm, pull);
    known_.row(i) = known.transpose();
    sides_.row(i).head<3>() += (h * pull + tieGain_ * known).transpose();
  });
}

void SealedPart::factor(double h) {
  const PressureBodyConfig& c = plan_.config;
  const double spring = h * c.edgeDamping + 0.5 * h * h * c.edgeStiffness;
  const double tie = h * c.anchorDamping + 0.5 * h * h * c.anchorStiffness;
  MatX A = mass_ * MatX::Identity(n_, n_);
  for (const SurfaceSpring& s : surface_.springs()) {
    const double gain = s.share * spring;
    A(s.a, s.a) += gain;
    A(s.b, s.b) += gain;
    A(s.a, s.b) -= gain;
    A(s.b, s.a) -= gain;
  }
  for (const Eigen::Index i : anchors_) A(i, i) += tie;
  inverse_ = A.llt().solve(MatX::Identity(n_, n_));
}

/// How w answers to the twists of links that move freely.
void SealedPart::condense(const Vec3& origin) {
  for (std::size_t s = 0; s < links_.size(); ++s)
    if (free_[s]) weights_[s].setZero();
  forEachAnchor([&](Eigen::Index i, std::size_t s) {
    if (free_[s]) weights_[s].row(i) << 1, x_.row(i) - origin.transpose();
  });
  for (std::size_t s = 0; s < links_.size(); ++s)
    if (free_[s]) answers_[s].noalias() = tieGain_ * (inverse_ * weights_[s]);
}

/// Links L (rows) and K (columns): a twist (omega, v) of K moves L's anchors against their vertices
/// by v zeta + omega x rho, of which the former is what the link itself does (L = K) less what the
/// vertex answers; L is held by g times that.
void SealedPart::addGains(const skeleton::Model& tree, const skeleton::Kinematics& k,
                          const std::vector<int>& freeIndex, MatX& gains) const {
  const auto forEachFree = [&](int link, const auto& use) {
    for (const skeleton::DofRange& range : tree.ancestorRanges(link))
      for (int j = range.begin; j < range.end; ++j)
        if (freeIndex[at(j)] >= 0) use(j);
  };
  for (std::size_t b = 0; b < links_.size(); ++b) {
    if (!free_[b]) continue;
    std::vector<Mat6> blocks(links_.size(), Mat6::Zero());
    forEachAnchor([&](Eigen::Index i, std::size_t a) {
      if (!free_[a]) return;
      const Vec3 arm = weights_[a].row(i).tail<3>().transpose();
      const double own = a == b ? 1 : 0;
      const double zeta = tieGain_ * (own - answers_[b](i, 0));
      const Mat3 rho =
          skew(tieGain_ * (own * arm - Vec3(answers_[b].row(i).tail<3>().transpose())));
      Mat6& block = blocks[a];
      block.topLeftCorner<3, 3>() -= skew(arm) * rho;
      block.topRightCorner<3, 3>() += zeta * skew(arm);
      block.bottomLeftCorner<3, 3>() -= rho;
      block.bottomRightCorner<3, 3>() += zeta * Mat3::Identity();
    });
    for (std::size_t a = 0; a < links_.size(); ++a)
      if (free_[a])
        forEachFree(links_[b], [&](int column) {
          const Vec6 f = blocks[a] * k.axis[at(column)];
          forEachFree(links_[a], [&](int row) {
            gains(freeIndex[at(row)], freeIndex[at(column)]) += k.axis[at(row)].dot(f);
          });
        });
  }
}

void SealedPart::solve(const Vec3& origin) {
  solved_.noalias() = inverse_ * sides_;
  gradientOfMotion_ = solved_.leftCols<3>().cwiseProduct(sides_.rightCols<3>()).sum();
  gradientOfGradient_ = solved_.rightCols<3>().cwiseProduct(sides_.rightCols<3>()).sum();
  for (Wrenches* list : {&pulled_, &pressed_})
    for (Vec6& f : *list) f.setZero();
  forEachAnchor([&](Eigen::Index i, std::size_t slot) {
    const Vec3 arm = x_.row(i).transpose() - origin;
    const Vec3 left = (solved_.row(i).head<3>() - known_.row(i)).transpose();
    pulled_[slot] += sealedWrench(arm, tieGain_ * left);
    pressed_[slot] += sealedWrench(arm, tieGain_ * Vec3(solved_.row(i).tail<3>().transpose()));
  });
}

void SealedPart::answer(const std::vector<Vec6>& twist, double factor) {
  change_ = solved_.leftCols<3>() - factor * solved_.rightCols<3>();
  for (std::size_t s = 0; s < links_.size(); ++s) {
    if (!free_[s]) continue;
    const Vec3 turn = twist[at(links_[s])].head<3>(), shift = twist[at(links_[s])].tail<3>();
    for (Eigen::Index i = 0; i < n_; ++i)
      change_.row(i) +=
          (answers_[s](i, 0) * shift + turn.cross(Vec3(answers_[s].row(i).tail<3>().transpose())))
              .transpose();
  }
}

void SealedPart::advance(SealedState& s, double h) const {
  in(s.velocity) += change_;
  in(s.position) += h * in(s.velocity);
}

double SealedPart::elasticEnergy(const skeleton::Kinematics& k) const {
  const double v = std::max(surface_.volume, 1e-3 * law_.restVolume), v0 = law_.restVolume;
  double sum = law_.bulkModulus * (v - v0 - v0 * std::log(v / v0));
  const auto springs = surface_.springs();
  for (std::size_t i = 0; i < springs.size(); ++i) {
    const double stretch =
        (x_.row(springs[i].a) - x_.row(springs[i].b)).norm() - surface_.restLength(i);
    sum += 0.5 * springs[i].share * plan_.config.edgeStiffness * stretch * stretch;
  }
  forEachAnchor([&](Eigen::Index i, std::size_t) {
    sum += 0.5 * plan_.config.anchorStiffness *
           (carriedPlace(k, i) - Vec3(x_.row(i).transpose())).squaredNorm();
  });
  return sum;
}

}  // namespace pneuma::flesh::internal
