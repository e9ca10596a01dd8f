#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "pneuma/anatomy/compile.h"
#include "pneuma/skeleton/glide.h"
#include "pneuma/skeleton/model.h"

/// Poses by the names of their joints.
namespace pneuma::skeleton {

/// What a pose may state: one hinge or slide, one of a ball's three turns, or the sum of several
/// that move together ("spine.flexion").
struct Freedom {
  std::string name;          ///< "elbow_l.flexion"
  std::string alias;         ///< "l_elbow_flexion"
  int dof = -1;              ///< in v; of a ball: the first of its three; -1: a sum
  int position = -1;         ///< in q; -1: a ball's turn or a sum
  Vec3 axis = Vec3::Zero();  ///< of a ball's turn, in the link's own axes at rest
  bool limited = false;
  double lower = 0, upper = 0;  ///< [rad] or [m]
  /// Of a sum: the others, and the part of it that each takes.
  std::vector<std::pair<int, double>> shares;
};

/// One thing that a pose states.
struct JointSetting {
  std::string name;
  double value = 0;  ///< from the neutral pose [rad] or [m]
};

/// How settings become a pose.
struct PoseMakerOptions {
  bool rhythm = true;            ///< collar bone and shoulder blade follow a raised arm
  bool skipUnknown = false;      ///< pass over names that this articulation does not have
  std::string subject = "pose";  ///< what an error is about
};

/// Builds configurations from joint settings.
///
/// Names: "elbow_l.flexion" or "l_elbow_flexion"; "elbow_l" or "l_elbow" for the first freedom of a
/// joint; without a side ("hip.flexion", "hip") for both sides; and the body's sums
/// ("spine.flexion").
///
/// A sum is shared by its parts; where a joint meets its limit, the others take what is left over
/// in the ratio of theirs, so that together they turn by the angle asked for. Members that are
/// stated themselves keep their angle and the others make up for it.
///
/// Then bones glide (glide.h): where a pose states a limb, what it leaves open of the freedoms that
/// move along is found by PoseFit, and the limb's own joint makes up for it. So a raised arm takes
/// collar bone and shoulder blade along, the blade stays on the ribs, and the arm as a whole turns
/// by the angle asked for (exactly where its joint is a ball).
///
/// The three turns of a ball are applied one after the other, parent side first, as three hinges
/// would: R = exp(a_1 x_1) exp(a_2 x_2) exp(a_3 x_3), by integrateConfiguration.
class PoseMaker {
 public:
  /// `model` is made from `body`. Keeps a reference to the model.
  PoseMaker(const anatomy::CompiledBody& body, const Model& model);

  const std::vector<Freedom>& freedoms() const { return freedoms_; }
  /// Indices of the freedoms that a name means; empty: unknown.
  std::span<const int> find(const std::string& name) const;

  /// The neutral pose with these settings. Throws InputError for an unknown name (with the nearest
  /// one), a value that is not finite, or an angle out of range.
  VecX make(std::span<const JointSetting> settings, const PoseMakerOptions& options = {}) const;

 private:
  /// Value of every freedom, and whether the pose states it.
  struct Angles {
    std::vector<double> value;
    std::vector<bool> stated;
  };
  void addFreedoms(const anatomy::CompiledBody& body);
  void addSums(const anatomy::CompiledBody& body);
  void addNames();
  void name(const std::string& text, int freedom);
  Angles read(std::span<const JointSetting> settings, const PoseMakerOptions& options) const;
  void share(const Freedom& sum, double asked, Angles& angles,
             const PoseMakerOptions& options) const;
  void glide(const Glide& glide, const Angles& asked, VecX& q, std::vector<double>& ownPart) const;
  void checkRanges(const Angles& asked, const std::vector<double>& ownPart,
                   const PoseMakerOptions& options) const;
  VecX configuration(const Angles& angles) const;

  const Model& model_;
  std::vector<Freedom> freedoms_;
  std::map<std::string, std::vector<int>> byName_;
  std::vector<Glide> glides_;
};

}  // namespace pneuma::skeleton
