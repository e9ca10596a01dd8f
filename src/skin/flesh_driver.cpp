#include "pneuma/skin/flesh_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>

#include "pneuma/core/check.h"
#include "pneuma/core/cpu_time.h"
#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/core/parallel.h"
#include "pneuma/flesh/embedded/bone_cover.h"
#include "pneuma/flesh/embedded/self_contact.h"
#include "pneuma/flesh/embedded/volume_keeper.h"
#include "pneuma/skin/flesh_fairing.h"
#include "skin/bone_path.h"
#include "skin/dual_quaternion.h"
#include "skin/flesh_rounds.h"

namespace pneuma::skin {
namespace {

namespace embedded = flesh::embedded;

/// No joint turns farther than this in one part [rad].
constexpr double kLargestTurn = degreesToRadians(20);
/// A part shorter than this share of the way will not succeed either.
constexpr double kLeastPart = 1.0 / 64;
/// A motion that grows faster than this from pose to pose is not followed ahead.
constexpr double kMostShare = 1.5;
/// Inertia: the longest step, and a pause after which flesh is at rest anew [s].
constexpr double kInertiaStep = 1.0 / 60, kLongestPause = 0.25;

/// What acts is solved for where it acts.
FleshDriver::Settings regional(FleshDriver::Settings settings) {
  settings.regions = true;
  return settings;
}

/// Ten numbers each.
std::vector<double> packed(const std::vector<embedded::ContactPlane>& planes) {
  std::vector<double> out;
  for (const embedded::ContactPlane& c : planes) {
    out.push_back(c.place.tet);
    out.insert(out.end(), c.place.weights.begin(), c.place.weights.end());
    out.insert(out.end(), c.normal.begin(), c.normal.end());
    out.insert(out.end(), {c.offset, c.stiffness});
  }
  return out;
}
std::vector<embedded::ContactPlane> unpacked(const std::vector<double>& from) {
  std::vector<embedded::ContactPlane> planes(from.size() / 10);
  for (std::size_t i = 0; i < planes.size(); ++i) {
    const double* f = from.data() + 10 * i;
    planes[i] = {{static_cast<std::int32_t>(f[0]), Vec4(f[1], f[2], f[3], f[4])},
                 Vec3(f[5], f[6], f[7]),
                 f[8],
                 f[9]};
  }
  return planes;
}

}  // namespace

FleshDriver::FleshDriver(std::shared_ptr<const embedded::BodyFlesh> flesh, const TriangleMesh& skin,
                         const Settings& settings, const FleshEffects& effects,
                         std::unique_ptr<LayeredDriver> guide)
    : flesh_(std::move(flesh)),
      solver_(std::shared_ptr<const embedded::FleshModel>(flesh_, &flesh_->model),
              regional(settings)),
      carriers_(embedded::makeCarriers(*flesh_)),
      embedding_(*flesh_->model.lattice, skin.positions, vertexNormals(skin)),
      settings_(settings),
      effects_(effects),
      keeper_(std::make_unique<embedded::VolumeKeeper>(*flesh_, carriers_)),
      y_(solver_.rest()),
      nodes_(flesh_->model.lattice->nodes) {
  std::int32_t bones = 0;
  for (const embedded::BoneAnchor& a : flesh_->boneAnchors) bones = std::max(bones, a.bone + 1);
  path_ = std::make_unique<internal::BonePath>(std::span(flesh_->boneParents).first(at(bones)));
  now_.bones.assign(at(bones), Pose{});
  for (const embedded::FleshWall& w : flesh_->walls) now_.walls.push_back(w.rest);
  now_.activations.assign(at(flesh_->model.lineCount), 0);
  fillTargets(now_);
  place_ = targets_;
  if (effects_.contact) {
    contact_ = std::make_unique<embedded::SelfContact>(flesh_->model, flesh_->skin);
    cover_ = std::make_unique<embedded::BoneCover>(*flesh_);
  }
  if (effects_.gravity || effects_.inertia) mass_ = embedded::nodeMasses(flesh_->model);
  if (effects_.inertia) velocity_.assign(y_.size(), Vec3::Zero());
  if (!guide) return;
  // Hands are tied all around; nothing slides in them.
  std::vector<embedded::BonePoint> bonePoints = flesh_->bonePoints;
  std::erase_if(bonePoints, [&](const embedded::BonePoint& p) {
    return flesh_->boneNames[at(p.bone)].starts_with("hand");
  });
  fairing_ = std::make_unique<FleshFairing>(skin, std::move(guide), bonePoints);
}

FleshDriver::~FleshDriver() = default;

FleshDriver::Drive FleshDriver::driveOf(const SkinInputs& inputs) const {
  const auto require = [](bool good, const std::string& message) {
    if (!good) throw InputError(Diagnostic{.subject = "flesh", .message = message});
  };
  require(inputs.bones.size() >= now_.bones.size(),
          fmt::format("has {} bones, was given {}", now_.bones.size(), inputs.bones.size()));
  require(inputs.activations.empty() || inputs.activations.size() == now_.activations.size(),
          fmt::format("has {} muscle lines, was given {} activations", now_.activations.size(),
                      inputs.activations.size()));
  Drive d;
  const Pose toFrame = inputs.bones[0].inverse();
  for (std::size_t b = 0; b < now_.bones.size(); ++b) d.bones.push_back(toFrame * inputs.bones[b]);
  for (const embedded::FleshWall& w : flesh_->walls) {
    const auto trace = std::ranges::find(inputs.traces, w.name, &PointTrace::name);
    require(trace != inputs.traces.end() && trace->now.size() == w.rest.size(),
            fmt::format("finds no trace '{}' of {} points", w.name, w.rest.size()));
    d.walls.emplace_back(trace->now.begin(), trace->now.end());
    for (Vec3& p : d.walls.back()) p = toFrame * p;
  }
  d.activations.assign(inputs.activations.begin(), inputs.activations.end());
  d.activations.resize(now_.activations.size(), 0);
  return d;
}

FleshDriver::Drive FleshDriver::between(const Drive& a, const Drive& b, double s) const {
  Drive d = b;
  if (s >= 1) return d;
  d.bones = path_->between(a.bones, b.bones, s);
  for (std::size_t w = 0; w < d.walls.size(); ++w)
    for (std::size_t i = 0; i < d.walls[w].size(); ++i)
      d.walls[w][i] = (1 - s) * a.walls[w][i] + s * b.walls[w][i];
  for (std::size_t i = 0; i < d.activations.size(); ++i)
    d.activations[i] = (1 - s) * a.activations[i] + s * b.activations[i];
  return d;
}

void FleshDriver::carryAlong(const Drive& from, const Drive& to, std::vector<Vec3>& y) const {
  std::vector<internal::DualQuaternion> motion;
  std::vector<std::uint8_t> moves;
  for (std::size_t b = 0; b < to.bones.size(); ++b) {
    motion.push_back(internal::dualQuaternionOf(to.bones[b] * from.bones[b].inverse()));
    moves.push_back(to.bones[b].rotation != from.bones[b].rotation ||
                    to.bones[b].position != from.bones[b].position);
  }
  parallelFor(y.size(), 2048, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      const embedded::NodeCarriers::Node& node = carriers_.nodes[n];
      // Not by rounding either: what has not moved to the last bit need not be searched again.
      bool still = true;
      for (std::size_t k = 0; k < embedded::NodeCarriers::kMost && node.weight[k] > 0; ++k)
        still = still && moves[at(node.bone[k])] == 0;
      if (still) continue;
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

/// The motion's share in the last one, by least squares over the anchors, is the share in which
/// flesh lags behind its bones again.
void FleshDriver::goOn(std::vector<Vec3>& y) const {
  if (lag_.empty()) return;
  double both = 0, last = 0;
  for (std::size_t a = 0; a < travel_.size(); ++a) {
    both += travel_[a].dot(targets_[a] - place_[a]);
    last += travel_[a].squaredNorm();
  }
  if (!(both > 0) || !(last > 0)) return;
  const double share = std::min(both / last, kMostShare);
  for (std::size_t n = 0; n < y.size(); ++n) y[n] += share * lag_[n];
}

void FleshDriver::keepWay(std::span<const Vec3> guess, std::span<const Vec3> y) {
  travel_.resize(targets_.size()), lag_.resize(y.size());
  for (std::size_t a = 0; a < travel_.size(); ++a) travel_[a] = targets_[a] - place_[a];
  for (std::size_t n = 0; n < y.size(); ++n) lag_[n] = y[n] - guess[n];
  place_ = targets_;
}

void FleshDriver::fillTargets(const Drive& drive) {
  std::vector<std::span<const Vec3>> walls(drive.walls.begin(), drive.walls.end());
  flesh_->targets(drive.bones, walls, targets_);
}

void FleshDriver::fillLoads(const Drive& goal, const Pose& frame) {
  if (!effects_.gravity) return;
  const Vec3 down(0, -kGravity, 0), now = frame.rotation.transpose() * down;
  std::vector<Vec3> standing;  // weight at rest, turned with each bone
  for (const Pose& b : goal.bones) standing.emplace_back(b.rotation * down);
  loads_.resize(mass_.size());
  for (std::size_t n = 0; n < mass_.size(); ++n) {
    const embedded::NodeCarriers::Node& node = carriers_.nodes[n];
    Vec3 before = Vec3::Zero();
    for (std::size_t k = 0; k < embedded::NodeCarriers::kMost && node.weight[k] > 0; ++k)
      before += double(node.weight[k]) * standing[at(node.bone[k])];
    loads_[n] = mass_[n] * (now - before);
  }
}

void FleshDriver::fillInertia(const Pose& before, const Pose& after, std::span<const Vec3> y,
                              double h) {
  const Pose toAfter = after.inverse();
  inertia_.resize(y.size()), coasting_.resize(y.size());
  for (std::size_t n = 0; n < y.size(); ++n) {
    inertia_[n] = mass_[n] / (h * h);
    coasting_[n] = toAfter * (before * y[n] + h * velocity_[n]);
  }
}

void FleshDriver::refuse(double time, const Pose& frame, const Drive& goal,
                         std::span<const Vec3> y) const {
  // Where the springs are stretched farthest something is in the way.
  std::size_t worst = 0;
  double most = -1;
  const embedded::Lattice& l = *flesh_->model.lattice;
  const std::vector<Vec3> nodes = solver_.nodes(y);
  for (std::size_t a = 0; a < flesh_->boneAnchors.size(); ++a) {
    const embedded::LatticePlace& p = flesh_->model.anchors[a].place;
    Vec3 x = Vec3::Zero();
    for (std::size_t k = 0; k < 4; ++k)
      x += p.weights[static_cast<Eigen::Index>(k)] * nodes[at(l.tets[at(p.tet)][k])];
    const embedded::BoneAnchor& anchor = flesh_->boneAnchors[a];
    const double gap = (goal.bones[at(anchor.bone)] * anchor.rest - x).norm();
    if (gap > most) most = gap, worst = a;
  }
  const embedded::BoneAnchor& anchor = flesh_->boneAnchors[worst];
  const Vec3 place = frame * (goal.bones[at(anchor.bone)] * anchor.rest);
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
  wide_ = false;
  const Pose frame = inputs.bones.empty() ? Pose{} : inputs.bones[0];
  const Drive goal = driveOf(inputs), from = now_;
  std::vector<Vec3> y = y_;
  double part =
      1 /
      std::max(1.0, std::ceil(path_->largestTurn(now_.bones, goal.bones) / kLargestTurn - 1e-9));
  const double pause = inputs.time - time_;
  const bool swings = effects_.inertia && posed_ && pause > 0 && pause < kLongestPause;
  if (swings) part = std::min(part, 1 / std::ceil(pause / kInertiaStep - 1e-9));
  if (effects_.inertia && !swings) std::fill(velocity_.begin(), velocity_.end(), Vec3::Zero());
  const double wholePart = part;
  // What a pose that cannot be reached leaves as it was.
  const auto way = std::tuple(place_, travel_, lag_, velocity_);
  const Pushes began = pushes();
  Pushes reached = began;
  double done = 0;
  Drive current = from;
  Pose before = frame_;
  std::vector<Vec3> trial, guess;
  while (done < 1) {
    const double next = done + part > 1 - 1e-9 ? 1 : done + part, h = (next - done) * pause;
    Drive to = between(from, goal, next);
    const Pose after = next < 1 ? internal::screwBetween(frame_, frame, next) : frame;
    trial = y;
    carryAlong(current, to, trial);
    guess = trial;
    fillTargets(to);
    goOn(trial);
    inertia_.clear(), coasting_.clear();
    if (swings) fillInertia(before, after, y, h);
    const bool last = next >= 1;
    if (!reach(to, after, trial, last || swings ? settings_.tolerance : internal::kPartTolerance)) {
      part /= 2;
      setPushes(reached);
      if (part >= kLeastPart) continue;
      if (!contact_ || report_.contact == FleshContact::LeftOut) {
        std::tie(place_, travel_, lag_, velocity_) = way;
        setPushes(began);
        refuse(inputs.time, after, to, trial);
      }
      // Not with contact: the rest of the way without.
      report_.contact = FleshContact::LeftOut;
      report_.contacts = 0, report_.covered = 0;
      contact_->release(), cover_->release();
      reached = pushes();
      part = wholePart;
      continue;
    }
    if (last) keepVolumes(to, trial);
    reached = pushes();
    if (swings)
      for (std::size_t n = 0; n < y.size(); ++n)
        velocity_[n] = (after * trial[n] - before * y[n]) / h;
    keepWay(guess, trial);
    std::swap(y, trial);
    current = std::move(to);
    before = after;
    done = next;
    ++report_.parts;
  }
  time_ = inputs.time;
  posed_ = true;
  std::swap(y_, y);
  now_ = goal;
  frame_ = frame;
  placeNodes();
  report_.measures = solver_.measure({.targets = targets_, .activations = now_.activations}, y_);
  report_.cpuSeconds = processCpuSeconds() - start;
}

void FleshDriver::placeNodes() {
  nodes_ = solver_.nodes(y_);
  for (Vec3& p : nodes_) p = frame_ * p;
}

void FleshDriver::pose(const SkinInputs& inputs, std::span<Vec3> positions) {
  solve(inputs);
  embedding_.apply(nodes_, positions);
  if (!fairing_) return;
  const double start = processCpuSeconds();
  const std::vector<double> roughness = embedding_.roughness();
  evening_.assign(positions.begin(), positions.end());
  fairing_->apply(inputs, roughness, positions);
  report_.evened = fairing_->evened();
  for (std::size_t v = 0; v < positions.size(); ++v) evening_[v] = positions[v] - evening_[v];
  if (report_.evened == 0) evening_.clear();
  report_.cpuSeconds += processCpuSeconds() - start;
}

void FleshDriver::save(io::StateWriter& out) const {
  out.put(y_);
  std::vector<Vec3> poses;  // three columns and a place each
  const auto add = [&](const Pose& p) {
    for (int c = 0; c < 3; ++c) poses.emplace_back(p.rotation.col(c));
    poses.push_back(p.position);
  };
  add(frame_);
  for (const Pose& b : now_.bones) add(b);
  out.put(poses);
  for (const auto& wall : now_.walls) out.put(wall);
  out.putAll(std::span<const double>(now_.activations));
  const embedded::FleshSolver::Linearization at = solver_.linearization();
  out.put(at.nodes);
  out.putAll(std::span<const double>(at.activations));
  out.putAll(std::span<const double>(at.nodeStiffness));
  out.put(packed(at.contacts));
  out.putAll(std::span<const float>(at.pressures));
  out.putAll(std::span<const std::uint8_t>(at.groups));
  out.put(place_);
  out.put(travel_);
  out.put(lag_);
  out.put(velocity_);
  const Pushes pushing = pushes();
  out.putAll(std::span<const double>(pushing.skin));
  out.putAll(std::span<const double>(pushing.bones));
  out.putAll(std::span<const double>(keeper_->multipliers()));
  out.put(time_);
  out.put(posed_);
}

// Sizes are all that tells a checkpoint of other flesh: they are compared before anything is
// placed by them.
void FleshDriver::load(io::StateReader& in) {
  in.get(y_);
  std::vector<Vec3> poses;
  in.get(poses);
  if (y_.size() != at(flesh_->model.lattice->freeCount) ||
      poses.size() != 4 * (now_.bones.size() + 1))
    throw InputError("flesh: the checkpoint is of other flesh");
  const auto pose = [&](std::size_t b) {
    Pose p;
    for (int c = 0; c < 3; ++c) p.rotation.col(c) = poses[4 * b + std::size_t(c)];
    p.position = poses[4 * b + 3];
    return p;
  };
  frame_ = pose(0);
  for (std::size_t b = 0; b < now_.bones.size(); ++b) now_.bones[b] = pose(b + 1);
  for (auto& wall : now_.walls) in.get(wall);
  now_.activations = in.getAll<double>();
  embedded::FleshSolver::Linearization linear;
  in.get(linear.nodes);
  linear.activations = in.getAll<double>();
  linear.nodeStiffness = in.getAll<double>();
  linear.contacts = unpacked(in.getAll<double>());
  linear.pressures = in.getAll<float>();
  linear.groups = in.getAll<std::uint8_t>();
  in.get(place_);
  in.get(travel_);
  in.get(lag_);
  std::vector<Vec3> velocity;
  in.get(velocity);
  if (velocity.size() != velocity_.size())
    throw InputError("flesh: the checkpoint has other effects (inertia)");
  velocity_ = std::move(velocity);
  Pushes pushing;
  pushing.skin = in.getAll<double>(), pushing.bones = in.getAll<double>();
  const Pushes own = pushes();
  if (pushing.skin.size() != own.skin.size() || pushing.bones.size() != own.bones.size())
    throw InputError("flesh: the checkpoint has other effects (contact)");
  setPushes(pushing);
  keeper_->setMultipliers(in.getAll<double>());
  in.get(time_);
  in.get(posed_);
  solver_.setLinearization(linear);
  placeNodes();
}

}  // namespace pneuma::skin
