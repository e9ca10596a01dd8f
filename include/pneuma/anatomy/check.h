#pragma once

#include "pneuma/anatomy/body.h"
#include "pneuma/anatomy/compile.h"
#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/core/progress.h"

/// Checks of a body beyond what loading demands.
namespace pneuma::anatomy {

/// What the checks take as a fault.
struct CheckOptions {
  double mirrorTolerance = 1e-9;      ///< between left and right [m]
  double massTolerance = 0.01;        ///< of the sum of segments against the mass asked for [-]
  double momentArmJump = 0.002;       ///< largest change of a moment arm within 0.1 degrees [m]
  double degenerateSegment = 0.0005;  ///< shortest piece of a muscle path [m]
  double attachmentDistance = 0.003;  ///< origin and insertion from their bone's surface [m]
  double pathDepth = 0.003;           ///< how deep a path may run below a bone's surface [m]
  double fittingSlack = 0.002;   ///< beyond the two above a warning up to here, then a fault [m]
  double pathStep = 0.002;       ///< between samples of a path [m]
  Progress* progress = nullptr;  ///< told of each bone whose surface is made, or null
};

/// Left and right are mirror images: landmarks, masses and muscle paths.
std::vector<Diagnostic> checkSymmetry(const Body& body, const CheckOptions& options = {});

/// The masses add up to the person's, and the groups of segments lie within two standard deviations
/// of the means that de Leva (1996) adjusted from Zatsiorsky & Seluyanov (a warning if not).
std::vector<Diagnostic> checkMasses(const Body& body, const CheckOptions& options = {});

/// Every muscle's length and moment arms change smoothly through the range of each joint it
/// crosses, one degree of freedom at a time, from the rest pose.
std::vector<Diagnostic> checkMomentArms(const CompiledBody& body, const CheckOptions& options = {});

/// Every origin and insertion lies on the surface of its bone, and no path runs through a bone at
/// rest. Bones without a shape are left out.
std::vector<Diagnostic> checkAttachments(const Body& body, const GeometryCache& cache,
                                         const CheckOptions& options = {});

/// Length of a muscle with one degree of freedom of `link` moved by `amount` from rest [m].
double muscleLength(const CompiledBody& body, const CompiledMuscle& muscle, int link,
                    const CompiledDof& dof, double amount);

/// Share of the body mass by group, both sides together where there are two.
struct MassFraction {
  std::string group;     ///< "head and neck", "trunk", "upper arm", ... (one side)
  double fraction = 0;   ///< of the body mass
  double published = 0;  ///< de Leva (1996), men or women
  double deviation = 0;  ///< published standard deviation of men
};
std::vector<MassFraction> massFractions(const Body& body);

}  // namespace pneuma::anatomy
