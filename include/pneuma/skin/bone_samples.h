#pragma once

#include "pneuma/skin/layered_driver.h"

namespace pneuma::skin {

/// Places on the bones of a body: all that a binding asks of their surfaces.
struct BoneSamples {
  std::vector<BoneSample> all;    ///< that carry skin and tell how thick the flesh is
  std::vector<BoneSample> trunk;  ///< that breath follows (sampleTrunk)
  std::vector<BoneSample> cage;   ///< that keep their depth (sampleCage)
};
BoneSamples sampleAllBones(const anatomy::Body& body, const anatomy::GeometryCache& cache);

/// The same places on a person's bones: by the person's map (anatomy::PersonMap), then drawn onto
/// the bone as it is there. Meshing the bones of a new person takes ten times as long. `measured`
/// is the body that was sampled, `fitted` the same body fitted to the person. Throws InputError for
/// a body that was fitted to a character, whose bones no map of a person gives.
BoneSamples carriedSamples(const BoneSamples& samples, const anatomy::Body& measured,
                           const anatomy::Body& fitted, const anatomy::Person& person);

/// How far the skin of `surface` slides over the bones whose samples are given, by vertex [m].
std::vector<double> skinSlide(const anatomy::SkinSurface& surface, const anatomy::Body& body,
                              const std::vector<BoneSample>& all);

SkinBinding bindSkin(const anatomy::SkinSurface& surface, const anatomy::Body& body,
                     const anatomy::CompiledBody& compiled, BoneSamples samples);

}  // namespace pneuma::skin
