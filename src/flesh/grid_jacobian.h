#pragma once

#include "flesh/grid_terms.h"
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
void sinkCorners(const GridSolid& solid, const VecX& q, const VecX& v, Sink& sink) {
  for (const GridCorner& t : solid.corners) {
    const Vec3 e1 = node(q, t.a) - node(q, t.c), e2 = node(q, t.b) - node(q, t.c);
    const Vec3 v1 = node(v, t.a) - node(v, t.c), v2 = node(v, t.b) - node(v, t.c);
    const double s = t.k * (e1.dot(e2) - t.g0) + t.phi * (e1.dot(v2) + e2.dot(v1));
    // f_a = -s e2, f_b = -s e1, f_c = -(f_a + f_b), as functions of e1 and e2.
    const Vec3 s1 = t.k * e2 + t.phi * v2, s2 = t.k * e1 + t.phi * v1;
    const Mat3 aa = -e2 * s1.transpose(), bb = -e1 * s2.transpose();
    const Mat3 ab = -e2 * s2.transpose() - s * Mat3::Identity();
    const Mat3 ba = -e1 * s1.transpose() - s * Mat3::Identity();
    const Mat3 daa = -t.phi * e2 * e2.transpose(), dbb = -t.phi * e1 * e1.transpose();
    const Mat3 dab = -t.phi * e2 * e1.transpose(), dba = dab.transpose();
    sink(t.a, t.a, aa, daa);
    sink(t.a, t.b, ab, dab);
    sink(t.b, t.a, ba, dba);
    sink(t.b, t.b, bb, dbb);
    sink(t.a, t.c, Mat3(-aa - ab), Mat3(-daa - dab));
    sink(t.b, t.c, Mat3(-ba - bb), Mat3(-dba - dbb));
    sink(t.c, t.a, Mat3(-aa - ba), Mat3(-daa - dba));
    sink(t.c, t.b, Mat3(-ab - bb), Mat3(-dab - dbb));
    sink(t.c, t.c, Mat3(aa + ab + ba + bb), Mat3(daa + dab + dba + dbb));
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
  internal::sinkCorners(model.solid, q, v, sink);
  internal::sinkCells(model.solid, q, sink);
  internal::sinkBends(model.solid, q, sink);
  internal::sinkFibres(model, t, q, v, sink);
  internal::sinkTendons(model, t, q, sink);
}

}  // namespace pneuma::flesh
