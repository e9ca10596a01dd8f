#include "reproduce/tsoli2014/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/render/renderer.h"

namespace pneuma::reproduce::tsoli2014 {
namespace {

constexpr int kWidth = 460, kHeight = 620, kSamples = 8;
constexpr Eigen::Index kShownComponents = 3;
constexpr double kDeviations = 3;  // at which a component is shown; the paper shows five
constexpr double kLitre = 1e-3;    // [m^3]

struct Shown {
  const char* name;
  anatomy::Person person;
};

std::array<Shown, 3> shownPeople() {
  anatomy::Person man, woman, heavy;
  woman.sex = anatomy::Sex::Female;
  woman.height = 1.64, woman.mass = 60;
  heavy.height = 1.78, heavy.mass = 115, heavy.age = 50;
  return {Shown{"man", man}, Shown{"woman", woman}, Shown{"heavy", heavy}};
}

std::vector<Vec3> skinOf(const anatomy::Body& measured, const anatomy::Person& person) {
  return anatomy::makeSkinSurface(anatomy::skinModelOf(measured), measured, person,
                                  {.triangles = anatomy::skinTriangles(0)},
                                  anatomy::GeometryCache())
      .mesh.positions;
}

/// A skin coloured by how far each place has come [mm].
render::Image travelImage(const shape::BreathModel& model, const std::vector<Vec3>& rest,
                          const std::vector<Vec3>& now, render::View view, double most) {
  constexpr double kTrunkMiddle = 0.7, kTrunkSize = 0.62;  // of the height
  std::vector<double> travel;
  double top = 0;
  for (std::size_t v = 0; v < rest.size(); ++v) {
    travel.push_back(1e3 * (now[v] - rest[v]).norm());
    top = std::max(top, rest[v].y());
  }
  render::Scene scene;
  scene.add({now, model.mesh.triangles}, travel,
            {.map = render::ColorMap::Heat, .min = 0, .max = most, .label = "travel [mm]"});
  return render::render(
      scene,
      render::Camera::closeUp(Vec3(0, kTrunkMiddle * top, 0), kTrunkSize * top, view,
                              {.aspect = static_cast<double>(kWidth) / kHeight}),
      {.width = kWidth, .height = kHeight, .samples = kSamples, .ground = false});
}

void addComponents(const shape::BreathModel& model, const shape::PersonBreath& person,
                   const std::string& name, render::Report& report) {
  std::vector<Vec3> now(person.rest().size());
  for (Eigen::Index m = 0; m < std::min(kShownComponents, person.componentCount()); ++m) {
    person.apply(kDeviations * person.deviations()[m] * VecX::Unit(person.componentCount(), m),
                 now);
    for (const render::View view : {render::View::ThreeQuarter, render::View::Left})
      report.picture(travelImage(model, person.rest(), now, view, 25),
                     fmt::format("Component {} at {} deviations, {}.", m + 1, kDeviations, name),
                     fmt::format("component_{}_{}_{}", m + 1, name,
                                 view == render::View::Left ? "left" : "front"));
  }
}

}  // namespace

void addPictures(const shape::BreathModel& model, const anatomy::Body& measured,
                 render::Report& report) {
  report.heading("Components of breath (Fig. 8)");
  std::vector<shape::PersonBreath> people;
  for (const Shown& s : shownPeople()) {
    people.emplace_back(model, skinOf(measured, s.person));
    addComponents(model, people.back(), s.name, report);
  }
  report.heading("A litre and a half breathed in (Fig. 13)");
  for (std::size_t i = 0; i < people.size(); ++i)
    for (const double type : {0.1, 0.9}) {
      std::vector<Vec3> now(people[i].rest().size());
      people[i].apply(people[i].weights(1.5 * kLitre, 0, type), now);
      const char* name = shownPeople()[i].name;
      report.picture(travelImage(model, people[i].rest(), now, render::View::ThreeQuarter, 25),
                     fmt::format("{}, {:.0f} % by the chest.", name, 100 * type),
                     fmt::format("inhale_{}_{:.0f}", name, 100 * type));
    }
}

render::Plot weightPlot(const shape::BreathModel& model, const anatomy::Body& measured) {
  const shape::PersonBreath man(model, skinOf(measured, shownPeople()[0].person));
  render::Plot plot;
  for (Eigen::Index m = 0; m < std::min<Eigen::Index>(4, man.componentCount()); ++m) {
    auto& panel = plot.panel(fmt::format("Weight of component {}", m + 1), "volume [L]",
                             "weight [deviations]");
    for (const double type : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      std::vector<double> x, y;
      for (double v = -1; v <= 3; v += 0.1) {
        x.push_back(v);
        y.push_back(man.weights(v * kLitre, 0, type)[m] / man.deviations()[m]);
      }
      panel.line(x, y, fmt::format("{:.0f} % chest", 100 * type));
    }
  }
  return plot;
}

}  // namespace pneuma::reproduce::tsoli2014
