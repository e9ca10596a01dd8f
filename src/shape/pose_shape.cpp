#include "pneuma/shape/pose_shape.h"

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/SparseCholesky>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/core/parallel.h"
#include "pneuma/shape/rotations.h"

namespace pneuma::shape {
namespace {

using Eigen::Index;
using Inputs = Eigen::Matrix<double, 1, PoseShape::kInputs>;
using JointPair = std::array<int, 2>;
using InputProducts = Eigen::Matrix<double, PoseShape::kInputs, PoseShape::kInputs>;

/// Where parts turn against one another: proximal, distal. Sided parts meet those of their side.
constexpr std::array<std::array<const char*, 2>, 11> kPoseJoints{{{"neck", "head"},
                                                                  {"chest", "neck"},
                                                                  {"abdomen", "chest"},
                                                                  {"pelvis", "abdomen"},
                                                                  {"chest", "shoulder"},
                                                                  {"shoulder", "upper_arm"},
                                                                  {"upper_arm", "forearm"},
                                                                  {"forearm", "hand"},
                                                                  {"pelvis", "thigh"},
                                                                  {"thigh", "shank"},
                                                                  {"shank", "foot"}}};
/// Of the mean square of an input: what holds A towards nothing where a joint hardly turned.
constexpr double kPoseRidge = 1e-3;
constexpr double kReach = 0.25;  // l of HeldSolve [m]

struct PoseJoint {
  int near = 0, far = 0;  // parts
  Vec3 place = Vec3::Zero();
};

int partNamed(const ShapeTemplate& shape, const std::string& name) {
  const auto found = std::ranges::find(shape.partNames, name);
  return found == shape.partNames.end() ? -1 : static_cast<int>(found - shape.partNames.begin());
}

/// Joints whose parts meet on the template, in the middle of where they do.
std::vector<PoseJoint> findJoints(const ShapeTemplate& shape) {
  std::vector<std::vector<int>> partsOf(shape.vertexCount());
  for (std::size_t t = 0; t < shape.triangleCount(); ++t)
    for (const std::int32_t v : shape.mesh.triangles[t])
      partsOf[at(v)].push_back(shape.partOfTriangle[t]);
  std::vector<PoseJoint> joints;
  for (const auto& [near, far] : kPoseJoints)
    for (const char* side : {"", "_l", "_r"})
      for (const char* nearSide : {"", "_l", "_r"}) {
        if (*nearSide != 0 && std::string_view(nearSide) != side) continue;
        PoseJoint j{partNamed(shape, std::string(near) + nearSide),
                    partNamed(shape, std::string(far) + side)};
        if (j.near < 0 || j.far < 0) continue;
        double count = 0;
        for (std::size_t v = 0; v < partsOf.size(); ++v)
          if (std::ranges::count(partsOf[v], j.near) > 0 &&
              std::ranges::count(partsOf[v], j.far) > 0)
            j.place += shape.mesh.positions[v], count += 1;
        if (count == 0) continue;
        j.place /= count;
        joints.push_back(j);
      }
  return joints;
}

/// The two joints nearest to each triangle; the same one twice where there is only one, -1: none.
std::vector<JointPair> nearestJoints(const ShapeTemplate& shape,
                                     const std::vector<PoseJoint>& joints) {
  std::vector<JointPair> nearest;
  for (const Triangle& t : shape.mesh.triangles) {
    const auto& x = shape.mesh.positions;
    const Vec3 middle = (x[at(t[0])] + x[at(t[1])] + x[at(t[2])]) / 3;
    JointPair best{-1, -1};
    std::array<double, 2> distance{1e300, 1e300};
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const double d = (joints[j].place - middle).norm();
      if (d < distance[0]) {
        best = {static_cast<int>(j), best[0]}, distance = {d, distance[0]};
      } else if (d < distance[1]) {
        best[1] = static_cast<int>(j), distance[1] = d;
      }
    }
    nearest.push_back(best);
  }
  return nearest;
}

/// Two edges and the normal by the root of the area: what a whole 3 x 3 gradient takes along.
Mat3 frameOf(const Triangle& t, std::span<const Vec3> x) {
  const Vec3 a = x[at(t[1])] - x[at(t[0])], b = x[at(t[2])] - x[at(t[0])], n = a.cross(b);
  Mat3 f;
  f << a, b, n / std::sqrt(std::max(n.norm(), 1e-30));
  return f;
}

/// Whole gradient of a triangle between two shapes.
Mat3 wholeGradient(const Triangle& t, std::span<const Vec3> from, std::span<const Vec3> to) {
  return frameOf(t, to) * frameOf(t, from).inverse();
}

/// Of each triangle.
std::vector<Mat3> turnsOf(const ShapeTemplate& shape, TurnOf turn, const std::vector<Mat3>& parts,
                          std::span<const Vec3> rest, std::span<const Vec3> plain) {
  std::vector<Mat3> R(shape.triangleCount());
  parallelFor(R.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t)
      R[t] = turn == TurnOf::Part
                 ? parts[at(shape.partOfTriangle[t])]
                 : nearestProperRotation(wholeGradient(shape.mesh.triangles[t], rest, plain));
  });
  return R;
}

/// r of every joint.
std::vector<Vec3> jointTurns(const std::vector<PoseJoint>& joints, const std::vector<Mat3>& R) {
  std::vector<Vec3> r;
  for (const PoseJoint& j : joints)
    r.push_back(logRotation(R[at(j.near)].transpose() * R[at(j.far)]));
  return r;
}

Inputs inputsOf(const JointPair& pair, const std::vector<Vec3>& r) {
  Inputs f = Inputs::Zero();
  for (std::size_t k = 0; k < 2; ++k)
    if (pair[k] >= 0) f.segment<3>(static_cast<Index>(3 * k)) = r[at(pair[k])].transpose();
  return f;
}

PosedSkin mirrorImage(const ShapeTemplate& shape, const PosedSkin& s) {
  PosedSkin m = s;
  const auto flip = [&](const std::vector<Vec3>& from, std::vector<Vec3>& to) {
    for (std::size_t v = 0; v < from.size(); ++v) {
      const Vec3& p = from[at(shape.mirror[v])];
      to[v] = Vec3(-p.x(), p.y(), p.z());
    }
  };
  flip(s.rest, m.rest), flip(s.plain, m.plain), flip(s.posed, m.posed);
  return m;
}

void checkSkin(const ShapeTemplate& shape, std::span<const Vec3> x) {
  if (x.size() != shape.vertexCount())
    throw InputError(fmt::format("pose: a skin of {} vertices; the template has {}", x.size(),
                                 shape.vertexCount()));
}

/// Vertices from gradients, held to given places over long ways:
///
///   y = argmin sum_t A_t |T_t - grad_t y|_F^2 + l^-2 sum_v A_v |y_v - x_v|^2
///
/// x_v where the joints alone put what was morphed, A areas of triangles and vertices, l the length
/// above which places count more than gradients. Gradients alone say little of where the end of a
/// limb is: small errors at every joint on the way add up to centimetres.
class HeldSolve {
 public:
  HeldSolve(const ShapeTemplate& shape, double reach)
      : shape_(shape), hold_(shape.vertexCount(), 0) {
    std::vector<Eigen::Triplet<double>> entries;
    for (const Triangle& t : shape.mesh.triangles) {
      // grad = [x_0 x_1 x_2] C^T in the triangle's own plane, as GradientMap has it.
      const Mat3 plane = trianglePlane(t, shape.mesh.positions);
      const auto& x = shape.mesh.positions;
      Eigen::Matrix2d M;
      M << plane.leftCols<2>().transpose() * (x[at(t[1])] - x[at(t[0])]),
          plane.leftCols<2>().transpose() * (x[at(t[2])] - x[at(t[0])]);
      Corners edges;
      edges << -1, 1, 0, -1, 0, 1;
      corners_.emplace_back(M.inverse().transpose() * edges);
      areas_.push_back(0.5 * std::abs(M.determinant()));
      const Mat3 K = areas_.back() * corners_.back().transpose() * corners_.back();
      for (int i = 0; i < 3; ++i) {
        const auto row = t[static_cast<std::size_t>(i)];
        hold_[at(row)] += areas_.back() / (3 * reach * reach);
        for (int j = 0; j < 3; ++j)
          entries.emplace_back(row, t[static_cast<std::size_t>(j)], K(i, j));
      }
    }
    for (std::size_t v = 0; v < hold_.size(); ++v)
      entries.emplace_back(static_cast<int>(v), static_cast<int>(v), hold_[v]);
    const auto n = static_cast<Index>(hold_.size());
    Eigen::SparseMatrix<double> matrix(n, n);
    matrix.setFromTriplets(entries.begin(), entries.end());
    factor_.compute(matrix);
    PNEUMA_CHECK(factor_.info() == Eigen::Success, "poses of {} vertices", n);
  }

  std::vector<Vec3> vertices(const PlaneGradients& wanted, const std::vector<Vec3>& held) const {
    Eigen::Matrix<double, Eigen::Dynamic, 3> right(static_cast<Index>(held.size()), 3);
    for (std::size_t v = 0; v < held.size(); ++v)
      right.row(static_cast<Index>(v)) = hold_[v] * held[v].transpose();
    for (std::size_t t = 0; t < wanted.size(); ++t)
      for (std::size_t k = 0; k < 3; ++k)
        right.row(shape_.mesh.triangles[t][k]) +=
            areas_[t] * (wanted[t] * corners_[t].col(static_cast<Index>(k))).transpose();
    const Eigen::Matrix<double, Eigen::Dynamic, 3> solved = factor_.solve(right);
    std::vector<Vec3> x(held.size());
    for (std::size_t v = 0; v < x.size(); ++v) x[v] = solved.row(static_cast<Index>(v)).transpose();
    return x;
  }

 private:
  using Corners = Eigen::Matrix<double, 2, 3>;
  const ShapeTemplate& shape_;
  std::vector<Corners> corners_;
  std::vector<double> areas_, hold_;  // of triangles [m^2]; of vertices [-]
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor_;
};

}  // namespace

PoseShape PoseShape::fit(const ShapeTemplate& shape, std::span<const PosedSkin> skins,
                         TurnOf turn) {
  if (skins.empty()) throw InputError("pose: no skins to learn from");
  const std::vector<PoseJoint> joints = findJoints(shape);
  const std::vector<JointPair> pairs = nearestJoints(shape, joints);
  std::map<JointPair, InputProducts> products;  // triangles of one pair share the matrix
  for (const JointPair& p : pairs) products.emplace(p, InputProducts::Zero());
  using Block = Eigen::Matrix<double, kInputs, 6>;
  std::vector<Block> right(shape.triangleCount(), Block::Zero());
  const auto add = [&](const PosedSkin& s) {
    for (const auto* x : {&s.rest, &s.plain, &s.posed}) checkSkin(shape, *x);
    const std::vector<Mat3> parts = partRotations(shape, s.rest, s.plain);
    const std::vector<Mat3> R = turnsOf(shape, turn, parts, s.rest, s.plain);
    const std::vector<Vec3> r = jointTurns(joints, parts);
    for (auto& [pair, sum] : products) {
      const Inputs f = inputsOf(pair, r);
      sum += f.transpose() * f;
    }
    parallelFor(right.size(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t t = begin; t < end; ++t) {
        // What Q does to the template's own frame, less 1: (R D)^-1 T - 1.
        const Triangle& c = shape.mesh.triangles[t];
        const Mat3 D = wholeGradient(c, shape.mesh.positions, s.rest);
        const Mat3 Q = (R[t] * D).inverse() * wholeGradient(c, shape.mesh.positions, s.posed);
        const Mat3 basis = trianglePlane(c, shape.mesh.positions);
        const PlaneGradient bent = (Q - Mat3::Identity()) * basis.leftCols<2>();
        right[t] += inputsOf(pairs[t], r).transpose() * bent.reshaped().transpose();
      }
    });
  };
  for (const PosedSkin& s : skins) add(s), add(mirrorImage(shape, s));
  FeatureRows rows(static_cast<Index>(shape.triangleCount()), kInputs * 6);
  for (auto& [pair, sum] : products)
    sum.diagonal().array() += kPoseRidge * sum.trace() / static_cast<double>(kInputs) + 1e-12;
  for (std::size_t t = 0; t < right.size(); ++t) {
    const Block A = products.at(pairs[t]).ldlt().solve(right[t]);
    rows.row(static_cast<Index>(t)) = A.transpose().reshaped().transpose().cast<float>();
  }
  return {turn, std::move(rows)};
}

struct PoseSolver::Data {
  ShapeTemplate shape;  // one vertex fixed
  const PoseShape* pose;
  std::vector<PoseJoint> joints;
  std::vector<JointPair> pairs;
  std::vector<std::size_t> pelvis;   // vertices
  std::unique_ptr<GradientMap> map;  // of turns of parts
  std::unique_ptr<HeldSolve> held;   // of turns of triangles
};

PoseSolver::PoseSolver(const ShapeTemplate& shape, const PoseShape& pose)
    : data_(std::make_unique<Data>()) {
  Data& d = *data_;
  if (!pose.empty() && (pose.rows().rows() != static_cast<Index>(shape.triangleCount()) ||
                        pose.rows().cols() != PoseShape::kInputs * 6))
    throw InputError("pose: its numbers do not fit the template");
  d.shape = shape;
  d.pose = &pose;
  d.joints = findJoints(shape);
  d.pairs = nearestJoints(shape, d.joints);
  const int pelvis = partNamed(shape, "pelvis");
  for (std::size_t t = 0; t < shape.triangleCount(); ++t)
    if (shape.partOfTriangle[t] == pelvis)
      for (const std::int32_t v : shape.mesh.triangles[t]) d.pelvis.push_back(at(v));
  if (d.pelvis.empty()) throw InputError("pose: the template has no pelvis");
  d.shape.fixedVertex.assign(shape.vertexCount(), false);
  d.shape.fixedVertex[d.pelvis.front()] = true;
  if (pose.turn() == TurnOf::Part)
    d.map = std::make_unique<GradientMap>(d.shape);
  else
    d.held = std::make_unique<HeldSolve>(d.shape, kReach);
}

PoseSolver::~PoseSolver() = default;

std::vector<Vec3> PoseSolver::pose(std::span<const Vec3> rest, std::span<const Vec3> plain,
                                   std::span<const Vec3> morphed) const {
  const Data& d = *data_;
  const ShapeTemplate& shape = d.shape;
  for (const auto& x : {rest, plain, morphed}) checkSkin(shape, x);
  const std::vector<Mat3> parts = partRotations(shape, rest, plain);
  const std::vector<Mat3> R = turnsOf(shape, d.pose->turn(), parts, rest, plain);
  const std::vector<Vec3> r = jointTurns(d.joints, parts);
  PlaneGradients T(shape.triangleCount());
  parallelFor(T.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const Triangle& c = shape.mesh.triangles[t];
      PlaneGradient Q = trianglePlane(c, shape.mesh.positions).leftCols<2>();
      if (!d.pose->empty()) {
        const Inputs f = inputsOf(d.pairs[t], r);
        const auto A = d.pose->rows().row(static_cast<Index>(t)).cast<double>();
        for (Index k = 0; k < PoseShape::kInputs; ++k)
          Q += f[k] * A.segment<6>(6 * k).reshaped(3, 2);
      }
      T[t] = R[t] * wholeGradient(c, shape.mesh.positions, morphed) * Q;
    }
  });
  // Where the joints alone put what was morphed.
  std::vector<Vec3> held(plain.begin(), plain.end());
  std::vector<Mat3> turn(shape.vertexCount(), Mat3::Zero());
  std::vector<double> count(shape.vertexCount(), 0);
  for (std::size_t t = 0; t < T.size(); ++t)
    for (const std::int32_t v : shape.mesh.triangles[t]) turn[at(v)] += R[t], count[at(v)] += 1;
  for (std::size_t v = 0; v < held.size(); ++v)
    held[v] += turn[v] * (morphed[v] - rest[v]) / std::max(1.0, count[v]);
  if (d.held) return d.held->vertices(T, held);
  std::vector<Vec3> x = d.map->vertices(T, held);
  Vec3 shift = Vec3::Zero();
  for (const std::size_t v : d.pelvis) shift += held[v] - x[v];
  shift /= static_cast<double>(d.pelvis.size());
  for (Vec3& p : x) p += shift;
  return x;
}

}  // namespace pneuma::shape
