#include "flesh/belly_forces.h"

#include <cmath>

namespace pneuma::flesh {
namespace {

// Keeps a spring of vanishing length differentiable; far below any length of a body [m^2].
constexpr double kTiny = 1e-20;

}  // namespace

BellyForces::BellyForces(const BellyModel& model, const BellyGoals& goals)
    : model_(model),
      goals_(goals),
      n_(model.particleCount()),
      rows_(model.slices() + 2),
      stride_(stride(model.around())) {
  const auto size = static_cast<std::size_t>(rows_ * stride_);
  for (Rows* rows : {&p_, &f_}) {
    rows->x.assign(size, 0);
    rows->y.assign(size, 0);
    rows->z.assign(size, 0);
  }
}

void BellyForces::measureRest(BellyModel& model, const std::vector<Vec3>& points) {
  const int stride = BellyForces::stride(model.around()), rows = model.slices() + 2;
  const auto size = static_cast<std::size_t>(rows * stride);
  for (auto* rest :
       {&model.ringRest_, &model.lineRest_, &model.ringAngularRest_, &model.lineAngularRest_})
    rest->assign(size, 0);
  const auto at = [&](int row, int column) -> const Vec3& {
    if (row == 0) return points.front();
    if (row == rows - 1) return points.back();
    return points[static_cast<std::size_t>(1 + (row - 1) * model.around() +
                                           (column - 1 + model.around()) % model.around())];
  };
  const auto index = [&](int row, int column) {
    return static_cast<std::size_t>(row * stride + column);
  };
  for (int r = 0; r < rows; ++r)
    for (int c = 1; c <= model.around(); ++c) {
      const Vec3& p = at(r, c);
      if (r + 1 < rows) model.lineRest_[index(r, c)] = (at(r + 1, c) - p).norm();
      if (r == 0 || r == rows - 1) continue;
      model.ringRest_[index(r, c)] = (at(r, c + 1) - p).norm();
      model.ringAngularRest_[index(r, c)] = (p - 0.5 * (at(r, c - 1) + at(r, c + 1))).norm();
      model.lineAngularRest_[index(r, c)] = (p - 0.5 * (at(r - 1, c) + at(r + 1, c))).norm();
    }
}

void BellyForces::pad(const double* positions) {
  const int around = model_.around();
  double* targets[3] = {p_.x.data(), p_.y.data(), p_.z.data()};
  for (int axis = 0; axis < 3; ++axis) {
    const double* source = positions + axis * n_;
    double* target = targets[axis];
    for (int c = 0; c < stride_; ++c) {
      target[c] = source[0];
      target[(rows_ - 1) * stride_ + c] = source[n_ - 1];
    }
    for (int r = 1; r + 1 < rows_; ++r) {
      const double* ring = source + 1 + (r - 1) * around;
      double* row = target + r * stride_;
      for (int a = 0; a < around; ++a) row[a + 1] = ring[a];
      row[0] = ring[around - 1];
      row[around + 1] = ring[0];
    }
  }
}

void BellyForces::collect(double* forces) const {
  const int around = model_.around();
  const double* sources[3] = {f_.x.data(), f_.y.data(), f_.z.data()};
  for (int axis = 0; axis < 3; ++axis) {
    const double* source = sources[axis];
    double* target = forces + axis * n_;
    double start = 0, end = 0;
    for (int c = 0; c < stride_; ++c) {
      start += source[c];
      end += source[(rows_ - 1) * stride_ + c];
    }
    target[0] = start;
    target[n_ - 1] = end;
    for (int r = 1; r + 1 < rows_; ++r) {
      const double* row = source + r * stride_;
      double* ring = target + 1 + (r - 1) * around;
      for (int a = 0; a < around; ++a) ring[a] = row[a + 1];
      ring[around - 1] += row[0];
      ring[0] += row[around + 1];
    }
  }
}

void BellyForces::addSprings(int from, int to, int count, double k, const double* rest) {
  if (k == 0) return;
  const double *x = p_.x.data(), *y = p_.y.data(), *z = p_.z.data();
  double *fx = f_.x.data(), *fy = f_.y.data(), *fz = f_.z.data();
  for (int c = 0; c < count; ++c) {
    const double dx = x[to + c] - x[from + c], dy = y[to + c] - y[from + c],
                 dz = z[to + c] - z[from + c];
    const double s = k - k * rest[from + c] / std::sqrt(dx * dx + dy * dy + dz * dz + kTiny);
    fx[from + c] += s * dx;
    fy[from + c] += s * dy;
    fz[from + c] += s * dz;
    fx[to + c] -= s * dx;
    fy[to + c] -= s * dy;
    fz[to + c] -= s * dz;
  }
}

void BellyForces::addAngularSprings(int center, int neighbour, int count, double k,
                                    const double* rest) {
  if (k == 0) return;
  const double *x = p_.x.data(), *y = p_.y.data(), *z = p_.z.data();
  double *fx = f_.x.data(), *fy = f_.y.data(), *fz = f_.z.data();
  for (int c = 0; c < count; ++c) {
    const int o = center + c, before = o - neighbour, after = o + neighbour;
    const double dx = x[o] - 0.5 * (x[before] + x[after]), dy = y[o] - 0.5 * (y[before] + y[after]),
                 dz = z[o] - 0.5 * (z[before] + z[after]);
    const double s = k - k * rest[o] / std::sqrt(dx * dx + dy * dy + dz * dz + kTiny);
    const double hx = 0.5 * s * dx, hy = 0.5 * s * dy, hz = 0.5 * s * dz;
    fx[o] -= 2 * hx;
    fy[o] -= 2 * hy;
    fz[o] -= 2 * hz;
    fx[before] += hx;
    fy[before] += hy;
    fz[before] += hz;
    fx[after] += hx;
    fy[after] += hy;
    fz[after] += hz;
  }
}

void BellyForces::addGoals(const double* positions, double* forces) const {
  const double k = model_.config().goalStiffness;
  for (std::size_t i = 0; i < goals_.particles.size(); ++i)
    for (int axis = 0; axis < 3; ++axis) {
      const Eigen::Index j = axis * n_ + goals_.particles[i];
      forces[j] += k * (goals_.targets[i][axis] - positions[j]);
    }
}

void BellyForces::forces(const double* positions, double* forces) {
  pad(positions);
  for (auto* f : {&f_.x, &f_.y, &f_.z}) std::fill(f->begin(), f->end(), 0.0);
  const BellyConfig& config = model_.config();
  const int around = model_.around();
  for (int r = 0; r + 1 < rows_; ++r) {
    const int row = r * stride_ + 1;
    addSprings(row, row + stride_, around, config.elasticityVertical, model_.lineRest_.data());
    if (r == 0) continue;
    addSprings(row, row + 1, around, config.elasticityHorizontal, model_.ringRest_.data());
    addAngularSprings(row, 1, around, config.curvatureHorizontal, model_.ringAngularRest_.data());
    addAngularSprings(row, stride_, around, config.curvatureVertical,
                      model_.lineAngularRest_.data());
  }
  collect(forces);
  addGoals(positions, forces);
}

double BellyForces::energy(const double* positions) {
  pad(positions);
  const BellyConfig& config = model_.config();
  const auto point = [&](int i) {
    const auto j = static_cast<std::size_t>(i);
    return Vec3(p_.x[j], p_.y[j], p_.z[j]);
  };
  const auto spring = [](double k, const Vec3& d, double rest) {
    const double stretch = std::sqrt(d.squaredNorm() + kTiny) - rest;
    return 0.5 * k * stretch * stretch;
  };
  double energy = 0;
  for (int r = 0; r + 1 < rows_; ++r)
    for (int c = 1; c <= model_.around(); ++c) {
      const int i = r * stride_ + c;
      const auto j = static_cast<std::size_t>(i);
      energy +=
          spring(config.elasticityVertical, point(i + stride_) - point(i), model_.lineRest_[j]);
      if (r == 0) continue;
      energy += spring(config.elasticityHorizontal, point(i + 1) - point(i), model_.ringRest_[j]);
      energy += spring(config.curvatureHorizontal, point(i) - 0.5 * (point(i - 1) + point(i + 1)),
                       model_.ringAngularRest_[j]);
      energy += spring(config.curvatureVertical,
                       point(i) - 0.5 * (point(i - stride_) + point(i + stride_)),
                       model_.lineAngularRest_[j]);
    }
  for (std::size_t i = 0; i < goals_.particles.size(); ++i)
    for (int axis = 0; axis < 3; ++axis) {
      const double d = goals_.targets[i][axis] - positions[axis * n_ + goals_.particles[i]];
      energy += 0.5 * config.goalStiffness * d * d;
    }
  return energy;
}

void BellyForces::derivative(double, const VecX& x, VecX& dxdt) {
  dxdt.head(3 * n_) = x.tail(3 * n_);
  forces(x.data(), dxdt.data() + 3 * n_);
  const double perMass = 1 / model_.particleMass();
  dxdt.tail(3 * n_) = perMass * (dxdt.tail(3 * n_) - model_.config().damping * x.tail(3 * n_));
  if (model_.config().freeEnds) return;
  // The extremities follow the action line.
  for (const Eigen::Index end : {Eigen::Index{0}, n_ - 1})
    for (int axis = 0; axis < 6; ++axis) dxdt[axis * n_ + end] = 0;
}

}  // namespace pneuma::flesh
