// Exported muscles before MuJoCo 2.2: the same fibres, tendons and forces, the same torques, a
// minute that stays finite (five seconds of the bodies with hundreds of muscles; all of it with
// PNEUMA_PROVE, `make prove-mujoco`).
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>

#include "load_mjcf.h"
#include "pneuma/anatomy/body_file.h"
#include "pneuma/core/random.h"
#include "pneuma/muscle/driven_body.h"
#include "pneuma/muscle/path_kinematics.h"

namespace pneuma::anatomy {
namespace {

const Body& human() {
  static const Body body = [] {
    const Body loaded = loadBody(defaultBodyPath()).valueOrThrow();
    return fitToPerson(loaded, loaded.person);
  }();
  return body;
}

/// What MuJoCo takes for the fibre and tendon length of an actuator.
struct Fibre {
  double length = 0, tendon = 0;
};
Fibre fibreOf(const mjModel& m, int actuator) {
  const mjtNum* lengths = m.actuator_lengthrange + 2 * actuator;
  const mjtNum* range = m.actuator_gainprm + mjNGAIN * actuator;
  const double l0 = (lengths[1] - lengths[0]) / (range[1] - range[0]);
  return {l0, lengths[0] - range[0] * l0};
}

class MjcfMuscles : public testing::TestWithParam<const char*> {
 protected:
  const CompiledBody body = compileBody(human(), GetParam()).valueOrThrow();
  const MujocoModel m = loadMjcf(body);
  int actuator(const CompiledMuscle& c) const {
    return mj_name2id(m.model.get(), mjOBJ_ACTUATOR, c.name.c_str());
  }
};

TEST_P(MjcfMuscles, FibresTendonsAndForcesAreOurs) {
  for (const CompiledMuscle& c : body.muscles) {
    const int a = actuator(c);
    ASSERT_EQ(a >= 0, c.peakForce > 0) << c.name;
    if (a < 0) continue;
    const Fibre f = fibreOf(*m.model, a);
    EXPECT_NEAR(f.length, c.fiberLength * std::cos(c.pennation), 1e-9) << c.name;
    EXPECT_NEAR(f.tendon, c.tendonLength, 1e-9) << c.name;
    EXPECT_GE(f.tendon, -1e-9) << c.name;
    EXPECT_NEAR(m.model->actuator_gainprm[mjNGAIN * a + 2], c.peakForce * std::cos(c.pennation),
                1e-9 * c.peakForce)
        << c.name;
    EXPECT_TRUE(m.model->actuator_ctrllimited[a]);
    EXPECT_EQ(m.model->actuator_ctrlrange[2 * a], 0);
    EXPECT_EQ(m.model->actuator_ctrlrange[2 * a + 1], 1);
  }
}

TEST_P(MjcfMuscles, BothModelsGiveTheSameForceAtOptimalLength) {
  const muscle::ZajacCurves curves;
  for (const CompiledMuscle& c : body.muscles) {
    const int a = actuator(c);
    if (a < 0) continue;
    const double length = c.tendonLength + c.fiberLength * std::cos(c.pennation);
    const double theirs =
        -mju_muscleGain(length, 0, m.model->actuator_lengthrange + 2 * a, m.model->actuator_acc0[a],
                        m.model->actuator_gainprm + mjNGAIN * a);
    const double ours = evaluateForce(curves, muscle::musculotendonOf(c), length, 0, 1).force;
    EXPECT_NEAR(theirs, ours, 1e-6 * c.peakForce) << c.name;
  }
}

/// Active torque of every freedom in the rest pose, fully active, ours beside MuJoCo's.
struct TorquePair {
  VecX ours, theirs;
  VecX scale;  ///< sum of peak force times arm over the muscles [N m]
};

/// MuJoCo's torques by our order of freedoms; a ball's three keep their order.
VecX torquesOf(const CompiledBody& body, const skeleton::Model& tree, const MujocoModel& m) {
  VecX torque = VecX::Zero(tree.dofCount());
  const auto copy = [&](const std::string& joint, int to, int count) {
    const int j = mj_name2id(m.model.get(), mjOBJ_JOINT, joint.c_str());
    EXPECT_GE(j, 0) << joint;
    for (int d = 0; j >= 0 && d < count; ++d)
      torque[to + d] = m.data->qfrc_actuator[m.model->jnt_dofadr[j] + d];
  };
  for (const CompiledLink& link : body.links) {
    const int first = tree.links[tree.linkIndex(link.name)].firstDof;
    if (link.joint == JointType::Ball) copy(link.jointName, first, 3);
    if (link.joint == JointType::Sequence)
      for (std::size_t d = 0; d < link.dofs.size(); ++d)
        copy(link.dofs[d].name, first + static_cast<int>(d), 1);
  }
  return torque;
}

/// For another MuJoCo to be judged by: our torques and their scale by joint, into the folder that
/// PNEUMA_MJCF_TORQUES names.
void writeTorques(const CompiledBody& body, const TorquePair& t) {
  const char* folder = std::getenv("PNEUMA_MJCF_TORQUES");
  if (folder == nullptr) return;
  const skeleton::Model tree = skeleton::modelFromBody(body);
  nlohmann::ordered_json joints = nlohmann::ordered_json::array();
  const auto add = [&](const std::string& joint, int from, int count) {
    nlohmann::ordered_json j{{"joint", joint}};
    for (int d = from; d < from + count; ++d) {
      j["ours"].push_back(t.ours[d]);
      j["scale"].push_back(t.scale[d]);
    }
    joints.push_back(std::move(j));
  };
  for (const CompiledLink& link : body.links) {
    const int first = tree.links[tree.linkIndex(link.name)].firstDof;
    if (link.joint == JointType::Ball) add(link.jointName, first, 3);
    if (link.joint == JointType::Sequence)
      for (std::size_t d = 0; d < link.dofs.size(); ++d)
        add(link.dofs[d].name, first + static_cast<int>(d), 1);
  }
  std::ofstream(std::filesystem::path(folder) / (body.articulation + ".torques.json"))
      << joints.dump(1);
}

TorquePair torques(const CompiledBody& body, const MujocoModel& m,
                   const std::function<bool(const CompiledMuscle&)>& chosen) {
  const skeleton::Model tree = skeleton::modelFromBody(body);
  const muscle::MuscleModel lines = muscle::compileMuscles(tree, muscle::musclesFromBody(body));
  skeleton::Kinematics kinematics(tree);
  skeleton::computePoses(tree, tree.neutral, kinematics);
  muscle::PathKinematics k(lines.paths);
  computePaths(lines.paths, kinematics, k);
  TorquePair pair;
  pair.ours = pair.scale = VecX::Zero(tree.dofCount());
  const auto forward = [&] {
    mj_forward(m.model.get(), m.data.get());
    return torquesOf(body, tree, m);
  };
  std::fill(m.data->act, m.data->act + m.model->na, 0.0);
  const VecX passive = forward();
  const muscle::ZajacCurves curves;
  for (std::size_t i = 0; i < body.muscles.size(); ++i) {
    const CompiledMuscle& c = body.muscles[i];
    const int a = mj_name2id(m.model.get(), mjOBJ_ACTUATOR, c.name.c_str());
    if (a < 0 || !chosen(c)) continue;
    m.data->act[a] = 1;
    const VecX arms = momentArms(lines.paths, k, static_cast<int>(i), tree.dofCount());
    const auto force = [&](double activation) {
      return evaluateForce(curves, muscle::musculotendonOf(c), k.length[static_cast<int>(i)], 0,
                           activation)
          .force;
    };
    pair.ours -= (force(1) - force(0)) * arms;
    pair.scale += c.peakForce * arms.cwiseAbs();
  }
  pair.theirs = forward() - passive;
  // A free joint's six have another meaning in MuJoCo: they are left out.
  for (const CompiledLink& link : body.links)
    if (link.joint == JointType::Free)
      for (VecX* v : {&pair.ours, &pair.theirs, &pair.scale})
        v->segment<6>(tree.links[tree.linkIndex(link.name)].firstDof).setZero();
  return pair;
}

TEST_P(MjcfMuscles, TorquesAgreeWhereTheCurvesCoincide) {
  // Muscles whose fibres have their optimal length in the rest pose.
  const TorquePair t = torques(body, m, [](const CompiledMuscle& c) {
    return std::abs(c.tendonLength + c.fiberLength * std::cos(c.pennation) - c.restLength) < 1e-9;
  });
  EXPECT_GT(t.scale.maxCoeff(), 1);
  EXPECT_LT((t.ours - t.theirs).cwiseAbs().maxCoeff(), 1e-6 * t.scale.maxCoeff());
}

/// Off the optimal length MuJoCo's parabolas and Zajac's curve part, by 0.13 of the peak force at
/// worst; pennation, which MuJoCo does not know, adds what its cosine changes.
TEST_P(MjcfMuscles, TorquesOfAllMusclesAgreeWithinTheDistanceOfTheCurves) {
  const TorquePair t = torques(body, m, [](const CompiledMuscle&) { return true; });
  writeTorques(body, t);
  double apart = 0;
  for (int d = 0; d < t.ours.size(); ++d)
    apart = std::max(apart, std::abs(t.ours[d] - t.theirs[d]) / std::max(t.scale[d], 1e-9));
  RecordProperty("torques_apart_percent_of_scale", std::to_string(100 * apart));
  for (int d = 0; d < t.ours.size(); ++d)
    EXPECT_NEAR(t.ours[d], t.theirs[d], 0.15 * t.scale[d] + 1e-6) << d;
}

/// Random activations that change every 0.4 s.
TEST_P(MjcfMuscles, SimulationStaysFinite) {
  const bool whole = std::getenv("PNEUMA_PROVE") != nullptr || body.muscles.size() < 500;
  const double seconds = whole ? 60 : 5;
  Random random(5);
  const int steps = static_cast<int>(seconds / m.model->opt.timestep);
  double fastest = 0;
  for (int i = 0; i < steps; ++i) {
    if (i % 200 == 0)
      for (int k = 0; k < m.model->nu; ++k) m.data->ctrl[k] = random.uniform(0, 1);
    mj_step(m.model.get(), m.data.get());
    for (int k = 0; k < m.model->nv; ++k) fastest = std::max(fastest, std::abs(m.data->qvel[k]));
  }
  EXPECT_NEAR(m.data->time, seconds, 0.01) << "MuJoCo resets the time when a number is not finite";
  EXPECT_LT(fastest, 200);
  RecordProperty("muscles", m.model->nu);
  RecordProperty("seconds", std::to_string(m.data->time));
  RecordProperty("fastest_rad_s", std::to_string(fastest));
  for (int w = 0; w < mjNWARNING; ++w)
    EXPECT_EQ(m.data->warning[w].number, 0) << mju_warningText(w, m.data->warning[w].lastinfo);
}

INSTANTIATE_TEST_SUITE_P(Articulations, MjcfMuscles,
                         testing::Values("torso", "figure", "figure-deep", "upper-body", "whole"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace pneuma::anatomy
