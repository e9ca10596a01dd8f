#include "flesh/belly/belly_forces.h"

#include <cmath>

namespace pneuma::flesh {
namespace {

// Keeps a spring of vanishing length differentiable; far below any length of a body [m^2].
constexpr double kTiny = 1e-20;

struct Columns {
  const double *x, *y, *z;
};
struct Outputs {
  double *x, *y, *z;
};

/// Pull of a spring of stiffness k along d is k (1 - rest / |d|) d; here the factor before d.
inline double pullFactor(double k, double rest, double dx, double dy, double dz) {
  return k - k * rest / std::sqrt(dx * dx + dy * dy + dz * dz + kTiny);
}

/// Pull on entry i of its spring to entry i + step.
void pullSprings(const Columns& p, const double* __restrict rest, double k, int begin, int end,
                 int step, const Outputs& out) {
  const double* __restrict x = p.x, * __restrict y = p.y, * __restrict z = p.z;
  double* __restrict ox = out.x, * __restrict oy = out.y, * __restrict oz = out.z;
#pragma GCC ivdep
  for (int i = begin; i < end; ++i) {
    const double dx = x[i + step] - x[i], dy = y[i + step] - y[i], dz = z[i + step] - z[i];
    const double s = pullFactor(k, rest[i], dx, dy, dz);
    ox[i] = s * dx;
    oy[i] = s * dy;
    oz[i] = s * dz;
  }
}

/// Pull on entry i of its angular spring to the midpoint of entries i - step and i + step.
void pullAngular(const Columns& p, const double* __restrict rest, double k, int begin, int end,
                 int step, const Outputs& out) {
  const double* __restrict x = p.x, * __restrict y = p.y, * __restrict z = p.z;
  double* __restrict ox = out.x, * __restrict oy = out.y, * __restrict oz = out.z;
#pragma GCC ivdep
  for (int i = begin; i < end; ++i) {
    const double dx = 0.5 * (x[i - step] + x[i + step]) - x[i],
                 dy = 0.5 * (y[i - step] + y[i + step]) - y[i],
                 dz = 0.5 * (z[i - step] + z[i + step]) - z[i];
    const double s = pullFactor(k, rest[i], dx, dy, dz);
    ox[i] = s * dx;
    oy[i] = s * dy;
    oz[i] = s * dz;
  }
}

}  // namespace

BellyForces::BellyForces(const BellyModel& model, const std::vector<BellyGoal>& goals,
                         const VecX& carried)
    : model_(model),
      goals_(goals),
      carried_(carried),
      n_(model.particleCount()),
      rows_(model.slices() + 2),
      stride_(stride(model.around())) {
  const auto size = static_cast<std::size_t>(rows_ * stride_);
  for (Rows* rows : {&p_, &ring_, &line_, &ringAngular_, &lineAngular_}) {
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

void BellyForces::pull() {
  // All rows in one go: what comes out at ghost columns is replaced below, or read by nobody.
  const BellyConfig& config = model_.config();
  const int end = (rows_ - 1) * stride_;
  const auto from = [&](const Rows& r) { return Columns{r.x.data(), r.y.data(), r.z.data()}; };
  const auto to = [](Rows& r) { return Outputs{r.x.data(), r.y.data(), r.z.data()}; };
  pullSprings(from(p_), model_.lineRest_.data(), config.elasticityVertical, 0, end, stride_,
              to(line_));
  pullSprings(from(p_), model_.ringRest_.data(), config.elasticityHorizontal, stride_, end, 1,
              to(ring_));
  pullAngular(from(p_), model_.ringAngularRest_.data(), config.curvatureHorizontal, stride_, end, 1,
              to(ringAngular_));
  pullAngular(from(p_), model_.lineAngularRest_.data(), config.curvatureVertical, stride_, end,
              stride_, to(lineAngular_));
  for (int r = 1; r + 1 < rows_; ++r) repeatColumns(r);
}

void BellyForces::repeatColumns(int row) {
  const int around = model_.around();
  for (std::vector<double>* v :
       {&ring_.x, &ring_.y, &ring_.z, &ringAngular_.x, &ringAngular_.y, &ringAngular_.z}) {
    double* first = v->data() + row * stride_;
    first[0] = first[around];
    first[around + 1] = first[1];
  }
}

void BellyForces::gather(double* forces) const {
  const int around = model_.around();
  const double* ring[3] = {ring_.x.data(), ring_.y.data(), ring_.z.data()};
  const double* line[3] = {line_.x.data(), line_.y.data(), line_.z.data()};
  const double* bend[3] = {ringAngular_.x.data(), ringAngular_.y.data(), ringAngular_.z.data()};
  const double* arch[3] = {lineAngular_.x.data(), lineAngular_.y.data(), lineAngular_.z.data()};
  for (int axis = 0; axis < 3; ++axis) {
    double* target = forces + axis * n_;
    for (int r = 1; r + 1 < rows_; ++r) {
      const int o = r * stride_ + 1;
      const double* __restrict R = ring[axis] + o, * __restrict L = line[axis] + o, * __restrict B = bend[axis] + o, * __restrict A = arch[axis] + o;
      double* __restrict f = target + 1 + (r - 1) * around;
      const int down = stride_;
      for (int c = 0; c < around; ++c)
        f[c] = R[c] - R[c - 1] + L[c] - L[c - down] + B[c] - 0.5 * (B[c - 1] + B[c + 1]) + A[c] -
               0.5 * (A[c - down] + A[c + down]);
    }
    // The extremities are the outermost rows, all columns in one. No angular spring sits there.
    double start = 0, end = 0;
    const int last = (rows_ - 1) * stride_;
    for (int c = 1; c <= around; ++c) {
      start += line[axis][c] - 0.5 * arch[axis][stride_ + c];
      end -= line[axis][last - stride_ + c] + 0.5 * arch[axis][last - stride_ + c];
    }
    target[0] = start;
    target[n_ - 1] = end;
  }
}

Vec3 BellyForces::missing(const BellyGoal& goal, const double* positions) const {
  Vec3 d = goal.target;
  for (std::size_t i = 0; i < 3; ++i)
    for (int axis = 0; axis < 3; ++axis)
      d[axis] -= goal.weights[i] * positions[axis * n_ + goal.particles[i]];
  return d;
}

void BellyForces::addGoals(const double* positions, double* forces) const {
  for (const BellyGoal& goal : goals_) {
    const Vec3 pull = goal.share * model_.config().goalStiffness * missing(goal, positions);
    for (std::size_t i = 0; i < 3; ++i)
      for (int axis = 0; axis < 3; ++axis)
        forces[axis * n_ + goal.particles[i]] += goal.weights[i] * pull[axis];
  }
}

void BellyForces::addShape(const double* positions, double* forces) const {
  const double k = model_.config().shapeStiffness;
  if (!(k > 0)) return;
  for (int axis = 0; axis < 3; ++axis) {
    const double* __restrict p = positions + axis * n_, * __restrict c =
                                                            carried_.data() + axis * n_;
    double* __restrict f = forces + axis * n_;
    for (Eigen::Index i = 1; i + 1 < n_; ++i) f[i] += k * (c[i] - p[i]);
  }
}

void BellyForces::forces(const double* positions, double* forces) {
  pad(positions);
  pull();
  gather(forces);
  addGoals(positions, forces);
  addShape(positions, forces);
}

// Written plainly and apart from the vectorised forces: tests difference it to judge them.
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
  for (const BellyGoal& goal : goals_)
    energy += 0.5 * goal.share * config.goalStiffness * missing(goal, positions).squaredNorm();
  for (Eigen::Index i = 1; i + 1 < n_; ++i)
    for (int axis = 0; axis < 3; ++axis) {
      const double d = carried_[axis * n_ + i] - positions[axis * n_ + i];
      energy += 0.5 * config.shapeStiffness * d * d;
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
