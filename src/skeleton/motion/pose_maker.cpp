#include "pneuma/skeleton/pose_maker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/skeleton/configuration.h"

namespace pneuma::skeleton {

namespace {

constexpr double kRounding = 1e-11;  // [rad] or [m], of a value against its limit

/// "elbow_l" gives "l_elbow".
std::string sideFirst(const std::string& joint) {
  const std::size_t n = joint.size();
  return joint.substr(n - 1) + "_" + joint.substr(0, n - 2);
}

bool sided(const std::string& joint) {
  return joint.ends_with("_l") || joint.ends_with("_r");
}

}  // namespace

PoseMaker::PoseMaker(const anatomy::CompiledBody& body, const Model& model)
    : model_(model), glides_(makeGlides(body, model)) {
  addFreedoms(body);
  addSums(body);
  addNames();
}

void PoseMaker::addFreedoms(const anatomy::CompiledBody& body) {
  for (const anatomy::CompiledLink& link : body.links) {
    const Link& l = model_.links[static_cast<std::size_t>(model_.linkIndex(link.name))];
    if (l.joint == JointKind::Free || l.joint == JointKind::Fixed) continue;
    for (std::size_t d = 0; d < link.dofs.size(); ++d) {
      const anatomy::CompiledDof& dof = link.dofs[d];
      const bool ball = l.joint == JointKind::Ball;
      freedoms_.push_back({.name = dof.name,
                           .alias = dof.alias,
                           .dof = l.firstDof + (ball ? 0 : static_cast<int>(d)),
                           .position = ball ? -1 : l.firstPosition + static_cast<int>(d),
                           .axis = dof.axis,
                           .limited = dof.limited,
                           .lower = dof.lower,
                           .upper = dof.upper});
    }
  }
}

void PoseMaker::addSums(const anatomy::CompiledBody& body) {
  const auto indexOf = [&](const std::string& freedom) {
    const auto it = std::ranges::find(freedoms_, freedom, &Freedom::name);
    return it == freedoms_.end() ? -1 : static_cast<int>(it - freedoms_.begin());
  };
  for (const anatomy::Rhythm& r : body.rhythms) {
    std::vector<std::pair<int, double>> parts;
    for (const anatomy::RhythmPart& p : r.parts)
      if (const int i = indexOf(p.freedom); i >= 0) parts.emplace_back(i, p.part);
    if (parts.size() == 1 && parts.front().second == 1) {  // another name for it
      name(r.name, parts.front().first);
      continue;
    }
    Freedom sum{.name = r.name, .alias = r.name, .limited = !parts.empty()};
    std::ranges::replace(sum.alias, '.', '_');
    for (const auto& [i, part] : parts) {
      const Freedom& f = freedoms_[static_cast<std::size_t>(i)];
      sum.limited = sum.limited && f.limited;
      sum.lower += f.lower, sum.upper += f.upper;
    }
    sum.shares = std::move(parts);
    freedoms_.push_back(std::move(sum));
  }
}

void PoseMaker::name(const std::string& text, int freedom) {
  byName_.try_emplace(text, std::vector<int>{freedom});
}

void PoseMaker::addNames() {
  const auto count = static_cast<int>(freedoms_.size());
  const auto each = [&](const auto& add) {
    for (int i = 0; i < count; ++i) add(freedoms_[static_cast<std::size_t>(i)], i);
  };
  // Full names first: none of the short ones may hide one.
  each([&](const Freedom& f, int i) { name(f.name, i), name(f.alias, i); });
  const auto jointOf = [](const Freedom& f) { return f.name.substr(0, f.name.find('.')); };
  each([&](const Freedom& f, int i) {
    name(jointOf(f), i);
    if (sided(jointOf(f))) name(sideFirst(jointOf(f)), i);
  });
  std::map<std::string, std::vector<int>> both;
  for (const auto& [left, indices] : byName_) {
    const std::size_t end = std::min(left.find('.'), left.size());
    const std::string joint = left.substr(0, end), rest = left.substr(end);
    if (!joint.ends_with("_l")) continue;
    const std::string bare = joint.substr(0, joint.size() - 2);
    const auto right = byName_.find(bare + "_r" + rest);
    if (right != byName_.end())
      both.try_emplace(bare + rest, std::vector<int>{indices.front(), right->second.front()});
  }
  byName_.merge(both);
}

std::span<const int> PoseMaker::find(const std::string& name) const {
  const auto it = byName_.find(name);
  return it == byName_.end() ? std::span<const int>{} : std::span<const int>(it->second);
}

PoseMaker::Angles PoseMaker::read(std::span<const JointSetting> settings,
                                  const PoseMakerOptions& options) const {
  Angles angles{std::vector<double>(freedoms_.size(), 0.0),
                std::vector<bool>(freedoms_.size(), false)};
  for (const JointSetting& s : settings) {
    const std::span<const int> meant = find(s.name);
    if (meant.empty() && !options.skipUnknown) {
      std::vector<std::string> names;
      for (const auto& [known, indices] : byName_) names.push_back(known);
      throw InputError(Diagnostic{.subject = options.subject,
                                  .message = "unknown joint '" + s.name + "'",
                                  .nearest = nearestName(s.name, names)});
    }
    if (!std::isfinite(s.value))
      throw InputError(Diagnostic{.subject = options.subject,
                                  .message = fmt::format("'{}' is {} degrees", s.name, s.value),
                                  .expected = "a number"});
    for (const int i : meant) {
      angles.value[static_cast<std::size_t>(i)] = s.value;
      angles.stated[static_cast<std::size_t>(i)] = true;
    }
  }
  return angles;
}

/// Fills up: whoever meets its limit drops out, the others share the rest. Every round at least one
/// drops out, so there are at most as many rounds as members.
void PoseMaker::share(const Freedom& sum, double asked, Angles& angles,
                      const PoseMakerOptions& options) const {
  std::vector<std::pair<int, double>> open;
  double left = asked;
  for (const auto& [i, part] : sum.shares)
    if (angles.stated[static_cast<std::size_t>(i)])
      left -= angles.value[static_cast<std::size_t>(i)];
    else
      open.emplace_back(i, part);
  const std::vector<std::pair<int, double>> moved = open;
  while (!open.empty() && std::abs(left) > kRounding) {
    double parts = 0;
    for (const auto& [i, part] : open) parts += part;
    const double perPart = left / parts;
    std::erase_if(open, [&](const std::pair<int, double>& member) {
      const Freedom& f = freedoms_[static_cast<std::size_t>(member.first)];
      double& value = angles.value[static_cast<std::size_t>(member.first)];
      const double wanted = value + perPart * member.second;
      const double given = f.limited ? std::clamp(wanted, f.lower, f.upper) : wanted;
      left -= given - value;
      value = given;
      return given != wanted;
    });
  }
  for (const auto& [i, part] : moved) angles.stated[static_cast<std::size_t>(i)] = true;
  if (std::abs(left) > 1e-9)
    throw InputError(Diagnostic{
        .subject = options.subject,
        .message = fmt::format("'{}' is {:g} degrees", sum.name, radiansToDegrees(asked)),
        .expected = fmt::format("between {:g} and {:g} degrees", radiansToDegrees(sum.lower),
                                radiansToDegrees(sum.upper))});
}

/// Ranges of what is stated. `ownPart`: of a limb's angles, what its own joint takes when the bone
/// it hangs on has moved along; an arm may be raised further than its socket alone allows.
void PoseMaker::checkRanges(const Angles& asked, const std::vector<double>& ownPart,
                            const PoseMakerOptions& options) const {
  for (std::size_t i = 0; i < freedoms_.size(); ++i) {
    const Freedom& f = freedoms_[i];
    const double value = ownPart[i] * asked.value[i];
    if (!asked.stated[i] || !f.limited || !f.shares.empty()) continue;
    if (value >= f.lower - kRounding && value <= f.upper + kRounding) continue;
    const bool shared = ownPart[i] != 1;
    const std::string own =
        shared ? fmt::format(", {:.1f} of them its own beside the joints that follow it",
                             radiansToDegrees(value))
               : "";
    throw InputError(Diagnostic{
        .subject = options.subject,
        .message =
            fmt::format("'{}' is {:g} degrees{}", f.alias, radiansToDegrees(asked.value[i]), own),
        .expected = fmt::format("between {:g} and {:g} degrees{}", radiansToDegrees(f.lower),
                                radiansToDegrees(f.upper), shared ? " of its own" : "")});
  }
}

VecX PoseMaker::configuration(const Angles& angles) const {
  VecX q = model_.neutral, step = VecX::Zero(model_.dofCount());
  for (std::size_t i = 0; i < freedoms_.size(); ++i) {
    const Freedom& f = freedoms_[i];
    if (f.position >= 0) {
      q[f.position] = model_.neutral[f.position] + angles.value[i];
    } else if (f.dof >= 0 && angles.value[i] != 0) {
      step.segment<3>(f.dof) = angles.value[i] * f.axis;
      integrateConfiguration(model_, step, q);
      step.segment<3>(f.dof).setZero();
    }
  }
  return q;
}

VecX PoseMaker::make(std::span<const JointSetting> settings,
                     const PoseMakerOptions& options) const {
  const Angles asked = read(settings, options);
  Angles angles = asked;
  for (std::size_t i = 0; i < freedoms_.size(); ++i)
    if (asked.stated[i] && !freedoms_[i].shares.empty())
      share(freedoms_[i], asked.value[i], angles, options);
  VecX q = configuration(angles);
  std::vector<double> ownPart(freedoms_.size(), 1.0);
  if (options.rhythm)
    for (const Glide& g : glides_) glide(g, asked, q, ownPart);
  checkRanges(asked, ownPart, options);
  return q;
}

}  // namespace pneuma::skeleton
