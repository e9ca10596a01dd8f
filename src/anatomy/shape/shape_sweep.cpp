// Sweeps: a smooth tube with elliptical, oriented sections.
#include <algorithm>
#include <cmath>

#include "anatomy/shape/shape_field.h"
#include "anatomy/shape/spline.h"

namespace pneuma::anatomy::internal {
namespace {

constexpr int kStepsPerSpan = 8;

/// A point of the finely sampled centreline with its section.
struct Node {
  Vec3 position, axisA, axisB, tangent;
  double radiusA, radiusB;
};

Vec3 perpendicular(const Vec3& t) {
  const Vec3 helper = std::abs(t.y()) < 0.8 ? Vec3::UnitY() : Vec3::UnitX();
  return (helper - helper.dot(t) * t).normalized();
}

Vec3 madePerpendicular(const Vec3& direction, const Vec3& t) {
  const Vec3 d = direction - direction.dot(t) * t;
  return d.norm() > 1e-9 ? Vec3(d.normalized()) : perpendicular(t);
}

class SweepField final : public PartField {
 public:
  explicit SweepField(const ShapePart& part) {
    sampleCentreline(part.sections);
    orientSections(part.sections);
    groupSpans();
  }

  double distance(const Vec3& p) const override {
    double best = 1e300, s = 0;
    std::size_t segment = 0;
    for (const Span& span : spans_) {
      const double low = (p - span.center).norm() - span.radius;
      if (low > 0 && low * low >= best) continue;
      for (std::size_t i = span.begin; i < span.end; ++i) {
        const Vec3 e = nodes_[i + 1].position - nodes_[i].position;
        const double along =
            std::clamp((p - nodes_[i].position).dot(e) / std::max(e.squaredNorm(), 1e-30), 0., 1.);
        const double d2 = (nodes_[i].position + along * e - p).squaredNorm();
        if (d2 < best) best = d2, segment = i, s = along;
      }
    }
    return sectionDistance(p, segment, s);
  }

  Box bounds() const override {
    Box box;
    for (const Node& n : nodes_) {
      const Vec3 r = Vec3::Constant(std::max(n.radiusA, n.radiusB));
      box.add(n.position - r);
      box.add(n.position + r);
    }
    return box;
  }

 private:
  /// Consecutive segments in one ball, to skip them together.
  struct Span {
    std::size_t begin, end;
    Vec3 center;
    double radius;
  };

  double sectionDistance(const Vec3& p, std::size_t i, double s) const {
    const Node &a = nodes_[i], &b = nodes_[i + 1];
    const Vec3 offset = p - (a.position + s * (b.position - a.position));
    const Vec3 axisA = (1 - s) * a.axisA + s * b.axisA;
    const Vec3 axisB = (1 - s) * a.axisB + s * b.axisB;
    const Vec3 tangent = (1 - s) * a.tangent + s * b.tangent;
    const double rA = (1 - s) * a.radiusA + s * b.radiusA;
    const double rB = (1 - s) * a.radiusB + s * b.radiusB;
    const double cap = 0.5 * std::min(rA, rB);
    // Only an end is closed by a cap; elsewhere the offset lies in the section.
    const bool atEnd = (i == 0 && s <= 0) || (i + 2 == nodes_.size() && s >= 1);
    const Vec3 q(offset.dot(axisA), offset.dot(axisB), atEnd ? offset.dot(tangent) : 0.0);
    return ellipsoidDistance(q, Vec3(1 / rA, 1 / rB, 1 / cap), cap * 2);
  }

  void sampleCentreline(const std::vector<SweepSection>& sections) {
    std::vector<Vec3> points;
    for (const SweepSection& s : sections) points.push_back(s.center);
    const CurveSpline curve(points);
    VecX rA(curve.size()), rB(curve.size());
    for (Eigen::Index i = 0; i < curve.size(); ++i) {
      rA[i] = sections[static_cast<std::size_t>(i)].radiusA;
      rB[i] = sections[static_cast<std::size_t>(i)].radiusB;
    }
    const Eigen::Index steps = (curve.size() - 1) * kStepsPerSpan;
    for (Eigen::Index i = 0; i <= steps; ++i) {
      const double u = static_cast<double>(i) / kStepsPerSpan;
      nodes_.push_back({curve.position(u),
                        {},
                        {},
                        curve.tangent(u),
                        monotoneInterpolation(curve.knots(), rA, u),
                        monotoneInterpolation(curve.knots(), rB, u)});
    }
  }

  /// Between stated references the direction turns evenly; without any it is carried along.
  void orientSections(const std::vector<SweepSection>& sections) {
    Vec3 carried = perpendicular(nodes_.front().tangent);
    for (const SweepSection& s : sections)
      if (s.reference.norm() > 1e-9) {
        carried = s.reference;
        break;
      }
    std::vector<Vec3> stated(sections.size());
    for (std::size_t k = 0; k < sections.size(); ++k) {
      const Vec3 t = nodes_[k * kStepsPerSpan].tangent;
      Vec3 d = sections[k].reference.norm() > 1e-9 ? sections[k].reference : carried;
      d = madePerpendicular(d, t);
      if (d.dot(carried) < 0) d = -d;  // an ellipse is the same turned by half a turn
      carried = stated[k] = d;
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const std::size_t k = std::min(i / kStepsPerSpan, sections.size() - 2);
      const double s = static_cast<double>(i) / kStepsPerSpan - static_cast<double>(k);
      Node& n = nodes_[i];
      n.axisA = madePerpendicular((1 - s) * stated[k] + s * stated[k + 1], n.tangent);
      n.axisB = n.tangent.cross(n.axisA);
    }
  }

  void groupSpans() {
    for (std::size_t begin = 0; begin + 1 < nodes_.size(); begin += kStepsPerSpan) {
      const std::size_t end = std::min(begin + kStepsPerSpan, nodes_.size() - 1);
      Span span{begin, end, 0.5 * (nodes_[begin].position + nodes_[end].position), 0};
      for (std::size_t i = begin; i <= end; ++i)
        span.radius = std::max(span.radius, (nodes_[i].position - span.center).norm());
      spans_.push_back(span);
    }
  }

  std::vector<Node> nodes_;
  std::vector<Span> spans_;
};

}  // namespace

std::unique_ptr<PartField> makeSweepField(const ShapePart& part) {
  return std::make_unique<SweepField>(part);
}

}  // namespace pneuma::anatomy::internal
