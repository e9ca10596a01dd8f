#include "breath/cage/shoulder_muscles.h"

#include <cmath>

#include "breath/cage/torso_mesh.h"
#include "pneuma/anatomy/points.h"

namespace pneuma::breath::internal {
namespace {

struct Insertion {
  const char* name;
  const char* trunk;
  const char* arm;
};

// Trapezius 7, levator 2, rhomboids 2, serratus 8, pectoralis minor 3, and one each of subclavius,
// sternocleidomastoid, pectoralis major and latissimus.
constexpr Insertion kLeft[] = {
    {"trapezius_occipital", "skull:trapezius_l", "clavicle_l:trapezius_2"},
    {"trapezius_nuchal", "vertebra_c5:spinous", "clavicle_l:trapezius_2"},
    {"trapezius_c7", "vertebra_c7:spinous", "scapula_l:trapezius_transverse_3"},
    {"trapezius_t02", "vertebra_t02:spinous", "scapula_l:trapezius_transverse_2"},
    {"trapezius_t04", "vertebra_t04:spinous", "scapula_l:trapezius_transverse_1"},
    {"trapezius_t08", "vertebra_t08:spinous", "scapula_l:trapezius_ascending_2"},
    {"trapezius_t12", "vertebra_t12:spinous", "scapula_l:trapezius_ascending_1"},
    {"levator_scapulae_c1", "vertebra_c1:levator_scapulae_1_l", "scapula_l:levator_scapulae_1"},
    {"levator_scapulae_c3", "vertebra_c3:levator_scapulae_2_l", "scapula_l:levator_scapulae_2"},
    {"rhomboid_minor", "vertebra_c7:spinous", "scapula_l:rhomboid_minor"},
    {"rhomboid_major", "vertebra_t03:spinous", "scapula_l:rhomboid_major"},
    {"serratus_anterior_01", "rib_01_l:serratus_anterior", "scapula_l:serratus_anterior_8"},
    {"serratus_anterior_02", "rib_02_l:serratus_anterior", "scapula_l:serratus_anterior_7"},
    {"serratus_anterior_03", "rib_03_l:serratus_anterior", "scapula_l:serratus_anterior_6"},
    {"serratus_anterior_04", "rib_04_l:serratus_anterior", "scapula_l:serratus_anterior_5"},
    {"serratus_anterior_05", "rib_05_l:serratus_anterior", "scapula_l:serratus_anterior_4"},
    {"serratus_anterior_06", "rib_06_l:serratus_anterior", "scapula_l:serratus_anterior_3"},
    {"serratus_anterior_07", "rib_07_l:serratus_anterior", "scapula_l:serratus_anterior_2"},
    {"serratus_anterior_08", "rib_08_l:serratus_anterior", "scapula_l:serratus_anterior_1"},
    {"pectoralis_minor_03", "rib_03_l:pectoralis_minor", "scapula_l:pectoralis_minor"},
    {"pectoralis_minor_04", "rib_04_l:pectoralis_minor", "scapula_l:pectoralis_minor"},
    {"pectoralis_minor_05", "rib_05_l:pectoralis_minor", "scapula_l:pectoralis_minor"},
    {"subclavius", "rib_01_l:subclavius", "clavicle_l:subclavius"},
    {"sternocleidomastoid", "skull:sternocleidomastoid_l", "clavicle_l:sternocleidomastoid"},
    {"pectoralis_major", "body_of_sternum:pectoralis_major_1_l",
     "humerus_l:pectoralis_sternocostal"},
    {"latissimus_dorsi", "vertebra_t09:spinous", "humerus_l:latissimus_dorsi"},
};

int bodyOfReference(const std::string& reference) {
  return torsoBodyOf(reference.substr(0, reference.find(':')));
}

}  // namespace

int mirroredBody(int body) {
  if (body == kSpine || body == kSternum) return body;
  if (body < kBodyCount) return body % 2 == 1 ? body + 1 : body - 1;
  return body < kBodyCount + kArmBodyCount / 2 ? body + kArmBodyCount / 2
                                               : body - kArmBodyCount / 2;
}

std::vector<ShoulderElement> makeShoulderElements(const anatomy::Body& body,
                                                  const TorsoAnatomy& a) {
  std::vector<Diagnostic> findings;
  const anatomy::PointTable points(body, findings);
  const auto at = [&](const char* reference) {
    return a.fromMeasured(points.find(reference).valueOrThrow().position);
  };
  std::vector<ShoulderElement> list;
  for (const Insertion& m : kLeft)
    list.push_back({.name = std::string(m.name) + "_l",
                    .trunkBody = bodyOfReference(m.trunk),
                    .armBody = bodyOfReference(m.arm),
                    .onTrunk = at(m.trunk),
                    .onArm = at(m.arm)});
  for (std::size_t i = 0; i < std::size(kLeft); ++i) {
    ShoulderElement e = list[i];
    e.name.back() = 'r';
    e.trunkBody = mirroredBody(e.trunkBody);
    e.armBody = mirroredBody(e.armBody);
    e.onTrunk = onSide(e.onTrunk, 1);
    e.onArm = onSide(e.onArm, 1);
    list.push_back(std::move(e));
  }
  return list;
}

ShoulderMuscles::ShoulderMuscles(const skeleton::Model& model,
                                 const std::vector<ShoulderElement>& elements,
                                 const std::vector<int>& links, const ShoulderLayerConfig& c) {
  for (const ShoulderElement& e : elements) {
    const int link = links[static_cast<std::size_t>(e.armBody - kBodyCount)];
    Spring s{.path = skeleton::RelativePath(model, -1, link),
             .element = {.passiveStiffness = c.stiffness,
                         .damping = c.damping,
                         .restLength = (e.onArm - e.onTrunk).norm() / (1 + c.prestrain)},
             .local = model.links[static_cast<std::size_t>(link)].X_WL_rest.inverse() * e.onArm,
             .target = e.onTrunk,
             .armEnd = e.onArm};
    springs_.push_back(std::move(s));
  }
  tensions_.assign(springs_.size(), 0.0);
}

void ShoulderMuscles::addLoads(const skeleton::Model& model, const skeleton::State&,
                               const skeleton::Kinematics& k, skeleton::Loads& loads) {
  for (std::size_t i = 0; i < springs_.size(); ++i) {
    Spring& s = springs_[i];
    const int link = s.path.linkB;
    const Vec3 p = k.X_WL[static_cast<std::size_t>(link)] * s.local;
    s.armEnd = p;
    const Vec3 d = p - s.target;
    const double length = std::max(d.norm(), 1e-9);
    const Vec3 n = d / length;
    const double rate = n.dot(skeleton::pointVelocity(k, link, p) - s.targetVelocity);
    const muscle::ForceSample f = muscle::evaluateForce(s.element, length, rate, 0);
    tensions_[i] = f.force;
    const Vec3 force = -f.force * n;
    const Mat3 along = n * n.transpose();
    const Mat3 perPosition = -f.dLength * along - f.force / length * (Mat3::Identity() - along);
    // A small twist (w, v) of the link moves the point by v + w x arm.
    const Vec3 arm = p - k.origin;
    Eigen::Matrix<double, 3, 6> moved;
    moved << -skew(arm), Mat3::Identity();
    skeleton::LinkWrench w;
    w.wrench = skeleton::wrenchAt(k, p, force);
    w.position.topRows<3>() = (skew(arm) * perPosition - skew(force)) * moved;
    w.position.bottomRows<3>() = perPosition * moved;
    w.velocity = -f.dVelocity * moved.transpose() * along * moved;
    skeleton::addLinkWrench(model, k, s.path, w, loads);
  }
}

}  // namespace pneuma::breath::internal
