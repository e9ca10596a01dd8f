#include "reproduce/tsoli2014/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "pneuma/render/renderer.h"
#include "pneuma/shape/scan.h"
#include "pneuma/shape/tracking.h"
#include "pneuma/stage/perform_run.h"
#include "pneuma/stage/posed_performance.h"

namespace pneuma::reproduce::tsoli2014 {
namespace {

constexpr int kWidth = 400, kHeight = 540, kSamples = 8;
constexpr Eigen::Index kShownComponents = 3;
constexpr double kDeviations = 3;      // at which a component is shown; the paper shows five
constexpr double kPoseDeviations = 6;  // as the paper
constexpr double kLitre = 1e-3;        // [m^3]
constexpr double kInhale = 1.5 * kLitre, kExhale = -0.8 * kLitre;
constexpr double kMostTravel = 25;  // of the colours [mm]

/// Pictures side by side.
render::Image row(const std::vector<render::Image>& images) {
  int width = 0;
  for (const render::Image& i : images) width += i.width;
  render::Image all(width, images.front().height);
  int left = 0;
  for (const render::Image& i : images) {
    for (int y = 0; y < i.height; ++y)
      std::copy_n(i.rgb.begin() + 3L * y * i.width, 3L * i.width,
                  all.rgb.begin() + 3L * (static_cast<long>(y) * width + left));
    left += i.width;
  }
  return all;
}

render::Image drawn(const render::Scene& scene, const std::vector<Vec3>& body, render::View view,
                    bool whole) {
  constexpr double kTrunkMiddle = 0.7, kTrunkSize = 0.62;  // of the height
  constexpr double kAspect = static_cast<double>(kWidth) / kHeight;
  const render::RenderOptions options{
      .width = kWidth, .height = kHeight, .samples = kSamples, .ground = false};
  Box box;
  for (const Vec3& p : body) box.add(p);
  if (whole)
    return render::render(scene, render::Camera::frame(box, view, {.aspect = kAspect}), options);
  const double height = box.max.y() - box.min.y();
  return render::render(scene,
                        render::Camera::closeUp(Vec3(0, box.min.y() + kTrunkMiddle * height, 0),
                                                kTrunkSize * height, view, {.aspect = kAspect}),
                        options);
}

render::Material clay(std::uint32_t color) {
  return render::materials::plain(render::Color::hex(color));
}

std::vector<Vec3> inhaled(const shape::PersonBreath& person, double volume, double type) {
  std::vector<Vec3> x(person.rest().size());
  person.apply(person.weights(volume, 0, type), x);
  return x;
}

}  // namespace

Figures::Figures(const shape::Learned& learned, const anatomy::Body& measured,
                 render::Report& report)
    : learned_(learned), model_(learned.model), measured_(measured), report_(report) {
  anatomy::Person man, woman, heavy;
  woman.sex = anatomy::Sex::Female;
  woman.height = 1.64, woman.mass = 60;
  heavy.height = 1.78, heavy.mass = 115, heavy.age = 50;
  for (const auto& [name, person] :
       {std::pair{"man", man}, std::pair{"woman", woman}, std::pair{"heavy man", heavy}})
    bodies_.push_back({name, person,
                       std::make_shared<const shape::PersonBreath>(
                           model_, stage::restSkinOf(model_, measured, person))});
}

/// A skin coloured by how far each place has come [mm].
render::Image Figures::travel(const std::vector<Vec3>& from, const std::vector<Vec3>& to,
                              render::View view, bool whole) const {
  std::vector<double> way;
  for (std::size_t v = 0; v < from.size(); ++v) way.push_back(1e3 * (to[v] - from[v]).norm());
  render::Scene scene;
  scene.add({to, model_.mesh.triangles}, way,
            {.map = render::ColorMap::Heat, .min = 0, .max = kMostTravel, .label = "travel [mm]"});
  return drawn(scene, to, view, whole);
}

void Figures::addTypes() {
  report_.heading("Types of breath (Fig. 2)");
  for (const Body& b : bodies_) {
    std::vector<render::Image> images;
    for (const double type : {0.1, 0.5, 0.9}) {
      const std::vector<Vec3> empty = inhaled(*b.breath, kExhale, type);
      const std::vector<Vec3> full = inhaled(*b.breath, kInhale, type);
      render::Scene scene;
      scene.add({empty, model_.mesh.triangles}, clay(0xc9b8a8), "exhale");
      scene.add({full, model_.mesh.triangles}, render::materials::translucent(clay(0x4f86c6), 0.35),
                "inhale");
      images.push_back(drawn(scene, b.breath->rest(), render::View::Left, false));
    }
    report_.picture(
        row(images),
        fmt::format("{}: {:.1f} L out (solid) and {:.1f} L in (blue), 10, 50 and 90 % by the "
                    "chest.",
                    b.name, -kExhale / kLitre, kInhale / kLitre),
        fmt::format("types_{}", &b - bodies_.data()));
  }
}

void Figures::addParts() {
  const shape::ShapeTemplate shape = model_.shape();
  std::vector<render::Color> colors(shape.vertexCount());
  constexpr std::array<std::uint32_t, 7> kColors{0x4e79a7, 0xf28e2b, 0x59a14f, 0xe15759,
                                                 0xb07aa1, 0x76b7b2, 0xedc948};
  for (std::size_t t = 0; t < shape.triangleCount(); ++t)
    for (const std::int32_t v : shape.mesh.triangles[t])
      colors[static_cast<std::size_t>(v)] = render::Color::hex(
          kColors[static_cast<std::size_t>(shape.partOfTriangle[t]) % kColors.size()]);
  render::Scene scene;
  scene.add(shape.mesh, clay(0xffffff), "parts");
  scene.surfaces.front().colors = colors;
  report_.heading("Parts (Fig. 6)")
      .picture(row({drawn(scene, shape.mesh.positions, render::View::Front, true),
                    drawn(scene, shape.mesh.positions, render::View::ThreeQuarterBack, true)}),
               fmt::format("The {} parts whose turns are R.", shape.partNames.size()), "parts");
}

// A person held out is shown where there is one: frames that the model learned from would flatter
// it.
void Figures::addFrames(const shape::PeopleFolder& people) {
  const auto& all = people.people();
  auto first = std::ranges::find_if(all, &shape::PersonEntry::heldOut);
  if (first == all.end()) first = all.begin();
  const shape::PersonData data = people.read(static_cast<std::size_t>(first - all.begin()));
  const shape::PersonBreath person(model_, data.rest);
  const shape::ShapeTemplate shape = model_.shape();
  std::vector<render::Image> images;
  render::Plot plot;
  auto& panel = plot.panel(fmt::format("{}: first component against volume", data.entry.name),
                           "volume of the mesh above rest [L]", "coefficient [deviations]");
  const double restVolume = enclosedVolume(data.rest, shape.mesh.triangles);
  const std::vector<Vec3>& u = person.components().front();
  double size = 0;
  for (std::size_t v = 0; v < u.size(); ++v)
    if (shape.trunkVertex[v]) size += u[v].squaredNorm();
  for (const shape::PersonTrial& trial : data.trials) {
    if (trial.use != shape::TrialUse::Learn) continue;
    std::vector<double> volume, weight;
    std::size_t fullest = 0;
    for (std::size_t i = 0; i < trial.frames.size(); ++i) {
      double along = 0;
      for (std::size_t v = 0; v < u.size(); ++v)
        if (shape.trunkVertex[v]) along += u[v].dot(trial.frames[i][v] - data.rest[v]);
      volume.push_back((enclosedVolume(trial.frames[i], shape.mesh.triangles) - restVolume) /
                       kLitre);
      weight.push_back(along / size / person.deviations()[0]);
      if (trial.samples[i].lungVolume > trial.samples[fullest].lungVolume) fullest = i;
    }
    if (trial.name == "normal" || trial.name == "chest" || trial.name == "stomach" ||
        trial.name == "full-inhale") {
      images.push_back(travel(data.rest, trial.frames[fullest], render::View::ThreeQuarter));
      panel.line(volume, weight, trial.name);
    }
  }
  if (images.empty()) return;
  report_.heading("Frames of a person who was held out (Figs 7 and 10)")
      .picture(row(images), "Fullest of normal, chest, stomach and full inhale: way from rest.",
               "frames")
      .plot(plot, "A breath is nearly a line; what it is not are loops.", "line");
}

void Figures::addComponents() {
  report_.heading("Components of breath (Fig. 8)");
  for (const Body& b : bodies_) {
    std::vector<render::Image> images;
    const shape::PersonBreath& p = *b.breath;
    std::vector<Vec3> now(p.rest().size());
    for (Eigen::Index m = 0; m < std::min(kShownComponents, p.componentCount()); ++m) {
      p.apply(kDeviations * p.deviations()[m] * VecX::Unit(p.componentCount(), m), now);
      for (const render::View view : {render::View::ThreeQuarter, render::View::Left})
        images.push_back(travel(p.rest(), now, view));
    }
    report_.picture(
        row(images),
        fmt::format("Components 1 to {} at {} deviations, {}, from the front and the left.",
                    images.size() / 2, kDeviations, b.name),
        fmt::format("components_{}", &b - bodies_.data()));
  }
}

void Figures::addPoseComponents() {
  const shape::PoseComponents& pose = learned_.pose;
  if (pose.directions.rows() == 0) return;
  const shape::ShapeTemplate shape = model_.shape();
  const shape::GradientMap map(shape);
  const std::vector<Vec3>& rest = bodies_[1].breath->rest();
  std::vector<Eigen::Index> order;
  for (Eigen::Index n = 0; n < pose.directions.rows(); ++n) order.push_back(n);
  std::ranges::sort(order, std::greater(),
                    [&](Eigen::Index n) { return std::abs(pose.correlations[n]); });
  std::string caption = "Woman at six deviations each way of";
  std::vector<render::Image> images;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, order.size()); ++i) {
    const Eigen::Index n = order[i];
    for (const double sign : {-1.0, 1.0}) {
      const std::vector<Vec3> x = shape::turnedParts(
          map, rest, sign * kPoseDeviations * pose.deviations[n] * pose.directions.row(n));
      images.push_back(travel(rest, x, render::View::Left));
    }
    caption +=
        fmt::format("{} component {} (deviation {:.2f} degrees, correlation with volume {:.2f})",
                    i > 0 ? "," : "", n + 1, pose.deviations[n] * 180 / kPi, pose.correlations[n]);
  }
  report_.heading("Components of pose (Fig. 9)")
      .picture(row(images), caption + ".", "pose_components");
}

void Figures::addWeights() {
  const shape::PersonBreath& man = *bodies_.front().breath;
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
  report_.heading("Type and volume (Figs 11 and 12)")
      .plot(plot, "Weights over volume and type.", "weights");
}

void Figures::addInhale() {
  std::vector<render::Image> images;
  for (const Body& b : bodies_)
    for (const double type : {0.1, 0.9})
      images.push_back(
          travel(b.breath->rest(), inhaled(*b.breath, kInhale, type), render::View::ThreeQuarter));
  report_.heading("A litre and a half breathed in (Fig. 13)")
      .picture(row(images), "Man, woman and heavy man, 10 and 90 % by the chest.", "inhale");
}

void Figures::addPoses() {
  constexpr double kType = 0.4;  // as the paper
  report_.heading("Any pose (Figs 1 and 16)");
  const std::array<std::pair<const char*, stage::MotionSource>, 3> poses{
      std::pair{"standing", stage::MotionSource{.posture = "standing"}},
      std::pair{"sitting", stage::MotionSource{.posture = "sitting"}},
      std::pair{"running",
                stage::MotionSource{.joints = {"hip_l.flexion=55", "knee_l.flexion=80",
                                               "hip_r.flexion=-12", "knee_r.flexion=35",
                                               "elbow.flexion=90", "shoulder_l.flexion=-25",
                                               "shoulder_r.flexion=35", "spine.flexion=8"}}}};
  for (const Body& b : bodies_) {
    std::vector<render::Image> images;
    const VecX full = b.breath->weights(kInhale, 0, kType),
               none = VecX::Zero(b.breath->componentCount());
    for (const auto& [name, source] : poses) {
      const stage::PosedPerformance posed(model_, *b.breath, measured_, b.person, source, 10);
      constexpr std::size_t kLast = 1000;  // key poses come to rest
      images.push_back(travel(posed.skin(kLast, none), posed.skin(kLast, full),
                              render::View::ThreeQuarter, true));
    }
    report_.picture(
        row(images),
        fmt::format("{} standing, sitting and running, {:.1f} L in, {:.0f} % by the chest; "
                    "morphed, turned, reshaped by Q.",
                    b.name, kInhale / kLitre, 100 * kType),
        fmt::format("poses_{}", &b - bodies_.data()));
  }
}

// The fullest moment of a chest breath is scanned: farthest from rest, and so hardest to find.
void Figures::addRegistration(const shape::PeopleFolder& people) {
  const auto& all = people.people();
  auto first = std::ranges::find_if(all, &shape::PersonEntry::heldOut);
  if (first == all.end()) first = all.begin();
  const shape::PersonData data = people.read(static_cast<std::size_t>(first - all.begin()));
  const auto trial = std::ranges::find(data.trials, "chest", &shape::PersonTrial::name);
  if (trial == data.trials.end()) return;
  const auto fullest =
      std::ranges::max_element(trial->samples, {}, &shape::BreathSample::lungVolume);
  const shape::ShapeTemplate shape = model_.shape();
  const shape::PersonBreath person(model_, data.rest);
  const shape::Scan scan = shape::simulateScan(
      shape, trial->frames[static_cast<std::size_t>(fullest - trial->samples.begin())],
      {.noise = 0.5e-3});
  shape::RegistrationGuide guide;
  for (std::size_t v = 0; v < shape.vertexCount(); ++v)
    guide.trust.push_back(shape.trunkVertex[v] || shape.fixedVertex[v] ? 1 : 0.2);
  const std::vector<Vec3> found =
      shape::Tracker(person).track(shape::RegistrationTarget(scan.mesh), guide).positions;
  std::vector<render::Image> images;
  for (const int shown : {0, 1, 2}) {
    render::Scene scene;
    if (shown != 1) scene.add(scan.mesh, clay(0x9fb7c9), "scan");
    if (shown != 0) scene.add({found, model_.mesh.triangles}, clay(0xd0a184), "template");
    images.push_back(drawn(scene, found, render::View::ThreeQuarter, false));
  }
  report_.heading("Registration (Figs 3 and 4)")
      .picture(row(images),
               "A simulated scan (0.5 mm noise, holes, armpits unseen), the template registered to "
               "it, and both: they interleave.",
               "registration");
}

void Figures::addBreathing(const std::vector<std::pair<std::string, std::vector<Vec3>>>& skins,
                           const std::string& heading, const std::string& name) {
  std::vector<render::Image> images;
  std::string caption;
  for (const auto& [body, rest] : skins) {
    const shape::PersonBreath person(model_, rest);
    images.push_back(travel(rest, inhaled(person, kInhale, 0.5), render::View::ThreeQuarter, true));
    caption += (caption.empty() ? "" : ", ") + body;
  }
  report_.heading(heading).picture(
      row(images), fmt::format("{}: {:.1f} L in, half by the chest.", caption, kInhale / kLitre),
      name);
}

}  // namespace pneuma::reproduce::tsoli2014
