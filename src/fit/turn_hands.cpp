#include <cmath>

#include "pneuma/core/index.h"
#include "pneuma/core/surface_query.h"
#include "pneuma/fit/inside.h"

namespace pneuma::fit {
namespace {

constexpr double kBeyond = 0.25;       // of a hand's length, from where its skin counts
constexpr double kStep = kPi / 12;     // of the search, at first [rad]
constexpr double kFinest = kPi / 360;  // at last [rad]

/// The line about which a hand turns: from the wrist to the fingers' end.
struct HandAxis {
  Vec3 wrist = Vec3::Zero(), along = Vec3::UnitY();
  double length = 1;

  Mat3 turn(double angle) const { return Eigen::AngleAxisd(angle, along).toRotationMatrix(); }
};

/// Turn about its axis by which the posed skin of a hand lies nearest to a character's, in the
/// least squares: a full circle in coarse steps, then finer about the best.
double nearestTurn(const std::vector<Vec3>& skin, const HandAxis& axis,
                   const SurfaceQuery& character) {
  const auto cost = [&](double angle) {
    const Mat3 turn = axis.turn(angle);
    double sum = 0;
    for (const Vec3& p : skin) {
      const double d = character.closest(axis.wrist + turn * (p - axis.wrist)).distance;
      sum += d * d;
    }
    return sum;
  };
  double best = 0, least = cost(0);
  const auto tryAt = [&](double angle) {
    if (const double c = cost(angle); c < least) least = c, best = angle;
  };
  for (double angle = kStep; angle <= kPi; angle += kStep) tryAt(angle), tryAt(-angle);
  for (double step = 0.5 * kStep; step > kFinest; step *= 0.5) {
    const double from = best;
    tryAt(from - step), tryAt(from + step);
  }
  return best;
}

}  // namespace

void turnHands(const FigureTemplate& figure, const FittedFigure& fitted, CarriedAnatomy& inside,
               const TriangleMesh& surface) {
  const SurfaceQuery character(surface);
  const FigureJoints& j = fitted.pose.joints;
  double left = 0;
  for (std::size_t s = 0; s < 2; ++s) {
    HandAxis axis{.wrist = j.wrist[s], .length = (j.hand[s] - j.wrist[s]).norm()};
    axis.along = (j.hand[s] - j.wrist[s]) / axis.length;
    std::vector<Vec3> skin;
    for (std::size_t v = 0; v < fitted.start.size(); v += 2) {
      const bool right = figure.skin.mesh.positions[v].x() < 0;
      if (figure.skin.parts[v] == anatomy::SkinPart::Hand && right == (s == 1) &&
          axis.along.dot(fitted.start[v] - axis.wrist) > kBeyond * axis.length)
        skin.push_back(fitted.start[v]);
    }
    // The mirror image of a turn is one the other way about.
    const bool image = s == 1 && fitted.report.symmetric;
    const double angle = image ? -left : nearestTurn(skin, axis, character);
    if (s == 0) left = angle;
    const Mat3 turn = axis.turn(angle);
    for (CarriedBone& bone : inside.bones)
      if (bone.name.starts_with("hand") && bone.name.ends_with(s == 0 ? "_l" : "_r")) {
        bone.map.linear = turn * bone.map.linear;
        bone.map.offset = axis.wrist + turn * (bone.map.offset - axis.wrist);
      }
  }
}

}  // namespace pneuma::fit
