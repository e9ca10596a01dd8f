#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pneuma/anatomy/body.h"
#include "pneuma/core/field_table.h"
#include "pneuma/io/gltf_writer.h"
#include "pneuma/io/table.h"
#include "pneuma/shape/breath_model.h"
#include "pneuma/stage/breath_request.h"

/// A learned breath performed by a person: no simulation of the skin, only weights over time.
namespace pneuma::stage {

/// What drives the breath, beside the recording and style options of BreathRequest.
struct PerformRequest {
  std::string keys;            ///< CSV of time, volume, type
  bool sine = false;           ///< a sinusoid of `rate` and `tidal`
  std::optional<double> type;  ///< share of the chest, 0 .. 1
  double intensity = 1;        ///< scales the breath
};

template <class Visitor>
void fields(Visitor& v, typename Visitor::template Ref<PerformRequest> r) {
  v.field({.name = "keys",
           .meaning = "Keyframes: a CSV of time [s], volume [mL] and, if wanted, type",
           .type = "FILE"},
          r.keys);
  v.field({.name = "sine", .meaning = "Breathe a sinusoid of --rate and --tidal"}, r.sine);
  v.field({.name = "type",
           .meaning = "Share of the chest: 0 belly only, 1 chest only",
           .min = -0.2,
           .max = 1.2,
           .derivedDefault = "0.5, or that of the simulated style"},
          r.type);
  v.field(
      {.name = "intensity", .meaning = "Scales the breath: 0 none, 1 as it is", .min = 0, .max = 3},
      r.intensity);
}

/// Lungs over time: what an actor, a style, a sinusoid or keyframes ask for.
struct BreathTrack {
  double framesPerSecond = 25;
  std::vector<double> volume;  ///< above rest [m^3]
  std::vector<double> flow;    ///< [m^3/s]
  std::vector<double> type;    ///< share of the chest

  std::size_t size() const { return volume.size(); }
  double time(std::size_t k) const { return static_cast<double>(k) / framesPerSecond; }
};

/// The track that the options ask for. A style is breathed by the simulated torso, whose lung
/// volume and rib-cage share are taken; a recording is read as `breathe` reads it. Throws
/// InputError when more than one driver is given or keyframes are unusable.
BreathTrack makeBreathTrack(const PerformRequest& perform, const BreathRequest& breath,
                            std::shared_ptr<const anatomy::Body> measured,
                            const anatomy::Person& person);

/// Weights of every frame.
std::vector<VecX> performWeights(const shape::PersonBreath& person, const BreathTrack& track);

/// The skin with one morph target for each component and the weights as an animation "breath".
/// Weights are scaled so that each target's offsets stand for its largest weight in the track.
io::GltfScene performScene(const shape::BreathModel& model, const shape::PersonBreath& person,
                           const BreathTrack& track, const std::vector<VecX>& weights);

/// Time, lung volume, flow, type, volume of the mesh and weights.
io::Table performTable(const shape::BreathModel& model, const shape::PersonBreath& person,
                       const BreathTrack& track, const std::vector<VecX>& weights);

/// Largest distance of the mesh's gained volume from that of the lungs, over the lungs' range [-].
double volumeError(const io::Table& performed);

/// A film of the trunk, from the front and the left.
void writePerformFilm(const std::filesystem::path& path, const shape::BreathModel& model,
                      const shape::PersonBreath& person, const BreathTrack& track,
                      const std::vector<VecX>& weights,
                      const std::function<void(double)>& progress);

}  // namespace pneuma::stage
