#pragma once

#include <string>
#include <vector>

#include "pneuma/survey/measure.h"

/// Tables of the default body that are measured as a whole.
namespace pneuma::survey {

/// Landmarks of every bone, left and right averaged: joint centres by contact of the bones; heads
/// and sockets of shoulder and hip by spheres; the hinges of elbow and ankle as the axis about
/// which their joint surfaces turn in themselves, that of the knee through the spheres of the
/// femur's condyles; disc centres; tips of processes; rib centrelines. Throws InputError naming a
/// part that the folder lacks.
std::vector<Measurement> measureLandmarks(const AnatomyPack& pack);

/// What the breathing torso needs beyond the landmarks (torso.toml): radii of the ribs, rim of the
/// pelvis; the mid-surface of the diaphragm, the abdominal wall and the skin as distances along
/// rays cast on the meshes, left and right averaged.
std::string measureTorso(const AnatomyPack& pack, const std::vector<Measurement>& landmarks);

/// Mass, centre and inertia of the tissue that moves with each bone (segments.toml).
std::string measureSegments(const AnatomyPack& pack);

}  // namespace pneuma::survey
