#include "pneuma/muscle/wrap_surface.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/core/random.h"

namespace pneuma::muscle {
namespace {

WrapPath wrap(const WrapCylinder& s, const Vec3& a, const Vec3& b, bool h = false) {
  return wrapCylinder(s, a, b, h);
}
WrapPath wrap(const WrapEllipsoid& s, const Vec3& a, const Vec3& b, bool h = false) {
  return wrapEllipsoid(s, a, b, h);
}

Vec3 randomDirection(Random& r) {
  const double x = r.normal(), y = r.normal();
  return Vec3(x, y, r.normal()).normalized();
}

/// A surface and two points outside, often on opposite sides.
struct Draw {
  static WrapCylinder cylinder(Random& r) {
    const double u = r.uniform();
    return {r.uniform(0.01, 0.05), u < 0.4   ? WrapSense::Shortest
                                   : u < 0.7 ? WrapSense::Clockwise
                                             : WrapSense::CounterClockwise};
  }
  static WrapEllipsoid ellipsoid(Random& r, double ratio) {
    WrapEllipsoid e;
    for (double& x : e.radii) x = 0.02 * std::pow(ratio, r.uniform(0, 1));
    return e;
  }
  static Vec3 outside(Random& r, const Vec3& radii) {
    return randomDirection(r).cwiseProduct(radii) * r.uniform(1.05, 4);
  }
};

/// Gradient and Hessian against central differences of the length and of the gradient.
template <class Surface>
void expectDerivatives(const Surface& s, const Vec3& a, const Vec3& b, double size) {
  const WrapPath path = wrap(s, a, b, true);
  // Ends nearly opposite: the path is about to slip to the other side, where a difference says
  // nothing.
  if (path.hessian.norm() * size > 100) return;
  const double h = 1e-5 * size;
  for (int i = 0; i < 6; ++i) {
    Vec3 da = Vec3::Zero(), db = Vec3::Zero();
    (i < 3 ? da : db)[i % 3] = h;
    const WrapPath plus = wrap(s, a + da, b + db), minus = wrap(s, a - da, b - db);
    if (plus.contact != path.contact || minus.contact != path.contact) return;
    const double gradient = i < 3 ? -path.directionA[i] : path.directionB[i - 3];
    EXPECT_NEAR((plus.length - minus.length) / (2 * h), gradient, 1e-6);
    Eigen::Matrix<double, 6, 1> change;
    change << -(plus.directionA - minus.directionA), plus.directionB - minus.directionB;
    EXPECT_LT((change / (2 * h) - path.hessian.col(i)).norm(), 1e-4 * path.hessian.norm());
  }
}

TEST(WrapCylinder, LengthIsTheClosedForm) {
  // Ends at distance d on opposite sides, offset z along the axis: two tangents and an arc.
  const double r = 0.03, d = 0.1, z = 0.05;
  const double planar = 2 * std::sqrt(d * d - r * r) + r * (kPi - 2 * std::acos(r / d));
  for (WrapSense sense : {WrapSense::Clockwise, WrapSense::CounterClockwise}) {
    const WrapPath path = wrapCylinder({r, sense}, {d, 0, 0}, {-d, 0, z});
    EXPECT_TRUE(path.contact);
    EXPECT_NEAR(path.length, std::hypot(planar, z), 1e-15);
    EXPECT_NEAR(path.touchA.head<2>().norm(), r, 1e-15);
    // Counter-clockwise from +x passes +y.
    EXPECT_GT(path.touchA.y() * (sense == WrapSense::Clockwise ? -1 : 1), 0);
  }
}

TEST(WrapCylinder, ForcedSenseGoesTheLongWay) {
  const Vec3 a(0.05, -0.02, 0), b(-0.05, -0.02, 0.01);
  const double shortWay = wrapCylinder({0.03, WrapSense::Shortest}, a, b).length;
  EXPECT_EQ(wrapCylinder({0.03, WrapSense::Clockwise}, a, b).length, shortWay);
  EXPECT_GT(wrapCylinder({0.03, WrapSense::CounterClockwise}, a, b).length, shortWay + 0.01);
}

TEST(WrapCylinder, ReversedPathHasTheSameLength) {
  Random random(2);
  for (int i = 0; i < 500; ++i) {
    WrapCylinder c = Draw::cylinder(random);
    const Vec3 radii(c.radius, c.radius, c.radius);
    const Vec3 a = Draw::outside(random, 2 * radii), b = Draw::outside(random, 2 * radii);
    if (std::min(a.head<2>().norm(), b.head<2>().norm()) < c.radius) continue;
    const WrapPath there = wrapCylinder(c, a, b);
    if (c.sense != WrapSense::Shortest)
      c.sense =
          c.sense == WrapSense::Clockwise ? WrapSense::CounterClockwise : WrapSense::Clockwise;
    const WrapPath back = wrapCylinder(c, b, a);
    EXPECT_EQ(there.contact, back.contact);
    EXPECT_NEAR(there.length, back.length, 1e-14);
    EXPECT_LT((there.directionA + back.directionB).norm(), 1e-12);
  }
}

TEST(WrapCylinder, DerivativesAgreeWithDifferences) {
  Random random(3);
  for (int i = 0; i < 500; ++i) {
    const WrapCylinder c = Draw::cylinder(random);
    const Vec3 radii = Vec3::Constant(c.radius);
    const Vec3 a = Draw::outside(random, 2 * radii), b = Draw::outside(random, 2 * radii);
    if (std::min(a.head<2>().norm(), b.head<2>().norm()) < 1.05 * c.radius) continue;
    expectDerivatives(c, a, b, c.radius);
  }
}

TEST(WrapEllipsoid, EqualRadiiGiveTheSpheresClosedForm) {
  Random random(4);
  const double r = 0.04;
  int touching = 0;
  for (int i = 0; i < 1000; ++i) {
    const Vec3 a = randomDirection(random) * random.uniform(0.041, 0.2);
    const Vec3 b = randomDirection(random) * random.uniform(0.041, 0.2);
    const WrapPath path = wrapEllipsoid({Vec3::Constant(r)}, a, b);
    const double angle = std::atan2(a.cross(b).norm(), a.dot(b));
    const double turn = angle - std::acos(r / a.norm()) - std::acos(r / b.norm());
    const double exact = turn > 0 ? std::sqrt(a.squaredNorm() - r * r) +
                                        std::sqrt(b.squaredNorm() - r * r) + r * turn
                                  : (b - a).norm();
    touching += path.contact;
    EXPECT_EQ(path.contact, turn > 0);
    EXPECT_NEAR(path.length, exact, 1e-12);
  }
  EXPECT_GT(touching, 200);
}

TEST(WrapEllipsoid, LengthNeverJumps) {
  // The shortest length changes by no more than its end moves, also where the path slips past the
  // centre to the other side.
  Random random(7);
  for (int i = 0; i < 30; ++i) {
    const WrapEllipsoid e = Draw::ellipsoid(random, 3);
    const Vec3 a = Draw::outside(random, e.radii);
    const Vec3 offset = 0.3 * Draw::outside(random, e.radii), along = randomDirection(random);
    double last = 0;
    for (int k = 0; k <= 30; ++k) {
      const Vec3 b = -1.6 * a + offset + (k - 15) * 1e-3 * along;
      const double length = wrapEllipsoid(e, a, b).length;
      if (k > 0) {
        EXPECT_LT(std::abs(length - last), 1.0001e-3) << "case " << i << " step " << k;
      }
      last = length;
    }
  }
}

TEST(WrapEllipsoid, FindsTheGeodesicAndItsDerivatives) {
  Random random(5);
  int touching = 0;
  for (int i = 0; i < 300; ++i) {
    const WrapEllipsoid e = Draw::ellipsoid(random, 3);
    const Vec3 a = Draw::outside(random, e.radii);
    const Vec3 b = 0.5 * Draw::outside(random, e.radii) - 1.5 * a;
    const WrapPath path = wrapEllipsoid(e, a, b);
    if (!path.contact) continue;
    ++touching;
    EXPECT_TRUE(path.converged) << i;
    // The lines are tangent and go on in the geodesic's direction.
    EXPECT_LT((path.touchA - a).cross(path.directionA).norm(), 1e-10);
    EXPECT_LT((b - path.touchB).cross(path.directionB).norm(), 1e-10);
    EXPECT_GT((path.touchA - a).dot(path.directionA), 0);
    EXPECT_GT(path.arc, 0);
    if (i % 4 == 0) expectDerivatives(e, a, b, e.radii.minCoeff());
  }
  EXPECT_GT(touching, 150);
}

TEST(WrapEllipsoid, NeverFailsUpToTwentyToOne) {
  Random random(6);
  int touching = 0, missed = 0;
  for (int i = 0; i < 200; ++i) {
    const WrapEllipsoid e = Draw::ellipsoid(random, 20);
    const WrapPath path =
        wrapEllipsoid(e, Draw::outside(random, e.radii), Draw::outside(random, e.radii));
    EXPECT_TRUE(std::isfinite(path.length));
    touching += path.contact;
    missed += !path.converged;
  }
  EXPECT_GT(touching, 30);
  EXPECT_EQ(missed, 0) << "of " << touching;
}

TEST(WrapSurfaces, ReportEndsInsideAndGoOn) {
  const WrapPath c = wrapCylinder({0.03}, {0.01, 0, 0}, {-0.1, 0.02, 0});
  EXPECT_TRUE(c.inside);
  EXPECT_TRUE(std::isfinite(c.length));
  const WrapPath e = wrapEllipsoid({Vec3(0.03, 0.02, 0.04)}, {0.01, 0.001, 0}, {-0.1, 0.02, 0});
  EXPECT_TRUE(e.inside);
  EXPECT_TRUE(std::isfinite(e.length));
}

TEST(WrapSurfaces, SamplesLieOnThePathAndAddUpToItsLength) {
  const auto sum = [](const std::vector<Vec3>& p) {
    double length = 0;
    for (std::size_t i = 1; i < p.size(); ++i) length += (p[i] - p[i - 1]).norm();
    return length;
  };
  const Vec3 a(0.08, 0.01, -0.02), b(-0.07, 0.015, 0.03);
  for (WrapSense sense : {WrapSense::Clockwise, WrapSense::CounterClockwise}) {
    const WrapCylinder c{0.03, sense};
    EXPECT_NEAR(sum(samplePath(c, a, b, 200)), wrapCylinder(c, a, b).length, 1e-6);
  }
  const WrapEllipsoid e{Vec3(0.03, 0.02, 0.05)};
  EXPECT_NEAR(sum(samplePath(e, a, b, 200)), wrapEllipsoid(e, a, b).length, 1e-6);
}

TEST(WrapSurfaces, RefuseSizesOutOfRange) {
  EXPECT_THROW(validate(WrapCylinder{0}), InputError);
  EXPECT_THROW(validate(WrapEllipsoid{Vec3(1, -1, 1)}), InputError);
  EXPECT_THROW(validate(WrapEllipsoid{Vec3(1, 30, 1)}), InputError);
}

}  // namespace
}  // namespace pneuma::muscle
