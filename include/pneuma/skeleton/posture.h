#pragma once

#include <span>
#include <string>
#include <vector>

#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/skeleton/from_body.h"

/// Postures: how a body stands, sits or lies.
namespace pneuma::skeleton {

/// A point that moves with a link.
struct LinkPoint {
  int link = 0;
  Vec3 local = Vec3::Zero();  ///< in the link's frame [m]
};

/// Whether arms hang beside straight hips, and so may touch them.
bool hangsArms(const anatomy::Posture& posture);

/// The posture of a body by its name or alias; InputError with the nearest name when there is none.
const anatomy::Posture& findPosture(const anatomy::Body& body, const std::string& name);

/// The joints of a posture, completed by the body's rhythms; the root stays where it is at rest.
VecX postureJoints(const anatomy::CompiledBody& compiled, const Model& model,
                   const anatomy::Posture& posture);

/// The configuration of a posture. With a free root the body is turned about its pelvis and lowered
/// or raised until the lowest of `surface` is `gap` above the floor, y = 0; without one only the
/// joints are set, and who simulates it turns gravity.
///
/// `surface`: vertices of a skin, or bonePoints. `gap` [m]: 0 for a skin.
VecX makePosture(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
                 const Model& model, const std::string& name, std::span<const LinkPoint> surface,
                 double gap = 0);
/// The same on its bones: the lowest one keeps the distance from the floor that the bones of the
/// feet have at rest, the thickness of a sole.
VecX makePosture(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
                 const Model& model, const std::string& name);

/// Points of the bones that may touch the floor: vertices of their surfaces, thinned out to one in
/// `every`; without a cache their landmarks.
std::vector<LinkPoint> bonePoints(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
                                  const Model& model, const anatomy::GeometryCache& cache,
                                  std::size_t every = 10);
std::vector<LinkPoint> bonePoints(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
                                  const Model& model);

/// Height of the lowest of some points [m].
double lowestPoint(const Model& model, const VecX& q, std::span<const LinkPoint> points);

}  // namespace pneuma::skeleton
