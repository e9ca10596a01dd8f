#pragma once

#include "pneuma/core/mesh_simplify.h"
#include "pneuma/core/random.h"
#include "pneuma/fit/figure_template.h"
#include "tests/verify/fit/shared_characters.h"

/// Our own people as characters whose inside is known.
namespace pneuma::test {

struct OwnPerson {
  fit::FigureTemplate truth;
  SharedCharacter character;  ///< an anonymous mesh of it, with its joint centres as markers
};

/// Other triangles, another pose (straight arms at an angle from hanging; nothing: as it stands),
/// noise along the normals [m], in centimetres, z up.
inline OwnPerson ownPerson(const anatomy::Body& measured, const anatomy::Person& person,
                           std::optional<double> arms, double noise, std::string name) {
  OwnPerson own;
  own.truth = fit::makeFigureTemplate(measured, person, anatomy::GeometryCache());
  SharedCharacter c{std::move(name), person.sex, simplified(own.truth.skin.mesh, 0.5e-3)};
  const auto mark = [&](const std::string& joint, const std::array<Vec3, 2>& places) {
    c.markers.push_back({joint + "_l", places[0]});
    c.markers.push_back({joint + "_r", places[1]});
  };
  for (const fit::NamedPair& pair : fit::kNamedPairs) mark(pair.name, own.truth.joints.*pair.place);
  mark("hand", own.truth.joints.hand);
  if (arms) c = withArmsAt(c, *arms, c.name);
  const std::vector<Vec3> normals = vertexNormals(c.mesh);
  Random random(5);
  for (std::size_t v = 0; v < c.mesh.vertexCount(); ++v)
    c.mesh.positions[v] += noise * random.normal() * normals[v];
  own.character =
      c.changed(c.name, [](const Vec3& p) { return Vec3(100 * Vec3(p.x(), -p.z(), p.y())); });
  return own;
}

}  // namespace pneuma::test
