#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pneuma/anatomy/body.h"
#include "pneuma/control/dragged_pose.h"
#include "pneuma/core/field_table.h"
#include "pneuma/stage/live_session.h"
#include "pneuma/stage/living_actor.h"
#include "pneuma/stage/person_request.h"
#include "pneuma/stage/units.h"

/// A body that acts by its own muscles and is told what to do while it does.
namespace pneuma::stage {

/// What stays as it is over a session.
struct ActSettings {
  double step = 0.007;          ///< [s]
  double framesPerSecond = 25;  ///< of what is recorded
  double recordSeconds = 12;    ///< the last ones are kept for files; 0: none [s]
  int skinTriangles = 0;        ///< 0: no skin
  bool excitation = false;      ///< activations follow excitations and cannot jump
};

/// What the body does now.
struct ActTask {
  std::string exercise = "none";  ///< of control::exercises(), over and over; or none
  std::optional<double> weightLeft, weightRight;  ///< in the hands [kg]; else the exercise's
  std::string coactivation = "0";                 ///< of control::parsePerPart
};

/// Exercises and "none".
std::vector<std::string> actExerciseNames();

template <class Visitor>
void fields(Visitor& v, typename Visitor::template Ref<ActSettings> s) {
  v.field({.name = "step",
           .meaning = "Time step",
           .unit = "ms",
           .unitInSi = kMillisecond,
           .min = 1,
           .max = 10},
          s.step);
  v.field({.name = "fps", .meaning = "Recorded frames per second", .min = 1, .max = 140},
          s.framesPerSecond);
  v.field({.name = "record_seconds",
           .meaning = "The last ones are kept for tables and files; 0: none",
           .unit = "s",
           .min = 0,
           .max = 600},
          s.recordSeconds);
  v.field({.name = "skin_triangles", .meaning = "Of the skin; 0: none", .min = 0, .max = 400000},
          s.skinTriangles);
  v.field({.name = "excitation", .meaning = "Activations follow excitations and cannot jump"},
          s.excitation);
}

template <class Visitor>
void fields(Visitor& v, typename Visitor::template Ref<ActTask> t) {
  v.field({.name = "exercise",
           .meaning = "What to do, over and over; none: stand, or be dragged",
           .choices = actExerciseNames()},
          t.exercise);
  const auto weight = [&](const char* name, const char* meaning, auto& value) {
    v.field({.name = name,
             .meaning = meaning,
             .unit = "kg",
             .min = 0,
             .max = 40,
             .derivedDefault = "the exercise's"},
            value);
  };
  weight("weight_l", "In the left hand", t.weightLeft);
  weight("weight_r", "In the right hand", t.weightRight);
  v.field({.name = "coactivation",
           .meaning = "Tension of agonists against antagonists by body part: arms=0.5,neck=0.2, "
                      "or one number for all"},
          t.coactivation);
}

/// A person who stands and moves by muscles alone: exercises, weights in the hands, tension, and
/// links that someone takes and drags. Legs and pelvis are held by the world; nobody breathes.
///
/// Every step is one of control::MuscleController. Its target is led (control::TargetFollower) to
/// where the grasps have the body (control::DraggedPose), or to the first pose of an exercise,
/// which then begins. A frame has links, the points of all muscle lines ("muscles"), skin, and
/// numbers: "act" (how well the target is followed), "loads" (kg in the hands), "activations" (of
/// every line); a GLB has armature, bones and skin.
class ActSession : public LiveSession {
 public:
  /// `measured` is a body as loaded, before it is fitted to anybody. Throws InputError.
  ActSession(anatomy::Body measured, const PersonRequest& person, const ActSettings& settings = {},
             const ActTask& task = {});
  /// The same with shapes of that person that were made before (stage/body_pack.h);
  /// `skinTriangles` is not asked.
  ActSession(anatomy::Body measured, const PersonRequest& person, const ActSettings& settings,
             const ActTask& task, PersonShapes shapes);
  /// Changes the task from now on. Another exercise lets go of what is dragged; the same one goes
  /// on. Throws InputError; the task then stays.
  void set(const ActTask& task);
  /// Takes a link by a point of it (in its frame [m]) and asks for that point to be at a place of
  /// the world [m], or moves such a place. An exercise ends. Throws InputError for an unknown link
  /// (with the nearest name), one that the world holds, or a place beyond 10 m.
  void drag(const std::string& link, const Vec3& local, const Vec3& place);
  /// Lets go of a link, or of all; the body goes back to where it stands at rest.
  void release(const std::string& link);
  void releaseAll();

  const ActSettings& settings() const;
  const ActTask& task() const;
  /// What is held, and where; links by the numbers of layout().
  std::vector<control::Grasp> grasps() const;
  /// Links that can be dragged.
  std::vector<std::string> draggable() const;
  /// Middle of a weight in a hand, in the frame of `hand_l` or `hand_r` [m], and its bar's axis.
  struct Grip {
    Vec3 center = Vec3::Zero();
    Vec3 axis = Vec3::UnitX();
  };
  Grip grip(bool right) const;

  /// From a file of save(). `measured` must be the body that the saved one was made from.
  static ActSession open(const std::filesystem::path& path, anatomy::Body measured);

 private:
  struct Impl;
  Impl& own() const;
};

}  // namespace pneuma::stage
