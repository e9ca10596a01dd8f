#include "breath/cage/cage_tangent.h"

#include <algorithm>
#include <cmath>

namespace pneuma::breath::internal {
namespace {

// Directions are taken anew when an end has moved across its spring by this part of its length, or
// of kReach where it is shorter; in no case beyond the last sine. Up to there the gains hold what
// turns into the spring, for n n^T <= 2 cos^2 m m^T + 2 sin^2 (1 - m m^T) when n leaves m by that
// angle: a part sin^2 of the gain acts across.
constexpr double kTurn = 0.08, kMostTurn = 0.5;
constexpr double kReach = 0.020;  // [m], at refinement 1
// The middle of the tendon, where all columns of the dome meet, is one plate: springs of half this
// length hold in every direction, those of the whole along themselves alone.
constexpr double kPlate = 0.012;        // [m], at refinement 1
constexpr double kTensionAhead = 1.25;  // tensions are taken a little higher than they are

constexpr std::size_t kFourColumns = 4;

std::size_t at3(int i) {
  return static_cast<std::size_t>(i);
}

/// Pairs of particles that springs and pins join, in their order.
std::vector<std::pair<int, int>> particlePairs(const CageModel& m) {
  std::vector<std::pair<int, int>> pairs;
  const auto add = [&](int a, int b) {
    if (a < m.layout.particles && b < m.layout.particles) pairs.emplace_back(a, b);
  };
  for (std::size_t i = 0; i < m.springs.size(); ++i) add(m.springs.a[i], m.springs.b[i]);
  for (const Pin& p : m.pins) add(p.a, p.b);
  return pairs;
}

}  // namespace

CageTangent::CageTangent(const CageModel& model, const skeleton::Model& tree)
    : model_(model), tree_(tree), kinematics_(tree) {
  linkOf_.resize(at3(model.layout.bonePoints));
  for (std::size_t l = 0; l < tree.links.size(); ++l)
    for (int i = model.linkPointRange[l]; i < model.linkPointRange[l + 1]; ++i)
      linkOf_[at3(i)] = static_cast<int>(l);
  limits_.lightest = model.particleMass.empty()
                         ? 0
                         : *std::min_element(model.particleMass.begin(), model.particleMass.end());
  points_ = model.rest;
  // Read by fours.
  const auto whole =
      at3(static_cast<int>(wholeLanes(static_cast<Eigen::Index>(model.springs.size()))));
  limits_.direction.resize(whole);
  limits_.tension.assign(whole, 0);
  for (const double length : model.springs.restLength) {
    const double scale = model.config.refinement * std::max(length, 1e-9);
    const double sine = std::min(kMostTurn, kTurn * std::max(1.0, kReach / scale));
    limits_.leastAlong.push_back(1 - sine * sine);
    across_.push_back(std::clamp(kPlate / scale - 1, sine * sine, 1.0));
  }
  block_ = BlockCholesky(model.layout.particles, particlePairs(model));
  rows_.resize(at3(model.layout.particles));
  answer_.resize(at3(model.layout.particles));
}

bool CageTangent::builtFor(const TangentPoint& at, std::span<const std::uint8_t> prescribed,
                           double h) const {
  return at.stamp != 0 && at.stamp == stamp_ && h == h_ &&
         std::equal(prescribed.begin(), prescribed.end(), prescribed_.begin(), prescribed_.end());
}

/// Sizes, for the degrees of freedom that are not prescribed.
void CageTangent::setFree(std::span<const std::uint8_t> prescribed) {
  if (!column_.empty() &&
      std::equal(prescribed.begin(), prescribed.end(), prescribed_.begin(), prescribed_.end()))
    return;
  prescribed_.assign(prescribed.begin(), prescribed.end());
  column_.assign(prescribed.size(), -1);
  free_.clear();
  for (std::size_t j = 0; j < prescribed.size(); ++j) {
    if (prescribed[j]) continue;
    column_[j] = static_cast<int>(free_.size());
    free_.push_back(static_cast<int>(j));
  }
  const auto m = static_cast<Eigen::Index>(free_.size());
  motion_.assign(free_.size(), Vec3::Zero());
  moves_.assign(free_.size(), 0);
  touched_.clear();
  touched_.reserve(free_.size());
  sortColumns();
  coupling_.resize(3 * model_.layout.particles, static_cast<Eigen::Index>(holding_));
  gains_.resize(m, m);
  registers_ =
      at3(static_cast<int>(wholeLanes(static_cast<Eigen::Index>(holding_)))) / kFourColumns;
  reduced_.assign(3 * rows_.size() * registers_, Quad());
  sparse_.start.reserve(rows_.size() + 1);
  sparse_.place.reserve(rows_.size() * registers_);
  sparse_.rows.reserve(reduced_.size());
  change_.assign(registers_, Quad());
  reactions_.assign(BlockCholesky::kSides * registers_, Quad());
}

/// Columns that hold many of the same particles stand side by side, so that registers of four of
/// them are empty for as many particles as can be: those of a rib beside those of its neighbours,
/// not beside the other side's. Most upper ribs hold no particle at all; they come last.
void CageTangent::sortColumns() {
  const std::size_t columns = free_.size();
  std::vector<std::vector<std::uint8_t>> holds(columns, std::vector<std::uint8_t>(rows_.size()));
  const auto hold = [&](int particle) {
    for (const int c : touched_) holds[at3(c)][at3(particle)] = 1;
    forget();
  };
  const int particles = model_.layout.particles;
  forEachTie([&](int a, int b) {
    if ((a < particles) == (b < particles)) return;
    gather(std::max(a, b), 1);
    hold(std::min(a, b));
  });
  for (int i = 0; i < particles; ++i) gatherCarriers(i), hold(i);
  const auto shared = [&](std::size_t a, std::size_t b) {
    double both = 0, any = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      both += holds[a][i] & holds[b][i];
      any += holds[a][i] | holds[b][i];
    }
    return any > 0 ? both / any : -1;
  };
  std::vector<int> order;
  std::vector<std::uint8_t> placed(columns, 0);
  while (order.size() < columns) {
    std::size_t best = columns;
    double most = -2;
    for (std::size_t c = 0; c < columns; ++c) {
      if (placed[c]) continue;
      const double with = order.empty() ? shared(c, c) : shared(at3(order.back()), c);
      const bool none = shared(c, c) < 0;  // holds nothing
      if ((none ? -1.5 : with) > most) most = none ? -1.5 : with, best = c;
    }
    placed[best] = 1;
    order.push_back(static_cast<int>(best));
  }
  holding_ = static_cast<std::size_t>(
      std::count_if(order.begin(), order.end(), [&](int c) { return shared(at3(c), at3(c)) > 0; }));
  const std::vector<int> natural = free_;
  rank_ = order;
  for (std::size_t c = 0; c < columns; ++c) {
    free_[c] = natural[at3(order[c])];
    column_[at3(free_[c])] = static_cast<int>(c);
  }
}

/// Springs, then pins.
template <class Visit>
void CageTangent::forEachTie(const Visit& visit) const {
  for (std::size_t i = 0; i < model_.springs.size(); ++i)
    visit(model_.springs.a[i], model_.springs.b[i]);
  for (const Pin& p : model_.pins) visit(p.a, p.b);
}

void CageTangent::take(const TangentPoint& at) {
  if (at.stamp == taken_) return;
  taken_ = at.stamp;
  skeleton::computePoses(tree_, at.q, kinematics_);
  for (std::size_t i = 0; i < at.position.size(); ++i) points_.set(i, at.position[i]);
  for (int i = 0; i < model_.layout.bonePoints; ++i)
    points_.set(at3(model_.layout.boneBegin() + i),
                kinematics_.X_WL[at3(linkOf_[at3(i)])] * model_.local[at3(i)]);
  auto target = at3(model_.layout.blendBegin());
  for (const BlendPoint& blend : model_.blends) {
    Vec3 p = Vec3::Zero();
    for (std::size_t k = 0; k < BlendPoint::kParts; ++k)
      p += blend.weights[k] * points_[at3(blend.points[k])];
    points_.set(target++, p);
  }
  chest_ = kinematics_.X_WL[at3(model_.carriers.chest)].rotation;
  for (std::size_t i = 0; i < model_.springs.size(); ++i) {
    const Vec3 along = points_[at3(model_.springs.b[i])] - points_[at3(model_.springs.a[i])];
    limits_.direction.set(i, along / std::max(along.norm(), 1e-9));
    limits_.tension[i] = kTensionAhead * std::max(0.0, at.tension[i]);
  }
}

void CageTangent::gatherLink(int link, const Vec3& position, double weight) {
  if (weight == 0) return;
  const Vec3 arm = position - kinematics_.origin;
  for (const skeleton::DofRange range : tree_.ancestorRanges(link))
    for (int j = range.begin; j < range.end; ++j) {
      const int c = column_[at3(j)];
      if (c < 0) continue;
      const Vec6& axis = kinematics_.axis[at3(j)];
      if (!moves_[at3(c)]) moves_[at3(c)] = 1, touched_.push_back(c);
      motion_[at3(c)] += weight * (axis.tail<3>() + axis.head<3>().cross(arm));
    }
}

/// How the free degrees of freedom move a point of a bone or of the costal margin.
void CageTangent::gather(int point, double weight) {
  const PointLayout& layout = model_.layout;
  if (point >= layout.fixedBegin()) return;
  if (point < layout.blendBegin()) {
    gatherLink(linkOf_[at3(point - layout.boneBegin())], points_[at3(point)], weight);
    return;
  }
  const BlendPoint& blend = model_.blends[at3(point - layout.blendBegin())];
  constexpr double kNothing = 1e-12;  // weights may be negative; rounding leaves some of no meaning
  for (std::size_t k = 0; k < BlendPoint::kParts; ++k)
    if (blend.weights[k] > 0 || blend.weights[k] < -kNothing)
      gather(blend.points[k], weight * blend.weights[k]);
}

/// How they move the carriers of a particle at its place.
void CageTangent::gatherCarriers(int particle) {
  const double share = model_.carriers.chestWeight[at3(particle)];
  gatherLink(model_.carriers.chest, points_[at3(particle)], share);
  gatherLink(model_.carriers.pelvis, points_[at3(particle)], 1 - share);
}

void CageTangent::forget() {
  for (const int c : touched_) motion_[at3(c)].setZero(), moves_[at3(c)] = 0;
  touched_.clear();
}

/// J^T gain J of the motion gathered; the gain is symmetric.
void CageTangent::addLinkGains(const Mat3& gain) {
  for (std::size_t a = 0; a < touched_.size(); ++a) {
    const int i = touched_[a];
    const Vec3 force = gain * motion_[at3(i)];
    gains_(i, i) += force.dot(motion_[at3(i)]);
    for (std::size_t b = a + 1; b < touched_.size(); ++b) {
      const int j = touched_[b];
      const double both = force.dot(motion_[at3(j)]);
      gains_(i, j) += both;
      gains_(j, i) += both;
    }
  }
}

/// A tie between a particle and the point whose motion was gathered.
void CageTangent::tieToLinks(int particle, const Mat3& gain) {
  block_.addDiagonal(particle, gain);
  for (const int c : touched_) coupling_.col(c).segment<3>(3 * particle) += gain * motion_[at3(c)];
  addLinkGains(gain);
  forget();
}

void CageTangent::tie(int a, int b, const Mat3& gain, std::size_t& pair) {
  const bool ownA = a < model_.layout.particles, ownB = b < model_.layout.particles;
  if (ownA && ownB) {
    block_.addDiagonal(a, gain);
    block_.addDiagonal(b, gain);
    block_.addPair(pair++, -gain);
  } else if (ownA || ownB) {
    gather(ownA ? b : a, 1);
    tieToLinks(ownA ? a : b, gain);
  } else {
    gather(a, 1);
    gather(b, -1);
    addLinkGains(gain);
    forget();
  }
}

/// Of a muscle told a length, k_ac. One told a force has what its force-length curve gives: at 0.7
/// of its length 3.75 T / l, with T what it may pull before the tangent is taken anew. k_ac itself
/// would be an inertia that no force stands for, and grows with the step.
double CageTangent::activeStiffness(std::size_t i, double length) const {
  constexpr double kCurve = 3.75;
  const SpringSet& s = model_.springs;
  if (!std::isfinite(s.strength[i])) return s.active[i];
  return std::min(s.active[i], kCurve * limits_.tension[i] / std::max(length, 1e-9));
}

bool CageTangent::build(const TangentPoint& at, std::span<const std::uint8_t> prescribed,
                        double h) {
  setFree(prescribed);
  h_ = h;
  stamp_ = at.stamp;
  take(at);
  block_.clear();
  coupling_.setZero();
  gains_.setZero();
  const SpringSet& s = model_.springs;
  std::size_t pair = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const Vec3 n = limits_.direction[i];
    const double length = (points_[at3(s.b[i])] - points_[at3(s.a[i])]).norm();
    const double stiff = 0.5 * h * h * (activeStiffness(i, length) + s.passiveAt(i, at.tone));
    const double along = h * s.damping[i] + stiff;
    // Viscosity stays with its line; as printed, it turns with its spring.
    const double turns = model_.config.oneSidedDamping ? along : stiff;
    const double across =
        across_[i] * turns + 0.5 * h * h * limits_.tension[i] / std::max(length, 1e-9);
    tie(s.a[i], s.b[i], (along - across) * n * n.transpose() + across * Mat3::Identity(), pair);
  }
  for (const Pin& p : model_.pins)
    tie(p.a, p.b, (h * p.damping + 0.5 * h * h * p.stiffness) * Mat3::Identity(), pair);
  for (int i = 0; i < model_.layout.particles; ++i) {
    const double mass = model_.particleMass[at3(i)];
    block_.addDiagonal(i, mass * Mat3::Identity());
    gatherCarriers(i);
    tieToLinks(i, h * model_.config.gutDrag * mass * Mat3::Identity());
  }
  if (!block_.factor()) return false;
  condense();
  return true;
}

namespace {

/// Products of every two columns of a matrix, whose rows are some registers: `use(a, b, sums)` for
/// registers a and b >= a, sums[i] of column i of the former.
template <class Use>
PNEUMA_INTO_BOTH void multiplyColumns(const Quads& matrix, std::size_t registers, const Use& use) {
  for (std::size_t a = 0; a < registers; ++a)
    for (std::size_t b = a; b < registers; ++b) {
      Four sums[kFourColumns] = {};
      for (std::size_t at = 0; at < matrix.size(); at += registers) {
        const double* left = &matrix[at + a].x;
        for (std::size_t i = 0; i < kFourColumns; ++i) sums[i] += left[i] * four(matrix[at + b]);
      }
      use(a, b, sums);
    }
}

/// out_k += M^T y_k for all right-hand sides, whose sums stand side by side.
template <class Sparse>
PNEUMA_INTO_BOTH void react(const Sparse& matrix, const BlockCholesky::Rows& y, Quads& out) {
  constexpr std::size_t kSides = BlockCholesky::kSides;
  const std::int32_t* place = matrix.place.data();
  const std::int32_t* ends = matrix.start.data() + 1;
  const Quad* row = matrix.rows.data();
  const BlockCholesky::Row* block = y.data();
  const std::size_t size = y.size();
  Quad* all = out.data();
  for (std::size_t i = 0; i < size; ++i) {
    // In registers once for all columns.
    Four sides[kSides][3];
    for (std::size_t k = 0; k < kSides; ++k) {
      const Four v = four(block[i][k]);
      sides[k][0] = __builtin_shufflevector(v, v, 0, 0, 0, 0);
      sides[k][1] = __builtin_shufflevector(v, v, 1, 1, 1, 1);
      sides[k][2] = __builtin_shufflevector(v, v, 2, 2, 2, 2);
    }
    for (const std::int32_t* end = matrix.place.data() + ends[i]; place != end; ++place, row += 3) {
      Quad* sums = all + kSides * static_cast<std::size_t>(*place);
      const Four r0 = four(row[0]), r1 = four(row[1]), r2 = four(row[2]);
      for (std::size_t k = 0; k < kSides; ++k)
        four(sums[k]) += sides[k][0] * r0 + sides[k][1] * r1 + sides[k][2] * r2;
    }
  }
}

/// For each block: M change + sum_k weights_k y_k.
template <class Sparse>
PNEUMA_INTO_BOTH void combine(const Sparse& matrix, const Quads& change,
                              const BlockCholesky::Rows& y, const std::array<double, 3>& weights,
                              Quads& out) {
  const Quad* column = change.data();
  const std::int32_t* place = matrix.place.data();
  const std::int32_t* ends = matrix.start.data() + 1;
  const Quad* row = matrix.rows.data();
  const BlockCholesky::Row* block = y.data();
  const std::size_t size = y.size();
  Quad* to = out.data();
  for (std::size_t i = 0; i < size; ++i) {
    Four dots[3] = {};
    for (const std::int32_t* end = matrix.place.data() + ends[i]; place != end; ++place, row += 3) {
      const Four c = four(column[*place]);
      for (int axis = 0; axis < 3; ++axis) dots[axis] += four(row[axis]) * c;
    }
    Four parts[4];
    transpose(dots[0], dots[1], dots[2], Four{}, parts);
    four(to[i]) = (parts[0] + parts[1]) + (parts[2] + parts[3]) + weights[0] * four(block[i][0]) +
                  weights[1] * four(block[i][1]) + weights[2] * four(block[i][2]);
  }
}

}  // namespace

/// L^-1 U, some columns at a time, and the Schur complement of the gains, whose lower half is that
/// of the upper one.
void CageTangent::condense() {
  constexpr std::size_t kSides = BlockCholesky::kSides;
  for (std::size_t first = 0; first < holding_; first += kSides) {
    const std::size_t count = std::min(kSides, holding_ - first);
    for (std::size_t i = 0; i < rows_.size(); ++i)
      for (std::size_t k = 0; k < count; ++k)
        rows_[at3(places()[i])][k] = Quad(coupling_.col(static_cast<Eigen::Index>(first + k))
                                              .segment<3>(3 * static_cast<Eigen::Index>(i)));
    block_.forward(rows_);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t r = (first + k) / kFourColumns, lane = (first + k) % kFourColumns;
      for (std::size_t i = 0; i < rows_.size(); ++i)
        for (std::size_t axis = 0; axis < 3; ++axis)
          (&reduced_[(3 * i + axis) * registers_ + r].x)[lane] = (&rows_[i][k].x)[axis];
    }
  }
  const auto columns = static_cast<int>(holding_);
  inRegisters([&]() PNEUMA_INLINED {
    multiplyColumns(reduced_, registers_,
                    [&](std::size_t a, std::size_t b, const Four* sums) PNEUMA_INLINED {
                      for (int i = 0; i < 4; ++i)
                        for (int j = 0; j < 4; ++j) {
                          const int row = 4 * static_cast<int>(a) + i;
                          const int column = 4 * static_cast<int>(b) + j;
                          if (row >= columns || column >= columns || column < row) continue;
                          gains_(row, column) -= sums[i][j];
                          gains_(column, row) = gains_(row, column);
                        }
                    });
  });
  leaveOutZeros();
}

void CageTangent::addGains(MatX& out) const {
  for (std::size_t j = 0; j < rank_.size(); ++j)
    for (std::size_t i = 0; i < rank_.size(); ++i)
      out(rank_[i], rank_[j]) += gains_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
}

void CageTangent::leaveOutZeros() {
  sparse_.start.assign(1, 0);
  sparse_.place.clear();
  sparse_.rows.clear();
  const auto isZero = [](const Quad& q) { return q.x == 0 && q.y == 0 && q.z == 0 && q.rest == 0; };
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    for (std::size_t r = 0; r < registers_; ++r) {
      const Quad* first = &reduced_[3 * i * registers_ + r];
      if (isZero(first[0]) && isZero(first[registers_]) && isZero(first[2 * registers_])) continue;
      sparse_.place.push_back(static_cast<std::int32_t>(r));
      for (std::size_t axis = 0; axis < 3; ++axis) sparse_.rows.push_back(first[axis * registers_]);
    }
    sparse_.start.push_back(static_cast<std::int32_t>(sparse_.place.size()));
  }
}

void CageTangent::solve(BlockCholesky::Rows& rows) {
  block_.forward(rows);
  std::fill(reactions_.begin(), reactions_.end(), Quad());
  inRegisters([&]() PNEUMA_INLINED { react(sparse_, rows, reactions_); });
}

void CageTangent::addReaction(int side, VecX& out) const {
  for (std::size_t c = 0; c < holding_; ++c) {
    const Quad& four = reactions_[c / kFourColumns * BlockCholesky::kSides + at3(side)];
    out[free_[c]] += (&four.x)[c % kFourColumns];
  }
}

const Quads& CageTangent::answer(const BlockCholesky::Rows& rows, const VecX& dv,
                                 const std::array<double, 3>& weights) {
  double* change = &change_.data()->x;
  for (std::size_t c = 0; c < holding_; ++c) change[c] = dv[free_[c]];
  inRegisters([&]() PNEUMA_INLINED { combine(sparse_, change_, rows, weights, answer_); });
  block_.backward(answer_);
  return answer_;
}

}  // namespace pneuma::breath::internal
