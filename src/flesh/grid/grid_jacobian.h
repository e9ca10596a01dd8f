#pragma once

#include "flesh/grid/grid_terms.h"
#include "pneuma/flesh/grid_muscle.h"

namespace pneuma::flesh {

/// Calls sink(row, column, dfdq, dfdv) for every 3x3 block of the derivative of computeForces
/// (energy form) to positions and velocities. The same blocks come in every call, whatever the
/// state, so that sparsity patterns stay fixed.
template <class Sink>
void forEachJacobianBlock(const GridModel& model, double t, const VecX& q, const VecX& v,
                          Sink&& sink);

namespace internal {

/// A pair of nodes whose force depends on their difference only: df_b/d(x_b - x_a).
template <class Sink>
void sinkPair(int a, int b, const Mat3& dq, const Mat3& dv, Sink& sink) {
  sink(a, a, dq, dv);
  sink(b, b, dq, dv);
  sink(a, b, Mat3(-dq), Mat3(-dv));
  sink(b, a, Mat3(-dq), Mat3(-dv));
}

template <class Sink>
void sinkEdges(const GridSolid& solid, const VecX& q, const VecX& v, Sink& sink) {
  for (const GridEdge& t : solid.edges) {
    const Vec3 e = node(q, t.b) - node(q, t.a), rate = node(v, t.b) - node(v, t.a);
    const double tension = t.k * (e.squaredNorm() - t.g0) + t.phi * 2 * e.dot(rate);
    const Mat3 dq = -(tension * Mat3::Identity() + 2 * t.k * e * e.transpose() +
                      2 * t.phi * e * rate.transpose());
    sinkPair(t.a, t.b, dq, -2 * t.phi * e * e.transpose(), sink);
  }
}

template <class Sink>
void sinkFaces(const GridSolid& solid, const VecX& q, const VecX& v, Sink& sink) {
  for (const GridFace& t : solid.faces) {
    const std::array<Vec3, 4> e = faceEdges(q, t), rate = faceEdges(v, t);
    for (std::size_t pair = 0; pair < 4; ++pair) {
      const std::size_t edge1 = pair / 2, edge2 = 2 + pair % 2;
      const Vec3 &e1 = e[edge1], &e2 = e[edge2], &v1 = rate[edge1], &v2 = rate[edge2];
      const double k = t.k[pair], phi = t.phi[pair];
      const double s = k * (e1.dot(e2) - t.g0[pair]) + phi * (e1.dot(v2) + e2.dot(v1));
      // Forces conjugate to the edges: -s e2 and -s e1; their derivatives to e1, e2 and rates.
      const Vec3 s1 = k * e2 + phi * v2, s2 = k * e1 + phi * v1;
      const Mat3 identity = Mat3::Identity();
      const std::array<Mat3, 4> dq{-e2 * s1.transpose(), -e2 * s2.transpose() - s * identity,
                                   -e1 * s1.transpose() - s * identity, -e1 * s2.transpose()};
      const std::array<Mat3, 4> dv{-phi * e2 * e2.transpose(), -phi * e2 * e1.transpose(),
                                   -phi * e1 * e2.transpose(), -phi * e1 * e1.transpose()};
      const std::array<std::size_t, 2> edges{edge1, edge2};
      for (std::size_t a = 0; a < 2; ++a)
        for (std::size_t b = 0; b < 2; ++b)
          for (std::size_t ea = 0; ea < 2; ++ea)
            for (std::size_t eb = 0; eb < 2; ++eb) {
              const double sign = ea == eb ? 1 : -1;
              sink(t.nodes[kFaceEdges[edges[a]][ea]], t.nodes[kFaceEdges[edges[b]][eb]],
                   Mat3(sign * dq[2 * a + b]), Mat3(sign * dv[2 * a + b]));
            }
    }
  }
}

/// Derivative of the volume gradient of corner a to corner b is skew(result[a][b]) / 12; zero for
/// corners that share no face.
inline void volumeCurvature(const std::array<Vec3, 8>& x,
                            std::array<std::array<Vec3, 8>, 8>& curvature) {
  for (auto& row : curvature)
    for (Vec3& w : row) w.setZero();
  for (const auto& face : kCellFaces) {
    const auto at = [&](int c) {
      return static_cast<std::size_t>(face[static_cast<std::size_t>(c & 3)]);
    };
    for (int c = 0; c < 4; ++c) {
      // g_0 = p1 x p2 + p2 x p3 + p1 x p3, and the same turned on for the other corners.
      const Vec3 &p1 = x[at(c + 1)], &p2 = x[at(c + 2)], &p3 = x[at(c + 3)];
      curvature[at(c)][at(c + 1)] += -(p2 + p3);
      curvature[at(c)][at(c + 2)] += p1 - p3;
      curvature[at(c)][at(c + 3)] += p1 + p2;
    }
  }
}

template <class Sink>
void sinkCells(const GridSolid& solid, const VecX& q, Sink& sink) {
  std::array<Vec3, 8> gradient;
  std::array<std::array<Vec3, 8>, 8> curvature;
  const Mat3 none = Mat3::Zero();
  for (const GridCell& t : solid.cells) {
    std::array<Vec3, 8> x = gather(q, t);
    const Vec3 origin = x[0];
    for (Vec3& p : x) p -= origin;
    const double pressure = -2 * t.psi * (hexahedronVolume(x, gradient) - t.v0);
    volumeCurvature(x, curvature);
    for (std::size_t a = 0; a < 8; ++a)
      for (std::size_t b = 0; b < 8; ++b) {
        const Mat3 dq = -2 * t.psi * gradient[a] * gradient[b].transpose() +
                        pressure / 12 * skew(curvature[a][b]);
        sink(t.nodes[a], t.nodes[b], dq, none);
      }
  }
}

template <class Sink>
void sinkBends(const GridSolid& solid, const VecX& q, Sink& sink) {
  const Mat3 none = Mat3::Zero();
  for (const GridBend& t : solid.bends) {
    const Vec3 d = node(q, t.next) - 2 * node(q, t.mid) + node(q, t.previous);
    const double length = d.norm();
    Mat3 dq = -t.k * Mat3::Identity();
    if (t.d0 > 0 && length > 0) {
      const Vec3 n = d / length;
      dq =
          -t.k * ((1 - t.d0 / length) * (Mat3::Identity() - n * n.transpose()) + n * n.transpose());
    }
    const std::array<std::pair<int, double>, 3> nodes{
        {{t.previous, 1.0}, {t.mid, -2.0}, {t.next, 1.0}}};
    for (const auto& [a, wa] : nodes)
      for (const auto& [b, wb] : nodes) sink(a, b, Mat3(wa * wb * dq), none);
  }
}

template <class Sink>
void sinkFibres(const GridModel& model, double t, const VecX& q, const VecX& v, Sink& sink) {
  const double activation = model.activation.at(t);
  for (const GridFibre& fibre : model.fibres) {
    const Vec3 e = node(q, fibre.b) - node(q, fibre.a);
    const Vec3 relative = node(v, fibre.b) - node(v, fibre.a);
    const double length = e.norm();
    const Vec3 n = e / length;
    const Mat3 across = Mat3::Identity() - n * n.transpose();
    const FibreForce f = fibreForce(model, fibre, activation, length, n.dot(relative));
    const Mat3 dq = -(f.force / length * across + f.dLength * n * n.transpose() +
                      f.dRate / length * n * (across * relative).transpose());
    sinkPair(fibre.a, fibre.b, dq, -f.dRate * n * n.transpose(), sink);
  }
}

template <class Sink>
void sinkTendons(const GridModel& model, double t, const VecX& q, Sink& sink) {
  const Mat3 none = Mat3::Zero();
  for (const GridTendon& tendon : model.tendons) {
    const Vec3 d = model.anchors[static_cast<std::size_t>(tendon.anchor)](t) * tendon.point -
                   node(q, tendon.node);
    const double length = d.norm();
    const muscle::CurvePoint f = model.curves.tendonForce(length / tendon.slack - 1);
    const Mat3 along = (d / length) * (d / length).transpose();
    sink(tendon.node, tendon.node,
         Mat3(-tendon.force *
              (f.value / length * (Mat3::Identity() - along) + f.slope / tendon.slack * along)),
         none);
  }
}

}  // namespace internal

template <class Sink>
void forEachJacobianBlock(const GridModel& model, double t, const VecX& q, const VecX& v,
                          Sink&& sink) {
  internal::sinkEdges(model.solid, q, v, sink);
  internal::sinkFaces(model.solid, q, v, sink);
  internal::sinkCells(model.solid, q, sink);
  internal::sinkBends(model.solid, q, sink);
  internal::sinkFibres(model, t, q, v, sink);
  internal::sinkTendons(model, t, q, sink);
}

}  // namespace pneuma::flesh
