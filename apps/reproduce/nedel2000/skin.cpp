#include <fmt/format.h>

#include "reproduce/nedel2000/reproduction.h"

namespace pneuma::reproduce::nedel2000 {
namespace {

/// The figure's skin, in the pose that it was moved to last.
class SkinnedFigure {
 public:
  explicit SkinnedFigure(Figure& f)
      : figure_(f),
        skin_(stage::makeFigureSkin(f.measured, f.body, f.compiled, f.model, &f.bellies)),
        actor_(f.body, f.compiled, f.model) {
    actor_.addSkin(skin_);
  }

  void pose(const Angles& angles) {
    figure_.pose(angles);
    seconds_ += skin_.follow(figure_.q, figure_.kinematics).seconds;
    ++poses_;
  }
  /// The whole figure, or `size` metres around a link.
  render::Image picture(render::View view, int width, int height, const std::string& link,
                        double size) const {
    const body::Frame frame = actor_.capture(0, figure_.kinematics);
    const double aspect = static_cast<double>(width) / height;
    return stage::View(actor_.cast(), frame, stage::skinLook(),
                       size > 0 ? stage::fixedCamera(figure_.jointCenter(link), size, view, aspect)
                                : actor_.standingCamera(view, aspect, true),
                       stage::standingOptions(width, height, kSamples))
        .draw(frame);
  }
  const skin::FigureSkin& skin() const { return skin_; }
  double meanSeconds() const { return poses_ > 0 ? seconds_ / poses_ : 0.0; }

 private:
  Figure& figure_;
  skin::FigureSkin skin_;
  stage::FigureActor actor_;
  double seconds_ = 0;
  int poses_ = 0;
};

/// Front, right and back at a slant side by side: the whole figure, or `size` metres around a link.
void addPosture(Reproduction& r, SkinnedFigure& skin, const std::string& name,
                const std::string& caption, const Angles& angles, const std::string& link = "",
                double size = 0) {
  skin.pose(angles);
  const int height = size > 0 ? 480 : 640;
  std::vector<render::Tile> tiles;
  for (const render::View view :
       {render::View::Front, render::View::Right, render::View::ThreeQuarterBack})
    tiles.push_back({skin.picture(view, 480, height, link, size), std::string(render::name(view))});
  r.picture(render::tile(tiles, 3), caption, name);
}

}  // namespace

void reproduceSkin(Reproduction& r, Figure& f) {
  // The skin measures what lies between bellies and skin when it is made, so they must be at rest.
  f.pose({});
  SkinnedFigure skin(f);
  const auto count = [&](const char* what, int paper, std::size_t ours) {
    r.compare(what, "", fmt::format("{}", paper), fmt::format("{}", ours),
              static_cast<std::size_t>(paper) == ours, "section 5");
  };
  count("groups of tissue", 15, f.body.skinGroups.size());
  count("pieces of skin", 7, f.body.skinPieces.size());
  r.report.heading("Fig. 18 and 20: the elbow bends under the skin");
  for (const double angle : {0.0, 100.0}) {
    skin.pose({{"ulna_l", 0, angle}});
    r.picture(skin.picture(render::View::Left, 640, 640, "ulna_l", 0.75),
              fmt::format("The arm with its skin at {:.0f} degrees.", angle),
              fmt::format("fig20_elbow_{:.0f}", angle));
  }
  r.report.heading("Fig. 19 with skin: two postures");
  addPosture(r, skin, "fig19_skin_rest", "At rest.", {});
  const MeshTopology topology = analyzeTopology(skin.skin().mesh());
  addPosture(r, skin, "fig19_skin_posed", "Left arm raised, right elbow and left knee bent.",
             secondPosture());
  r.report.heading("Far joint angles");
  addPosture(r, skin, "skin_shoulder_120",
             "Right shoulder at 120 degrees of abduction; collar bone and shoulder blade follow.",
             {{"humerus_r", 1, 120}}, "humerus_r", 0.62);
  addPosture(r, skin, "skin_elbow_130", "Right elbow at 130 degrees.",
             {{"humerus_r", 0, 25}, {"ulna_r", 0, 130}}, "ulna_r", 0.52);
  addPosture(r, skin, "skin_hip_knee_90", "Right hip and knee at 90 degrees.",
             {{"femur_r", 0, 90}, {"tibia_r", 0, 90}, {"humerus_r", 1, 80}}, "femur_r", 0.95);
  r.compare("skin closed, manifold, one piece", "", "\"stitched\"",
            topology.watertight() && topology.components == 1 ? "yes" : "no",
            topology.watertight() && topology.components == 1,
            "section 5; head, hands and feet joined at their rims");
  r.compare("time of a pose's skin", "ms", "-", fmt::format("{:.1f}", 1e3 * skin.meanSeconds()),
            std::nullopt, fmt::format("{} triangles", skin.skin().triangles().size()));
  r.numbers["skin_triangles"] = skin.skin().triangles().size();
  r.numbers["skin_ms_per_pose"] = 1e3 * skin.meanSeconds();
}

}  // namespace pneuma::reproduce::nedel2000
