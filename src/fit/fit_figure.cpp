#include "pneuma/fit/fit_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fit/guess_person.h"
#include "fit/named_ends.h"
#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/fit/clean_surface.h"
#include "pneuma/fit/part_maps.h"

namespace pneuma::fit {
namespace {

using anatomy::SkinPart;

constexpr double kLongestEdge = 0.008;   // of the height, of the surface that is measured
constexpr double kFarthestJoint = 0.08;  // of the height, from a joint given to the one found
constexpr double kNowhere = std::numeric_limits<double>::infinity();
constexpr double kMirrored = 1e-3;  // of the height: a skin no farther from its mirror image

/// A character turned upright, in metres, on the floor; and all that is measured of it.
struct Upright {
  TriangleMesh surface;   // as it came
  TriangleMesh measured;  // with long edges cut
  BodyMeasures measures;
  BodyFrame frame;
};

Upright stand(CleanSurface clean, const FitRequest& request, FitReport& report) {
  const double size = boundingBox(clean.mesh.positions).size().maxCoeff();
  Upright up{.surface = std::move(clean.mesh)};
  up.measured = splitLongEdges(up.surface, kLongestEdge * size);
  const SurfaceGraph graph(up.measured);
  const std::optional<FiveEnds> named = internal::namedEnds(up.measured, request.landmarks);
  FiveEnds ends = named ? *named : pairEnds(findEnds(up.measured, graph), graph);
  report.asymmetry = ends.asymmetry;
  up.frame = findFrame(up.measured, graph, ends, named.has_value());
  // In the file's unit first: height and floor.
  up.measured.positions = up.frame.toBody(up.measured.positions);
  const Box box = boundingBox(up.measured.positions);
  const double inFile = measureBody(up.measured, graph, ends).height;
  const FileUnit unit = request.height ? FileUnit{"by the height given", *request.height / inFile}
                                       : guessUnit(inFile);
  report.unit = unit.name;
  BodyFrame place{.scale = unit.metres, .offset = -unit.metres * Vec3(0, box.min.y(), 0)};
  up.frame.scale = place.scale, up.frame.offset = place.offset;
  up.measured.positions = place.toBody(up.measured.positions);
  up.surface.positions = up.frame.toBody(up.surface.positions);
  up.measures = measureBody(up.measured, SurfaceGraph(up.measured), ends);
  // The middle of the trunk stands above the origin.
  const Vec3 shift(-up.measures.middle.x(), 0, -up.measures.middle.z());
  up.frame.offset += shift;
  for (Vec3& p : up.measured.positions) p += shift;
  for (Vec3& p : up.surface.positions) p += shift;
  up.measures = measureBody(up.measured, SurfaceGraph(up.measured), ends);
  return up;
}

/// What counts where: hands are found by their arms alone; heads and feet differ more than they
/// tell.
shape::RegistrationGuide guideOf(const FigureTemplate& figure) {
  shape::RegistrationGuide guide;
  guide.labels = figure.measures.labels;
  for (const SkinPart part : figure.skin.parts) {
    // Pockets of eyes and mouth are no folds of the skin.
    guide.drawnIn.push_back(part != SkinPart::Hand && part != SkinPart::Head &&
                            part != SkinPart::Neck);
    guide.trust.push_back(part == SkinPart::Hand                             ? 0
                          : part == SkinPart::Head || part == SkinPart::Foot ? 0.5
                                                                             : 1);
  }
  return guide;
}

std::vector<bool> verticesOf(const anatomy::SkinSurface& skin, auto&& chosen) {
  std::vector<bool> result;
  result.reserve(skin.parts.size());
  for (const SkinPart part : skin.parts) result.push_back(chosen(part));
  return result;
}

bool liesOnTrunk(SkinPart p) {
  return p == SkinPart::Chest || p == SkinPart::Abdomen || p == SkinPart::Back ||
         p == SkinPart::Pelvis;
}

/// Vertices of our skin that people know by name: chin, navel, nipples (left, right).
struct SkinMarks {
  std::size_t chin = 0, navel = 0;
  std::array<std::size_t, 2> nipples{};
};

/// By their places on people: the navel at 59.4 % and a man's nipples at 74.3 % of the height, 6.4
/// % to the side (data/body/skin_marks.toml); a woman's are the foremost of her chest, the chin the
/// foremost and lowest of the head.
SkinMarks skinMarks(const FigureTemplate& figure) {
  const std::vector<Vec3>& x = figure.skin.mesh.positions;
  const double H = figure.measures.height, floor = figure.measures.top.y() - H;
  const double middle = figure.measures.middle.z();
  // The vertex of a part, before the body's middle, with the least of something.
  const auto least = [&](SkinPart part, auto&& of) {
    std::size_t best = x.size();
    for (std::size_t v = 0; v < x.size(); ++v)
      if (figure.skin.parts[v] == part && x[v].z() > middle && std::isfinite(of(x[v])) &&
          (best == x.size() || of(x[v]) < of(x[best])))
        best = v;
    return best;
  };
  const auto near = [&](double side, double height) {
    return [=](const Vec3& p) { return std::hypot(p.x() - side, p.y() - floor - height); };
  };
  SkinMarks marks;
  marks.chin = least(SkinPart::Head, [&](const Vec3& p) {
    return std::abs(p.x()) < 0.015 * H ? p.y() - p.z() : kNowhere;
  });
  marks.navel = least(SkinPart::Abdomen, near(0, 0.594 * H));
  for (std::size_t s = 0; s < 2; ++s) {
    const double side = s == 0 ? 1 : -1;
    marks.nipples[s] =
        figure.person.sex == anatomy::Sex::Male
            ? least(SkinPart::Chest, near(side * 0.064 * H, 0.743 * H))
            : least(SkinPart::Chest, [&](const Vec3& p) {
                return side * p.x() > 0.03 * H && side * p.x() < 0.09 * H ? -p.z() : kNowhere;
              });
  }
  return marks;
}

/// The character's vertices outside hands and head: before the wrists, and nearest to other skin.
/// What lies nearest to the neck and faces away from it is the pocket of a mouth.
std::vector<bool> comparedVertices(const Upright& up, const anatomy::SkinSurface& skin,
                                   const SurfaceQuery& registered) {
  std::vector<bool> result;
  const std::vector<Vec3> normals = vertexNormals(up.surface), ours = triangleNormals(skin.mesh);
  for (std::size_t v = 0; v < up.surface.vertexCount(); ++v) {
    const auto hit = registered.closest(up.surface.positions[v]);
    const SkinPart part = skin.parts[at(skin.mesh.triangles[at(hit.triangle)][0])];
    const bool pocket = part == SkinPart::Neck && normals[v].dot(ours[at(hit.triangle)]) < 0;
    result.push_back(part != SkinPart::Hand && part != SkinPart::Head && !pocket &&
                     !up.measures.beyondWrist[v]);
  }
  return result;
}

/// Measures taken from the figure as the caller named them, or as they were found.
class Fitting {
 public:
  Fitting(const TriangleMesh& character, const anatomy::Body& measured, const FitRequest& request,
          const anatomy::GeometryCache& cache)
      : body_(measured), request_(request), cache_(cache) {
    tell(0, "measuring the character");
    CleanSurface clean = cleanSurface(character);
    result_.report.notes = clean.notes;
    up_ = stand(std::move(clean), request, result_.report);
    result_.frame = up_.frame;
    result_.report.height = up_.measures.height;
    result_.report.volume = up_.measures.volume;
  }

  FittedFigure run() {
    choosePerson();
    tell(0.4, "posing our person");
    result_.pose = findJoints(*figure_, up_.measures);
    result_.report.symmetric = isSymmetric();
    if (result_.report.symmetric) evenSides(result_.pose.joints);
    takeGivenJoints();
    checkProportions();
    registerSkin();
    nameLandmarks();
    tell(1, "done");
    return std::move(result_);
  }

 private:
  void tell(double share, const char* next) const {
    if (request_.progress) request_.progress(share, next);
  }

  anatomy::Person personOf(anatomy::Sex sex) const {
    anatomy::Person p;
    p.sex = sex;
    p.age = request_.age;
    p.height = request_.height.value_or(up_.measures.height);
    p.mass = request_.mass ? *request_.mass : internal::massOfVolume(p, up_.measures.volume);
    anatomy::checkPerson(p);
    return p;
  }

  void take(FigureTemplate figure) {
    result_.figure = figure_ = std::make_shared<const FigureTemplate>(std::move(figure));
  }

  /// Sex, height and mass; the right fat before any warp.
  void choosePerson() {
    using anatomy::Sex;
    tell(0.1, "making our person");
    if (request_.sex) {
      take(makeFigureTemplate(body_, personOf(*request_.sex), cache_));
      result_.report.sexGiven = true;
    } else {
      FigureTemplate man = makeFigureTemplate(body_, personOf(Sex::Male), cache_);
      tell(0.25, "making our person");
      FigureTemplate woman = makeFigureTemplate(body_, personOf(Sex::Female), cache_);
      const internal::SexGuess guess = internal::guessSex(up_.measures, man, woman);
      take(guess.sex == Sex::Male ? std::move(man) : std::move(woman));
      result_.report.sexConfidence = guess.confidence;
      if (guess.confidence < 0.8)
        result_.report.warnings.push_back(
            fmt::format("the sex is a guess ({:.0f} %): give --sex", 100 * guess.confidence));
    }
    result_.person = figure_->person;
  }

  /// Joint centres of the armature or of the user take the place of those found, pair by pair; one
  /// that lies far from any such joint of a person is left out and said.
  void takeGivenJoints() {
    for (std::size_t k = 0; k < kNamedPairs.size(); ++k) {
      std::array<std::optional<Vec3>, 2> pair;
      for (const Landmark& l : request_.landmarks)
        for (std::size_t s = 0; s < 2; ++s)
          if (l.name == std::string(kNamedPairs[k].name) + (s == 0 ? "_l" : "_r"))
            pair[s] = up_.frame.toBody(l.place);
      if (pair[0].has_value() != pair[1].has_value())
        result_.report.notes.push_back(
            fmt::format("only one {} joint is given: both were found from the shape instead",
                        kNamedPairs[k].name));
      if (!pair[0] || !pair[1]) continue;
      if (pair[0]->x() < pair[1]->x()) std::swap(pair[0], pair[1]);  // named as the viewer sees it
      std::array<Vec3, 2>& found = result_.pose.joints.*kNamedPairs[k].place;
      const double off = std::max((*pair[0] - found[0]).norm(), (*pair[1] - found[1]).norm());
      if (off > kFarthestJoint * up_.measures.height) {
        result_.report.warnings.push_back(
            fmt::format("the {} joints given lie {:.0f} mm from where a person has them, and were "
                        "left out",
                        kNamedPairs[k].name, 1e3 * off));
        continue;
      }
      found = {*pair[0], *pair[1]};
      result_.given[k] = true;
      result_.report.notes.push_back(
          fmt::format("{} joints are the character's own", kNamedPairs[k].name));
    }
  }

  /// By the mirror images of its vertices: how far they lie from the skin.
  bool isSymmetric() const {
    std::vector<Vec3> mirrored;
    for (const Vec3& p : up_.surface.positions) mirrored.emplace_back(-p.x(), p.y(), p.z());
    return shape::measureDistances(mirrored, SurfaceQuery(up_.surface)).p95 <
           kMirrored * up_.measures.height;
  }

  void checkProportions() {
    const FigureJoints& j = result_.pose.joints;
    const double H = up_.measures.height;
    const auto within = [&](const char* what, double value, double least, double most) {
      if (value >= least && value <= most) return;
      throw InputError(Diagnostic{
          .subject = "character",
          .message = fmt::format("{} is {:.2f} of the height", what, value),
          .expected = fmt::format("{:.2f} to {:.2f} for a human body; or --landmarks points.csv "
                                  "that says where head, hands and feet are",
                                  least, most)});
    };
    for (std::size_t s = 0; s < 2; ++s) {
      within("its arm",
             ((j.elbow[s] - j.shoulder[s]).norm() + (j.wrist[s] - j.elbow[s]).norm()) / H, 0.15,
             0.6);
      within("its leg", ((j.knee[s] - j.hip[s]).norm() + (j.ankle[s] - j.knee[s]).norm()) / H, 0.2,
             0.65);
    }
    within("its trunk's width", up_.measures.width / H, 0.08, 0.45);
    within("its trunk's depth", up_.measures.depth / H, 0.06, 0.40);
    within("its head and neck", (j.top.y() - j.neck.y()) / H, 0.10, 0.45);
  }

  void registerSkin() {
    const anatomy::SkinSurface& skin = figure_->skin;
    const PartWeights weights = partWeights(skin);
    const LimbThickness thick = limbThickness(figure_->measures, up_.measures);
    result_.posed = posedParts(figure_->joints, result_.pose, thick);
    const PartMaps rest = restParts(figure_->joints, result_.pose, thick, &result_.restJoints);
    result_.start = carried(skin.mesh.positions, weights, result_.posed);
    const std::vector<Vec3>& start = result_.start;
    tell(0.5, "drawing our skin onto the character");
    const shape::RegistrationTarget target(up_.measured, up_.measures.labels);
    const std::vector<Vec3> positions =
        request_.registered.empty() ? drawn(start, target) : request_.registered;
    if (positions.size() != start.size())
      throw InputError(
          fmt::format("a skin of {} vertices is not ours of {}", positions.size(), start.size()));
    result_.skin = skin;
    result_.skin.mesh.positions = positions;
    result_.turns = turnsBetween(weights, rest, result_.posed);
    result_.restSkin = carried(skin.mesh.positions, weights, rest);
    for (std::size_t v = 0; v < start.size(); ++v)
      result_.restSkin[v] += result_.turns[v].transpose() * (positions[v] - start[v]);
    judge(start, target.surface());
  }

  std::vector<Vec3> drawn(const std::vector<Vec3>& start,
                          const shape::RegistrationTarget& target) const {
    shape::RegistrationConfig config = request_.registration;
    config.firstReach = 0.08 * up_.measures.height;
    config.lastReach = 0.03 * up_.measures.height;
    return shape::Registrar(figure_->skin.mesh)
        .run(start, target, guideOf(*figure_), config)
        .positions;
  }

  void judge(const std::vector<Vec3>& start, const SurfaceQuery& target) {
    FitReport& r = result_.report;
    const anatomy::SkinSurface& skin = result_.skin;
    const std::vector<bool> trunk = verticesOf(skin, liesOnTrunk);
    r.start = shape::measureDistances(start, target, trunk);
    r.trunk = shape::measureDistances(skin.mesh.positions, target, trunk);
    r.skin = shape::measureDistances(skin.mesh.positions, target, verticesOf(skin, [](SkinPart p) {
                                       return p != SkinPart::Hand && p != SkinPart::Head;
                                     }));
    const SurfaceQuery registered(skin.mesh);
    r.character = shape::measureDistances(up_.surface.positions, registered,
                                          comparedVertices(up_, skin, registered));
    const double limit = request_.worstTrunk * up_.measures.height / 1.7;
    if (r.trunk.p95 > limit)
      throw InputError(Diagnostic{
          .subject = "character",
          .message = fmt::format("our skin lies {:.1f} mm off 5 % of its trunk", 1e3 * r.trunk.p95),
          .expected = fmt::format("at most {:.1f} mm for a human body; or --landmarks points.csv "
                                  "that says where head, hands and feet are",
                                  1e3 * limit)});
  }

  void nameLandmarks() {
    const BodyMeasures& m = up_.measures;
    const FigureJoints& j = result_.pose.joints;
    auto& marks = result_.landmarks;
    marks = {{"head", m.top}, {"neck", m.neck}, {"crotch", m.crotch}};
    const auto pair = [&](const std::string& name, const std::array<Vec3, 2>& places) {
      marks.push_back({name + "_l", places[0]});
      marks.push_back({name + "_r", places[1]});
    };
    pair("shoulder", j.shoulder), pair("elbow", j.elbow), pair("wrist", j.wrist);
    pair("hand", j.hand), pair("hip", j.hip), pair("knee", j.knee), pair("ankle", j.ankle);
    pair("foot", j.toe);
    // On the skin, where ours lies with its own.
    const SkinMarks skin = skinMarks(*figure_);
    const auto mark = [&](const char* name, std::size_t vertex) {
      if (vertex < result_.skin.mesh.vertexCount())
        marks.push_back({name, result_.skin.mesh.positions[vertex]});
    };
    mark("chin", skin.chin), mark("navel", skin.navel);
    mark("nipple_l", skin.nipples[0]), mark("nipple_r", skin.nipples[1]);
  }

  const anatomy::Body& body_;
  const FitRequest& request_;
  const anatomy::GeometryCache& cache_;
  Upright up_;
  std::shared_ptr<const FigureTemplate> figure_;
  FittedFigure result_;
};

}  // namespace

FittedFigure fitFigure(const TriangleMesh& character, const anatomy::Body& measured,
                       const FitRequest& request, const anatomy::GeometryCache& cache) {
  return Fitting(character, measured, request, cache).run();
}

}  // namespace pneuma::fit
