#include <fmt/format.h>

#include <set>

#include "anatomy/text/check_references.h"
#include "anatomy/text/repeat_rules.h"
#include "pneuma/anatomy/body_file.h"

namespace pneuma::anatomy {
namespace {

using internal::Mirror;
using internal::mirrorName;
using internal::Substitute;

constexpr std::size_t kMostCopies = 1000;

/// The name under which an entry is known: that of its bone for landmarks, shapes, segments.
template <class T>
const std::string& nameOf(const T& entry) {
  if constexpr (requires { entry.name; })
    return entry.name;
  else
    return entry.bone;
}

class Expander {
 public:
  explicit Expander(std::vector<Diagnostic>& findings) : findings_(findings) {}

  template <class T>
  std::vector<T> expand(const std::vector<T>& entries, const char* kind) {
    std::vector<T> result;
    for (const T& entry : entries)
      for (T& copy : repeat(entry, kind)) {
        const bool mirror = copy.mirror;
        copy.mirror = false;
        result.push_back(copy);
        if (mirror) reflect(std::move(copy), kind, result);
      }
    return result;
  }

 private:
  /// One copy per value of the series, or the entry itself.
  template <class T>
  std::vector<T> repeat(const T& entry, const char* kind) {
    if (entry.series.empty()) return {entry};
    const auto count = [](const SeriesVariable& v) {
      return v.numbers.empty() ? v.values.size() : v.numbers.size();
    };
    const std::size_t n = count(entry.series.front());
    for (const SeriesVariable& v : entry.series)
      if (count(v) != n || n > kMostCopies) {
        problem(entry, kind, "series",
                fmt::format("'{}' has {} values, '{}' has {}", entry.series.front().name, n, v.name,
                            count(v)),
                fmt::format("equally many values, at most {}", kMostCopies));
        return {};
      }
    std::vector<T> copies;
    for (std::size_t i = 0; i < n; ++i) {
      T copy = entry;
      Substitute substitute(entry.series, i);
      internal::fields(substitute, copy);
      copy.series.clear();
      for (const auto& p : substitute.problems())
        problem(
            entry, kind, p.field,
            fmt::format("cannot fill in '{{{}}}' (copy {} of the series)", p.placeholder, i + 1),
            "a variable of the series, moved within its levels");
      copies.push_back(std::move(copy));
    }
    return copies;
  }

  template <class T>
  void reflect(T copy, const char* kind, std::vector<T>& result) {
    const std::string leftName = nameOf(copy);
    if constexpr (std::is_same_v<T, Landmarks>) {
      if (mirrorName(copy.bone) == copy.bone) return addRightPoints(result.back());
    }
    Mirror mirror;
    if constexpr (std::is_same_v<T, Shape>) {
      copy.bone = mirrorName(copy.bone);
      copy.shape = mirrored(copy.shape);
    } else {
      internal::fields(mirror, copy);
    }
    if (nameOf(copy) == leftName)
      problem(copy, kind, "mirror", fmt::format("'{}' has no side to mirror", leftName),
              "a name with _l");
    else
      result.push_back(std::move(copy));
  }

  /// On a bone of the middle, mirroring adds the right points and curves to the left ones.
  void addRightPoints(Landmarks& marks) {
    Landmarks right = marks;
    Mirror mirror;
    internal::fields(mirror, right);
    marks.points.insert(right.points.begin(), right.points.end());
    marks.curves.insert(right.curves.begin(), right.curves.end());
  }

  template <class T>
  void problem(const T& entry, const char* kind, const std::string& field, std::string message,
               std::string expected) {
    const auto it = entry.fieldOrigins.find(field);
    const Origin& where = it == entry.fieldOrigins.end() ? entry.where : it->second;
    findings_.push_back({Severity::Error, where.position(),
                         fmt::format("{} '{}'", kind, nameOf(entry)), field, std::move(message),
                         std::move(expected), ""});
  }

  std::vector<Diagnostic>& findings_;
};

/// An entry that another, later file gives again takes the place of the earlier one. Twice in one
/// file stays twice, and is reported.
template <class T>
void replaceEarlier(std::vector<T>& entries) {
  std::map<std::string, std::size_t> seen;
  std::vector<T> result;
  for (T& entry : entries) {
    const auto [it, fresh] = seen.emplace(nameOf(entry), result.size());
    if (!fresh && result[it->second].where.file != entry.where.file)
      result[it->second] = std::move(entry);
    else
      result.push_back(std::move(entry));
  }
  entries = std::move(result);
}

/// Takes over what an articulation is based on; entries of the same name replace the base's.
template <class T>
std::vector<T> overlay(const std::vector<T>& base, std::vector<T> own,
                       const std::vector<std::string>& omit) {
  std::vector<T> result;
  for (const T& entry : base) {
    if (std::find(omit.begin(), omit.end(), entry.name) != omit.end()) continue;
    const auto it =
        std::find_if(own.begin(), own.end(), [&](const T& o) { return o.name == entry.name; });
    if (it == own.end()) {
      result.push_back(entry);
    } else {
      result.push_back(std::move(*it));
      own.erase(it);
    }
  }
  for (T& entry : own) result.push_back(std::move(entry));
  return result;
}

void applyBase(Articulation& a, const Articulation& base) {
  a.links = overlay(base.links, std::move(a.links), a.omit);
  a.springs = overlay(base.springs, std::move(a.springs), a.omit);
  a.rhythms = overlay(base.rhythms, std::move(a.rhythms), a.omit);
  if (a.muscles.empty()) a.muscles = base.muscles;
  a.basedOn.clear();
  a.omit.clear();
}

/// Articulations may be based only on earlier ones, so there are no circles.
void resolveBases(std::vector<Articulation>& all, std::vector<Diagnostic>& findings) {
  std::vector<std::string> earlier;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Articulation& a = all[i];
    if (!a.basedOn.empty()) {
      const auto it = std::find(earlier.begin(), earlier.end(), a.basedOn);
      if (it == earlier.end())
        findings.push_back({Severity::Error, a.fieldOrigins["based_on"].position(),
                            fmt::format("articulation '{}'", a.name), "based_on",
                            fmt::format("unknown articulation '{}'", a.basedOn),
                            "an articulation defined before", nearestName(a.basedOn, earlier)});
      else
        applyBase(a, all[static_cast<std::size_t>(it - earlier.begin())]);
    }
    earlier.push_back(a.name);
  }
}

}  // namespace

Result<Body> expandBody(const Body& declared) {
  std::vector<Diagnostic> findings;
  Expander expander(findings);
  Body body = declared;
  body.bones = expander.expand(declared.bones, "bone");
  body.landmarks = expander.expand(declared.landmarks, "landmarks");
  body.shapes = expander.expand(declared.shapes, "shape");
  body.skinEnvelope = expander.expand(declared.skinEnvelope, "skin_envelope");
  body.muscleSolids = expander.expand(declared.muscleSolids, "muscle_solid");
  body.segments = expander.expand(declared.segments, "segment");
  body.muscles = expander.expand(declared.muscles, "muscle");
  body.bellies = expander.expand(declared.bellies, "belly");
  body.skinGroups = expander.expand(declared.skinGroups, "skin_group");
  body.skinPieces = expander.expand(declared.skinPieces, "skin_piece");
  body.skinContours = expander.expand(declared.skinContours, "skin_contour");
  body.skinExtremities = expander.expand(declared.skinExtremities, "skin_extremity");
  body.skinPrimitives = expander.expand(declared.skinPrimitives, "skin_primitive");
  body.skinFolds = expander.expand(declared.skinFolds, "skin_fold");
  for (Articulation& a : body.articulations) {
    a.links = expander.expand(a.links, "link");
    a.springs = expander.expand(a.springs, "spring");
    a.rhythms = expander.expand(a.rhythms, "rhythm");
  }
  replaceEarlier(body.bones);
  replaceEarlier(body.shapes);
  replaceEarlier(body.skinEnvelope);
  replaceEarlier(body.muscleSolids);
  replaceEarlier(body.segments);
  replaceEarlier(body.muscles);
  replaceEarlier(body.bellies);
  replaceEarlier(body.cavities);
  replaceEarlier(body.skinGroups);
  replaceEarlier(body.skinPieces);
  replaceEarlier(body.skinContours);
  replaceEarlier(body.skinExtremities);
  replaceEarlier(body.skinPrimitives);
  replaceEarlier(body.skinFolds);
  replaceEarlier(body.articulations);
  resolveBases(body.articulations, findings);
  internal::checkReferences(body, findings);
  const bool failed = std::any_of(findings.begin(), findings.end(), [](const Diagnostic& d) {
    return d.severity == Severity::Error;
  });
  if (failed) return findings;
  return {std::move(body), std::move(findings)};
}

}  // namespace pneuma::anatomy
