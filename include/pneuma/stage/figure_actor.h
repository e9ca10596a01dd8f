#pragma once

#include <map>
#include <string>
#include <vector>

#include "pneuma/anatomy/compile.h"
#include "pneuma/flesh/figure_bellies.h"
#include "pneuma/io/gltf_writer.h"
#include "pneuma/muscle/muscle_model.h"
#include "pneuma/skeleton/kinematics.h"
#include "pneuma/skeleton/model.h"
#include "pneuma/skin/figure_skin.h"
#include "pneuma/stage/view.h"

namespace pneuma::stage {

/// Surfaces of bones by their names, at rest in the body frame.
using BoneMeshes = std::map<std::string, TriangleMesh>;

/// Those of a body's own shapes, hands relaxed or as measured.
BoneMeshes makeBoneMeshes(const anatomy::Body& body, bool relaxedHands = true);

/// An articulated body on stage: its links with their bones, and on demand its muscle lines,
/// bellies with tendons, and skin. It knows the layout of their frames, takes them, and how they
/// look.
class FigureActor {
 public:
  /// `model` is made from `compiled`.
  FigureActor(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
              const skeleton::Model& model);
  /// The same with surfaces of bones that were made before.
  FigureActor(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
              const skeleton::Model& model, const BoneMeshes& bones);

  // Each must be called before the first frame is taken; what is given must outlive the actor.
  /// Muscles as lines. With a group of scalars of the layout, one per muscle, its values colour
  /// them as activations.
  void addMuscleLines(const muscle::MuscleModel& muscles, const std::string& activations = "");
  void addBellies(const flesh::FigureBellies& bellies);
  void addSkin(const skin::FigureSkin& skin);
  /// A surface or loose points that whoever takes the frames fills in; returns the set's index.
  /// `shown` false: in frames only.
  int addPointSet(body::FramePointSet set, const MorphQuality& morphs, double fileOpacity = 1,
                  bool shown = true);
  /// Numbers that whoever takes the frames fills in.
  int addScalar(body::FrameScalar scalar) { return layout_.addScalar(std::move(scalar)); }

  const body::FrameLayout& layout() const { return layout_; }
  const Cast& cast() const { return cast_; }
  /// Shows a part in place of the one of its name, or besides the others.
  void show(SoftPart part);
  /// How opaque a part is in files.
  void setFileOpacity(const std::string& part, double opacity);
  /// The pose given, and the shapes that bellies and skin have now; scalars are 0.
  body::Frame capture(double time, const skeleton::Kinematics& kinematics) const;

  /// Stands before the whole figure wherever it goes, the floor at height 0. With `skin` the middle
  /// of the skin counts, and there is room for raised arms.
  CameraOf standingCamera(render::View view, double aspect, bool skin = false) const;

 private:
  void addBones(const anatomy::Body& body, const anatomy::CompiledBody& compiled,
                const BoneMeshes& bones);

  std::vector<int> links_;  // in the model, of each link of the layout
  double boneTop_ = 0.5, height_;
  const muscle::MuscleModel* muscles_ = nullptr;
  const flesh::FigureBellies* bellies_ = nullptr;
  const skin::FigureSkin* skin_ = nullptr;
  body::FrameLayout layout_;
  Cast cast_;
};

/// What a view of an actor shows.
Look figureLook();  ///< bones, bellies, lines
Look skinLook();    ///< skin alone

/// A picture of a standing figure: shadow on the floor at height 0.
render::RenderOptions standingOptions(int width, int height, int samples);

/// The skin of a figure in the person's own shape. `measured` is the body before it was fitted to
/// the person of `body`; `bellies` may be null.
skin::FigureSkin makeFigureSkin(const anatomy::Body& measured, const anatomy::Body& body,
                                const anatomy::CompiledBody& compiled, const skeleton::Model& model,
                                const flesh::FigureBellies* bellies);

/// A body at rest as a glTF scene: its links, bones, and every muscle as a node of its own name.
io::GltfScene restScene(const anatomy::Body& body, const anatomy::CompiledBody& compiled);

}  // namespace pneuma::stage
