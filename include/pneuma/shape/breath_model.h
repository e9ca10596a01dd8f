#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "pneuma/shape/breath_functions.h"
#include "pneuma/shape/shape_template.h"

/// The learned breath, and a person who breathes by it.
namespace pneuma::shape {

/// What `pneuma learn` writes: components of breath as displacements of the common topology, and
/// the function that predicts their coefficients.
///
///   x = x_rest + sum_m w_m u_m
///
/// In one posture (R, D, Q constant) vertices are linear in the coefficients b of [Tsoli14, Eq. 6],
/// so u_m, the vertex solve (Eq. 2) of component G^m, is all that a solver could add.
struct BreathModel {
  static constexpr std::uint32_t kVersion = 1;

  std::string topologyId;  ///< anatomy::SkinTopology::id as 16 digits
  std::string dataHash;    ///< of the population
  std::string card;        ///< who, how many, errors: JSON for people and programs
  TriangleMesh mesh;       ///< the template
  std::vector<std::string> vertexParts;
  std::vector<std::int32_t> mirror;
  BreathFunction function;
  double bellyLead = 0;                       ///< tau [s], fitBellyLead
  VecX deviations;                            ///< root mean square of each coefficient in the data
  std::vector<std::vector<Vec3>> components;  ///< u_m [m], 32-bit in the file

  Eigen::Index componentCount() const { return static_cast<Eigen::Index>(components.size()); }
  ShapeTemplate shape() const { return makeShapeTemplate(mesh, vertexParts, mirror); }
};

void writeBreathModel(const std::filesystem::path& path, const BreathModel& model);
/// Throws InputError naming the file: damaged, of another version, or numbers that do not fit one
/// another.
BreathModel readBreathModel(const std::filesystem::path& path);

/// A person of the model's topology who breathes by it.
///
/// The skin's volume is to change by that of the gas, as tissue is incompressible. It is a cubic
/// polynomial of the weights, V(w) = V_0 + q w + w^T H w + ..., and predicted weights are moved the
/// least way, measured by their deviations, that makes the first two orders right:
///
///   w <- w + lambda diag(sigma^2) (q + 2 H w),   two Newton steps
class PersonBreath {
 public:
  /// `rest` is the person's skin at rest; `model` must outlive this. Throws InputError for another
  /// topology.
  PersonBreath(const BreathModel& model, std::vector<Vec3> rest);

  const std::vector<Vec3>& rest() const { return rest_; }
  double area() const { return area_; }  ///< of the torso [m^2]
  /// Weights at lungs `volume` [m^3] above rest, with `flow` [m^3/s] and a chest share of `type`.
  VecX weights(double volume, double flow, double type) const;
  /// Weights for a moment as it was measured, without the volume law.
  VecX weights(const BreathMoment& moment) const;
  void apply(const VecX& weights, std::span<Vec3> positions) const;
  /// Change of volume by first and second order [m^3].
  double volumeOf(const VecX& weights) const;

  const VecX& volumeSlope() const { return slope_; }  ///< q [m^3]
  const MatX& volumeBend() const { return bend_; }    ///< H [m^3]

 private:
  const BreathModel* model_;
  std::vector<Vec3> rest_;
  double area_ = 1;
  VecX slope_;
  MatX bend_;
};

}  // namespace pneuma::shape
