#include "pneuma/anatomy/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace pneuma::anatomy {
namespace {

Diagnostic unknown(std::string message, std::string expected, std::string nearest) {
  return {Severity::Error, {}, "", "", std::move(message), std::move(expected), std::move(nearest)};
}

}  // namespace

Vec3 pointAlong(const std::vector<Vec3>& curve, double fraction) {
  double total = 0;
  for (std::size_t i = 1; i < curve.size(); ++i) total += (curve[i] - curve[i - 1]).norm();
  double left = std::clamp(fraction, 0.0, 1.0) * total;
  for (std::size_t i = 1; i < curve.size(); ++i) {
    const double length = (curve[i] - curve[i - 1]).norm();
    if (left <= length && length > 0)
      return curve[i - 1] + (left / length) * (curve[i] - curve[i - 1]);
    left -= length;
  }
  return curve.back();
}

PointTable::PointTable(const Body& body, std::vector<Diagnostic>& findings) {
  for (const Bone& bone : body.bones) {
    boneIndex_.emplace(bone.name, static_cast<int>(boneNames_.size()));
    boneNames_.push_back(bone.name);
  }
  std::map<std::string, std::shared_ptr<const std::string>> curveFiles;
  for (const Landmarks& marks : body.landmarks) {
    const std::string subject = fmt::format("landmarks '{}'", marks.bone);
    if (findBone(marks.bone) < 0) continue;  // reported by the reference check
    // A later file may move a point or a curve; the same file may not say two things.
    for (const auto& [name, ref] : marks.points) {
      Pending& slot = pending_[marks.bone + ":" + name];
      if (slot.ref && slot.ref->where.file == ref.where.file)
        findings.push_back({Severity::Error, ref.where.position(), subject, "points." + name,
                            "is already defined", "one definition of each point", ""});
      slot = Pending{&ref, marks.bone};
    }
    for (const auto& [name, curve] : marks.curves) {
      const auto [it, fresh] = curves_.insert_or_assign(marks.bone + ":" + name, curve);
      const auto [first, unseen] = curveFiles.emplace(it->first, marks.where.file);
      if (!fresh && first->second == marks.where.file)
        findings.push_back({Severity::Error, marks.where.position(), subject, "curves." + name,
                            "is already defined", "one definition of each curve", ""});
      first->second = marks.where.file;
    }
  }
  for (const auto& item : pending_) resolvePending(item.first, findings);
  pending_.clear();
}

void PointTable::resolvePending(const std::string& name, std::vector<Diagnostic>& findings) {
  const auto it = pending_.find(name);
  if (it == pending_.end() || points_.count(name)) return;
  Pending& p = it->second;
  const auto complain = [&](Diagnostic d) {
    d.where = p.ref->where.position();
    d.subject = fmt::format("landmarks '{}'", p.bone);
    d.field = "points." + name.substr(p.bone.size() + 1);
    findings.push_back(std::move(d));
  };
  if (p.busy)
    return complain(
        unknown("is defined by itself in a circle", "points that end in a position", ""));
  p.busy = true;
  for (const std::string& other : {p.ref->at, p.ref->towards})
    if (!other.empty()) resolvePending(other, findings);
  const Result<BodyPoint> point = resolve(*p.ref, p.bone);
  if (point)
    points_.emplace(name, BodyPoint{findBone(p.bone), point->position});
  else
    complain(point.diagnostics().front());
}

int PointTable::findBone(const std::string& name) const {
  const auto it = boneIndex_.find(name);
  return it == boneIndex_.end() ? -1 : it->second;
}

Result<BodyPoint> PointTable::find(const std::string& reference) const {
  const std::size_t colon = reference.find(':');
  const std::string bone = reference.substr(0, colon);
  const int index = findBone(bone);
  if (index < 0)
    return unknown(fmt::format("unknown bone '{}'", bone), "", nearestName(bone, boneNames_));
  if (colon == std::string::npos)
    return unknown(fmt::format("'{}' names no point", reference), "'bone:point'", "");
  if (const auto it = points_.find(reference); it != points_.end()) return it->second;
  if (const std::size_t at = reference.find('@'); at != std::string::npos) {
    const auto it = curves_.find(reference.substr(0, at));
    double fraction = -1;
    const char* end = reference.data() + reference.size();
    const auto parsed = std::from_chars(reference.data() + at + 1, end, fraction);
    if (it != curves_.end() && parsed.ptr == end && fraction >= 0 && fraction <= 1)
      return BodyPoint{index, pointAlong(it->second, fraction)};
    return unknown(fmt::format("'{}' is no place on a curve", reference),
                   "'bone:curve@fraction' with a fraction 0 to 1", "");
  }
  return unknown(fmt::format("unknown point '{}'", reference), "",
                 nearestName(reference, pointNames(index)));
}

Result<BodyPoint> PointTable::resolve(const PointRef& ref, const std::string& owner) const {
  BodyPoint point;
  if (!ref.at.empty()) {
    const Result<BodyPoint> at = find(ref.at);
    if (!at) return at;
    point = *at;
    if (!ref.towards.empty()) {
      const Result<BodyPoint> towards = find(ref.towards);
      if (!towards) return towards;
      point.position += ref.fraction * (towards->position - at->position);
    }
  } else if (ref.position) {
    point.position = *ref.position;
    point.bone = findBone(owner);
    if (owner.empty() && ref.bone.empty())
      return unknown("says not which bone carries the point", "bone = \"...\"", "");
  } else {
    return unknown("is missing", "a point", "");
  }
  if (!ref.bone.empty()) {
    point.bone = findBone(ref.bone);
    if (point.bone < 0)
      return unknown(fmt::format("unknown bone '{}'", ref.bone), "",
                     nearestName(ref.bone, boneNames_));
  }
  point.position += ref.offset;
  return point;
}

Result<Vec3> PointTable::resolve(const AxisRef& ref) const {
  Vec3 direction = ref.vector.value_or(Vec3::Zero());
  if (ref.from && ref.to) {
    // The bone that carries an end does not matter for a direction.
    const std::string anyBone = boneNames_.empty() ? "" : boneNames_.front();
    const Result<BodyPoint> from = resolve(*ref.from, anyBone), to = resolve(*ref.to, anyBone);
    if (!from) return from.diagnostics();
    if (!to) return to.diagnostics();
    direction = to->position - from->position;
  }
  if (direction.norm() < 1e-9) return unknown("has no direction", "two different points", "");
  return Vec3(direction.normalized() * (ref.reverse ? -1.0 : 1.0));
}

std::vector<std::string> PointTable::pointNames(int bone) const {
  std::vector<std::string> names;
  const std::string prefix = boneNames_[static_cast<std::size_t>(bone)] + ":";
  for (auto it = points_.lower_bound(prefix);
       it != points_.end() && it->first.compare(0, prefix.size(), prefix) == 0; ++it)
    names.push_back(it->first);
  return names;
}

const std::vector<Vec3>* PointTable::curve(int bone, const std::string& name) const {
  const auto it = curves_.find(boneNames_[static_cast<std::size_t>(bone)] + ":" + name);
  return it == curves_.end() ? nullptr : &it->second;
}

}  // namespace pneuma::anatomy
