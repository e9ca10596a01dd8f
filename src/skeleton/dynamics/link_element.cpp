#include "pneuma/skeleton/link_element.h"

#include <algorithm>

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

/// Columns of an element's derivatives, some at a time: rows of a matrix are then added to in
/// vector registers.
struct ColumnBatch {
  static constexpr int kMost = 32;
  using Columns = Eigen::Matrix<double, 6, kMost, Eigen::RowMajor>;
  Columns column, carried;
};

/// row[j] += axis . columns[j] for j in [begin, end).
void addProducts(const Vec6& axis, const ColumnBatch::Columns& columns, int begin, int end,
                 double* __restrict row) {
  const double* c = columns.data();
  constexpr int n = ColumnBatch::kMost;
  for (int j = begin; j < end; ++j)
    row[j] += axis[0] * c[j] + axis[1] * c[n + j] + axis[2] * c[2 * n + j] +
              axis[3] * c[3 * n + j] + axis[4] * c[4 * n + j] + axis[5] * c[5 * n + j];
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
  const auto forEachDof = [&](auto&& visit) {
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
  ColumnBatch batch;
  for (std::size_t r = 0; r < path.ranges.size(); ++r)
    for (int begin = path.ranges[r].begin; begin < path.ranges[r].end;
         begin += ColumnBatch::kMost) {
      const int end = std::min(begin + ColumnBatch::kMost, path.ranges[r].end);
      const double signJ = path.sign[r];
      for (int j = begin; j < end; ++j) {
        const Vec6& S = k.axis[j];
        // Turning everything beyond j turns the wrench; moving A alone equals moving all, then B
        // back.
        const Vec6 turned = wq * crossForce(S, e.wrench);
        Vec6 column =
            signJ * (wq * (e.position * S + e.velocity * (crossMotion(S, VB) + k.axisRate[j])) +
                     wv * (e.velocity * S));
        if (signJ < 0) column += turned;
        batch.column.col(j - begin) = column;
        batch.carried.col(j - begin) = column - turned;  // for axes that j itself turns
      }
      forEachDof([&](int i, double signI) {
        const Vec6 axis = -signI * k.axis[i];
        const int split = signI == signJ ? std::clamp(model.dofMotionEnd[i], begin, end) : begin;
        double* row = &loads.matrix(i, begin);
        addProducts(axis, batch.carried, 0, split - begin, row);
        addProducts(axis, batch.column, split - begin, end - begin, row);
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
