#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "pneuma/anatomy/person.h"
#include "pneuma/core/types.h"

/// What the breathing torso needs to know of a body: points, lines and radii of the left side (the
/// right one is its mirror image at x = 0), in the body frame at rest [m].
namespace pneuma::breath {

inline constexpr int kRibCount = 10;  ///< moving ribs per side; 11 and 12 go with the spine

/// A rib of the left side, in the body frame [m].
struct RibAnatomy {
  std::vector<Vec3> centerline;            ///< from the head to the end at the cartilage
  double radius = 0;                       ///< mean of its cross-sections
  Vec3 head = Vec3::Zero();                ///< costovertebral joint
  Vec3 neckAxis = Vec3::Zero();            ///< unit, head to tubercle: the axis it turns about
  Vec3 cartilageOnRib = Vec3::Zero();      ///< costochondral junction
  Vec3 cartilageOnSternum = Vec3::Zero();  ///< ribs 1-7
};

/// Radii around a vertical axis, or around a point: a table over two angles or an angle and height.
struct RadialTable {
  Vec3 center = Vec3::Zero();      ///< the point, or any point of the axis
  std::vector<double> parameters;  ///< heights [m], or elevations [rad]; ascending
  std::vector<double> azimuths;    ///< 0 front .. pi back [rad]; ascending
  std::vector<double> radii;       ///< a row of all azimuths per parameter [m]

  /// Bilinear, clamped at the borders of the table.
  double radius(double parameter, double azimuth) const;
};

/// Measures of a trunk, in the body frame at rest [m].
struct TorsoAnatomy {
  std::string name;
  double up = 1, across = 1;               ///< scale against the measured trunk, see scaled()
  double height = 0;                       ///< of the person [m]
  std::array<RibAnatomy, kRibCount> ribs;  ///< ribs 1 .. 10
  std::array<RibAnatomy, 2> floatingRibs;  ///< ribs 11, 12: centreline and radius only
  Vec3 jugularNotch, manubriosternal, xiphisternal, xiphoidTip;
  Vec3 marginJoin;              ///< where cartilages 8-10 meet the seventh
  std::vector<Vec3> vertebrae;  ///< body centres C1 .. L5
  Vec3 pubicCrest, iliacSpine, iliacTubercle, iliacCrest, promontory;
  Vec3 sternoclavicular, acromioclavicular, shoulder, elbow, wrist;
  RadialTable dome;   ///< middle of the diaphragm around a point below it, by elevation
  RadialTable wall;   ///< middle of the abdominal wall around a vertical axis, by height
  RadialTable trunk;  ///< outer skin of the trunk, by height

  /// Where a point of the measured body lies in this one.
  Vec3 fromMeasured(const Vec3& p) const {
    const double middle = trunk.center.z();
    return {across * p.x(), up * p.y(), middle + across * (p.z() - middle / up)};
  }
  const Vec3& thoracic(int level) const { return vertebrae[6 + static_cast<std::size_t>(level)]; }
};

/// The trunk of an expanded body in the size of its description: points and lines are the body's
/// own landmarks; what no bone carries (radii of the ribs, rim of the pelvis, diaphragm, abdominal
/// wall, skin) is read from `surfaces`. Throws InputError that names the missing landmark, or file
/// and field.
TorsoAnatomy readTorsoAnatomy(const anatomy::Body& body, const std::filesystem::path& surfaces);

/// The trunk of the data folder (body/human.toml, body/measured/torso.toml), as measured.
TorsoAnatomy measuredTorso();

/// Scales in y by `up` about the floor and in x and z by `across` about the body axis.
TorsoAnatomy scaled(const TorsoAnatomy& anatomy, double up, double across);

/// The measured trunk for a person: heights follow the body height; width and depth follow it too
/// and are then set so that the cavity above the diaphragm holds the predicted FRC and tissue.
TorsoAnatomy makeTorsoAnatomy(const anatomy::Person& person);

/// What shares the cavity with the gas of FRC [m^3]: heart, vessels, lung tissue, lining. 1.4 l for
/// the man of 1.75 m, in proportion to FRC for others.
double predictThoracicTissue(const anatomy::Person& person);

}  // namespace pneuma::breath
