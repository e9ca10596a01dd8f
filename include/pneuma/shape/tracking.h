#pragma once

#include <span>
#include <vector>

#include "pneuma/shape/breath_model.h"
#include "pneuma/shape/registration.h"

/// A person whose skin at rest is known, found again in scans: registered once, then tracked.
namespace pneuma::shape {

struct TrackConfig {
  int modelRounds = 12;     ///< of closest points, model alone
  double spread = 1e-3;     ///< of the surface about the model [m]: what deviations are weighed by
  RegistrationConfig free;  ///< of the vertices afterwards
  /// The model has done most of the way, so vertices begin stiff and near.
  TrackConfig() {
    free.rounds = 6;
    free.firstLength = 0.08, free.lastLength = 0.04;
    free.anchored = 0.1;  // paint is found to half a millimetre only
    free.firstReach = 0.04, free.lastReach = 0.02;
  }
};

struct Tracked {
  std::vector<Vec3> positions;  ///< of the person's vertices, in the scan's frame [m]
  Pose X_SP;                    ///< where the person stands
  VecX weights;                 ///< of the person's components
  double rms = 0;               ///< of distances across the scan's surface [m]
};

/// Model first, then free vertices [Tsoli14, Sec. 3.2, after Bogo 2014]:
///
///   minimise over X, w   sum_i r_i (n_i . (X x_i(w) - c_i))^2 + sum_k |X x_k(w) - q_k|^2
///                        + s^2 sum_m (w_m / sigma_m)^2,     x(w) = rest + sum_m w_m u_m
///
///   c_i, n_i  closest point of the scan and its normal    r_i  robust weight (after Cauchy)
///   q_k       painted points (guide.anchors)              s    `spread`, sigma_m deviations
///
/// by Gauss-Newton, one step for each round of closest points; then Registrar::run from there.
/// Breath runs as much along the skin as across it, which distance to a surface does not see: the
/// model brings what people's skins do, paint what this one did.
///
/// `guide.trust` may be 0 where breath does not tell (arms). Throws InputError where Registrar
/// does.
class Tracker {
 public:
  explicit Tracker(const PersonBreath& person);

  Tracked track(const RegistrationTarget& target, const RegistrationGuide& guide = {},
                const TrackConfig& config = {}) const;

 private:
  const PersonBreath* person_;
  Registrar registrar_;
};

}  // namespace pneuma::shape
