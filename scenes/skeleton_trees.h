#pragma once

#include <cstdint>

#include "pneuma/skeleton/link_element.h"
#include "pneuma/skeleton/model.h"
#include "pneuma/skeleton/model_builder.h"

/// Generated trees shared by tests and benchmarks.
namespace pneuma::scenes {

/// A tree of `links` links with every kind of joint, random shape and inertia.
skeleton::Model makeRandomTree(int links, std::uint64_t seed);

/// The same with the joints that every other engine has: fixed, hinge, universal with perpendicular
/// axes, three hinges about x, y, z, and three slides followed by three hinges.
skeleton::Model makeHingeTree(int links, std::uint64_t seed);

struct UpperBodyOptions {
  bool ballJoints = false;  ///< balls instead of three hinges
  bool resistance = false;  ///< joint damping, springs and limits that keep the spine upright
};

/// A synthetic upper body with the link and DOF breakdown of [Lee09, Sec. 3.1]: 68 links, 147
/// degrees of freedom (24 vertebrae x 3, skull 3, 20 ribs x 1, sternum 6, 10 cartilages x 3, hyoid
/// and thyroid 1 each, clavicles 2, humeri 3, ulnae and radii 1, hands fixed). Sizes and masses are
/// plausible, not measured: about 45 kg. Sternum and cartilages are passive.
skeleton::ModelBuilder upperBodyBuilder(const UpperBodyOptions& options = {});
skeleton::Model makeUpperBody(const UpperBodyOptions& options = {});

/// What holds the synthetic body's rib cage together, 20 rib-cartilage springs, and 24 discs as
/// bushings that keep the spine upright.
skeleton::LinkElements makeUpperBodyElements(const skeleton::Model& model);

/// A random configuration with angles up to `angle` [rad] and velocities up to `speed` [rad/s].
skeleton::State randomState(const skeleton::Model& model, std::uint64_t seed, double angle = 0.5,
                            double speed = 1.0);

/// Random numbers up to `scale` either way: accelerations, torques.
VecX randomVector(int size, double scale, std::uint64_t seed);

}  // namespace pneuma::scenes
