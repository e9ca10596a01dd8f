#include "pneuma/skeleton/link_element.h"

#include <algorithm>
#include <array>

#include "pneuma/core/lanes.h"

namespace pneuma::skeleton {

namespace {

/// Degrees of freedom above `link` that are not above `common`.
void collectBelow(const Model& model, int link, int common, double sign,
                  std::vector<std::pair<DofRange, double>>& out) {
  if (link < 0) return;
  const int shared = common < 0 ? 0 : static_cast<int>(model.ancestorRanges(common).size());
  const auto ranges = model.ancestorRanges(link);
  // The ranges of the common ancestor are a prefix, but the last of them may go on.
  int last = 0;
  if (common >= 0 && shared > 0) last = model.ancestorRanges(common)[shared - 1].end;
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    const DofRange own{std::max(ranges[r].begin, last), ranges[r].end};
    if (own.size() > 0) out.push_back({own, sign});
  }
}

/// Columns of an element's derivatives, some at a time, one row for each component: they are then
/// found, and added to rows of a matrix, in vector registers.
struct ColumnBatch {
  static constexpr int kMost = 32;
  using Columns = std::array<std::array<double, kMost>, 6>;
  Columns axis{}, rate{};   // S_j, and its rate
  Columns column, carried;  // carried: for axes that j itself turns
};

/// out = a x + b y for the first columns, rounded up to whole registers.
PNEUMA_INTO_BOTH void multiply(const Mat6& a, const ColumnBatch::Columns& x, const Mat6& b,
                               const ColumnBatch::Columns& y, int count,
                               ColumnBatch::Columns& out) {
  constexpr int kLanes = 4;
  using Lanes = pneuma::internal::Lanes<kLanes>;
  for (std::size_t j = 0; j < static_cast<std::size_t>(count); j += kLanes)
    for (std::size_t r = 0; r < 6; ++r) {
      Lanes sum = {};
      for (std::size_t c = 0; c < 6; ++c)
        sum +=
            a(static_cast<int>(r), static_cast<int>(c)) *
                *reinterpret_cast<const Lanes*>(&x[c][j]) +
            b(static_cast<int>(r), static_cast<int>(c)) * *reinterpret_cast<const Lanes*>(&y[c][j]);
      *reinterpret_cast<Lanes*>(&out[r][j]) = sum;
    }
}

/// row[j] += axis . columns[j] for j in [begin, end).
PNEUMA_INTO_BOTH void addProducts(const Vec6& axis, const ColumnBatch::Columns& c, int begin,
                                  int end, double* __restrict row) {
  for (int j = begin; j < end; ++j)
    row[j] += axis[0] * c[0][j] + axis[1] * c[1][j] + axis[2] * c[2][j] + axis[3] * c[3][j] +
              axis[4] * c[4][j] + axis[5] * c[5][j];
}

/// The matrices m with m y = crossMotion(y, v) and m y = crossForce(y, f).
Mat6 crossMotionBy(const Vec6& v) {
  Mat6 m;
  for (int c = 0; c < 6; ++c) m.col(c) = crossMotion(Vec6(Vec6::Unit(c)), v);
  return m;
}
Mat6 crossForceBy(const Vec6& f) {
  Mat6 m;
  for (int c = 0; c < 6; ++c) m.col(c) = crossForce(Vec6(Vec6::Unit(c)), f);
  return m;
}

}  // namespace

RelativePath::RelativePath(const Model& model, int a, int b) : linkA(a), linkB(b) {
  const int common = a < 0 || b < 0 ? -1 : model.commonAncestor(a, b);
  std::vector<std::pair<DofRange, double>> list;
  collectBelow(model, a, common, -1, list);
  collectBelow(model, b, common, +1, list);
  std::sort(list.begin(), list.end(),
            [](const auto& x, const auto& y) { return x.first.begin < y.first.begin; });
  for (const auto& [range, s] : list) {
    ranges.push_back(range);
    sign.push_back(s);
    dofCount += range.size();
  }
}

void addLinkWrench(const Model& model, const Kinematics& k, const RelativePath& path,
                   const LinkWrench& e, Loads& loads) {
  // F_i = sign_i S_i . w; the two links see opposite wrenches, so common ancestors cancel.
  const auto forEachDof = [&](auto&& visit) PNEUMA_INLINED {
    for (std::size_t r = 0; r < path.ranges.size(); ++r)
      for (int j = path.ranges[r].begin; j < path.ranges[r].end; ++j) visit(j, path.sign[r]);
  };
  const Vec6 VB = path.linkB < 0 ? Vec6(Vec6::Zero()) : k.velocity[path.linkB];
  const Vec6 VA = path.linkA < 0 ? Vec6(Vec6::Zero()) : k.velocity[path.linkA];
  const Vec6 damping = e.velocity * (VB - VA);
  forEachDof([&](int i, double sign) {
    loads.force[i] += sign * k.axis[i].dot(e.wrench);
    loads.dampingForce[i] += sign * k.axis[i].dot(damping);
  });
  if (!loads.weights.derivatives()) return;

  const double wq = loads.weights.position, wv = loads.weights.velocity;
  // Turning everything beyond j turns the wrench; moving A alone equals moving all, then B back.
  //   column_j = sign_j (wq (K S_j + D (S_j x V_B + S_j')) + wv D S_j) [+ turned_j where A moves]
  const Mat6 turned = wq * crossForceBy(e.wrench);
  const Mat6 moved = wq * (e.position + e.velocity * crossMotionBy(VB)) + wv * e.velocity;
  ColumnBatch batch;
  for (std::size_t r = 0; r < path.ranges.size(); ++r)
    for (int begin = path.ranges[r].begin; begin < path.ranges[r].end;
         begin += ColumnBatch::kMost) {
      const int end = std::min(begin + ColumnBatch::kMost, path.ranges[r].end);
      const double signJ = path.sign[r];
      for (int j = begin; j < end; ++j)
        for (std::size_t c = 0; c < 6; ++c) {
          batch.axis[c][static_cast<std::size_t>(j - begin)] = k.axis[j][static_cast<int>(c)];
          batch.rate[c][static_cast<std::size_t>(j - begin)] = k.axisRate[j][static_cast<int>(c)];
        }
      const Mat6 byRate = signJ * wq * e.velocity;
      const Mat6 byAxis = signJ < 0 ? Mat6(turned - moved) : moved;
      pneuma::internal::inRegisters([&]() PNEUMA_INLINED {
        multiply(byAxis, batch.axis, byRate, batch.rate, end - begin, batch.column);
        multiply(Mat6(byAxis - turned), batch.axis, byRate, batch.rate, end - begin, batch.carried);
        forEachDof([&](int i, double signI) PNEUMA_INLINED {
          const Vec6 axis = -signI * k.axis[i];
          const int split = signI == signJ ? std::clamp(model.dofMotionEnd[i], begin, end) : begin;
          double* row = &loads.matrix(i, begin);
          addProducts(axis, batch.carried, 0, split - begin, row);
          addProducts(axis, batch.column, split - begin, end - begin, row);
        });
      });
    }
}

void addLinkElements(const Model& model, const Kinematics& k, const LinkElements& elements,
                     Loads& loads) {
  for (const PointSpring& s : elements.springs)
    addLinkWrench(model, k, s.path, evaluate(s, k), loads);
  for (const Bushing& b : elements.bushings) addLinkWrench(model, k, b.path, evaluate(b, k), loads);
}

double energy(const LinkElements& elements, const Kinematics& k) {
  double sum = 0;
  for (const PointSpring& s : elements.springs) sum += energy(s, k);
  for (const Bushing& b : elements.bushings) sum += energy(b, k);
  return sum;
}

}  // namespace pneuma::skeleton
