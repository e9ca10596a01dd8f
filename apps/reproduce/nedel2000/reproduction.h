#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <tuple>

#include "pneuma/flesh/figure_bellies.h"
#include "pneuma/render/report.h"
#include "pneuma/skeleton/kinematics.h"
#include "pneuma/stage/figure_actor.h"

/// The parts of `pneuma reproduce nedel2000`.
namespace pneuma::reproduce::nedel2000 {

inline constexpr int kSamples = 16;  ///< per pixel of every picture

/// What the sections share.
struct Reproduction {
  std::filesystem::path folder;
  render::Report report;
  std::vector<render::ComparisonRow> rows;
  nlohmann::ordered_json numbers = nlohmann::ordered_json::object();

  void compare(const std::string& quantity, const std::string& unit, const std::string& published,
               const std::string& ours, std::optional<bool> pass, const std::string& note = "");
  void picture(const render::Image& image, const std::string& caption, const std::string& name);
};

/// Joint angles by link, degree of freedom within the link, and degrees.
using Angles = std::vector<std::tuple<std::string, int, double>>;

/// The figure with its bellies, in the pose it was moved to last.
struct Figure {
  anatomy::Body measured, body;  ///< before and after fitting to the person
  anatomy::CompiledBody compiled;
  skeleton::Model model;
  flesh::FigureBellies bellies;
  skeleton::Kinematics kinematics;
  VecX q;
  stage::FigureActor actor;  ///< bones and bellies

  Figure(const anatomy::Body& asMeasured, const anatomy::Body& fitted, anatomy::CompiledBody made);

  /// Moves from the neutral pose to joint angles in one second; joints that people move together
  /// follow, and so do the bellies.
  void pose(const Angles& angles) { pose(angles, bellies); }
  /// The same with other bellies than the figure's own.
  void pose(const Angles& angles, flesh::FigureBellies& with);
  /// Index of the first belly with `name` in its name.
  int part(const std::string& name) const;
  /// Where the joint of a link is now.
  Vec3 jointCenter(const std::string& link) const;
  /// Bones and bellies as they are now: the whole figure, or `size` metres around a point.
  render::Image picture(render::View view, int width, int height, const Vec3& center = Vec3::Zero(),
                        double size = 0) const;
};

/// The second posture of Fig. 19: left arm raised, right elbow and left knee bent.
const Angles& secondPosture();

/// Section 6.3: joints, bones, muscles and their parts.
void reproduceCounts(Reproduction& r, const anatomy::BodySummary& summary);
/// Fig. 6: a part of the triceps, from `anatomy` if it is there, on coarser and coarser grids.
void reproduceFig6(Reproduction& r, const std::filesystem::path& anatomy);
/// Fig. 10 and 12: the brachialis compressed, with and without angular springs.
void reproduceFig10(Reproduction& r);
/// Fig. 11: its volume by the coefficient of the angular springs.
void reproduceFig11(Reproduction& r);
/// Fig. 13 and 18: the bending elbow.
void reproduceElbow(Reproduction& r, Figure& f);
/// Fig. 19: the whole body in two postures, and what volume control does.
void reproduceFig19(Reproduction& r, Figure& f);
/// Section 5, Fig. 18 to 20: the skin.
void reproduceSkin(Reproduction& r, Figure& f);
/// All bellies at the paper's rate of updates.
void reproduceSpeed(Reproduction& r, Figure& f);

}  // namespace pneuma::reproduce::nedel2000
