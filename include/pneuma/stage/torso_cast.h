#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "pneuma/anatomy/body.h"
#include "pneuma/breath/breath_simulation.h"
#include "pneuma/stage/body_layers.h"
#include "pneuma/stage/complexion.h"
#include "pneuma/stage/view.h"

/// The breathing torso on stage: its frames, and the surfaces that stand for them.
namespace pneuma::stage {

namespace internal {
class TorsoSkin;
}

/// Frames of a breathing torso: its rigid bodies as links, all points of the trunk and of the
/// shoulders as two sets, lung volume [m^3] and the tension of every element [N] as scalars.
body::FrameLayout torsoLayout(const breath::BreathSimulation& simulation);
body::Frame captureTorso(breath::BreathSimulation& simulation, const body::FrameLayout& layout);
/// Volume of the lungs in frame k of a clip [m^3].
double lungVolume(const Clip& clip, std::size_t k);

/// One ray-traced frame of the torso.
struct TorsoPicture {
  Look look;
  Vec3 direction{0.75, 0.12, 0.65};  ///< towards the camera
  bool cut = false;                  ///< takes the left half away
  int width = 600, height = 780, samples = 8;
  bool studio = false;  ///< a studio's light and backdrop
  bool denoise = true;
};

/// How a film of the torso is made.
struct BreathFilm {
  int width = 960, height = 540;  ///< [pixels], even
};

/// Part of the body's height that a picture shows.
struct HeightSpan {
  double low = 0.55, high = 1;
};

/// What of the torso is seen: its skin, or what lies under it (bones, diaphragm, gut).
Look torsoLook(double skin, bool bones = false, bool gut = false);

/// Surfaces of one torso, in the person's own bones and skin.
class TorsoCast {
 public:
  TorsoCast(const breath::BreathSimulation& simulation, const anatomy::Body& body);
  ~TorsoCast();
  TorsoCast(const TorsoCast&) = delete;  // its parts refer to it
  TorsoCast& operator=(const TorsoCast&) = delete;

  const Cast& cast() const { return cast_; }
  const body::FrameLayout& layout() const { return layout_; }
  const TriangleMesh& restSkin() const;
  /// The skin in a frame; one call at a time.
  std::vector<Vec3> skin(const body::Frame& frame) const;
  /// How its frames are taken apart into layers.
  RecordedBody recorded() const;

  /// Trunk and head from the hips up; `aspect` is width over height of the picture.
  render::Camera camera(const Vec3& direction, double aspect, const HeightSpan& seen = {}) const;
  View view(const body::Frame& first, const TorsoPicture& config) const;
  render::Image picture(const body::Frame& frame, const TorsoPicture& config) const;
  /// How far each place of the skin has come between two frames [mm], from the front and the left.
  render::Image travelPicture(const body::Frame& from, const body::Frame& to) const;
  /// The body of `to` with the outline of `from` and how far chest and belly have come [mm],
  /// from the left and the front.
  render::Image breathPicture(const body::Frame& from, const body::Frame& to, int width, int height,
                              int samples) const;
  /// A film of the clip: skin with the outline of `empty` and the way of chest and belly [mm] under
  /// a camera that sways slowly; beside it what lies under the skin, and a cut. The cast must
  /// not be used by others meanwhile.
  void film(const std::filesystem::path& path, const Clip& clip, const body::Frame& empty,
            const BreathFilm& config, const std::function<void(double)>& progress) const;

 private:
  View view(const body::Frame& first, const TorsoPicture& config, CameraOf camera) const;
  std::vector<render::Polyline> hair(const std::vector<Vec3>& skin) const;
  void addBones(const breath::BreathSimulation& simulation);
  void addFlesh(const breath::ShoulderLayer& layer);
  void addElements(const breath::TorsoModel& model, const breath::ShoulderLayer& layer);
  void addSkin();

  /// A skin and the frame it belongs to, by some of its numbers.
  struct PosedSkin {
    double time, lungs;
    Vec3 point;
    std::vector<Vec3> skin;
  };

  body::FrameLayout layout_;
  std::unique_ptr<internal::TorsoSkin> skin_;
  Complexion complexion_;
  std::shared_ptr<const render::Texture> texture_, filmTexture_;  // of the skin
  mutable std::deque<PosedSkin> posed_;  // the last that skin() was asked for
  Cast cast_;
};

}  // namespace pneuma::stage
