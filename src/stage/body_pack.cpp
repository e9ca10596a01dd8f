#include "pneuma/stage/body_pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/core/hash.h"
#include "pneuma/io/pack.h"

namespace pneuma::stage {
namespace {

constexpr std::string_view kMagic = "PNEUMAPB";
constexpr std::size_t kHeadSize = kMagic.size() + sizeof(std::uint32_t) + sizeof(std::uint64_t);
constexpr double kWeightCells = 65535;

[[noreturn]] void refuseBody(std::string message, std::string expected = "") {
  throw InputError(Diagnostic{
      .subject = "packed body", .message = std::move(message), .expected = std::move(expected)});
}

std::uint64_t hashOf(std::string_view content) {
  return Hash64().bytes(content.data(), content.size()).digest();
}

template <class T>
T valueAt(std::string_view bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// ---- parts ---------------------------------------------------------------------------------

void putWeight(io::PackWriter& out, double weight) {
  out.count(static_cast<std::uint64_t>(std::llround(kWeightCells * weight)));
}
double getWeight(io::PackReader& in) {
  const std::uint64_t cell = in.count();
  if (static_cast<double>(cell) > kWeightCells) refuseBody("a weight is above 1");
  return static_cast<double>(cell) / kWeightCells;
}

/// Weights that sum to 1 after rounding, as drivers expect; the first takes what is left.
template <std::size_t N>
void putWeights(io::PackWriter& out, const std::array<std::int32_t, N>& of,
                const std::array<double, N>& weights) {
  for (std::size_t k = 0; k < N; ++k) {
    out.count(static_cast<std::uint64_t>(of[k]));
    if (k > 0) putWeight(out, weights[k]);
  }
}
template <std::size_t N>
void getWeights(io::PackReader& in, std::array<std::int32_t, N>& of,
                std::array<double, N>& weights) {
  weights[0] = 1;
  for (std::size_t k = 0; k < N; ++k) {
    const std::uint64_t index = in.count();
    if (index > INT16_MAX) refuseBody("a weight belongs to nobody");
    of[k] = static_cast<std::int32_t>(index);
    if (k > 0) weights[0] -= weights[k] = getWeight(in);
  }
  if (weights[0] < 0) refuseBody("weights of a vertex are above 1");
}

/// Weights that leave the rest to the trunk: as many as there are.
void putLimbs(io::PackWriter& out, const skin::SkinWeights::Vertex& limbs) {
  const auto held = [](double w) { return std::llround(kWeightCells * w) > 0; };
  out.count(static_cast<std::uint64_t>(std::ranges::count_if(limbs.weight, held)));
  for (std::size_t k = 0; k < limbs.weight.size(); ++k) {
    if (!held(limbs.weight[k])) continue;
    out.count(static_cast<std::uint64_t>(limbs.group[k]));
    putWeight(out, limbs.weight[k]);
  }
}
skin::SkinWeights::Vertex getLimbs(io::PackReader& in) {
  skin::SkinWeights::Vertex limbs;
  const std::uint64_t count = in.count();
  if (count > limbs.weight.size()) refuseBody("a vertex has too many weights");
  double trunk = 1;
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint64_t index = in.count();
    if (index > INT16_MAX) refuseBody("a weight belongs to nobody");
    limbs.group[k] = static_cast<std::int32_t>(index);
    trunk -= limbs.weight[k] = getWeight(in);
  }
  // Four that are each rounded up may have two steps too many.
  if (trunk < -2.5 / kWeightCells) refuseBody("weights of a vertex are above 1");
  return limbs;
}

void putSamples(io::PackWriter& out, const std::vector<skin::BoneSample>& samples) {
  std::vector<Vec3> places;
  for (const skin::BoneSample& s : samples) places.push_back(s.place);
  out.points(places);
  std::int64_t before = 0;
  for (const skin::BoneSample& s : samples) {
    out.integer(s.bone - before);
    before = s.bone;
  }
}
std::vector<skin::BoneSample> getSamples(io::PackReader& in) {
  std::vector<skin::BoneSample> samples;
  for (const Vec3& p : in.points()) samples.push_back({0, p});
  std::int64_t bone = 0;
  for (skin::BoneSample& s : samples) {
    bone += in.integer();
    if (bone < 0 || bone > INT16_MAX) refuseBody("a sample lies on no bone");
    s.bone = static_cast<int>(bone);
  }
  return samples;
}

void putSkin(io::PackWriter& out, const SkinForms& skin) {
  out.count(skin.parts.size());
  for (const anatomy::SkinPart p : skin.parts) out.count(static_cast<std::uint64_t>(p));
  out.triangles(skin.triangles);
  out.values(skin.armShare);
  for (const auto& forms : skin.bySex) {
    out.count(forms.size());
    for (const std::vector<Vec3>& places : forms) out.points(places);
  }
  for (const skin::SkinWeights::Vertex& v : skin.binding.weights.vertices)
    putWeights(out, v.group, v.weight);
  for (const skin::SkinWeights::Vertex& v : skin.binding.weights.limbs) putLimbs(out, v);
  out.values(skin.binding.slide);
  putSamples(out, skin.binding.trunk);
  putSamples(out, skin.binding.cage);
}
SkinForms getSkin(io::PackReader& in) {
  SkinForms skin;
  const std::size_t vertices = in.countOf();
  for (std::size_t v = 0; v < vertices; ++v) {
    const std::uint64_t part = in.count();
    if (part >= anatomy::kSkinParts) refuseBody("a vertex of the skin lies on no part");
    skin.parts.push_back(static_cast<anatomy::SkinPart>(part));
  }
  skin.triangles = in.triangles(vertices);
  skin.armShare = in.values();
  bool fits = skin.armShare.size() == vertices;
  for (auto& forms : skin.bySex)
    for (std::size_t n = in.countOf(); n > 0; --n) {
      forms.push_back(in.points());
      fits = fits && forms.back().size() == vertices;
    }
  if (!fits) refuseBody("the skin has not as many vertices everywhere");
  skin.binding.weights.vertices.resize(vertices);
  for (skin::SkinWeights::Vertex& v : skin.binding.weights.vertices)
    getWeights(in, v.group, v.weight);
  for (std::size_t v = 0; v < vertices; ++v) skin.binding.weights.limbs.push_back(getLimbs(in));
  skin.binding.slide = in.values();
  skin.binding.trunk = getSamples(in);
  skin.binding.cage = getSamples(in);
  return skin;
}

void putPerson(io::PackWriter& out, const PersonRequest& p) {
  out.text(p.sex);
  for (const std::optional<double>& v : {p.height, p.mass, p.age}) out.number(v.value());
}
PersonRequest getPerson(io::PackReader& in) {
  PersonRequest p;
  p.sex = in.text();
  for (std::optional<double>* v : {&p.height, &p.mass, &p.age}) *v = in.number();
  return p;
}

void putMuscle(io::PackWriter& out, const MuscleShape& m) {
  out.text(m.name);
  out.count(m.tendon ? 1 : 0);
  out.mesh(m.mesh);
  for (std::size_t v = 0; v < m.links.size(); ++v) putWeights(out, m.links[v], m.weights[v]);
}
MuscleShape getMuscle(io::PackReader& in) {
  MuscleShape m;
  m.name = in.text();
  m.tendon = in.count() != 0;
  m.mesh = in.mesh();
  m.links.resize(m.mesh.vertexCount());
  m.weights.resize(m.mesh.vertexCount());
  for (std::size_t v = 0; v < m.links.size(); ++v) getWeights(in, m.links[v], m.weights[v]);
  return m;
}

}  // namespace

anatomy::Body packedBody(const BodyPack& pack) {
  constexpr const char* kName = "packed body";
  const auto text = [&](const std::string&) -> Result<std::string> { return pack.body; };
  return anatomy::expandBody(anatomy::readBody(kName, text).valueOrThrow()).valueOrThrow();
}

std::string encodePack(const BodyPack& pack) {
  io::PackWriter out;
  putPerson(out, pack.person);
  out.text(pack.body);
  out.text(pack.styles);
  out.count(pack.bones.size());
  for (const auto& [name, mesh] : pack.bones) {
    out.text(name);
    out.mesh(mesh);
  }
  putSkin(out, pack.skin);
  out.count(pack.muscles.size());
  for (const MuscleShape& m : pack.muscles) putMuscle(out, m);

  std::string bytes(kMagic);
  const std::uint32_t version = kBodyPackVersion;
  const std::uint64_t hash = hashOf(out.bytes());
  bytes.append(reinterpret_cast<const char*>(&version), sizeof version);
  bytes.append(reinterpret_cast<const char*>(&hash), sizeof hash);
  return bytes + out.bytes();
}

BodyPack decodePack(std::string_view bytes) {
  if (bytes.size() < kHeadSize || bytes.substr(0, kMagic.size()) != kMagic)
    refuseBody("this is no packed body", "a file written by 'pneuma body compile'");
  if (const auto version = valueAt<std::uint32_t>(bytes, kMagic.size());
      version != kBodyPackVersion)
    refuseBody(fmt::format("version {}", version),
               fmt::format("version {}: 'pneuma body compile' packs it anew", kBodyPackVersion));
  const std::string_view content = bytes.substr(kHeadSize);
  if (valueAt<std::uint64_t>(bytes, kHeadSize - sizeof(std::uint64_t)) != hashOf(content))
    refuseBody("the content is damaged or cut short");
  io::PackReader in(content);
  BodyPack pack{.person = getPerson(in), .body = in.text(), .styles = in.text()};
  for (std::size_t n = in.countOf(); n > 0; --n) {
    std::string name = in.text();
    pack.bones[std::move(name)] = in.mesh();
  }
  pack.skin = getSkin(in);
  for (std::size_t n = in.countOf(); n > 0; --n) pack.muscles.push_back(getMuscle(in));
  if (!in.atEnd()) refuseBody("bytes are left over");
  return pack;
}

}  // namespace pneuma::stage
