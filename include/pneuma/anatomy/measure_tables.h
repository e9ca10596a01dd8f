#pragma once

#include <string>
#include <vector>

#include "pneuma/anatomy/measure.h"

/// Tables of the default body that are measured as a whole.
namespace pneuma::anatomy {

/// Landmarks of every bone: joint centres by contact of the bones, by sphere (shoulder, hip) and by
/// the axis through epicondyles or malleoli (elbow, knee, ankle), disc centres, tips of processes,
/// rib centrelines. From the folder's `measurements.json`, left and right averaged. Throws
/// InputError naming what the folder does not state.
std::vector<Measurement> measureLandmarks(const AnatomyPack& pack);

/// What the breathing torso needs beyond the landmarks (torso.toml): radii of the ribs, rim of the
/// pelvis; the mid-surface of the diaphragm, the abdominal wall and the skin as distances along rays
/// cast on the meshes, left and right averaged.
std::string measureTorso(const AnatomyPack& pack);

}  // namespace pneuma::anatomy
