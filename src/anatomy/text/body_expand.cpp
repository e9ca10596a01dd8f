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

/// A link put between two of the base comes last: those that hang on it move behind it.
std::vector<Link> parentsFirst(std::vector<Link> links) {
  std::vector<Link> result;
  const auto named = [](const std::vector<Link>& list, const std::string& name) {
    return std::ranges::find(list, name, &Link::name) != list.end();
  };
  while (!links.empty()) {
    const auto ready = std::ranges::find_if(
        links, [&](const Link& l) { return named(result, l.parent) || !named(links, l.parent); });
    const auto next = ready == links.end() ? links.begin() : ready;  // a circle is told later
    result.push_back(std::move(*next));
    links.erase(next);
  }
  return result;
}

void applyBase(Articulation& a, const Articulation& base) {
  a.links = parentsFirst(overlay(base.links, std::move(a.links), a.omit));
  a.springs = overlay(base.springs, std::move(a.springs), a.omit);
  a.rhythms = overlay(base.rhythms, std::move(a.rhythms), a.omit);
  a.glides = overlay(base.glides, std::move(a.glides), a.omit);
  if (a.muscles.empty()) a.muscles = base.muscles;
  a.basedOn.clear();
  a.omit.clear();
}

/// Adds the links of one region of another articulation, after those that are there.
void addRegion(Articulation& a, const Articulation& other, LinkRegion region) {
  for (const Link& link : other.links)
    if (link.region == region &&
        std::ranges::find(a.links, link.name, &Link::name) == a.links.end())
      a.links.push_back(link);
}

/// Articulations may be based only on earlier ones, so there are no circles.
class BaseResolver {
 public:
  BaseResolver(std::vector<Articulation>& all, std::vector<Diagnostic>& findings)
      : all_(all), findings_(findings) {}

  void run() {
    for (Articulation& a : all_) {
      if (!a.basedOn.empty())
        if (const Articulation* base = find(a, "based_on", a.basedOn)) applyBase(a, *base);
      for (const std::string& part : a.with) addPart(a, part);
      a.with.clear();
      earlier_.push_back(a.name);
    }
  }

 private:
  const Articulation* find(Articulation& a, const char* field, const std::string& name) {
    const auto it = std::find(earlier_.begin(), earlier_.end(), name);
    if (it != earlier_.end()) return &all_[static_cast<std::size_t>(it - earlier_.begin())];
    error(a, field, fmt::format("unknown articulation '{}'", name),
          "an articulation defined before", nearestName(name, earlier_));
    return nullptr;
  }

  /// `part` is "articulation:region".
  void addPart(Articulation& a, const std::string& part) {
    const std::size_t colon = part.find(':');
    const Articulation* other = find(a, "with", part.substr(0, colon));
    if (!other) return;
    const std::string region = colon == std::string::npos ? "" : part.substr(colon + 1);
    if (const auto found = internal::enumValue<LinkRegion>(region))
      return addRegion(a, *other, *found);
    const std::vector<std::string> names(std::begin(internal::EnumNames<LinkRegion>::names),
                                         std::end(internal::EnumNames<LinkRegion>::names));
    error(a, "with", fmt::format("'{}' names no region", part),
          fmt::format("'articulation:region', a region being one of {}", fmt::join(names, ", ")),
          nearestName(region, names));
  }

  void error(Articulation& a, const char* field, std::string message, std::string expected,
             std::string nearest) {
    findings_.push_back({Severity::Error, a.fieldOrigins[field].position(),
                         fmt::format("articulation '{}'", a.name), field, std::move(message),
                         std::move(expected), std::move(nearest)});
  }

  std::vector<Articulation>& all_;
  std::vector<Diagnostic>& findings_;
  std::vector<std::string> earlier_;
};

}  // namespace

// Every list is expanded before any reference is checked: an entry may name another that only
// mirroring or a series brings into being.
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
    a.glides = expander.expand(a.glides, "glide");
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
  replaceEarlier(body.postures);
  replaceEarlier(body.strengthTests);
  BaseResolver(body.articulations, findings).run();
  internal::checkReferences(body, findings);
  const bool failed = std::any_of(findings.begin(), findings.end(), [](const Diagnostic& d) {
    return d.severity == Severity::Error;
  });
  if (failed) return findings;
  return {std::move(body), std::move(findings)};
}

}  // namespace pneuma::anatomy
