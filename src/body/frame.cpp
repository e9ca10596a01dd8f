#include "pneuma/body/frame.h"

#include <fmt/format.h>

#include <algorithm>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"

namespace pneuma::body {
namespace {

/// Index of a name in a list, or the InputError that names the nearest.
template <class Entry>
int find(const std::vector<Entry>& entries, std::string_view name, const char* kind) {
  const auto at = std::ranges::find(entries, name, &Entry::name);
  if (at != entries.end()) return static_cast<int>(at - entries.begin());
  std::vector<std::string> names;
  for (const Entry& e : entries) names.push_back(e.name);
  throw InputError(Diagnostic{.message = fmt::format("unknown {} '{}'", kind, name),
                              .nearest = nearestName(name, names)});
}

template <class Entry>
int add(std::vector<Entry>& entries, Entry entry) {
  PNEUMA_CHECK(std::ranges::find(entries, entry.name, &Entry::name) == entries.end());
  entries.push_back(std::move(entry));
  return static_cast<int>(entries.size()) - 1;
}

}  // namespace

std::string_view toString(Tissue tissue) {
  switch (tissue) {
    case Tissue::Bone:
      return "bone";
    case Tissue::Cartilage:
      return "cartilage";
    case Tissue::Muscle:
      return "muscle";
    case Tissue::Tendon:
      return "tendon";
    case Tissue::Organ:
      return "organ";
    case Tissue::Skin:
      return "skin";
  }
  return "";
}

int FrameLayout::addLink(FrameLink link) {
  PNEUMA_CHECK(link.parent < static_cast<int>(links.size()));
  return add(links, std::move(link));
}

int FrameLayout::addPointSet(FramePointSet set) {
  PNEUMA_CHECK(set.carrier < static_cast<int>(links.size()));
  PNEUMA_CHECK(set.labels.empty() || set.labels.size() == set.count);
  return add(pointSets, std::move(set));
}

int FrameLayout::addScalar(FrameScalar scalar) {
  // A group is one block, so that a table's row is a slice of the frame.
  if (scalars.empty() || scalars.back().group != scalar.group)
    PNEUMA_CHECK(std::ranges::find(scalars, scalar.group, &FrameScalar::group) == scalars.end(),
                 "group '{}' goes on after another one", scalar.group);
  for (auto s = scalars.rbegin(); s != scalars.rend() && s->group == scalar.group; ++s)
    PNEUMA_CHECK(s->name != scalar.name, "'{}' twice in group '{}'", s->name, s->group);
  scalars.push_back(std::move(scalar));
  return static_cast<int>(scalars.size()) - 1;
}

int FrameLayout::linkIndex(std::string_view name) const {
  return find(links, name, "link");
}

int FrameLayout::pointSetIndex(std::string_view name) const {
  return find(pointSets, name, "point set");
}

int FrameLayout::scalarIndex(std::string_view group, std::string_view name) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    if (scalars[i].group != group) continue;
    if (scalars[i].name == name) return static_cast<int>(i);
    names.push_back(scalars[i].name);
  }
  throw InputError(Diagnostic{.subject = fmt::format("scalars '{}'", group),
                              .message = fmt::format("unknown scalar '{}'", name),
                              .nearest = nearestName(name, names)});
}

std::vector<int> FrameLayout::group(std::string_view name) const {
  std::vector<int> list;
  for (std::size_t i = 0; i < scalars.size(); ++i)
    if (scalars[i].group == name) list.push_back(static_cast<int>(i));
  return list;
}

std::vector<std::string> FrameLayout::groups() const {
  std::vector<std::string> list;
  for (const FrameScalar& s : scalars)
    if (list.empty() || list.back() != s.group) list.push_back(s.group);
  return list;
}

std::size_t FrameLayout::pointOffset(int set) const {
  std::size_t offset = 0;
  for (int i = 0; i < set; ++i) offset += pointSets[static_cast<std::size_t>(i)].count;
  return offset;
}

std::size_t FrameLayout::pointCount() const {
  return pointOffset(static_cast<int>(pointSets.size()));
}

std::span<const Vec3> Frame::pointsOf(const FrameLayout& layout, int set) const {
  return std::span(points).subspan(layout.pointOffset(set),
                                   layout.pointSets[static_cast<std::size_t>(set)].count);
}

std::span<Vec3> Frame::pointsOf(const FrameLayout& layout, int set) {
  return std::span(points).subspan(layout.pointOffset(set),
                                   layout.pointSets[static_cast<std::size_t>(set)].count);
}

Frame makeFrame(const FrameLayout& layout) {
  Frame frame;
  for (const FrameLink& link : layout.links) frame.X_WL.push_back(link.X_WL_rest);
  frame.points.assign(layout.pointCount(), Vec3::Zero());
  frame.scalars.assign(layout.scalars.size(), 0.0);
  return frame;
}

void checkFrame(const FrameLayout& layout, const Frame& frame) {
  PNEUMA_CHECK(frame.X_WL.size() == layout.links.size());
  PNEUMA_CHECK(frame.points.size() == layout.pointCount());
  PNEUMA_CHECK(frame.scalars.size() == layout.scalars.size());
}

}  // namespace pneuma::body
