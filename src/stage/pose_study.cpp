#include "pneuma/stage/pose_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "pneuma/core/error.h"
#include "pneuma/core/random.h"
#include "pneuma/skeleton/pose_maker.h"

namespace pneuma::stage {
namespace {

/// A joint's share of a pose [degrees], within what people do every day; the body's own ranges
/// hold besides.
struct PoseRange {
  const char* joint;
  double lower, upper;
};
constexpr std::array kPoseRanges{
    PoseRange{"spine.flexion", -15, 45},        PoseRange{"spine.bending", -20, 20},
    PoseRange{"spine.torsion", -25, 25},        PoseRange{"neck.flexion", -20, 30},
    PoseRange{"neck.bending", -15, 15},         PoseRange{"neck.torsion", -45, 45},
    PoseRange{"hip_l.flexion", -15, 90},        PoseRange{"hip_r.flexion", -15, 90},
    PoseRange{"hip_l.abduct", -5, 30},          PoseRange{"hip_r.abduct", -5, 30},
    PoseRange{"knee_l.flexion", 0, 110},        PoseRange{"knee_r.flexion", 0, 110},
    PoseRange{"ankle_l.flexion", -25, 15},      PoseRange{"ankle_r.flexion", -25, 15},
    PoseRange{"shoulder_l.abduction", -12, 80}, PoseRange{"shoulder_r.abduction", -12, 80},
    PoseRange{"shoulder_l.flexion", -30, 100},  PoseRange{"shoulder_r.flexion", -30, 100},
    PoseRange{"elbow_l.flexion", 0, 120},       PoseRange{"elbow_r.flexion", 0, 120},
    PoseRange{"forearm_l.pronation", 0, 110},   PoseRange{"forearm_r.pronation", 0, 110}};
constexpr int kTestPoses = 12;  // of each person
constexpr std::uint64_t kLearnSeed = 11, kTestSeed = 1011;

struct StudyPerson {
  anatomy::Person person;
  bool learned = true;
};

/// Three to learn from and one who is not.
std::array<StudyPerson, 4> studyPeople() {
  std::array<StudyPerson, 4> p;
  p[1].person.sex = anatomy::Sex::Female;
  p[1].person.height = 1.64, p[1].person.mass = 60;
  p[2].person.height = 1.78, p[2].person.mass = 115, p[2].person.age = 50;
  p[3].person.sex = anatomy::Sex::Female;
  p[3].person.height = 1.72, p[3].person.mass = 88;
  p[3].learned = false;
  return p;
}

/// Where errors count: fingers and faces are posed by themselves.
std::vector<bool> countedVertices(const shape::BreathModel& model) {
  std::vector<bool> counted;
  for (const std::string& part : model.vertexParts)
    counted.push_back(part != "hand" && part != "head");
  return counted;
}

/// One way of posing, and its errors.
struct PoseRow {
  std::string name;
  const shape::PoseSolver* solver;  // null: plain skinning
  shape::DistanceMeter poses, people;
};

}  // namespace

std::vector<VecX> samplePoses(const SkinRig& rig, int count, std::uint64_t seed) {
  const skeleton::PoseMaker maker(rig.compiled(), rig.model());
  Random random(seed);
  const auto n = static_cast<std::size_t>(count);
  std::vector<std::vector<skeleton::JointSetting>> settings(n);
  for (const PoseRange& range : kPoseRanges) {
    double lower = range.lower * kPi / 180, upper = range.upper * kPi / 180;
    for (const int f : maker.find(range.joint)) {
      const skeleton::Freedom& freedom = maker.freedoms()[static_cast<std::size_t>(f)];
      if (!freedom.limited) continue;
      lower = std::max(lower, freedom.lower), upper = std::min(upper, freedom.upper);
    }
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.next() % i]);
    for (std::size_t i = 0; i < n; ++i) {
      const double share =
          (static_cast<double>(order[i]) + random.uniform()) / static_cast<double>(n);
      settings[i].push_back({range.joint, lower + share * (upper - lower)});
    }
  }
  std::vector<VecX> poses;
  for (const auto& s : settings) poses.push_back(maker.make(s));
  return poses;
}

std::vector<PoseErrorLine> learnPoses(const anatomy::Body& measured, const PoseRequest& request,
                                      shape::Learned& result, Progress& progress) {
  requireSettings(request);
  if (request.poses == 0) return {};
  shape::BreathModel& model = result.model;
  const shape::ShapeTemplate shape = model.shape();
  const auto people = studyPeople();
  std::vector<shape::PosedSkin> learned, test;
  std::vector<bool> known;  // of each test skin: was the person learned from
  progress.begin("posing", static_cast<double>(people.size()));
  for (std::size_t i = 0; i < people.size(); ++i) {
    progress.update(static_cast<double>(i));
    SkinRig rig(measured, people[i].person);
    if (const std::string id = fmt::format("{:016x}", rig.surface().topology->id);
        id != model.topologyId)
      throw InputError(Diagnostic{
          .field = "poses",
          .message = fmt::format("the people have topology {}, the body {}", model.topologyId, id),
          .expected = "people of this body, or --poses 0"});
    const auto add = [&](std::vector<shape::PosedSkin>& list, const VecX& q) {
      list.push_back({rig.rest(), rig.plain(q, rig.rest()), rig.posed(q)});
    };
    if (people[i].learned)
      for (const VecX& q : samplePoses(rig, request.poses, kLearnSeed + i)) add(learned, q);
    for (const VecX& q : samplePoses(rig, kTestPoses, kTestSeed + i)) {
      add(test, q);
      known.push_back(people[i].learned);
    }
  }
  progress.end();
  using shape::TurnOf;
  const shape::PoseShape parts = shape::PoseShape::fit(shape, learned, TurnOf::Part);
  model.pose = shape::PoseShape::fit(shape, learned, TurnOf::Triangle);
  const shape::PoseShape noParts(TurnOf::Part, {}), none(TurnOf::Triangle, {});
  const shape::PoseSolver a(shape, noParts), b(shape, parts), c(shape, none), d(shape, model.pose);
  const std::vector<bool> counted = countedVertices(model);
  std::vector<PoseRow> rows{{"plain skinning: linear blend", nullptr, {}, {}},
                            {"a turn for each part, Q = 1", &a, {}, {}},
                            {"a turn for each part, Q (SCAPE)", &b, {}, {}},
                            {"blended turns, Q = 1", &c, {}, {}},
                            {"blended turns, Q: the model", &d, {}, {}}};
  progress.begin("testing poses", static_cast<double>(test.size()));
  for (std::size_t i = 0; i < test.size(); ++i) {
    progress.update(static_cast<double>(i));
    const shape::PosedSkin& s = test[i];
    for (PoseRow& row : rows)
      (known[i] ? row.poses : row.people)
          .add(row.solver ? row.solver->pose(s.rest, s.plain, s.rest) : s.plain, s.posed, counted);
  }
  progress.end();
  std::vector<PoseErrorLine> lines;
  for (const PoseRow& row : rows)
    lines.push_back({row.name, row.poses.error(), row.people.error()});
  result.card["poses"] = poseJson(lines);
  result.card["poses_learned"] = learned.size();
  model.card = result.card.dump(2);
  return lines;
}

std::string poseTable(const std::vector<PoseErrorLine>& lines) {
  std::string text = fmt::format("{:<36}{:>9}{:>9}{:>9}{:>16}{:>9}\n", "poses held out, posed by",
                                 "rms mm", "mean mm", "p99 mm", "new person, rms", "p99 mm");
  for (const PoseErrorLine& l : lines)
    text +=
        fmt::format("{:<36}{:>9.2f}{:>9.2f}{:>9.2f}{:>16.2f}{:>9.2f}\n", l.name, 1e3 * l.poses.rms,
                    1e3 * l.poses.mean, 1e3 * l.poses.p99, 1e3 * l.people.rms, 1e3 * l.people.p99);
  return text;
}

nlohmann::ordered_json poseJson(const std::vector<PoseErrorLine>& lines) {
  nlohmann::ordered_json j = nlohmann::ordered_json::array();
  const auto numbers = [](const shape::ShapeError& e) {
    return nlohmann::ordered_json{
        {"rms_mm", 1e3 * e.rms}, {"mean_mm", 1e3 * e.mean}, {"p99_mm", 1e3 * e.p99}};
  };
  for (const PoseErrorLine& l : lines)
    j.push_back({{"posed_by", l.name},
                 {"poses_held_out", numbers(l.poses)},
                 {"person_held_out", numbers(l.people)}});
  return j;
}

}  // namespace pneuma::stage
