#include "pneuma/stage/posed_flesh.h"

#include <fmt/format.h>

#include <set>

#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/skeleton/kinematics.h"

namespace pneuma::stage {
std::vector<double> activationsOf(std::span<const MuscleLevel> levels,
                                  const anatomy::CompiledBody& lines, const std::string& subject) {
  std::vector<double> activations(lines.muscles.size(), 0);
  for (const auto& [name, level] : levels) {
    if (!(level >= 0 && level <= 1))
      throw InputError(Diagnostic{.subject = subject,
                                  .field = name,
                                  .message = fmt::format("is {}", level),
                                  .expected = "a level from 0 to 1"});
    bool found = false;
    std::set<std::string> known;
    for (std::size_t i = 0; i < activations.size(); ++i) {
      const anatomy::CompiledMuscle& line = lines.muscles[i];
      const std::string sided = line.sidedMuscle();
      known.insert({line.name, line.muscle, sided});
      if (name != line.name && name != line.muscle && name != sided) continue;
      activations[i] = level;
      found = true;
    }
    if (found) continue;
    const std::vector<std::string> names(known.begin(), known.end());
    throw InputError(Diagnostic{.subject = subject,
                                .message = fmt::format("there is no muscle or line '{}'", name),
                                .nearest = nearestName(name, names)});
  }
  return activations;
}

anatomy::CompiledBody PosedFlesh::linesOf(const anatomy::Body& described) {
  return anatomy::compileBody(described, body::LivingOptions{}.articulation).valueOrThrow();
}

PosedFlesh::PosedFlesh(const anatomy::Body& measured, const anatomy::Body& described,
                       const anatomy::CompiledBody& compiled, const skeleton::Model& tree,
                       const FleshRequest& request, int skinTriangles)
    : tree_(tree),
      hands_(described),
      actor_(described, compiled, tree, makeBoneMeshes(described)),
      flesh_(std::make_unique<ActFlesh>(measured, described, compiled, tree, nullptr, request,
                                        skinTriangles, hands_, actor_)) {}

body::Frame PosedFlesh::capture(double time, const VecX& q, std::span<const double> activations) {
  skeleton::Kinematics k(tree_);
  skeleton::computePoses(tree_, q, k);
  body::Frame frame = actor_.capture(time, k);
  flesh_->capture(k, activations, frame);
  return frame;
}

nlohmann::ordered_json PosedFlesh::numbers(const body::Frame& frame) const {
  nlohmann::ordered_json row;
  const body::FrameLayout& layout = actor_.layout();
  for (const char* group : {"flesh", "girths"})
    for (const int s : layout.group(group)) {
      const body::FrameScalar& scalar = layout.scalars[at(s)];
      const std::string unit = scalar.unit == "%" ? "pct" : scalar.unit;
      row[unit.empty() ? scalar.name : scalar.name + "_" + unit] = frame.scalars[at(s)];
    }
  return row;
}

}  // namespace pneuma::stage
