#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "pneuma/anatomy/body.h"

/// The trunk of a body as breathing needs it: points, lines and surfaces of the left side (the
/// right one is its mirror image at x = 0), in the body frame at rest [m]; and the volume of the
/// cavity above the diaphragm.
namespace pneuma::anatomy {

inline constexpr int kMovingRibs = 10;  ///< per side; 11 and 12 go with the spine

/// A rib of the left side, in the body frame [m].
struct RibAnatomy {
  std::vector<Vec3> centerline;            ///< from the head to the end at the cartilage
  double radius = 0;                       ///< mean of its cross-sections
  Vec3 head = Vec3::Zero();                ///< costovertebral joint
  Vec3 neckAxis = Vec3::Zero();            ///< unit, head to tubercle: the axis it turns about
  Vec3 cartilageOnRib = Vec3::Zero();      ///< costochondral junction
  Vec3 cartilageOnSternum = Vec3::Zero();  ///< ribs 1-7
};

/// Measures of a trunk, in the body frame at rest [m].
struct TrunkAnatomy {
  std::string name;
  double height = 0;                         ///< of the person [m]
  Person person;                             ///< whose trunk it is
  std::array<RibAnatomy, kMovingRibs> ribs;  ///< ribs 1 .. 10
  std::array<RibAnatomy, 2> floatingRibs;    ///< ribs 11, 12: centreline and radius only
  Vec3 jugularNotch, manubriosternal, xiphisternal, xiphoidTip;
  Vec3 marginJoin;              ///< where cartilages 8-10 meet the seventh
  std::vector<Vec3> vertebrae;  ///< body centres C1 .. L5
  Vec3 pubicCrest, iliacSpine, iliacTubercle, iliacCrest, promontory;
  Vec3 sternoclavicular, acromioclavicular, shoulder, elbow, wrist;
  RadialTable dome;   ///< middle of the diaphragm around a point below it, by elevation
  RadialTable wall;   ///< middle of the abdominal wall around a vertical axis, by height
  RadialTable trunk;  ///< outer skin of the trunk, by height

  const Vec3& thoracic(int level) const { return vertebrae[6 + static_cast<std::size_t>(level)]; }
};

/// The trunk of an expanded body, in the size of that body: its landmarks and its `[trunk]` tables.
/// Throws InputError that names the missing landmark or table.
TrunkAnatomy trunkAnatomy(const Body& body);

/// Point of a polyline at the fraction s of its length, and that length [m].
Vec3 alongLine(const std::vector<Vec3>& line, double s);
double lineLength(const std::vector<Vec3>& line);
/// Angle from the front to p about a vertical axis through `center`, the same on both sides [rad].
double azimuthOf(const Vec3& p, const Vec3& center);
/// Inner side of a rib at the fraction s of its length: where the cavity ends.
Vec3 innerPoint(const TrunkAnatomy& trunk, const RibAnatomy& rib, double s);
/// Front of the spine at the head of a rib.
Vec3 spinePoint(const TrunkAnatomy& trunk, int level);
/// Back of the sternum at the cartilage of a rib, 1 to 7.
Vec3 sternumPoint(const TrunkAnatomy& trunk, int level);
inline constexpr double kSternumDepth = 0.010;  ///< from the measured line to its back [m]

inline constexpr int kHalfColumns = 16;  ///< of margin and dome, from the front to the back
inline constexpr int kDomeRings = 8;     ///< of the dome, from the margin to its top
inline constexpr int kRibSamples = 8;    ///< pieces of a rib in the wall of the chest

/// A point of the costal margin and the parts that carry it: 0 the sternum, 1-10 a rib, -1 the
/// spine; with weights that add up to 1.
struct MarginPoint {
  Vec3 position = Vec3::Zero();
  std::vector<std::pair<int, double>> carriers;
};
inline constexpr int kMarginSternum = 0, kMarginSpine = -1;

/// Margin of the left side at kHalfColumns + 1 columns: sternum, along the joined cartilages, ends
/// of ribs 8-10, then back along rib 10 to the spine.
std::vector<MarginPoint> costalMargin(const TrunkAnatomy& trunk);

/// A node of the dome on the meridian through a point of the margin, t = 0 there and 1 at the top:
/// direction between margin and zenith, radius from the table, which is bent to meet the margin.
Vec3 domePoint(const TrunkAnatomy& trunk, const Vec3& margin, double t);
Vec3 domeTop(const TrunkAnatomy& trunk);

/// Volume of the cavity above the diaphragm at rest [m^3]: within the inner side of ribs 1-10,
/// sternum and spine, above the dome, as a closed surface of triangles.
double thoracicCavity(const TrunkAnatomy& trunk);

}  // namespace pneuma::anatomy
