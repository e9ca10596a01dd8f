#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pneuma/muscle/linear_hill.h"
#include "pneuma/muscle/musculotendon.h"
#include "pneuma/muscle/parameter_table.h"
#include "pneuma/muscle/path_set.h"
#include "pneuma/muscle/spring_element.h"

/// The muscles of a body: description by name, and the compiled model.
namespace pneuma::muscle {

/// A musculotendon whose tendon does not stretch: the fibre length follows from the path.
struct RigidTendonUnit {
  Musculotendon unit;
};
/// A musculotendon whose fibre length is a state of its own.
struct ElasticTendonUnit {
  Musculotendon unit;
};
using ForceParameters = std::variant<SpringElement, LinearHill, RigidTendonUnit, ElasticTendonUnit>;

/// A muscle as described. Positions are in the body frame at rest [m]; a link named "" is the
/// world.
struct MuscleDescription {
  /// A point of the path, fixed to a link; position in the world at rest [m].
  struct Point {
    std::string link;
    Vec3 position = Vec3::Zero();
  };
  struct Wrap {
    int afterPoint = 0;  ///< the surface lies between this point and the next
    std::string link;
    Pose pose;  ///< surface frame in the body frame at rest
    std::variant<WrapCylinder, WrapEllipsoid> shape;
  };

  std::string name;           ///< unique, not empty
  std::string muscle;         ///< that this is a line of, with its side; may be empty
  std::string group;          ///< "neck", "arm_l", ...; may be empty
  std::vector<Point> points;  ///< origin to insertion, at least two
  std::vector<Wrap> wraps;
  ForceParameters force;
};

/// The force models that muscles of one body may mix.
enum class ForceKind { Spring, LinearHill, RigidTendon, ElasticTendon };

/// Muscles [begin, end) of one kind; their parameters start at `first` in the kind's table.
struct ForceRun {
  ForceKind kind;
  int begin = 0;
  int end = 0;
  int first = 0;
};

/// Compiled: constant while simulating. Muscles keep the order of the description.
struct MuscleModel {
  std::vector<std::string> names;
  std::vector<std::string> muscles;  ///< that these are lines of
  std::vector<std::string> groups;
  PathSet paths;
  VecX restLength;  ///< in the neutral configuration [m]
  ZajacCurves curves;
  std::vector<ForceRun> runs;
  ParameterTable<SpringElement> springs;
  ParameterTable<LinearHill> hills;
  ParameterTable<Musculotendon> units;  ///< rigid and elastic

  int count() const { return static_cast<int>(names.size()); }
  int find(std::string_view name) const;  ///< or -1
};

/// What changes, and what a checkpoint holds.
struct MuscleState {
  VecX activation;   ///< 0..1
  VecX contraction;  ///< Zordan's r of spring elements; unused by the others
  VecX fibreLength;  ///< of units with an elastic tendon [m]; unused by the others
};

/// Compiles muscles for a skeleton. Unknown links, doubled names, single points, ends inside a
/// surface at rest and parameters out of range are collected and thrown together as InputError.
MuscleModel compileMuscles(const skeleton::Model& model, std::span<const MuscleDescription> muscles,
                           const ZajacCurvesConfig& curves = {});

/// No activation; springs at their own contraction; elastic units in equilibrium at rest length.
MuscleState makeState(const MuscleModel& muscles);

/// Length of the path in the neutral configuration, wraps included [m]: to choose slack lengths.
double restLength(const MuscleDescription& muscle);

}  // namespace pneuma::muscle
