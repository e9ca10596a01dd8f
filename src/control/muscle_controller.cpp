#include "pneuma/control/muscle_controller.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/muscle/activation.h"
#include "pneuma/skeleton/mass_matrix.h"

namespace pneuma::control {
namespace {

/// Torques of a joint's muscles below this are none [N m]: a tenth of what lifts a rib.
constexpr double kNoTorque = 1e-2;

/// Accelerations below this may be missing [rad/s^2]: at the default gain an error of 0.05 mrad.
constexpr double kWithinReach = 0.02;
/// Above this a step is expected to be out of reach as the last one was [rad/s^2].
constexpr double kFarOutOfReach = 10;

/// Largest torques of all muscles together about each degree of freedom, fully active in the
/// neutral pose.
std::vector<UncontrolledDof> torqueRanges(muscle::DrivenBody& body) {
  body.refresh();
  const muscle::MuscleWorkspace& m = body.muscleResults();
  std::vector<UncontrolledDof> all(static_cast<std::size_t>(body.model().dofCount()));
  for (std::size_t j = 0; j < all.size(); ++j) {
    all[j].dof = static_cast<int>(j);
    all[j].name = body.dofNames()[j];
  }
  const muscle::PathSet& paths = body.muscles().paths;
  for (int i = 0; i < paths.muscleCount(); ++i)
    for (int r = paths.rangeBegin[i]; r < paths.rangeBegin[i + 1]; ++r)
      for (int k = 0; k < paths.ranges[r].count; ++k) {
        const double torque =
            -m.dActivation[i] * m.paths.arms[static_cast<std::size_t>(paths.ranges[r].row + k)];
        UncontrolledDof& dof = all[static_cast<std::size_t>(paths.ranges[r].dof + k)];
        (torque > 0 ? dof.positive : dof.negative) += torque;
      }
  return all;
}

/// Who moves which joint; fills in what muscles ought to move and cannot. Joints without any muscle
/// (wrists) are carried along the target by the world, "kinematically articulated" [Lee09,
/// Sec. 3.1].
std::vector<DofDrive> drives(muscle::DrivenBody& body, const BodyParts& parts,
                             const ControlConfig& config,
                             std::vector<UncontrolledDof>& uncontrolled) {
  const skeleton::Model& model = body.model();
  const std::vector<UncontrolledDof> torque = torqueRanges(body);
  std::vector<DofDrive> drive;
  for (int j = 0; j < model.dofCount(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    const bool root = model.links[static_cast<std::size_t>(model.dofLink[at])].parent < 0;
    const bool leg = parts.ofDof[at] == BodyPart::LegLeft || parts.ofDof[at] == BodyPart::LegRight;
    if ((root && config.holdRoot) || (leg && config.holdLegs)) {
      drive.push_back(DofDrive::Held);
    } else if (model.dofRole[at] == skeleton::DofRole::Passive) {
      drive.push_back(DofDrive::Passive);
    } else if (torque[at].positive < kNoTorque && torque[at].negative > -kNoTorque) {
      drive.push_back(DofDrive::Held);
    } else if (torque[at].positive < kNoTorque || torque[at].negative > -kNoTorque) {
      uncontrolled.push_back(torque[at]);
      drive.push_back(DofDrive::Passive);
    } else {
      drive.push_back(DofDrive::Muscles);
    }
  }
  return drive;
}

std::vector<BodyPart> partsOfRows(const MotionPlan& plan, const BodyParts& parts) {
  std::vector<BodyPart> list;
  for (const int j : plan.driven()) list.push_back(parts.ofDof[static_cast<std::size_t>(j)]);
  return list;
}

}  // namespace

muscle::DrivenBodyConfig actingBodyConfig() {
  muscle::DrivenBodyConfig config;
  config.hill.passiveScale = 1 / (std::exp(0.5 * config.hill.passiveExponent) - 1);
  return config;
}

MuscleController::MuscleController(muscle::DrivenBody& body, const anatomy::CompiledBody& compiled,
                                   const ControlConfig& config)
    : body_(body),
      config_(config),
      parts_(compiled, body.model()),
      plan_(body.model(), body.muscles().paths, drives(body, parts_, config, uncontrolled_)),
      loads_(body.model()),
      recoil_(VecX::Zero(body.model().dofCount())),
      columns_(plan_.makeColumns()),
      planner_(columns_, partsOfRows(plan_, parts_), parts_.ofMuscle, config.planner),
      problem_(plan_.rowCount(), body.muscles().count()),
      partOfRow_(partsOfRows(plan_, parts_)),
      gauge_(plan_.rowCount()),
      prescribed_(VecX::Constant(body.muscles().count(), -1)),
      vDot_(VecX::Zero(body.model().dofCount())),
      still_(vDot_),
      planned_(vDot_),
      torque_(VecX::Zero(plan_.rowCount())),
      a_(VecX::Zero(body.muscles().count())),
      change_(a_) {
  validate(config.gains, body.config().step);
  body_.attach(loads_);
  body_.attach(recoil_);
  report_.demand = report_.slack = torque_;
  problem_.slackInertia.setZero(plan_.rowCount(), plan_.rowCount());
  steadyPullsOnPassiveJoints();
  balance();
  measureRows();
}

/// Lines that pull on the sternum and its cartilages change slowly: their pull there acts a step
/// late, and answered at once the ribs and the sternum tremble at a quarter of the step rate.
void MuscleController::steadyPullsOnPassiveJoints() {
  constexpr double kSmoothness = 25;
  const muscle::PathSet& paths = body_.muscles().paths;
  for (int i = 0; i < paths.muscleCount(); ++i)
    for (int r = paths.rangeBegin[i]; r < paths.rangeBegin[i + 1]; ++r)
      for (int k = 0; k < paths.ranges[r].count; ++k)
        if (!plan_.prescribed()[static_cast<std::size_t>(paths.ranges[r].dof + k)])
          planner_.smoothness[i] = std::max(kSmoothness, config_.planner.smoothness);
}

/// Lets the passive joints come to rest and takes over what the ribs then carry.
void MuscleController::balance() {
  constexpr double kSeconds = 1.5;  // the sternum on its springs is still after half of that
  const skeleton::Model& model = body_.model();
  skeleton::State& state = body_.state().skeleton;
  const double h = body_.config().step;
  for (int k = 0; k < static_cast<int>(kSeconds / h); ++k)
    skeleton::stepImplicitHybrid(model, plan_.prescribed(), vDot_, state, body_.workspace(), h,
                                 planned_);
  state.v.setZero();
  state.time = 0;
  if (!config_.balanceRibs) return;
  for (const int j : plan_.driven())
    if (model.links[static_cast<std::size_t>(model.dofLink[static_cast<std::size_t>(j)])]
            .name.starts_with("rib_"))
      recoil_.force[j] = planned_[j];
}

/// The slack of a row is weighed by the inertia that its joint feels with all others free to move,
/// so that what is missing disturbs the motion least: torque alone would let light ribs fly off
/// rather than a heavy trunk sag.
void MuscleController::measureRows() {
  const skeleton::Model& model = body_.model();
  const double h = body_.config().step;
  MatX A = skeleton::massMatrix(model, body_.state().skeleton);
  for (int j = 0; j < model.dofCount(); ++j) {
    const skeleton::DofResistance& r = model.dofResistance[static_cast<std::size_t>(j)];
    A(j, j) += h * r.damping + h * h * r.stiffness;
  }
  const MatX inverse = A.inverse();
  compliance_.resize(plan_.rowCount());
  for (int r = 0; r < plan_.rowCount(); ++r) {
    const int j = plan_.driven()[static_cast<std::size_t>(r)];
    compliance_[r] = inverse(j, j);
    PNEUMA_CHECK(compliance_[r] > 0, "{} has no inertia", rowName(r));
    problem_.slackScale[r] = 1 / std::sqrt(compliance_[r]);
  }
}

void MuscleController::prescribe(int muscle, double activation) {
  PNEUMA_CHECK(activation >= 0 && activation <= 1, "activation {}", activation);
  prescribed_[muscle] = activation;
}

void MuscleController::release(int muscle) {
  prescribed_[muscle] = -1;
}

/// Activations between 0 and 1; through the lag of excitation, what a step can reach; of prescribed
/// muscles, what they have.
void MuscleController::setBounds() {
  const VecX& now = body_.state().muscles.activation;
  const muscle::ActivationDynamics& lag = body_.config().activation;
  const double h = body_.config().step;
  const double falls = std::exp(-h / lag.fallTime), rises = std::exp(-h / lag.riseTime);
  for (Eigen::Index i = 0; i < now.size(); ++i) {
    problem_.lower[i] = config_.excitation ? now[i] * falls : 0;
    problem_.upper[i] = config_.excitation ? 1 - (1 - now[i]) * rises : 1;
    if (prescribed_[i] < 0) continue;
    const double a = std::clamp(prescribed_[i], problem_.lower[i], problem_.upper[i]);
    problem_.lower[i] = problem_.upper[i] = a;
  }
}

/// Everything up to the activations: desired accelerations, implicit system, demand and columns.
void MuscleController::prepare(const MotionTarget& target) {
  const skeleton::Model& model = body_.model();
  const skeleton::State& state = body_.state().skeleton;
  skeleton::StepWorkspace& w = body_.workspace();
  const double h = body_.config().step;
  computeDesiredAcceleration(model, state, target, config_.gains, vDot_);
  // Linearised about rest: what a joint is asked for may be far from what it can have, and the
  // matrix about such accelerations need not be definite.
  skeleton::assembleImplicitSystem(model, plan_.prescribed(), still_, state, w, h);
  plan_.begin(w.loads.matrix);
  plan_.computeColumns(body_.muscleResults().paths, body_.muscleResults().dActivation, columns_);
  setBounds();
  plan_.plan(w.loads.matrix, w.rhs, state.v, vDot_, h, planned_, problem_.demand);
  columns_.addProduct(body_.state().muscles.activation, problem_.demand);
}

/// The inertia that weighs what is missing. Hard pulling muscles far from rest can make the matrix
/// of a step indefinite, and then it measures nothing: the inertia of single joints is added until
/// it does.
void MuscleController::measureInertia() {
  constexpr double kFirstShare = 0.1;
  MatX& G = problem_.slackInertia;
  plan_.computeInertia(body_.workspace().loads.matrix, G);
  const auto definite = [&] {
    for (int r = 0; r < gauge_.size(); ++r) std::copy_n(G.col(r).data(), r + 1, gauge_.row(r));
    return gauge_.factor();
  };
  for (double share = kFirstShare; !definite(); share *= 2) {
    if (!G.allFinite())
      throw SimulationError(body_.state().skeleton.time, "muscle control",
                            "the matrix of the step is not finite");
    G.diagonal() += share * problem_.slackScale.cwiseAbs2();
  }
}

void MuscleController::solve() {
  a_ = body_.state().muscles.activation;
  if (outOfReach_ && planner_.plain()) {
    measureInertia();
    planner_.closeAtOnce(columns_, problem_, a_, report_.slack);
    measureMissing();
  } else {
    planner_.solve(columns_, problem_, a_, report_.slack);
    measureMissing();
    if (report_.largestMissing > kWithinReach) {
      measureInertia();
      planner_.close(columns_, problem_, a_, report_.slack);
      measureMissing();
    }
  }
  outOfReach_ = report_.largestMissing > kFarOutOfReach;
  report_.demand = problem_.demand;
  report_.effort = planner_.effort();
}

void MuscleController::measureMissing() {
  report_.largestMissing = 0;
  for (int r = 0; r < plan_.rowCount(); ++r)
    if (const double missing = std::abs(report_.slack[r]) * compliance_[r];
        missing > report_.largestMissing)
      report_.largestMissing = missing, report_.largestRow = r;
}

double givenShare(double asked, double missing) {
  constexpr double kNothing = 0.05;  // torque below which a share says nothing [N m]
  return std::clamp(1 - std::abs(missing) / std::max(std::abs(asked), kNothing), 0.0, 1.0);
}

void MuscleController::settle(const MotionTarget& target) {
  // Stiffness follows activation by a step, so a few rounds settle both.
  constexpr int kRounds = 4;
  for (int k = 0; k < kRounds; ++k) {
    prepare(target);
    if (config_.excitation) {  // at rest there is time enough
      problem_.lower.setZero();
      problem_.upper.setOnes();
    }
    solve();
    body_.state().muscles.activation = a_;
  }
}

void MuscleController::step(const MotionTarget& target) {
  const double h = body_.config().step;
  skeleton::StepWorkspace& w = body_.workspace();
  muscle::DrivenBodyState& state = body_.state();
  prepare(target);
  solve();

  // Loads as they are, and the change of activations.
  loads_.addUnsensed(state.skeleton, w, h);
  torque_.setZero();
  change_ = a_ - state.muscles.activation;
  columns_.addProduct(change_, torque_);
  for (int r = 0; r < plan_.rowCount(); ++r)
    w.rhs[plan_.driven()[static_cast<std::size_t>(r)]] += h * torque_[r];
  for (const int j : plan_.held()) {
    w.loads.matrix.row(j).setZero();
    w.loads.matrix(j, j) = 1;
    w.rhs[j] = state.skeleton.v[j] + h * vDot_[j];
  }
  skeleton::solveImplicitSystem(w);
  skeleton::advanceImplicitSystem(body_.model(), state.skeleton, w, h);
  muscle::advance(body_.muscles(), body_.muscleResults(), state.muscles);
  state.muscles.activation = a_;
  loads_.sense(config_.sensingRate, h);
}

void MuscleController::computeExcitations(const VecX& before, std::vector<double>& out) const {
  const muscle::ActivationDynamics& lag = body_.config().activation;
  const double h = body_.config().step;
  const VecX& now = body_.state().muscles.activation;
  out.resize(static_cast<std::size_t>(now.size()));
  for (Eigen::Index i = 0; i < now.size(); ++i) {
    const double change = now[i] - before[i];
    const double reached = 1 - std::exp(-h / (change > 0 ? lag.riseTime : lag.fallTime));
    out[static_cast<std::size_t>(i)] = std::clamp(before[i] + change / reached, 0.0, 1.0);
  }
}

void MuscleController::save(io::StateWriter& out) const {
  const muscle::DrivenBodyState& s = body_.state();
  out.put(s.skeleton.q), out.put(s.skeleton.v), out.put(s.skeleton.time);
  out.put(s.muscles.activation), out.put(s.muscles.contraction), out.put(s.muscles.fibreLength);
  out.put(prescribed_), out.put(problem_.weight);
  for (const double gamma : planner_.coactivation.values) out.put(gamma);
  out.put(outOfReach_ ? 1.0 : 0.0);
  planner_.save(out);
  loads_.save(out);
}

void MuscleController::load(io::StateReader& in) {
  muscle::DrivenBodyState& s = body_.state();
  in.get(s.skeleton.q), in.get(s.skeleton.v), in.get(s.skeleton.time);
  in.get(s.muscles.activation), in.get(s.muscles.contraction), in.get(s.muscles.fibreLength);
  in.get(prescribed_), in.get(problem_.weight);
  for (double& gamma : planner_.coactivation.values) in.get(gamma);
  double far = 0;
  in.get(far);
  outOfReach_ = far != 0;
  planner_.load(in);
  loads_.load(in);
}

}  // namespace pneuma::control
