#include "pneuma/skeleton/rhythm.h"

#include <algorithm>

namespace pneuma::skeleton {

namespace {

struct Freedom {
  const anatomy::CompiledDof* dof = nullptr;
  int position = -1;
};

Freedom findFreedom(const anatomy::CompiledBody& body, const Model& model,
                    const std::string& name) {
  for (const anatomy::CompiledLink& link : body.links)
    for (std::size_t d = 0; d < link.dofs.size(); ++d)
      if (link.dofs[d].name == name)
        return {&link.dofs[d],
                model.links[model.linkIndex(link.name)].firstPosition + static_cast<int>(d)};
  return {};
}

}  // namespace

int positionOf(const anatomy::CompiledBody& body, const Model& model, const std::string& freedom) {
  return findFreedom(body, model, freedom).position;
}

void followRhythms(const anatomy::CompiledBody& body, const Model& model,
                   const std::vector<bool>& stated, VecX& q) {
  for (const anatomy::Rhythm& rhythm : body.rhythms) {
    const int leader = positionOf(body, model, rhythm.leader);
    const bool alone = std::ranges::none_of(rhythm.parts, [&](const anatomy::RhythmPart& p) {
      return stated[positionOf(body, model, p.freedom)];
    });
    if (!stated[leader] || !alone) continue;
    const double beyond = std::max(0.0, q[leader] - model.neutral[leader] - rhythm.after);
    for (const anatomy::RhythmPart& p : rhythm.parts) {
      const Freedom f = findFreedom(body, model, p.freedom);
      const double before = q[f.position];
      q[f.position] += p.part * beyond;
      if (f.dof->limited) q[f.position] = std::clamp(q[f.position], f.dof->lower, f.dof->upper);
      if (rhythm.shared) q[leader] -= q[f.position] - before;
    }
  }
}

}  // namespace pneuma::skeleton
