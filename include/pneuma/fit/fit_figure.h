#pragma once

#include <functional>
#include <optional>

#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/fit/fitted_figure.h"

namespace pneuma::fit {

/// What is known of a character beforehand. What is not given is found from its shape.
struct FitRequest {
  std::optional<anatomy::Sex> sex;
  std::optional<double> height;  ///< [m]
  std::optional<double> mass;    ///< [kg]
  double age = 30;               ///< [years]
  /// In the file's frame: the ends (head, hand_l, hand_r, foot_l, foot_r; all or none), and pairs
  /// of joint centres (shoulder_l, shoulder_r, elbow.., wrist.., hip.., knee.., ankle..), which are
  /// then taken as they are.
  std::vector<Landmark> landmarks;
  shape::RegistrationConfig registration;  ///< reaches are set by the character's height
  /// The skin as a run before drew it onto the same character, in the character's pose [m]; not
  /// empty: it is not drawn again.
  std::vector<Vec3> registered;
  double worstTrunk = 0.003;  ///< 95 % of the trunk's skin must lie nearer [m at a height of 1.7]
  std::function<void(double, const char*)> progress;  ///< share done, and what is next; or empty
};

/// Fits our person to the surface of a human in any unit, any upright or lying placement, standing
/// with limbs apart: ends, frame, unit; landmarks; sex, height and mass; pose; registration of the
/// one skin.
///
/// `measured` is the expanded body of the subject. Throws InputError for what is no human body, or
/// where the result is not to be trusted: it then asks for landmarks.
FittedFigure fitFigure(const TriangleMesh& character, const anatomy::Body& measured,
                       const FitRequest& request, const anatomy::GeometryCache& cache);

}  // namespace pneuma::fit
