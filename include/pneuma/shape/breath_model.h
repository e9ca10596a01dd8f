#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "pneuma/shape/breath_functions.h"
#include "pneuma/shape/identity.h"
#include "pneuma/shape/pose_shape.h"
#include "pneuma/shape/shape_template.h"

/// The learned breath, and a person who breathes by it.
namespace pneuma::shape {

/// What `pneuma learn` writes: modes of breath as displacements of the common topology, and the
/// function that predicts their coefficients from what a breath is and who breathes.
///
///   x = x_rest + sum_m b_m u_m,     b = F(moment, person)
///
/// In one posture (R, D, Q constant) vertices are linear in the coefficients b of [Tsoli14, Eq. 6],
/// so u_m, the vertex solve (Eq. 2) of component G^m, is all that a solver could add.
///
/// Modes are orthonormal by their squares on the trunk, strongest in what F predicts first.
struct BreathModel {
  static constexpr std::uint32_t kVersion = 3;

  std::string topologyId;  ///< anatomy::SkinTopology::id as 16 digits
  std::string dataHash;    ///< of the population
  std::string card;        ///< who, how many, errors: JSON for people and programs
  TriangleMesh mesh;       ///< the template
  std::vector<std::string> vertexParts;
  std::vector<std::int32_t> mirror;
  BreathFunction function;
  IdentitySpace identity;                ///< the scores that `function` asks for
  MatX featureMoments;                   ///< mean f^T f over all frames: how strongly each is used
  double bellyLead = 0;                  ///< tau [s], fitBellyLead
  Eigen::Index components = 1;           ///< K that one person has at most
  std::vector<std::vector<Vec3>> modes;  ///< u_m [m], 32-bit in the file
  PoseShape pose;                        ///< Q; empty: 1

  Eigen::Index modeCount() const { return static_cast<Eigen::Index>(modes.size()); }
  ShapeTemplate shape() const { return makeShapeTemplate(mesh, vertexParts, mirror); }
};

void writeBreathModel(const std::filesystem::path& path, const BreathModel& model);
/// Throws InputError naming the file: damaged, of another version, or numbers that do not fit one
/// another.
BreathModel readBreathModel(const std::filesystem::path& path);

/// A person of the model's topology who breathes by it.
///
/// Of one person all coefficients are linear in the features, b = f W with W = F's own, so no more
/// than as many components as features can ever be seen: the principal ones of what W predicts,
///
///   W^T <f^T f> W = V diag(sigma^2) V^T,    w = f W V_K,    x = rest + sum_k w_k (V_K^T u)_k
///
/// and with K of all features nothing is lost. Signs are those of breathing in.
///
/// The skin's volume is to change by that of the gas, as tissue is incompressible. It is a cubic
/// polynomial of the weights, V(w) = V_0 + q w + w^T H w + ..., and predicted weights are moved the
/// least way, measured by their deviations, that makes the first two orders right:
///
///   w <- w + lambda diag(sigma^2) (q + 2 H w),   two Newton steps
///
/// Pose intensity [Tsoli14, Sec. 7.1] k scales by how much breath turns the body: of each component
/// the mean turns of thorax (chest and back as one), neck, head, shoulders and arms are taken out
/// and put back k times, u_m + (k - 1) p_m with p_m the vertex solve of [omega_l] D_t. Linear, for
/// breath turns parts by a few degrees.
class PersonBreath {
 public:
  /// `rest` is the person's skin at rest; `model` must outlive this. Throws InputError for another
  /// topology.
  PersonBreath(const BreathModel& model, std::vector<Vec3> rest, double poseIntensity = 1);

  const std::vector<Vec3>& rest() const { return rest_; }
  const std::vector<Triangle>& triangles() const { return model_->mesh.triangles; }
  double area() const { return area_; }  ///< of the torso [m^2]
  Eigen::Index componentCount() const { return function_.weights().cols(); }        ///< K
  const std::vector<std::vector<Vec3>>& components() const { return components_; }  ///< [m]
  const BreathFunction& function() const { return function_; }  ///< moment -> K weights
  const VecX& deviations() const { return deviations_; }        ///< sigma of each weight
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
  void chooseComponents(const ShapeTemplate& shape);
  void scaleTurns(const ShapeTemplate& shape, double intensity);
  void measureVolume();
  double volumeAt(const VecX& weights) const;

  const BreathModel* model_;
  std::vector<Vec3> rest_;
  double area_ = 1;
  std::vector<std::vector<Vec3>> components_;
  BreathFunction function_;
  VecX deviations_;
  VecX slope_;
  MatX bend_;
};

}  // namespace pneuma::shape
