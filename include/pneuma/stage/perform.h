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
  std::string keys;                 ///< CSV of time, volume, type
  bool sine = false;                ///< a sinusoid of `rate` and `tidal`
  std::optional<double> type;       ///< share of the chest, 0 .. 1
  double intensity = 1;             ///< scales the breath
  double poseIntensity = 1;         ///< and by how much it turns the body
  std::string motion;               ///< BVH clip that the body moves by
  bool loop = false;                ///< the clip as a gait that goes on
  std::vector<std::string> joints;  ///< held: "l_elbow_flexion=90"
};

/// Drivers first, then the paper's three sliders (type, intensity, pose intensity), then where the
/// body stands.
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
  v.field({.name = "pose_intensity",
           .meaning = "Scales by how much breath turns thorax, neck, shoulders and arms: 0 not at "
                      "all, 1 as it is",
           .min = 0,
           .max = 5},
          r.poseIntensity);
  v.field({.name = "motion", .meaning = "Breathe while a BVH clip is played", .type = "FILE"},
          r.motion);
  v.field({.name = "loop", .meaning = "The clip as a gait that goes on"}, r.loop);
  v.field({.name = "joint",
           .meaning = "Breathe with a joint set, in degrees; may be repeated",
           .type = "NAME=DEG"},
          r.joints);
}

/// Lungs over time: what an actor, a style, a sinusoid or keyframes ask for.
struct BreathTrack {
  double framesPerSecond = 25;
  std::vector<double> volume;  ///< above rest [m^3]
  std::vector<double> flow;    ///< [m^3/s]
  std::vector<double> type;    ///< share of the chest
  bool style = false;          ///< what the torso breathes by itself

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

/// One of the skins in a film, by frame.
struct FilmedSkin {
  std::string name;
  std::function<std::vector<Vec3>(std::size_t)> at;
};
struct PerformFilm {
  std::vector<FilmedSkin> skins;  ///< side by side
  bool whole = false;             ///< the whole body, followed; else the trunk
  /// Two lines of text for a frame; or null.
  std::function<std::pair<std::string, std::string>(std::size_t)> caption;
};
/// A film of skins of the model's topology, each from the front and the left.
void writePerformFilm(const std::filesystem::path& path, const shape::BreathModel& model,
                      const BreathTrack& track, const PerformFilm& film,
                      const std::function<void(double)>& progress);

}  // namespace pneuma::stage
