#include "pneuma/flesh/embedded/flesh_solver.h"

#include <fmt/format.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <algorithm>
#include <cmath>

#include "flesh/embedded/acceleration.h"
#include "flesh/embedded/balance.h"
#include "flesh/embedded/flesh_system.h"
#include "pneuma/core/error.h"

namespace pneuma::flesh::embedded {
namespace {

/// Flesh of which more than this share is flat (Assembly::kFlat) is not left to equation 9 alone. A
/// few flat elements open by themselves.
constexpr double kFoldedShare = 0.005;
/// Bulk moduli of the stages of recovery, as parts of the largest.
constexpr double kStages[] = {0.002, 0.04, 0.2, 1};
constexpr int kMaximumFailures = 3;
constexpr double kEnergyRounding = 1e-8;       ///< of a sum over thousands of floats
constexpr double kLeastFraction = 1.0 / 4096;  ///< of a step
/// Residual at which a step is looked at first: its size is known to a third by then.
constexpr double kGlance = 0.25;
constexpr double kPlainTolerance = 0.03;
/// The last step is below this part of the tolerance: what it leaves, by the look at it and by the
/// matrix it was taken with, is below the tolerance then.
constexpr double kEnough = 0.5;
/// A matrix serves as long as each step it gives is at most this part of the last.
constexpr double kChordRate = 0.5;

/// Making the flesh went through meshes of all bones and muscles, and numbering blocks through
/// lists of them; the allocator keeps what they took: of 320 MB at the default level 110 go back.
void giveMemoryBack() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}
constexpr double kLastRate = 0.9;  ///< the same for steps of a few tolerances
/// A step that is foretold to be below this part of what ends the search ends it.
constexpr double kForetold = 0.5;
/// It is not even tried after a step larger than this, or where nodes have gone farther since it
/// was taken: what turns by a degree has another matrix [m].
constexpr double kChordReach = 2e-3;

/// A row is still while its force would not move it, and what hangs on it, farther than this part
/// of the tolerance by the stiffness of shear alone.
constexpr double kStill = 0.1;
/// The same for rows outside a region that has been solved for: shear alone makes little of the
/// stiffness of flesh that hardly compresses.
constexpr double kPushed = 2;
/// Rings of rows around those that are not still that are solved for with them. (Solving for a part
/// of the rows that a matrix has was tried: coarse levels that know of more rows than are solved
/// for cost twice the iterations.)
constexpr int kRings = 3;
/// A region larger than this share of the rows is all of them.
constexpr double kMostOfAll = 0.8;

double largestMove(const VecX& step) {
  double most = 0;
  for (Eigen::Index i = 0; i < step.size(); i += 3)
    most = std::max(most, step.segment<3>(i).squaredNorm());
  return std::sqrt(most);
}

/// Of the given rows.
double largestDistance(const VecX& a, const VecX& b, const RowMask& rows) {
  double most = 0;
  rows.each(0, rows.group.size(), [&](std::int32_t begin, std::int32_t end) {
    for (Eigen::Index i = begin; i < end; ++i)
      most = std::max(most, (a.segment<3>(3 * i) - b.segment<3>(3 * i)).squaredNorm());
  });
  return std::sqrt(most);
}

Eigen::Map<const VecX> flat(std::span<const Vec3> y) {
  return {y.empty() ? nullptr : y[0].data(), static_cast<Eigen::Index>(3 * y.size())};
}

}  // namespace

struct FleshSolver::Data {
  std::shared_ptr<const FleshModel> model;
  FleshSettings settings;
  std::unique_ptr<FleshSystem> system;
  KernelSettings kernel;
  double largestKappa = 0;
  double noise = 0;  ///< of the sum of float energies [J]
  VecX y, trial, gradient, trialGradient, step;
  RowMask rows;  ///< that are solved for
  Balance balance;
  bool loaded = false;  ///< by forces that are large in their sum alone
  Acceleration acceleration;
  VecX plain;  ///< the step before it was accelerated

  /// What of the inputs the matrix depends on, besides y.
  struct Stiffening {
    std::vector<double> activations, nodeStiffness;
    std::vector<ContactPlane> contacts;
    std::vector<float> pressures;
  };
  Stiffening acting;
  /// Where and with what the matrix was assembled; without nodes: there is none.
  struct {
    VecX y;
    Stiffening by;
    RowMask rows;
    VolumeRange range;
    double kappaLimit = 0;
  } linear;

  Data(std::shared_ptr<const FleshModel> given, const FleshSettings& chosen)
      : model(std::move(given)),
        settings(chosen),
        system(makeFleshSystem(*model, chosen.method)),
        kernel{.curve = FibreConstants(model->fibreLaw, muscle::ZajacCurves())},
        balance(*model) {
    kernel.range.pressedOut = model->pressedOut;
    for (const TissueMaterial& t : model->tissue) largestKappa = std::max(largestKappa, t.kappa);
    // An element's energy is a difference of numbers of the size of its shear modulus.
    const Lattice& l = *model->lattice;
    for (std::size_t t = 0; t < l.tetCount(); ++t)
      noise += kEnergyRounding * (model->tissue[t].mu10 + model->tissue[t].mu01) * l.volume(t);
    rows = RowMask::all(l.freeCount);
  }

  void require(const FleshInputs& inputs, std::size_t nodes) const;
  bool folded() const;
  void setInputs(const FleshInputs& inputs);
  void linearize();
  double beginAt(const RowMask& wanted);
  RowMask regionOf(std::span<const std::int32_t> moved) const;
  bool ends(double before, double size, double tolerance, FleshReport& report);
  void solveFor(const RowMask& wanted);
  bool hasMatrix() const;
  bool newton(double tolerance, int mostSteps, bool evenFolded, FleshReport& report);
  bool search(double energy, FleshReport& report, double least, double& fraction);
  bool stepOn(FleshReport& report, double& fraction);
  void lengthen(double slope, FleshReport& report);
  bool recover(double tolerance, FleshReport& report);
};

void FleshSolver::Data::require(const FleshInputs& inputs, std::size_t nodes) const {
  const auto fits = [](bool good, const char* field, std::size_t found, std::size_t wanted) {
    if (!good)
      throw InputError(
          Diagnostic{.subject = "flesh inputs",
                     .field = field,
                     .message = fmt::format("has {} entries, expected {}", found, wanted)});
  };
  const auto freeCount = std::size_t(model->lattice->freeCount);
  fits(nodes == freeCount, "nodes", nodes, freeCount);
  fits(inputs.targets.size() == model->anchors.size(), "targets", inputs.targets.size(),
       model->anchors.size());
  fits(inputs.activations.empty() || inputs.activations.size() == std::size_t(model->lineCount),
       "activations", inputs.activations.size(), model->lineCount);
  fits(inputs.loads.empty() || inputs.loads.size() == freeCount, "loads", inputs.loads.size(),
       freeCount);
  fits(inputs.nodeStiffness.empty() || inputs.nodeStiffness.size() == freeCount, "node stiffness",
       inputs.nodeStiffness.size(), freeCount);
  fits(inputs.pressures.empty() || inputs.pressures.size() == model->lattice->tetCount(),
       "pressures", inputs.pressures.size(), model->lattice->tetCount());
  fits(inputs.nodeTargets.size() == inputs.nodeStiffness.size(), "node targets",
       inputs.nodeTargets.size(), inputs.nodeStiffness.size());
}

bool FleshSolver::Data::folded() const {
  return double(system->flat()) > kFoldedShare * double(model->lattice->tetCount());
}

RowMask FleshSolver::Data::regionOf(std::span<const std::int32_t> moved) const {
  const RowMask region = system->around(moved, kRings);
  return region.share() > kMostOfAll ? RowMask::all(region.rows) : region;
}

/// Whether the step that was begun is so much smaller than the last one, by the preconditioner's
/// measure of both, that a few iterations would find it below the tolerance: then its first one is
/// the last step.
bool FleshSolver::Data::ends(double before, double size, double tolerance, FleshReport& report) {
  if (!(size * report.lastMove < kForetold * kEnough * tolerance * before)) return false;
  if (!(largestMove(step) < kEnough * tolerance)) return false;
  report.lastMove = largestMove(step);
  ++report.steps, ++report.iterations;
  return true;
}

/// From now on; all others stay where they are.
void FleshSolver::Data::solveFor(const RowMask& wanted) {
  if (wanted == rows) return;
  rows = wanted;
  system->restrictTo(rows, y, kernel);
}

/// Energy and gradient at y, where all rows may have been moved.
double FleshSolver::Data::beginAt(const RowMask& wanted) {
  rows = wanted;
  system->restrictTo(rows, y, kernel);
  return system->energy(y, kernel, gradient);
}

/// The step as it is, or sped up by those before it where that goes downhill.
bool FleshSolver::Data::stepOn(FleshReport& report, double& fraction) {
  plain = step;
  if (settings.method == LinearMethod::Multigrid && acceleration.improve(y, step) &&
      gradient.dot(step) < 0 && search(report.energy, report, 1, fraction))
    return true;
  std::swap(step, plain);
  return search(report.energy, report, kLeastFraction, fraction);
}

/// Halves the step until the energy falls. Within the rounding of the sum of float energies, too
/// coarse to judge the last hundredths of a millimetre, a step is good when the slope along it
/// falls.
bool FleshSolver::Data::search(double energy, FleshReport& report, double least, double& fraction) {
  const double slope = gradient.dot(step);
  constexpr double kArmijo = 1e-4, kNoise = 1e-5, kFlatter = 0.9;
  for (fraction = 1; fraction >= least; fraction *= 0.5) {
    trial = y + fraction * step;
    const double next = system->energy(trial, kernel, trialGradient);
    if (!std::isfinite(next)) continue;
    const bool falls = next <= energy + kArmijo * fraction * slope;
    const bool flatter = next <= energy + kNoise * std::abs(energy) + noise &&
                         std::abs(trialGradient.dot(step)) < kFlatter * std::abs(slope);
    if (!falls && !flatter) continue;
    std::swap(y, trial);
    std::swap(gradient, trialGradient);
    report.energy = next;
    if (fraction == 1) lengthen(slope, report);
    return true;
  }
  return false;
}

/// A step at whose end the slope is still steep was too short: flesh gives way where the matrix,
/// without negative eigenvalues, does not. It is taken as far as the slope would fall to zero.
void FleshSolver::Data::lengthen(double slope, FleshReport& report) {
  constexpr double kSteep = 0.3, kFarthest = 8;
  const double left = gradient.dot(step) / slope;
  if (!(left > kSteep)) return;
  const double more = left < 1 - 1 / kFarthest ? 1 / (1 - left) - 1 : kFarthest - 1;
  trial = y + more * step;
  const double next = system->energy(trial, kernel, trialGradient);
  if (!(next < report.energy)) return;
  std::swap(y, trial);
  std::swap(gradient, trialGradient);
  report.energy = next;
}

void FleshSolver::Data::setInputs(const FleshInputs& inputs) {
  system->setInputs(inputs);
  loaded = !inputs.loads.empty() || !inputs.gravity.isZero();
  acting.activations.assign(inputs.activations.begin(), inputs.activations.end());
  acting.nodeStiffness.assign(inputs.nodeStiffness.begin(), inputs.nodeStiffness.end());
  acting.contacts.assign(inputs.contacts.begin(), inputs.contacts.end());
  acting.pressures.assign(inputs.pressures.begin(), inputs.pressures.end());
}

void FleshSolver::Data::linearize() {
  system->assemble(y, kernel);
  linear = {y, acting, rows, kernel.range, kernel.kappaLimit};
}

/// Of the material that is solved for, not of another stage of recovery.
bool FleshSolver::Data::hasMatrix() const {
  return settings.chords && linear.y.size() > 0 && linear.kappaLimit == kernel.kappaLimit &&
         linear.range.low == kernel.range.low && linear.range.high == kernel.range.high;
}

/// False: not converged, or folded and not to be solved for all that.
bool FleshSolver::Data::newton(double tolerance, int mostSteps, bool evenFolded,
                               FleshReport& report) {
  const RowMask all = RowMask::all(rows.rows);
  acceleration.clear();
  // Without multigrid a residual says little of the error: no first look, no loose end.
  const bool tells = settings.method == LinearMethod::Multigrid;
  const double enough =
      tells ? settings.linearTolerance : std::min(settings.linearTolerance, kPlainTolerance);
  const double glance = tells ? kGlance : enough;
  int failures = 0;
  bool fresh = false, useful = hasMatrix();
  // Inertia moves all that is free.
  const bool regional =
      settings.regions && tells && !kernel.range.convex() && acting.nodeStiffness.empty();
  // A motion mostly goes on where it was.
  report.energy = beginAt(regional && useful ? linear.rows : all);
  if (!evenFolded && folded()) return false;
  std::vector<std::int32_t> moved =
      regional ? balance.moved(gradient, kStill * tolerance, loaded) : std::vector<std::int32_t>{};
  if (regional && moved.empty()) return true;
  // A matrix may lack rows that move a little: none that would be missed at the end.
  const auto covers = [&](const RowMask& at) {
    return std::ranges::all_of(balance.moved(gradient, kPushed * tolerance, loaded),
                               [&](std::int32_t r) { return at.has(r); });
  };
  useful = useful && (regional ? covers(linear.rows) : linear.rows == all) &&
           largestDistance(y, linear.y, linear.rows) < kChordReach;
  if (regional) solveFor(useful ? linear.rows : regionOf(moved));
  double longest = kChordReach;  // of a step by a matrix taken elsewhere
  double before = 0;             // size of the last step, 0: by another matrix or not taken whole
  for (int k = 0; k < mostSteps && report.steps < settings.maximumSteps;) {
    if (!useful) {
      linearize();
      ++report.matrices;
      fresh = useful = true;
      before = 0;
    }
    system->begin(gradient);
    double size = 0;
    if (!(tells && system->foretell(size, step) && ends(before, size, tolerance, report))) {
      int iterations = system->advance(glance, settings.maximumIterations);
      // No direction at all: a matrix beyond float's range, not an equilibrium.
      if (iterations == 0 && gradient.cwiseAbs().maxCoeff() > 0) return false;
      system->step(step);
      report.lastMove = largestMove(step);
      const bool small = report.lastMove < kEnough * tolerance;
      if (!fresh && !small && report.lastMove > longest) {
        report.iterations += iterations;
        useful = false;
        continue;
      }
      ++report.steps;
      if (!small) {
        iterations += system->advance(enough, settings.maximumIterations);
        system->step(step);
        report.lastMove = largestMove(step);
      }
      report.iterations += iterations;
    }
    ++k;
    if (report.lastMove < kEnough * tolerance) {
      // So small a step needs no search, and at the end of precision none would succeed.
      y += step;
      if (rows == all) return true;
      // Does the region push what is around it?
      system->outerGradient(y, kernel, trialGradient);
      moved = balance.moved(trialGradient, kPushed * tolerance, false);
      std::erase_if(moved, [&](std::int32_t r) { return rows.has(r); });
      if (moved.empty()) return true;
      RowMask more = regionOf(moved);
      more.add(rows);
      acceleration.clear();
      report.energy = beginAt(more);
      useful = false;
      continue;
    }
    double fraction = 1;
    if (!stepOn(report, fraction)) return false;
    failures = fraction < 0.1 ? failures + 1 : 0;
    if (failures >= kMaximumFailures) return false;
    fresh = false;
    before = fraction == 1 ? size : 0;
    useful = settings.chords && fraction == 1 && report.lastMove < kChordReach;
    // Near the end another step costs less than another matrix.
    longest = std::max(kChordRate * report.lastMove,
                       std::min(3 * tolerance, kLastRate * report.lastMove));
  }
  return false;
}

/// Soft and convex first, then stiffer, then the material itself.
bool FleshSolver::Data::recover(double tolerance, FleshReport& report) {
  const KernelSettings own = kernel;
  bool good = false;
  for (const double part : kStages) {
    const bool last = part == 1;
    kernel.range = last ? own.range : VolumeRange::recovery();
    kernel.kappaLimit = last ? own.kappaLimit : part * largestKappa;
    ++report.stages;
    good = newton(last ? tolerance : std::max(tolerance, 10 * settings.tolerance),
                  settings.maximumSteps, true, report);
  }
  kernel = own;
  return good;
}

FleshSolver::FleshSolver(std::shared_ptr<const FleshModel> model, const FleshSettings& settings) {
  check(*model);
  giveMemoryBack();
  data_ = std::make_unique<Data>(std::move(model), settings);
  giveMemoryBack();
}
FleshSolver::~FleshSolver() = default;
FleshSolver::FleshSolver(FleshSolver&&) noexcept = default;

const FleshModel& FleshSolver::model() const {
  return *data_->model;
}

std::vector<Vec3> FleshSolver::rest() const {
  const Lattice& l = *data_->model->lattice;
  return {l.nodes.begin(), l.nodes.begin() + l.freeCount};
}

FleshReport FleshSolver::solve(const FleshInputs& inputs, std::span<Vec3> nodes) {
  return solve(inputs, nodes, data_->settings.tolerance);
}

FleshReport FleshSolver::solve(const FleshInputs& inputs, std::span<Vec3> nodes, double tolerance) {
  Data& d = *data_;
  d.require(inputs, nodes.size());
  d.setInputs(inputs);
  d.y = flat(nodes);
  FleshReport report;
  const bool recovery = d.settings.recovery;
  const int most = d.settings.maximumSteps;
  report.converged = d.newton(tolerance, most, !recovery, report);
  if (!report.converged && recovery && report.steps < most)
    report.converged = d.recover(tolerance, report);
  report.residual = largestMove(d.gradient);
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = d.y.segment<3>(3 * i);
  return report;
}

double FleshSolver::energy(const FleshInputs& inputs, std::span<const Vec3> y,
                           std::span<Vec3> gradient) {
  Data& d = *data_;
  d.require(inputs, y.size());
  d.setInputs(inputs);
  d.y = flat(y);
  const double e = d.beginAt(RowMask::all(d.rows.rows));
  for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] = d.gradient.segment<3>(3 * i);
  return e;
}

FleshSolver::Linearization FleshSolver::linearization() const {
  const auto& linear = data_->linear;
  if (!data_->hasMatrix()) return {};
  Linearization at{std::vector<Vec3>(std::size_t(linear.y.size()) / 3),
                   linear.by.activations,
                   linear.by.nodeStiffness,
                   linear.by.contacts,
                   linear.by.pressures,
                   linear.rows.group};
  for (std::size_t i = 0; i < at.nodes.size(); ++i) at.nodes[i] = linear.y.segment<3>(3 * i);
  return at;
}

void FleshSolver::setLinearization(const Linearization& at) {
  Data& d = *data_;
  d.linear = {};
  if (at.nodes.empty() || !d.settings.chords) return;
  const std::vector<Vec3> targets(d.model->anchors.size(), Vec3::Zero());
  const std::vector<Vec3> places(at.nodeStiffness.size(), Vec3::Zero());
  FleshInputs inputs{.targets = targets, .activations = at.activations};
  inputs.contacts = at.contacts;
  inputs.nodeStiffness = at.nodeStiffness;
  inputs.nodeTargets = places;
  inputs.pressures = at.pressures;
  d.require(inputs, at.nodes.size());
  d.setInputs(inputs);
  d.y = flat(at.nodes);
  d.beginAt({d.rows.rows, at.groups});
  d.linearize();
}

std::vector<Vec3> FleshSolver::nodes(std::span<const Vec3> y) const {
  std::vector<double> x;
  spread(data_->model->lattice->bindings, flat(y), x);
  std::vector<Vec3> result(x.size() / 3);
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = {x[3 * i], x[3 * i + 1], x[3 * i + 2]};
  return result;
}

}  // namespace pneuma::flesh::embedded
