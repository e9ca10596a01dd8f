#include "skin/flesh_rounds.h"

#include <algorithm>
#include <span>

#include "pneuma/flesh/embedded/bone_cover.h"
#include "pneuma/flesh/embedded/self_contact.h"
#include "pneuma/flesh/embedded/volume_keeper.h"
#include "pneuma/skin/flesh_driver.h"

// One equilibrium of FleshDriver: rounds of contact, of skin over bones and of pressures that keep
// volumes, each a search with what the last one has left.
namespace pneuma::skin {
namespace {

namespace embedded = flesh::embedded;
using internal::kPartTolerance;

/// Soft flesh that buckles in a fold goes downhill through one wrinkle after another. A search that
/// ran out of steps while they were below kPartTolerance goes on from where it is, so many times in
/// a pose.
constexpr int kMoreSearches = 10;
/// Contact is sought anew until skin lies less deep in skin than this [m], skins that still push
/// each other are less far apart, and less than that is missing to the skin over a bone.
constexpr double kContactDepth = 1e-3, kContactHeld = 3e-3, kCoverLack = 3e-4;
constexpr int kContactRounds = 16;
/// Planes grow stiffer by this factor, and to this at most, when a round leaves more than the given
/// part of what was wrong.
constexpr double kFirmer = 4, kFirmest = 64, kShrinks = 0.5;
/// So many rounds of the firmest planes that leave more than this part of the least are enough.
constexpr int kIdleRounds = 3;
constexpr double kProgress = 0.9;
/// On the way to a pose this many times what may be left at its end is little enough.
constexpr double kPartContact = 3;
/// Rounds between the first and the last few need not end nearer to their equilibrium [m].
constexpr double kRoundTolerance = 1e-3;
constexpr int kClosingRounds = 3;
/// Skin that a first round has let this far through skin or bone does not find its way back [m]. It
/// is begun anew with planes, as firm as this, for all that is this near [m], and with looks where
/// steps have become this small [m].
constexpr double kFallen = 4e-3, kFirmWide = 16, kWatchedWide = 0.02;
constexpr double kWay[] = {12e-3, 7e-3, 4e-3, 2e-3};
/// Equilibria with other pressures that a pose may take to keep its volumes.
constexpr int kVolumeRounds = 4;

}  // namespace

double FleshDriver::Meeting::wrong() const {
  return std::max({depth / kContactDepth, held / kContactHeld, lack / kCoverLack});
}

/// The minimum of the energy with the planes at hand.
bool FleshDriver::settle(const Drive& goal, std::vector<Vec3>& y, double tolerance) {
  embedded::FleshInputs inputs{.targets = targets_, .activations = goal.activations};
  inputs.loads = loads_;
  inputs.contacts = planes_;
  inputs.nodeStiffness = inertia_;
  inputs.nodeTargets = coasting_;
  inputs.pressures = keeper_->pressures();
  while (true) {
    const embedded::FleshReport r = solver_.solve(inputs, y, tolerance);
    report_.steps += r.steps, report_.iterations += r.iterations, report_.stages += r.stages;
    report_.matrices += r.matrices;
    report_.lastMove = r.lastMove;
    if (r.converged) {
      settled_ = planes_;
      return true;
    }
    const bool ranOut = r.steps >= settings_.maximumSteps && r.lastMove < kPartTolerance;
    if (!ranOut || report_.goneOn >= kMoreSearches) return false;
    ++report_.goneOn;
  }
}

/// One equilibrium from a guess. Bones that push skin must not keep a pose from being solved: one
/// that is not with them is solved without.
bool FleshDriver::reach(const Drive& goal, const Pose& frame, std::vector<Vec3>& y,
                        double tolerance) {
  fillLoads(goal, frame);
  planes_.clear();
  if (!contact_) return settle(goal, y, tolerance);
  if (report_.contact == FleshContact::LeftOut) {
    const bool good = settle(goal, y, tolerance);
    report_.deepest = contact_->find(solver_.nodes(y), planes_).deepest;
    return good;
  }
  const std::vector<Vec3> guess = y;
  if (reachApart(goal, y, tolerance, true)) return true;
  if (report_.covered == 0) return false;
  y = guess;
  cover_->release();
  return reachApart(goal, y, tolerance, false);
}

FleshDriver::Pushes FleshDriver::pushes() const {
  return contact_ ? Pushes{contact_->pushes(), cover_->pushes()} : Pushes{};
}
void FleshDriver::setPushes(const Pushes& pushes) {
  if (contact_) contact_->setPushes(pushes.skin), cover_->setPushes(pushes.bones);
}

/// Skin and bones sought for the flesh as it lies.
FleshDriver::Meeting FleshDriver::seek(const Drive& goal, std::span<const Vec3> y, bool covered,
                                       const embedded::ContactRound& round) {
  const std::vector<Vec3> nodes = solver_.nodes(y);
  if (round.settled && contact_->stands(nodes) && (!covered || cover_->stands(nodes))) return {};
  const embedded::SelfContact::Found skin = contact_->find(nodes, planes_, round);
  embedded::BoneCover::Found bone;
  if (covered) bone = cover_->find(nodes, goal.bones, planes_, round);
  return {.depth = skin.deepest,
          .lack = bone.lack,
          .held = std::max(skin.held, bone.held),
          .contacts = skin.count,
          .covered = bone.count};
}

/// Where skins meet, and where bones come near them, changes with an equilibrium, so contact is
/// sought anew, until what is wrong is little or no longer shrinks. The best round is kept; one
/// that is not solved ends the search.
bool FleshDriver::reachApart(const Drive& goal, std::vector<Vec3>& y, double tolerance,
                             bool covered) {
  const std::vector<Vec3> guess = y;
  const Pushes began = pushes();
  embedded::ContactRound round;
  if (wide_) round.watched = kWatchedWide, round.firmness = kFirmWide;
  report_.covered = seek(goal, y, covered, round).covered;
  // Flesh that goes far before it meets what it will lie on is looked at on its way.
  for (const double way : wide_ ? std::span<const double>(kWay) : std::span<const double>()) {
    if (!settle(goal, y, std::max(way, tolerance))) return false;
    seek(goal, y, covered, round);
  }
  round.settled = true;
  Meeting best;
  std::vector<Vec3> settled;
  std::vector<embedded::ContactPlane> planes;  // of that
  const double enough = tolerance < kPartTolerance ? 1 : kPartContact;
  double before = 1e300, least = 1e300, sought = tolerance;
  for (int k = 0, idle = 0, closing = 0; k < kContactRounds; ++k) {
    if (!settle(goal, y, sought)) {
      if (settled.empty()) return false;
      report_.contact = FleshContact::OfEarlierRound;
      break;
    }
    const Meeting now = seek(goal, y, covered, round);
    // Skin that has fallen through does not find its way back: once more, with planes for all that
    // is near.
    if (k == 0 && !wide_ && std::max(now.depth, now.lack) > kFallen) {
      y = guess;
      setPushes(began);
      wide_ = true;
      return reachApart(goal, y, tolerance, covered);
    }
    const double wrong = now.wrong();
    if (sought == tolerance && (settled.empty() || wrong < best.wrong()))
      best = now, settled = y, planes = settled_;
    if (wrong <= enough && sought == tolerance) break;
    if (closing > 0 && ++closing > kClosingRounds) break;
    idle = wrong < kProgress * least || round.firmness < kFirmest ? 0 : idle + 1;
    least = std::min(least, wrong);
    const bool close =
        wrong <= enough || idle >= kIdleRounds || k + kClosingRounds >= kContactRounds;
    if (close && closing == 0) closing = 1;
    sought = closing > 0 ? tolerance : std::max(tolerance, kRoundTolerance);
    if (wrong > kShrinks * before) round.firmness = std::min(kFirmer * round.firmness, kFirmest);
    before = wrong;
  }
  y = settled, settled_ = planes;
  report_.deepest = best.depth, report_.contacts = best.contacts, report_.covered = best.covered;
  return true;
}

/// Equilibria with other pressures until volumes are kept, each from the last one. Contact stays as
/// it was found: skin moves by tenths of a millimetre, and planes sought anew would begin soft
/// (tried: four times the Newton steps in a walk). A round without an equilibrium
/// leaves that of the round before.
void FleshDriver::keepVolumes(const Drive& goal, std::vector<Vec3>& y) {
  const auto measure = [&] {
    nodes_ = solver_.nodes(y);
    report_.volumes = embedded::measureVolumes(*flesh_, nodes_);
  };
  measure();
  std::vector<double> multipliers = keeper_->multipliers();
  while (report_.volumeRounds < kVolumeRounds && keeper_->adjust(report_.volumes, nodes_)) {
    std::vector<Vec3> trial = y;
    planes_ = settled_;
    if (!settle(goal, trial, settings_.tolerance)) {
      keeper_->setMultipliers(std::move(multipliers));
      break;
    }
    ++report_.volumeRounds;
    std::swap(y, trial);
    multipliers = keeper_->multipliers();
    measure();
  }
  if (report_.volumeRounds > 0 && contact_)
    report_.deepest = contact_->find(nodes_, planes_).deepest;
}

}  // namespace pneuma::skin
