#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "pneuma/anatomy/bone_shape.h"
#include "pneuma/core/progress.h"
#include "pneuma/survey/measure_pack.h"

/// Measuring real anatomy: few numbers per bone and muscle out of a folder of meshes.
///
/// Left and right are averaged (the right one mirrored) before anything is measured, and bones of
/// the middle with their own mirror image, so that the body text is symmetric by construction.
namespace pneuma::survey {

/// What was measured on one bone, cartilage or muscle.
struct Measurement {
  std::string name;     ///< as in the folder, or the name of the set ("skull", "hand_l")
  std::string group;    ///< file it belongs to: spine, ribs, sternum, head, arm...
  bool mirror = false;  ///< a left part that stands for both sides
  anatomy::BoneShape shape;
  std::map<std::string, Vec3> points;               ///< landmarks [m]
  std::map<std::string, std::vector<Vec3>> curves;  ///< centrelines [m]
  double volume = 0;                                ///< of the real solid [m^3]
  double fitError = 0;                              ///< rms of the surface distance [m]
};

/// Names that can be measured, in the order of the body.
std::vector<std::string> measurableBones();
/// Groups of them, one file each.
std::vector<std::string> measureGroups();

/// Group of a measurable bone, "" when there is none of that name.
std::string measureGroupOf(const std::string& bone);

/// Measures one bone. Throws InputError for an unknown name or a missing mesh.
Measurement measureBone(const AnatomyPack& pack, const std::string& name);

/// Pieces of the skin that can be measured, and one of them. The heads come from `characters`, a
/// folder of bodies with a man and a woman; without it the head of the folder's own skin is taken,
/// and the woman's cannot be measured (InputError).
std::vector<std::string> measurableSkin();
Measurement measureSkin(const AnatomyPack& pack, const std::string& name,
                        const std::filesystem::path& characters);

/// A muscle: its solid with the line through its middle, and its cross-sections.
struct MuscleMeasurement {
  Measurement solid;                ///< curve "line" runs from the upper to the lower end
  double length = 0;                ///< of the line [m]
  double meanArea = 0;              ///< volume / length, the anatomical cross-section [m^2]
  std::vector<double> sectionArea;  ///< evenly spaced along the line [m^2]
};
/// Left muscles of the folder with at least that volume [m^3].
std::vector<std::string> measurableMuscles(const AnatomyPack& pack, double smallestVolume);
MuscleMeasurement measureMuscle(const AnatomyPack& pack, const std::string& name);

/// Changes the thickness of a shape's ellipsoids until its surface (cells of `cell` [m]) encloses
/// `volume` [m^3] within 2 %.
void matchVolume(anatomy::BoneShape& shape, double volume, double cell);

/// Centreline of a long solid between its two ends, evenly resampled: the path of greatest depth.
/// The first end is the one with the smaller value of `orderBy`.
std::vector<Vec3> measureCentreline(const TriangleMesh& mesh, int points,
                                    const std::function<double(const Vec3&)>& orderBy,
                                    double cell = 0.001);
/// The same between two given ends, for a solid whose ends are broad.
std::vector<Vec3> measureCentreline(const TriangleMesh& mesh, int points, const Vec3& from,
                                    const Vec3& to, double cell = 0.001);

/// Body text of measured shapes (`[[shape]]`, of skin `[[skin_envelope]]`, of muscles
/// `[[muscle_solid]]`) and of measured points and centrelines
/// (`[[landmarks]]`); `credit` names the source in the head comment.
std::string shapesText(const std::vector<Measurement>& measurements, const std::string& credit);
std::string landmarksText(const std::vector<Measurement>& measurements, const std::string& credit);
/// CSV: name, volume_cm3, length_mm, mean_area_cm2 and the cross-sections along the line.
std::string muscleTable(const std::vector<MuscleMeasurement>& muscles, const std::string& credit);

}  // namespace pneuma::survey
