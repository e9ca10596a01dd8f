#include "pneuma/anatomy/fitted_shapes.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "anatomy/text/fit_fields.h"
#include "anatomy/text/read_fit.h"
#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/growth.h"
#include "pneuma/core/base64.h"
#include "pneuma/core/error.h"
#include "pneuma/core/hash.h"

namespace pneuma::anatomy {
namespace {

using internal::FitTable;
using internal::kFitField;

constexpr double kSamePerson = 1e-6;  // of height and mass: they pass through text
constexpr std::size_t kFloat = sizeof(float);

static_assert(std::endian::native == std::endian::little, "packed floats are little endian");

std::string packedFloats(const std::vector<Vec3>& points) {
  std::string bytes;
  bytes.reserve(3 * kFloat * points.size());
  for (const Vec3& p : points)
    for (const double x : {p.x(), p.y(), p.z()}) {
      const auto single = static_cast<float>(x);
      char four[kFloat];
      std::memcpy(four, &single, kFloat);
      bytes.append(four, kFloat);
    }
  return encodeBase64(bytes);
}

/// Nothing when the text is damaged or a number is not finite.
std::optional<std::vector<Vec3>> unpackedFloats(const std::string& text) {
  const std::optional<std::string> bytes = decodeBase64(text);
  if (!bytes || bytes->empty() || bytes->size() % (3 * kFloat) != 0) return std::nullopt;
  std::vector<Vec3> points(bytes->size() / (3 * kFloat));
  for (std::size_t i = 0; i < 3 * points.size(); ++i) {
    float single = 0;
    std::memcpy(&single, bytes->data() + kFloat * i, kFloat);
    if (!std::isfinite(single)) return std::nullopt;
    points[i / 3][static_cast<Eigen::Index>(i % 3)] = single;
  }
  return points;
}

std::string hashOf(const std::string& text) {
  return Hash64().text(text).hex();
}

std::optional<std::uint64_t> fromHex(const std::string& text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, 16);
  if (text.size() != 16 || error != std::errc() || stop != end) return std::nullopt;
  return value;
}

toml::array listOf(const std::vector<double>& numbers) {
  toml::array list;
  for (const double x : numbers) list.push_back(x);
  return list;
}

toml::array listOf(const Vec3& p) {
  return toml::array{p.x(), p.y(), p.z()};
}

toml::table tapersOf(const FittedShapes& s) {
  toml::table parts;
  for (std::size_t k = 0; k < kFittedParts; ++k)
    if (!s.tapers[k].empty())
      parts.insert(kFittedPartNames[k], listOf(internal::toNumbers(s.tapers[k])));
  return parts;
}

std::string fitText(const FittedShapes& s) {
  const std::string skin = packedFloats(s.skin);
  const LimbJoints& j = s.joints;
  return internal::inlineText(
      toml::table{{"version", kFittedVersion},
                  {"character", s.character},
                  {"sex", internal::EnumNames<Sex>::names[static_cast<std::size_t>(s.sex)]},
                  {"height", s.height},
                  {"mass", s.mass},
                  {"pelvis", listOf(internal::toNumbers(s.pelvis))},
                  {"cage", listOf(internal::toNumbers(s.cage))},
                  {"head", listOf(internal::toNumbers(s.head))},
                  {"joints", toml::table{{"shoulder", listOf(j.shoulder)},
                                         {"elbow", listOf(j.elbow)},
                                         {"wrist", listOf(j.wrist)},
                                         {"hip", listOf(j.hip)},
                                         {"knee", listOf(j.knee)},
                                         {"ankle", listOf(j.ankle)}}},
                  {"hand", s.hand},
                  {"foot", s.foot},
                  {"arm", s.arm},
                  {"leg", s.leg},
                  {"tapers", tapersOf(s)},
                  {"skin_topology", fmt::format("{:016x}", s.topology)},
                  {"skin_hash", hashOf(skin)},
                  {"skin", skin}});
}

}  // namespace

namespace internal {

// What the fields cannot say by themselves: version, hash and content of the packed skin.
std::optional<FittedShapes> readFit(const toml::node& node, const FileContext& file) {
  const Origin where = originOf(file, node);
  const auto wrong = [&](const std::string& field, std::string message, std::string expected) {
    file.findings->push_back({Severity::Error, where.position(), kFitField, field,
                              std::move(message), std::move(expected), ""});
    return std::nullopt;
  };
  const toml::table* table = node.as_table();
  if (!table) return wrong("", "is not a table", "a table as `pneuma fit` writes it");
  if (const auto version = (*table)["version"].value<std::int64_t>();
      version && *version != kFittedVersion)
    return wrong("version", fmt::format("is {}", *version),
                 fmt::format("{}: fit the character again", kFittedVersion));
  const auto errors = [&] {
    return std::ranges::count(*file.findings, Severity::Error, &Diagnostic::severity);
  };
  const auto before = errors();
  FitTable fit;
  TableReader reader(*table, file, kFitField, &fit);
  fields(reader, fit);
  reader.finish();
  if (errors() != before) return std::nullopt;
  if (hashOf(fit.skin) != fit.skinHash)
    return wrong("skin", fmt::format("is damaged: its hash is {}", hashOf(fit.skin)), fit.skinHash);
  std::optional<std::vector<Vec3>> skin = unpackedFloats(fit.skin);
  if (!skin) return wrong("skin", "is damaged", "32-bit floats in base64, three per vertex");
  const std::optional<std::uint64_t> topology = fromHex(fit.topology);
  if (!topology) return wrong("skin_topology", "is no hash", "16 hexadecimal digits");
  fit.shapes.pelvis = toTrunkRow(fit.pelvis);
  fit.shapes.cage = toTrunkRow(fit.cage);
  fit.shapes.head = toTrunkRow(fit.head);
  for (std::size_t k = 0; k < kFittedParts; ++k)
    fit.shapes.tapers[k] = toStations(fit.tapers.parts[k]);
  fit.shapes.skin = std::move(*skin);
  fit.shapes.topology = *topology;
  return std::move(fit.shapes);
}

}  // namespace internal

bool isFitted(const Body& body) {
  return body.unknownFields.contains(kFitField);
}

std::optional<FittedShapes> fittedShapes(const Body& body) {
  const auto kept = body.unknownFields.find(kFitField);
  if (kept == body.unknownFields.end()) return std::nullopt;
  std::vector<Diagnostic> findings;
  const internal::FileContext file{body.where.file, {}, &findings};
  try {
    const toml::table table = toml::parse(std::string(kFitField) + " = " + kept->second);
    if (std::optional<FittedShapes> shapes = internal::readFit(*table.get(kFitField), file))
      return shapes;
  } catch (const toml::parse_error& e) {
    findings.push_back({Severity::Error, body.where.position(), kFitField, "",
                        fmt::format("not valid TOML: {}", e.description()), "", ""});
  }
  throw InputError(std::move(findings));
}

Body withFit(Body body, const FittedShapes& shapes) {
  body.unknownFields[kFitField] = fitText(shapes);
  return body;
}

Body withoutFit(Body body) {
  body.unknownFields.erase(kFitField);
  return body;
}

std::string fittedBodyText(const Body& body) {
  const auto fit = body.unknownFields.find(kFitField);
  if (!body.where.file || fit == body.unknownFields.end()) return bodyText(body);
  const auto text = [](const std::string& s) { return internal::inlineText(toml::value(s)); };
  const Person& p = body.person;
  std::string out = "format = \"pneuma-body 1\"\nunits = { length = \"m\", mass = \"kg\" }\n";
  out += fmt::format("include = [{}]\n", text(internal::includeName(*body.where.file)));
  out += fmt::format("name = {}\ndescription = {}\n", text(body.name), text(body.description));
  out += fmt::format("fit = {}\n\n[person]\nsex = \"{}\"\n", fit->second,
                     internal::EnumNames<Sex>::names[static_cast<std::size_t>(p.sex)]);
  out += fmt::format("height = {}\nmass = {}\nage = {}\n", p.height, p.mass, p.age);
  return out;
}

void requireFittedPerson(const FittedShapes& s, const Person& person) {
  const auto same = [](double a, double b) { return std::abs(a - b) <= kSamePerson * b; };
  if (person.sex == s.sex && same(person.height, s.height) && same(person.mass, s.mass)) return;
  throw InputError(Diagnostic{
      .subject = "person",
      .message =
          fmt::format("the body was fitted to '{}', not to a {} of {:.2f} m and {:.1f} kg",
                      s.character, wordFor(person.sex, person.age), person.height, person.mass),
      .expected =
          fmt::format("its own {} of {:.2f} m and {:.1f} kg: leave sex, height and mass out",
                      wordFor(s.sex, person.age), s.height, s.mass)});
}

}  // namespace pneuma::anatomy
