#include "tests/judges/mujoco_judge.h"

#include <fmt/format.h>
#include <mujoco/mujoco.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace pneuma::judges {

using namespace skeleton;

namespace {

std::string text(const Vec3& v) {
  return fmt::format("{:.17g} {:.17g} {:.17g}", v.x(), v.y(), v.z());
}

std::string text(const Mat3& R) {
  const Quat q(R);
  return fmt::format("{:.17g} {:.17g} {:.17g} {:.17g}", q.w(), q.x(), q.y(), q.z());
}

std::string jointText(const CompiledMotion& m, const DofResistance& r) {
  const std::string tail = fmt::format("damping='{:.17g}' armature='{:.17g}' stiffness='{:.17g}'",
                                       r.damping, r.armature, r.stiffness);
  if (m.code == MotionCode::Ball) return fmt::format("<joint type='ball' {}/>", tail);
  return fmt::format("<joint type='{}' axis='{}' {}/>",
                     m.code == MotionCode::Slide ? "slide" : "hinge", text(m.axis), tail);
}

std::string bodyText(const Model& model, int index, const std::vector<std::string>& sites) {
  const Link& link = model.links[index];
  const RigidInertia& I = link.inertia;
  std::string s = fmt::format("<body name='{}' pos='{}' quat='{}'>", link.name,
                              text(link.X_PJ.position), text(link.X_PJ.rotation));
  for (int m = link.firstMotion; m < link.firstMotion + link.motionCount; ++m)
    s += jointText(model.motions[m], model.dofResistance[model.motions[m].dof]);
  s += fmt::format(
      "<inertial pos='{}' mass='{:.17g}' fullinertia='{:.17g} {:.17g} {:.17g} {:.17g} {:.17g} "
      "{:.17g}'/>",
      text(I.center), I.mass, I.inertia(0, 0), I.inertia(1, 1), I.inertia(2, 2), I.inertia(0, 1),
      I.inertia(0, 2), I.inertia(1, 2));
  if (!sites.empty()) s += sites[index];
  for (int c = index + 1; c < link.subtreeEnd; c = model.links[c].subtreeEnd)
    s += "\n" + bodyText(model, c, sites);
  return s + "</body>";
}

}  // namespace

std::string makeMjcf(const Model& model, const std::string& option,
                     const std::vector<std::string>& sites, const std::string& extra) {
  std::string s = fmt::format(
      "<mujoco><compiler angle='radian'/><size njmax='2000' nconmax='10'/>"
      "<option gravity='{}' timestep='0.007' {}/><worldbody>\n",
      text(model.gravity), option);
  if (sites.size() > model.links.size()) s += sites.back();  // those fixed to the world
  for (int l = 0; l < model.linkCount(); l = model.links[l].subtreeEnd)
    s += bodyText(model, l, sites);
  return s + "</worldbody>" + extra + "</mujoco>";
}

MujocoJudge::MujocoJudge(const std::string& mjcf) {
  const std::string path = fmt::format("/tmp/pneuma_judge_{}.xml", getpid());
  std::ofstream(path) << mjcf;
  char error[1000] = "";
  model_ = mj_loadXML(path.c_str(), nullptr, error, sizeof error);
  std::remove(path.c_str());
  if (model_ == nullptr) throw std::runtime_error(std::string("MuJoCo: ") + error);
  data_ = mj_makeData(model_);
}

MujocoJudge::~MujocoJudge() {
  mj_deleteData(data_);
  mj_deleteModel(model_);
}

void MujocoJudge::setState(std::span<const double> q, std::span<const double> v) {
  std::copy(q.begin(), q.end(), data_->qpos);
  std::copy(v.begin(), v.end(), data_->qvel);
}

void MujocoJudge::forward(std::span<const double> tau, std::span<double> vDot) {
  std::copy(tau.begin(), tau.end(), data_->qfrc_applied);
  mj_forward(model_, data_);
  std::copy(data_->qacc, data_->qacc + model_->nv, vDot.begin());
}

void MujocoJudge::inverse(std::span<const double> vDot, std::span<double> tau) {
  std::copy(vDot.begin(), vDot.end(), data_->qacc);
  mj_inverse(model_, data_);
  std::copy(data_->qfrc_inverse, data_->qfrc_inverse + model_->nv, tau.begin());
}

void MujocoJudge::copyInertias(Model& model) const {
  for (int l = 0; l < model.linkCount(); ++l) {
    const int b = mj_name2id(model_, mjOBJ_BODY, model.links[l].name.c_str());
    const mjtNum* q = model_->body_iquat + 4 * b;
    const Mat3 R = Quat(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
    const Eigen::Map<const Vec3> moments(model_->body_inertia + 3 * b);
    model.links[l].inertia = {model_->body_mass[b],
                              Eigen::Map<const Vec3>(model_->body_ipos + 3 * b),
                              R * moments.asDiagonal() * R.transpose()};
  }
}

}  // namespace pneuma::judges
