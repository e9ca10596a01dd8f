#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pneuma/anatomy/body.h"
#include "pneuma/breath/breath_style.h"
#include "pneuma/io/state_blob.h"
#include "pneuma/skeleton/pose_track.h"

namespace pneuma::body {
struct LivingModel;
class LivingSimulation;
}  // namespace pneuma::body

/// Persons who breathe, as tests prove them and benches time them. Their state hashes are kept in
/// scenes/hashes.txt; `make hashes` renews them after a change of the physics.
namespace pneuma::scenes {

/// What scenes are made of, loaded by the caller.
struct LivingData {
  std::shared_ptr<const anatomy::Body> body;  ///< as measured
  std::vector<breath::BreathStyle> styles;
};

/// A scene that runs: built, stepped and hashed the same way by everybody.
class LivingScene {
 public:
  virtual ~LivingScene() = default;
  virtual void run(double until) = 0;     ///< steps until a simulated time [s]
  virtual double time() const = 0;        ///< [s]
  virtual std::string hash() const = 0;   ///< over every bit of the state
  virtual double lungVolume() const = 0;  ///< of the last sample [m^3]
  virtual body::LivingSimulation* living() { return nullptr; }  ///< none of a trunk by itself
  virtual void save(io::StateWriter& out) const = 0;
  virtual void load(io::StateReader& in) = 0;
};

/// quiet_trunk       the trunk by itself, quiet breath of the measured man
/// walking_breather  the whole man walks on and on, two strides a breath
/// supine_woman      a woman of 1.63 m and 58 kg on her back, quiet breath
std::span<const std::string_view> livingSceneNames();

/// Throws InputError for an unknown name.
std::unique_ptr<LivingScene> makeLivingScene(std::string_view name, const LivingData& data);

/// A walk without a recording: cycles of 1.1 s at 1.3 m/s. Pelvis and chest turn against each
/// other, legs and arms swing, the root bobs by 40 mm.
skeleton::PoseTrack makeWalk(const body::LivingModel& model);

/// The kept hash of a scene after `kHashSeconds`, empty when there is none; and the build that it
/// is for (other compilers and instruction sets round differently).
struct KeptHashes {
  std::string build;
  std::vector<std::pair<std::string, std::string>> hashes;

  std::string of(std::string_view scene) const;
};
inline constexpr double kHashSeconds = 2;
KeptHashes readHashes(const std::string& file);
void writeHashes(const std::string& file, const KeptHashes& hashes);

}  // namespace pneuma::scenes
