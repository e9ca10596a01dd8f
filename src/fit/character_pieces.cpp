#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <numeric>
#include <set>

#include "fit/character_parts.h"
#include "pneuma/core/index.h"

namespace pneuma::fit::internal {
namespace {

/// A connected surface at least so long, as a share of the file's size, is a piece of its own.
constexpr double kOwnPiece = 0.25;
/// Another closed piece counts as a second body from this share of the body's volume on, when it
/// stands so far off (share of the body's size); clothes share the body's middle.
constexpr double kSecondVolume = 0.3, kSecondDistance = 0.12;

/// Words in names, in English as most programs write them, of what stays still.
constexpr std::array kStillWords = {"hair",      "brow",     "lash",   "beard",   "mustache",
                                    "moustache", "eye",      "cornea", "iris",    "pupil",
                                    "sclera",    "teeth",    "tooth",  "tongue",  "gum",
                                    "denture",   "tearline", "fringe", "ponytail"};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// Words that hold one of those and mean something else.
constexpr std::array kOtherWords = {"chair", "brown", "splash", "flash"};

bool namesStill(const std::string& name) {
  std::string text = lower(name);
  for (const std::string_view other : kOtherWords)
    for (std::size_t i = text.find(other); i != std::string::npos; i = text.find(other))
      text.erase(i, other.size());
  // "Eyewear" and "eyeglasses" are worn; they lie on the head all the same, which hardly moves.
  return std::any_of(kStillWords.begin(), kStillWords.end(),
                     [&](const char* word) { return text.find(word) != std::string::npos; });
}

/// Root of each joined vertex over the triangles that connect them.
std::vector<std::int32_t> connectedRoots(const std::vector<std::int32_t>& joined,
                                         const std::vector<Triangle>& triangles) {
  std::vector<std::int32_t> root(joined.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](std::int32_t v) {
    while (root[at(v)] != v) v = root[at(v)] = root[at(root[at(v)])];
    return v;
  };
  for (const Triangle& t : triangles) {
    const std::int32_t a = find(joined[at(t[0])]);
    root[at(find(joined[at(t[1])]))] = a;
    root[at(find(joined[at(t[2])]))] = a;
  }
  for (std::size_t v = 0; v < root.size(); ++v) root[v] = find(static_cast<std::int32_t>(v));
  return root;
}

double triangleAreaOf(const TriangleMesh& mesh, const Triangle& t) {
  return triangleArea(mesh.positions[at(t[0])], mesh.positions[at(t[1])], mesh.positions[at(t[2])]);
}

std::vector<Triangle> joinedTriangles(const Character& character, const CharacterPiece& piece) {
  const std::vector<std::int32_t>& joined = character.joined;
  std::vector<Triangle> list;
  for (const std::int32_t t : piece.triangles) {
    const Triangle& f = character.surface.triangles[at(t)];
    const Triangle g{joined[at(f[0])], joined[at(f[1])], joined[at(f[2])]};
    if (g[0] != g[1] && g[1] != g[2] && g[2] != g[0]) list.push_back(g);
  }
  return list;
}

std::string uniqueName(const std::string& name, std::set<std::string>& taken) {
  std::string free = name;
  for (int n = 2; !taken.insert(free).second; ++n) free = fmt::format("{}.{}", name, n);
  return free;
}

Box boxOf(const Character& c, const CharacterPiece& piece) {
  Box box;
  for (const std::int32_t t : piece.triangles)
    for (const std::int32_t v : c.surface.triangles[at(t)]) box.add(c.surface.positions[at(v)]);
  return box;
}

/// Volume by signed tetrahedra about the middle of the piece, a fair guess for open ones too.
double volumeOf(const Character& c, const CharacterPiece& piece) {
  const Vec3 middle = boxOf(c, piece).center();
  double volume = 0;
  for (const std::int32_t t : piece.triangles) {
    const Triangle& f = c.surface.triangles[at(t)];
    const auto corner = [&](std::size_t k) -> Vec3 {
      return c.surface.positions[at(f[k])] - middle;
    };
    volume += corner(0).dot(corner(1).cross(corner(2))) / 6;
  }
  return std::abs(volume);
}

bool isLong(const Character& c, const CharacterPiece& piece, double whole) {
  return boxOf(c, piece).size().maxCoeff() >= kBodyShare * whole;
}

std::string pieceNames(const Character& c) {
  std::vector<std::string> names;
  for (const CharacterPiece& p : c.pieces) names.push_back("'" + p.name + "'");
  if (names.size() > 12) names.resize(12);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::size_t namedPiece(const Character& c, const std::string& wanted) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < c.pieces.size(); ++i) {
    if (c.pieces[i].name == wanted) return i;
    names.push_back(c.pieces[i].name);
  }
  throw InputError(Diagnostic{.where = {.file = c.file.string()},
                              .field = "--body-piece",
                              .message = fmt::format("has no piece '{}'", wanted),
                              .expected = pieceNames(c),
                              .nearest = nearestName(wanted, names)});
}

}  // namespace

void joinVertices(double tolerance, Character& c) {
  // Objects are joined one by one: a shirt that touches the body is still a shirt. Vertices are
  // swept along a direction in which hardly two of them coincide unless they are the same.
  const Vec3 direction = Vec3(1, 0.7548776662, 0.5698402910).normalized();
  const auto& p = c.surface.positions;
  std::vector<double> along(p.size());
  std::vector<std::int32_t>& joined = c.joined;
  std::vector<std::int32_t> objectOf(p.size(), -1);
  joined.resize(p.size());
  for (std::size_t v = 0; v < p.size(); ++v) along[v] = direction.dot(p[v]);
  std::iota(joined.begin(), joined.end(), 0);
  for (std::size_t o = 0; o < c.objects.size(); ++o)
    for (const std::int32_t v : c.objects[o].vertices)
      objectOf[at(v)] = static_cast<std::int32_t>(o);
  std::vector<std::int32_t> order = joined;
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return std::pair(along[at(a)], a) < std::pair(along[at(b)], b);
  });
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const std::int32_t a = order[i], b = order[j];
      if (along[at(b)] - along[at(a)] > tolerance) break;
      if (objectOf[at(a)] != objectOf[at(b)] || (p[at(a)] - p[at(b)]).norm() > tolerance) continue;
      const std::int32_t low = std::min(joined[at(a)], joined[at(b)]);
      const std::int32_t high = std::max(joined[at(a)], joined[at(b)]);
      joined[at(a)] = joined[at(b)] = low;
      joined[at(high)] = low;
    }
  for (std::size_t v = 0; v < p.size(); ++v)
    while (joined[at(joined[v])] != joined[v]) joined[v] = joined[at(joined[v])];
}

void findPieces(Character& c) {
  const std::vector<std::int32_t>& joined = c.joined;
  const std::vector<std::int32_t> root = connectedRoots(joined, c.surface.triangles);
  Box whole;
  std::map<std::int32_t, Box> boxes;
  for (const Triangle& t : c.surface.triangles)
    for (const std::int32_t v : t) {
      whole.add(c.surface.positions[at(v)]);
      boxes[root[at(joined[at(t[0])])]].add(c.surface.positions[at(v)]);
    }
  // Large surfaces by themselves, small ones together by object and material.
  std::map<std::pair<std::string, std::int32_t>, std::size_t> pieceOf;
  std::set<std::string> taken;
  for (std::size_t t = 0; t < c.surface.triangleCount(); ++t) {
    const std::int32_t r = root[at(joined[at(c.surface.triangles[t][0])])];
    const bool own = boxes[r].size().maxCoeff() >= kOwnPiece * whole.size().maxCoeff();
    const std::string& object = c.objects[at(c.triangleObject[t])].name;
    const std::int32_t m = c.triangleMaterial[t];
    const std::string material = m >= 0 ? c.materials[at(m)] : std::string();
    const auto key = own ? std::pair(std::string(), r) : std::pair(object, m);
    if (!pieceOf.contains(key)) {
      std::string name = object;
      const bool further = !own || taken.contains(object);
      if (further && !material.empty() && material != object) name += ":" + material;
      pieceOf[key] = c.pieces.size();
      c.pieces.push_back({.name = uniqueName(name, taken)});
    }
    c.pieces[pieceOf[key]].triangles.push_back(static_cast<std::int32_t>(t));
  }
  for (CharacterPiece& piece : c.pieces) {
    for (const std::int32_t t : piece.triangles)
      piece.area += triangleAreaOf(c.surface, c.surface.triangles[at(t)]);
    const std::vector<Triangle> triangles = joinedTriangles(c, piece);
    double holes = 0;
    for (const auto& loop : boundaryLoops(triangles)) holes += loopArea(c.surface.positions, loop);
    piece.openShare = piece.area > 0 ? holes / piece.area : 1;
    if (namesStill(piece.name)) piece.kind = PieceKind::Still;
  }
}

std::size_t chooseBody(const Character& c, const std::string& wanted) {
  if (!wanted.empty()) return namedPiece(c, wanted);
  double whole = 0;
  for (const CharacterPiece& p : c.pieces) whole = std::max(whole, boxOf(c, p).size().maxCoeff());
  std::vector<std::size_t> closed;
  std::size_t most = 0;  // the largest of all, for the message
  for (std::size_t i = 0; i < c.pieces.size(); ++i) {
    if (c.pieces[i].area > c.pieces[most].area) most = i;
    if (c.pieces[i].kind != PieceKind::Still && isLong(c, c.pieces[i], whole) &&
        c.pieces[i].openShare < kMostOpenShare)
      closed.push_back(i);
  }
  if (closed.empty() && c.pieces[most].kind == PieceKind::Still)
    refuseCharacter(c,
                    fmt::format("has no body: by its name the largest piece '{}' is hair, eyes or "
                                "teeth",
                                c.pieces[most].name),
                    "the body by --body-piece");
  if (closed.empty())
    refuseCharacter(
        c,
        fmt::format("has no closed surface: the largest piece '{}' has holes of {:.0f} % of its "
                    "area",
                    c.pieces[most].name, 100 * c.pieces[most].openShare),
        fmt::format("a body with holes of less than {:.0f} % (eyes, mouth, wrists, neck)",
                    100 * kMostOpenShare));
  // By volume: a coat may have more area than the body in it, but hardly encloses anything.
  std::sort(closed.begin(), closed.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(-volumeOf(c, c.pieces[a]), a) < std::pair(-volumeOf(c, c.pieces[b]), b);
  });
  const CharacterPiece& body = c.pieces[closed[0]];
  for (std::size_t i = 1; i < closed.size(); ++i) {
    const CharacterPiece& other = c.pieces[closed[i]];
    const double apart = (boxOf(c, other).center() - boxOf(c, body).center()).norm();
    if (volumeOf(c, other) > kSecondVolume * volumeOf(c, body) &&
        apart > kSecondDistance * boxOf(c, body).size().maxCoeff())
      refuseCharacter(c,
                      fmt::format("holds more than one body: '{}' and '{}'",
                                  c.pieces[std::min(closed[0], closed[i])].name,
                                  c.pieces[std::max(closed[0], closed[i])].name),
                      "one of them by --body-piece");
  }
  return closed[0];
}

}  // namespace pneuma::fit::internal
