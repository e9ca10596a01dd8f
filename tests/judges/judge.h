#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pneuma/skeleton/model.h"

/// Other engines, given the same tree, as judges of ours in tests and benchmarks. Each lives in its
/// own library with the flags its package needs; only plain numbers pass between them and us.
namespace pneuma::judges {

/// One engine holding one tree of any joints. Vectors are in our order of degrees of freedom. An
/// engine's own joint is used where it has one for all motions of ours: DART for universals, three
/// hinges about x, y, z and three slides; Simbody for perpendicular universals, three hinges about
/// x, y, z, and three slides followed by these; MuJoCo takes any chain.
class Judge {
 public:
  virtual ~Judge() = default;
  virtual void setState(std::span<const double> q, std::span<const double> v) = 0;
  /// vDot for tau, with everything the engine must update for a new state.
  virtual void forward(std::span<const double> tau, std::span<double> vDot) = 0;
  virtual void inverse(std::span<const double> vDot, std::span<double> tau) = 0;
  /// prescribed[j]: vDot given, tau found; else the other way. False: the engine cannot.
  virtual bool hybrid(std::span<const unsigned char> prescribed, std::span<double> vDot,
                      std::span<double> tau) {
    static_cast<void>(prescribed), static_cast<void>(vDot), static_cast<void>(tau);
    return false;
  }
};

/// An Eigen vector as a span.
inline std::span<const double> view(const VecX& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}
inline std::span<double> view(VecX& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

std::unique_ptr<Judge> makeDartJudge(const skeleton::Model& model);
std::unique_ptr<Judge> makeSimbodyJudge(const skeleton::Model& model);
/// Timing only: it takes diagonal inertia, and balls for three hinges.
std::unique_ptr<Judge> makeBulletJudge(const skeleton::Model& model);

}  // namespace pneuma::judges
