#include <algorithm>
#include <cmath>

#include "pneuma/core/interpolate.h"
#include "pneuma/skeleton/retarget.h"
#include "skeleton/motion/clip_floor.h"
#include "skeleton/motion/clip_scaling.h"

/// What a recording does not say rightly: its floor, its feet at rest, its gaze, its forearms.
namespace pneuma::skeleton {
namespace {

using internal::roleIndex;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Mat3 turnOf(const Vec3& axis, double angle) {
  return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}

}  // namespace

void Retargeter::levelFloor() {
  const char* roles[] = {"ankle_l", "ankle_r", "toe_l", "toe_r"};
  std::vector<internal::Path> feet;
  for (const char* role : roles) {
    const int joint = joint_[roleIndex(role)];
    if (joint < 0) continue;
    feet.emplace_back();
    for (auto f = static_cast<std::size_t>(config_.firstFrame); f < scaled_.frameCount; ++f)
      feet.back().push_back(scaled_.poses(f)[static_cast<std::size_t>(joint)].position);
  }
  if (config_.levelFloor) floor_ = internal::levelFloor(feet, clip_.frameTime);
  // The lowest ankle of the clip gets the height of the figure's. A few frames may be noise, so
  // the lowest hundredth of them is passed over. Feet that stand say it better, later.
  std::vector<double> lowest;
  for (std::size_t i = 0; i < feet[0].size(); ++i)
    lowest.push_back(std::min((floor_ * feet[0][i]).y(), (floor_ * feet[1][i]).y()));
  const auto nth = lowest.begin() + static_cast<std::ptrdiff_t>(lowest.size() / 100);
  std::nth_element(lowest.begin(), nth, lowest.end());
  floor_.position.y() += figurePoint(roleIndex("ankle_l")).y() - *nth;
}

/// A foot that stands is flat. The rest frame of a clip need not have it so: the toes are turned
/// about the ankle until the median foot that stands is.
void Retargeter::flattenFeet() {
  for (const std::string side : {"_l", "_r"}) {
    const int ankle = joint_[roleIndex("ankle" + side)], toe = joint_[roleIndex("toe" + side)];
    if (toe < 0 || scaled_.joints[static_cast<std::size_t>(toe)].parent != ankle) continue;
    std::vector<Pose> foot;
    internal::Path ball;
    for (auto f = static_cast<std::size_t>(config_.firstFrame); f < scaled_.frameCount; ++f) {
      const std::vector<Pose> poses = clipPoses(f);
      foot.push_back(poses[static_cast<std::size_t>(ankle)]);
      ball.push_back(poses[static_cast<std::size_t>(toe)].position);
    }
    const auto pitchOf = [](const Vec3& d) { return std::atan2(d.y(), std::hypot(d.x(), d.z())); };
    const double flat =
        pitchOf(figurePoint(roleIndex("toe" + side)) - figurePoint(roleIndex("ankle" + side)));
    std::vector<double> pitch;
    Vec3 across = Vec3::Zero();  // in the foot's frame
    for (const std::size_t i : internal::standingFrames(foot, ball, clip_.frameTime)) {
      const Vec3 ahead = ball[i] - foot[i].position;
      pitch.push_back(pitchOf(ahead));
      across += foot[i].rotation.transpose() * ahead.cross(Vec3::UnitY()).normalized();
    }
    if (pitch.empty()) continue;
    Vec3& offset = scaled_.joints[static_cast<std::size_t>(toe)].offset;
    offset = turnOf(across.normalized(), flat - median(pitch)) * offset;
  }
}

/// Some frames of the part that is played, evenly spread.
std::vector<std::size_t> Retargeter::sampleFrames(std::size_t most) const {
  const auto first = static_cast<double>(config_.firstFrame);
  const double last = std::min(static_cast<double>(clip_.frameCount) - 1,
                               first + config_.seconds / clip_.frameTime);
  const auto count = std::min(most, static_cast<std::size_t>(last - first) + 1);
  std::vector<std::size_t> frames;
  for (std::size_t i = 0; i < count; ++i)
    frames.push_back(static_cast<std::size_t>(
        first + (last - first) * (static_cast<double>(i) + 0.5) / static_cast<double>(count)));
  return frames;
}

void Retargeter::levelGaze() {
  constexpr std::size_t kSamples = 400;
  constexpr double kUpright = 0.9;  // cosine of the pelvis' lean
  const std::size_t head = roleIndex("head"), pelvis = roleIndex("pelvis");
  std::vector<double> pitch, roll;
  for (const std::size_t frame : sampleFrames(kSamples)) {
    const std::vector<Pose> poses = clipPoses(frame);
    const auto turned = [&](std::size_t role) -> Mat3 {
      return poses[static_cast<std::size_t>(joint_[role])].rotation * orientationOffset_[role];
    };
    if (turned(pelvis)(1, 1) < kUpright) continue;
    const Mat3 skull = turned(head);
    pitch.push_back(std::asin(std::clamp(skull(1, 2), -1.0, 1.0)));
    roll.push_back(std::asin(std::clamp(skull(1, 0), -1.0, 1.0)));
  }
  if (pitch.empty()) return;  // never upright: what is level is not known
  gazeTurn_ = median(pitch);
  orientationOffset_[head] *=
      turnOf(Vec3::UnitX(), gazeTurn_) * turnOf(Vec3::UnitZ(), -median(roll));
  steadyGaze();
}

/// A head that nods with every step takes the eyes along, and ours do not turn against it as
/// people's do: what goes beyond the mean of a stride is held within a few degrees. Where somebody
/// upright does not look at the horizon for longer than that, he looks at something, and is left to
/// it.
void Retargeter::steadyGaze() {
  constexpr double kStride = 1.2;             // [s]
  const double most = degreesToRadians(3.5);  // of nod and drift together
  const double looks = degreesToRadians(4), away = degreesToRadians(10);
  const std::size_t head = roleIndex("head"), pelvis = roleIndex("pelvis");
  const auto first = static_cast<std::size_t>(config_.firstFrame);
  std::vector<double> pitch, upright;
  for (std::size_t f = first; f < scaled_.frameCount; ++f) {
    const std::vector<Pose> poses = clipPoses(f);
    const auto turned = [&](std::size_t role) -> Mat3 {
      return poses[static_cast<std::size_t>(joint_[role])].rotation * orientationOffset_[role];
    };
    pitch.push_back(std::asin(std::clamp(turned(head)(1, 2), -1.0, 1.0)));
    upright.push_back(smoothStep(0.85, 0.93, turned(pelvis)(1, 1)));
  }
  // Sums from the start give every mean over a stride; at the ends its half that is there.
  std::vector<double> sums{0};
  for (const double p : pitch) sums.push_back(sums.back() + p);
  const auto half = static_cast<std::size_t>(std::lround(0.5 * kStride / clip_.frameTime));
  nod_.assign(scaled_.frameCount, 0);
  for (std::size_t i = 0; i < pitch.size(); ++i) {
    const std::size_t begin = i > half ? i - half : 0, end = std::min(pitch.size(), i + half + 1);
    const double slow = (sums[end] - sums[begin]) / static_cast<double>(end - begin);
    const double level = upright[i] * (1 - smoothStep(looks, away, std::abs(slow)));
    nod_[first + i] = level * (pitch[i] - most * std::tanh(pitch[i] / most));
  }
}

void Retargeter::turnPalms() {
  constexpr std::size_t kSamples = 30;
  const double lowest = degreesToRadians(60), highest = degreesToRadians(100);
  std::array<std::vector<double>, 2> wanted;
  for (const std::size_t frame : sampleFrames(kSamples)) {
    VecX q = fitAnew(frame);
    fit_.solve(points_, orientations_, q, 1);  // leaves its poses
    for (std::size_t side = 0; side < 2; ++side) {
      // What the forearm would be turned to if its range did not end: where it is, and what is
      // missing to the hand's orientation about its axis.
      const std::size_t wrist = roleIndex(side == 0 ? "wrist_l" : "wrist_r");
      const Link& radius = model_.links[static_cast<std::size_t>(
          model_.linkIndex(side == 0 ? "radius_l" : "radius_r"))];
      const auto target = std::ranges::find(orientations_, link_[wrist], &OrientationTarget::link);
      const Mat3& reached = fit_.kinematics().X_WL[static_cast<std::size_t>(link_[wrist])].rotation;
      const Vec3 axis = fit_.kinematics().axis[static_cast<std::size_t>(radius.firstDof)].head<3>();
      wanted[side].push_back(q[radius.firstPosition] +
                             rotationVector(target->rotation * reached.transpose()).dot(axis));
    }
  }
  for (std::size_t side = 0; side < 2; ++side) {
    const double usual = median(wanted[side]);
    palmTurn_[side] = std::clamp(usual, lowest, highest) - usual;
    const Link& radius =
        model_
            .links[static_cast<std::size_t>(model_.linkIndex(side == 0 ? "radius_l" : "radius_r"))];
    const Vec3& axis = model_.motions[static_cast<std::size_t>(radius.firstMotion)].axis;
    orientationOffset_[roleIndex(side == 0 ? "wrist_l" : "wrist_r")] *=
        turnOf(axis, palmTurn_[side]);
  }
}

}  // namespace pneuma::skeleton
