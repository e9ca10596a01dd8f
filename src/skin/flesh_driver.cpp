#include "pneuma/skin/flesh_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/core/cpu_time.h"
#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/core/parallel.h"
#include "skin/dual_quaternion.h"

namespace pneuma::skin {
namespace {

namespace embedded = flesh::embedded;

/// Farther than this no anchor goes in one part [m]: a forearm turned by a fifth of a right angle.
constexpr double kFarthestPart = 0.08;
/// Of a pose on the way [m].
constexpr double kPartTolerance = 2e-3;
/// A part shorter than this share of the way will not succeed either.
constexpr double kLeastPart = 1.0 / 64;

Pose between(const Pose& a, const Pose& b, const Vec3& centre, double s) {
  const Mat3 turn = Quat(a.rotation).slerp(s, Quat(b.rotation)).toRotationMatrix();
  const Vec3 place = (1 - s) * (a * centre) + s * (b * centre);
  return {turn, place - turn * centre};
}

}  // namespace

FleshDriver::FleshDriver(std::shared_ptr<const embedded::BodyFlesh> flesh, const TriangleMesh& skin,
                         const Settings& settings)
    : flesh_(std::move(flesh)),
      solver_(std::shared_ptr<const embedded::FleshModel>(flesh_, &flesh_->model), settings),
      carriers_(embedded::makeCarriers(*flesh_)),
      embedding_(*flesh_->model.lattice, skin.positions, vertexNormals(skin)),
      settings_(settings),
      y_(solver_.rest()),
      nodes_(flesh_->model.lattice->nodes) {
  std::int32_t bones = 0;
  for (const embedded::BoneAnchor& a : flesh_->boneAnchors) bones = std::max(bones, a.bone + 1);
  centre_.assign(at(bones), Vec3::Zero());
  std::vector<double> count(at(bones), 0);
  for (const embedded::BoneAnchor& a : flesh_->boneAnchors) {
    centre_[at(a.bone)] += a.rest;
    count[at(a.bone)] += 1;
  }
  for (std::size_t b = 0; b < centre_.size(); ++b) centre_[b] /= std::max(1.0, count[b]);
  now_.bones.assign(centre_.size(), Pose{});
  for (const embedded::FleshWall& w : flesh_->walls) now_.walls.push_back(w.rest);
  now_.activations.assign(at(flesh_->model.lineCount), 0);
}

FleshDriver::Drive FleshDriver::driveOf(const SkinInputs& inputs) const {
  const auto require = [](bool good, const std::string& message) {
    if (!good) throw InputError(Diagnostic{.subject = "flesh", .message = message});
  };
  require(inputs.bones.size() >= centre_.size(),
          fmt::format("has {} bones, was given {}", centre_.size(), inputs.bones.size()));
  require(inputs.activations.empty() || inputs.activations.size() == now_.activations.size(),
          fmt::format("has {} muscle lines, was given {} activations", now_.activations.size(),
                      inputs.activations.size()));
  Drive d;
  d.bones.assign(inputs.bones.begin(),
                 inputs.bones.begin() + static_cast<std::ptrdiff_t>(centre_.size()));
  for (const embedded::FleshWall& w : flesh_->walls) {
    const auto trace = std::ranges::find(inputs.traces, w.name, &PointTrace::name);
    require(trace != inputs.traces.end() && trace->now.size() == w.rest.size(),
            fmt::format("finds no trace '{}' of {} points", w.name, w.rest.size()));
    d.walls.emplace_back(trace->now.begin(), trace->now.end());
  }
  d.activations.assign(inputs.activations.begin(), inputs.activations.end());
  d.activations.resize(now_.activations.size(), 0);
  return d;
}

FleshDriver::Drive FleshDriver::between(const Drive& a, const Drive& b, double s) const {
  Drive d = b;
  if (s >= 1) return d;
  for (std::size_t i = 0; i < d.bones.size(); ++i)
    d.bones[i] = skin::between(a.bones[i], b.bones[i], centre_[i], s);
  for (std::size_t w = 0; w < d.walls.size(); ++w)
    for (std::size_t i = 0; i < d.walls[w].size(); ++i)
      d.walls[w][i] = (1 - s) * a.walls[w][i] + s * b.walls[w][i];
  for (std::size_t i = 0; i < d.activations.size(); ++i)
    d.activations[i] = (1 - s) * a.activations[i] + s * b.activations[i];
  return d;
}

/// Travel of the anchors beyond that of the body as a whole (of its first bone).
double FleshDriver::farthest(const Drive& a, const Drive& b) const {
  double most = 0;
  const Pose whole = b.bones[0] * a.bones[0].inverse();
  for (const embedded::BoneAnchor& anchor : flesh_->boneAnchors) {
    const Vec3 from = whole * (a.bones[at(anchor.bone)] * anchor.rest);
    most = std::max(most, (b.bones[at(anchor.bone)] * anchor.rest - from).norm());
  }
  return most;
}

void FleshDriver::carryAlong(const Drive& from, const Drive& to, std::vector<Vec3>& y) const {
  std::vector<internal::DualQuaternion> motion;
  for (std::size_t b = 0; b < to.bones.size(); ++b)
    motion.push_back(internal::dualQuaternionOf(to.bones[b] * from.bones[b].inverse()));
  parallelFor(y.size(), 2048, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      const embedded::NodeCarriers::Node& node = carriers_.nodes[n];
      const Vec4& strongest = motion[at(node.bone[0])].real;
      Vec4 real = Vec4::Zero(), dual = Vec4::Zero();
      for (std::size_t k = 0; k < embedded::NodeCarriers::kMost && node.weight[k] > 0; ++k) {
        const internal::DualQuaternion& q = motion[at(node.bone[k])];
        const double w = q.real.dot(strongest) < 0 ? -double(node.weight[k]) : node.weight[k];
        real += w * q.real, dual += w * q.dual;
      }
      y[n] = internal::motionOf(real, dual) * y[n];
    }
  });
}

void FleshDriver::fillTargets(const Drive& drive) {
  std::vector<std::span<const Vec3>> walls(drive.walls.begin(), drive.walls.end());
  flesh_->targets(drive.bones, walls, targets_);
}

/// One equilibrium from a guess.
bool FleshDriver::reach(const Drive& goal, std::vector<Vec3>& y, double tolerance) {
  fillTargets(goal);
  const embedded::FleshInputs inputs{.targets = targets_, .activations = goal.activations};
  const embedded::FleshReport r = solver_.solve(inputs, y, tolerance);
  report_.steps += r.steps, report_.iterations += r.iterations, report_.stages += r.stages;
  report_.lastMove = r.lastMove;
  return r.converged;
}

void FleshDriver::refuse(double time, const Drive& goal) const {
  // Where the springs are stretched farthest something is in the way.
  std::size_t worst = 0;
  double most = -1;
  const embedded::Lattice& l = *flesh_->model.lattice;
  for (std::size_t a = 0; a < flesh_->boneAnchors.size(); ++a) {
    const embedded::LatticePlace& p = flesh_->model.anchors[a].place;
    Vec3 x = Vec3::Zero();
    for (std::size_t k = 0; k < 4; ++k)
      x += p.weights[static_cast<Eigen::Index>(k)] * nodes_[at(l.tets[at(p.tet)][k])];
    const embedded::BoneAnchor& anchor = flesh_->boneAnchors[a];
    const double gap = (goal.bones[at(anchor.bone)] * anchor.rest - x).norm();
    if (gap > most) most = gap, worst = a;
  }
  const embedded::BoneAnchor& anchor = flesh_->boneAnchors[worst];
  const Vec3 place = goal.bones[at(anchor.bone)] * anchor.rest;
  throw SimulationError(
      time, "flesh",
      fmt::format("no equilibrium within {} Newton steps; {} is {:.0f} mm away from its flesh "
                  "at ({:.3f}, {:.3f}, {:.3f}) m, the last step still moved a node by {:.2g} mm",
                  report_.steps, flesh_->boneNames[at(anchor.bone)], 1e3 * most, place.x(),
                  place.y(), place.z(), 1e3 * report_.lastMove));
}

void FleshDriver::solve(const SkinInputs& inputs) {
  const double start = processCpuSeconds();
  report_ = {};
  const Drive goal = driveOf(inputs);
  // The body as a whole moves rigidly, and so does its flesh, exactly.
  const Pose whole = goal.bones[0] * now_.bones[0].inverse();
  Drive from = now_;
  std::vector<Vec3> y = y_;
  for (Pose& b : from.bones) b = whole * b;
  for (auto& wall : from.walls)
    for (Vec3& p : wall) p = whole * p;
  for (Vec3& p : y) p = whole * p;
  double part = 1 / std::max(1.0, std::ceil(farthest(now_, goal) / kFarthestPart));
  double done = 0;
  Drive current = from;
  std::vector<Vec3> trial;
  while (done < 1) {
    const double next = done + part > 1 - 1e-9 ? 1 : done + part;
    Drive to = between(from, goal, next);
    trial = y;
    carryAlong(current, to, trial);
    if (!reach(to, trial, next < 1 ? kPartTolerance : settings_.tolerance)) {
      part /= 2;
      if (part < kLeastPart) refuse(inputs.time, goal);
      continue;
    }
    std::swap(y, trial);
    current = std::move(to);
    done = next;
    ++report_.parts;
  }
  std::swap(y_, y);
  now_ = goal;
  nodes_ = solver_.nodes(y_);
  report_.measures = solver_.measure({.targets = targets_, .activations = now_.activations}, y_);
  report_.volumes = embedded::measureVolumes(*flesh_, nodes_);
  report_.cpuSeconds = processCpuSeconds() - start;
}

void FleshDriver::pose(const SkinInputs& inputs, std::span<Vec3> positions) {
  solve(inputs);
  embedding_.apply(nodes_, positions);
}

void FleshDriver::save(io::StateWriter& out) const {
  out.put(y_);
  std::vector<Vec3> poses;  // three columns and a place each
  for (const Pose& b : now_.bones) {
    for (int c = 0; c < 3; ++c) poses.emplace_back(b.rotation.col(c));
    poses.push_back(b.position);
  }
  out.put(poses);
  for (const auto& wall : now_.walls) out.put(wall);
  out.putAll(std::span<const double>(now_.activations));
}

void FleshDriver::load(io::StateReader& in) {
  in.get(y_);
  std::vector<Vec3> poses;
  in.get(poses);
  if (y_.size() != at(flesh_->model.lattice->freeCount) || poses.size() != 4 * now_.bones.size())
    throw InputError("flesh: the checkpoint is of other flesh");
  for (std::size_t b = 0; b < now_.bones.size(); ++b) {
    for (int c = 0; c < 3; ++c) now_.bones[b].rotation.col(c) = poses[4 * b + std::size_t(c)];
    now_.bones[b].position = poses[4 * b + 3];
  }
  for (auto& wall : now_.walls) in.get(wall);
  now_.activations = in.getAll<double>();
  nodes_ = solver_.nodes(y_);
}

}  // namespace pneuma::skin
