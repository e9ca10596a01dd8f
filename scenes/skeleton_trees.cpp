#include "scenes/skeleton_trees.h"

#include <fmt/format.h>

#include <cmath>

#include "pneuma/core/random.h"
#include "pneuma/skeleton/configuration.h"

namespace pneuma::scenes {

using namespace skeleton;

namespace {

Vec3 randomVector(Random& random, double size) {
  const double x = random.uniform(-size, size), y = random.uniform(-size, size);
  return {x, y, random.uniform(-size, size)};
}

Mat3 randomRotation(Random& random) {
  const double w = random.normal(), x = random.normal(), y = random.normal(), z = random.normal();
  return Quat(w, x, y, z).normalized().toRotationMatrix();
}

/// A solid box: always a physical inertia.
Mat3 boxInertia(double mass, const Vec3& size) {
  const Vec3 s = size.cwiseAbs2();
  return Vec3(s.y() + s.z(), s.x() + s.z(), s.x() + s.y()).asDiagonal() * Mat3::Identity() *
         (mass / 12);
}

/// Three slides, three hinges: six coordinates without a quaternion.
Joint sixHinged() {
  return Joint::chain({{MotionKind::Slide, Vec3::UnitX()},
                       {MotionKind::Slide, Vec3::UnitY()},
                       {MotionKind::Slide, Vec3::UnitZ()},
                       {MotionKind::Hinge, Vec3::UnitX()},
                       {MotionKind::Hinge, Vec3::UnitY()},
                       {MotionKind::Hinge, Vec3::UnitZ()}});
}

Joint randomHingeJoint(Random& random, int choice) {
  const Vec3 a = randomVector(random, 1).normalized();
  switch (choice) {
    case 0:
      return Joint::threeHinge();
    case 1:
      return Joint::hinge(a);
    case 2:
      return Joint::universal(a, a.unitOrthogonal());
    case 3:
      return Joint::fixed();
    default:
      return sixHinged();
  }
}

Joint randomJoint(Random& random, int choice) {
  const Vec3 a = randomVector(random, 1), b = randomVector(random, 1);
  switch (choice) {
    case 0:
      return Joint::fixed();
    case 1:
      return Joint::hinge(a);
    case 2:
      return Joint::universal(a, b);
    case 3:
      return Joint::threeHinge();
    case 4:
      return Joint::ball();
    case 5:
      return Joint::free();
    case 6:
      return Joint::slide(a);
    default:
      return Joint::chain({{MotionKind::Slide, a}, {MotionKind::Ball}, {MotionKind::Slide, b}});
  }
}

/// Mostly chains, sometimes a branch; makeJoint(random, i) gives the joint of link i.
template <class MakeJoint>
Model makeTree(int links, std::uint64_t seed, MakeJoint&& makeJoint) {
  Random random(seed);
  ModelBuilder builder;
  std::vector<Vec3> centers;
  for (int i = 0; i < links; ++i) {
    const int parent = i == 0 ? -1 : (random.uniform() < 0.7 ? i - 1 : int(random.uniform() * i));
    const Vec3 base = parent < 0 ? Vec3(0, 1, 0) : centers[parent];
    const Vec3 center = base + randomVector(random, 0.3);
    const double mass = random.uniform(0.2, 3);
    const Mat3 R = randomRotation(random);
    const Vec3 box = randomVector(random, 0.2) + Vec3(0.25, 0.25, 0.25);
    builder.add({.name = fmt::format("link_{:02}", i),
                 .parent = parent < 0 ? "" : fmt::format("link_{:02}", parent),
                 .joint = makeJoint(random, i),
                 .jointPose = {randomRotation(random), center},
                 .inertia = {mass, center + randomVector(random, 0.15),
                             R * boxInertia(mass, box) * R.transpose()}});
    centers.push_back(center);
  }
  return builder.build();
}

/// Collects the synthetic upper body.
class UpperBody {
 public:
  explicit UpperBody(const UpperBodyOptions& options) : options_(options) {}

  static LinkElements elements(const Model& model) {
    LinkElements e;
    for (int side : {1, -1}) {
      for (int n = 1; n <= 10; ++n) {
        const std::string cartilage =
            n == 1 ? "sternum" : fmt::format("cartilage_{:02}_{}", std::min(n, 6), suffix(side));
        const Vec3 tip = ribTip(n, side);
        const int rib = model.linkIndex(fmt::format("rib_{:02}_{}", n, suffix(side)));
        e.springs.push_back(
            makePointSpring(model, rib, tip, model.linkIndex(cartilage), tip, 4000, 10));
      }
    }
    for (int i = 0; i < 24; ++i) {
      const int below = i == 0 ? -1 : model.linkIndex(vertebra(i - 1));
      const int above = model.linkIndex(vertebra(i));
      const Vec3 center = spinePoint(vertebraHeight(i));
      Bushing disc = makeBushing(model, below, above, {Mat3::Identity(), center});
      disc.rotation = (i < 17 ? 120.0 : 20.0) * Vec3(1, 1.5, 1);
      disc.rotationDamping = 0.02 * disc.rotation;
      e.bushings.push_back(disc);
    }
    return e;
  }

  ModelBuilder build() {
    addSpine();
    for (int side : {1, -1}) addRibs(side);
    addSternum();
    for (int side : {1, -1}) addCartilages(side);
    addThroat();
    for (int side : {1, -1}) addArm(side);
    return builder_;
  }

 private:
  static const char* suffix(int side) { return side > 0 ? "l" : "r"; }

  Joint threeDof() const { return options_.ballJoints ? Joint::ball() : Joint::threeHinge(); }

  DofResistance resistance(double stiffness, double damping, double limit) const {
    if (!options_.resistance) return {};
    return {.damping = damping,
            .stiffness = stiffness,
            .lowerLimit = -limit,
            .upperLimit = limit,
            .limitStiffness = 10 * stiffness + 1,
            .limitDamping = damping};
  }

  /// A box of given mass and size (width, height, depth) around `center`, tilted a little so that
  /// no inertia is aligned with its joint.
  void add(const std::string& name, const std::string& parent, const Joint& joint,
           const Vec3& center, double mass, const Vec3& box, const Vec3& boxCenter,
           const DofResistance& r, DofRole role = DofRole::Driven) {
    const Mat3 tilt = Eigen::AngleAxisd(0.1, Vec3(1, 2, -1).normalized()).toRotationMatrix();
    builder_.add({.name = name,
                  .parent = parent,
                  .joint = joint,
                  .jointPose = {Mat3::Identity(), center},
                  .inertia = {mass, boxCenter, tilt * boxInertia(mass, box) * tilt.transpose()},
                  .role = role,
                  .resistance = {r}});
  }

  /// The spine's centreline: lumbar lordosis, thoracic kyphosis [m].
  static Vec3 spinePoint(double y) {
    const double s = (y - 0.98) / 0.57;
    return {0, y, 0.02 - 0.035 * std::sin(2 * kPi * s)};
  }

  static std::string vertebra(int index) {  // 0: L5 .. 4: L1, 5: T12 .. 16: T1, 17: C7 .. 23: C1
    if (index < 5) return fmt::format("vertebra_l{}", 5 - index);
    if (index < 17) return fmt::format("vertebra_t{:02}", 17 - index);
    return fmt::format("vertebra_c{}", 24 - index);
  }

  static double vertebraHeight(int index) {  // joint below the vertebra [m]
    if (index <= 5) return 0.98 + 0.034 * index;
    if (index <= 17) return 1.15 + 0.0245 * (index - 5);
    return 1.444 + 0.0165 * (index - 17);
  }

  void addSpine() {
    std::string parent;
    for (int i = 0; i < 24; ++i) {
      const double y = vertebraHeight(i), y1 = vertebraHeight(i + 1);
      const double mass = i < 5 ? 2.4 : i < 17 ? 1.1 : 0.22;
      const Vec3 box(i < 17 ? 0.24 : 0.1, y1 - y, i < 17 ? 0.18 : 0.1);
      add(vertebra(i), parent, threeDof(), spinePoint(y), mass, box,
          spinePoint((y + y1) / 2) + Vec3(0, 0, 0.03), resistance(60, 1.0, 0.3));
      parent = vertebra(i);
    }
    const Vec3 top = spinePoint(vertebraHeight(24));
    add("skull", parent, threeDof(), top, 4.6, {0.15, 0.21, 0.19}, top + Vec3(0, 0.07, 0.03),
        resistance(60, 1.0, 0.4));
  }

  /// Where rib n (1..10) meets its cartilage.
  static Vec3 ribTip(int n, int side) {
    const Vec3 head = spinePoint(vertebraHeight(17 - n));
    return {side * (0.045 + 0.008 * n), head.y() - 0.05 - 0.011 * n, head.z() + 0.15 + 0.003 * n};
  }

  void addRibs(int side) {
    for (int n = 1; n <= 10; ++n) {
      const Vec3 head = spinePoint(vertebraHeight(17 - n)) + Vec3(side * 0.02, 0.012, -0.005);
      const Vec3 tip = ribTip(n, side);
      const Vec3 axis = Vec3(side * 0.75, -0.1 - 0.02 * n, -0.6).normalized();
      add(fmt::format("rib_{:02}_{}", n, suffix(side)), vertebra(17 - n), Joint::hinge(axis), head,
          0.12, {0.1, 0.012, 0.16}, 0.5 * (head + tip) + Vec3(side * 0.05, 0, 0),
          resistance(4, 0.1, 0.5));
    }
  }

  void addSternum() {
    const Vec3 center(0, 1.36, 0.15);
    const Joint joint = options_.ballJoints ? Joint::free() : sixHinged();
    DofResistance r;
    if (options_.resistance) r.damping = 1.0;
    add("sternum", vertebra(16), joint, center, 0.3, {0.05, 0.17, 0.015},
        center + Vec3(0, -0.06, 0), r, DofRole::Passive);
  }

  void addCartilages(int side) {
    // CC1 moves with the sternum; 2..5 are free; 6..10 are one costal arch.
    for (int n = 2; n <= 6; ++n) {
      const Vec3 root(side * 0.02, 1.40 - 0.024 * n, 0.15 + 0.003 * n);
      const Vec3 tip = ribTip(n == 6 ? 8 : n, side);
      add(fmt::format("cartilage_{:02}_{}", n, suffix(side)), "sternum", threeDof(), root, 0.04,
          {0.05, 0.02, 0.02}, 0.5 * (root + tip), resistance(2, 0.05, 0.6), DofRole::Passive);
    }
  }

  void addThroat() {
    for (const auto& [name, index] : {std::pair{"hyoid", 21}, std::pair{"thyroid", 19}}) {
      const Vec3 front = spinePoint(vertebraHeight(index)) + Vec3(0, 0, 0.05);
      add(name, vertebra(index), Joint::hinge(Vec3::UnitX()), front + Vec3(0, 0, -0.05), 0.03,
          {0.04, 0.015, 0.02}, front, resistance(0.5, 0.02, 0.4));
    }
  }

  void addArm(int side) {
    const std::string s = suffix(side);
    const double x = side;
    const Vec3 clavicle(x * 0.02, 1.40, 0.12), shoulder(x * 0.18, 1.40, -0.01);
    const Vec3 elbow(x * 0.30, 1.13, -0.02), wrist(x * 0.41, 0.90, 0.01);
    add("clavicle_" + s, vertebra(16), Joint::universal(Vec3::UnitY(), Vec3::UnitZ()), clavicle,
        1.6, {0.15, 0.08, 0.1}, 0.5 * (clavicle + shoulder), resistance(30, 1, 0.4));
    add("humerus_" + s, "clavicle_" + s, threeDof(), shoulder, 2.0, {0.09, 0.3, 0.09},
        0.5 * (shoulder + elbow), resistance(5, 0.5, 1.2));
    const Vec3 along = (wrist - elbow).normalized();
    add("ulna_" + s, "humerus_" + s, Joint::hinge(Vec3::UnitX()), elbow, 0.7, {0.06, 0.25, 0.06},
        0.5 * (elbow + wrist), resistance(2, 0.2, 1.0));
    add("radius_" + s, "ulna_" + s, Joint::hinge(along), elbow, 0.6, {0.06, 0.25, 0.06},
        0.45 * elbow + 0.55 * wrist + Vec3(0.01, 0, 0.01), resistance(1, 0.05, 1.2));
    add("hand_" + s, "radius_" + s, Joint::fixed(), wrist, 0.45, {0.08, 0.18, 0.03},
        wrist + 0.08 * along, {});
  }

  UpperBodyOptions options_;
  ModelBuilder builder_;
};

}  // namespace

Model makeRandomTree(int links, std::uint64_t seed) {
  // Every kind of joint comes round; the root is free.
  return makeTree(links, seed, [](Random& random, int i) {
    return randomJoint(random, i == 0 ? 5 : (i % 8 == 5 ? 7 : i % 8));
  });
}

Model makeHingeTree(int links, std::uint64_t seed) {
  return makeTree(links, seed,
                  [](Random& random, int i) { return randomHingeJoint(random, i % 5); });
}

ModelBuilder upperBodyBuilder(const UpperBodyOptions& options) {
  return UpperBody(options).build();
}

Model makeUpperBody(const UpperBodyOptions& options) {
  return upperBodyBuilder(options).build();
}

LinkElements makeUpperBodyElements(const Model& model) {
  return UpperBody::elements(model);
}

State randomState(const Model& model, std::uint64_t seed, double angle, double speed) {
  Random random(seed);
  State state = makeState(model);
  VecX step(model.dofCount());
  for (double& s : step) s = random.uniform(-angle, angle);
  for (double& x : state.v) x = random.uniform(-speed, speed);
  // Slides move centimetres, not half metres.
  for (const CompiledMotion& m : model.motions)
    if (m.code == MotionCode::Slide) step[m.dof] *= 0.1, state.v[m.dof] *= 0.1;
  integrateConfiguration(model, step, state.q);
  return state;
}

VecX randomVector(int size, double scale, std::uint64_t seed) {
  Random random(seed);
  VecX x(size);
  for (double& e : x) e = random.uniform(-scale, scale);
  return x;
}

}  // namespace pneuma::scenes
