#pragma once

#include <string>

#include "pneuma/muscle/muscle_model.h"
#include "tests/judges/mujoco_judge.h"

namespace pneuma::judges {

/// The tree with all muscles as spatial tendons through the same points (wraps are left out) and,
/// with `actuators`, a MuJoCo muscle on each.
inline std::string makeMjcfWithMuscles(const skeleton::Model& model,
                                       const muscle::MuscleModel& muscles,
                                       const std::string& option, bool actuators) {
  std::vector<std::string> sites(model.links.size() + 1);  // the last one: fixed to the world
  std::string tendons = "<tendon>", muscleText = "<actuator>";
  const auto number = [](double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", x);
    return std::string(text);
  };
  for (int m = 0; m < muscles.count(); ++m) {
    tendons += "<spatial name='t" + std::to_string(m) + "'>";
    for (int p = muscles.paths.pointBegin[m]; p < muscles.paths.pointBegin[m + 1]; ++p) {
      const muscle::LinkPoint& point = muscles.paths.points[p];
      const Vec3& x = point.position;
      const std::string name = "s" + std::to_string(p);
      sites[point.link < 0 ? model.links.size() : point.link] +=
          "<site name='" + name + "' pos='" + number(x.x()) + " " + number(x.y()) + " " +
          number(x.z()) + "'/>";
      tendons += "<site site='" + name + "'/>";
    }
    tendons += "</spatial>";
    const double l = muscles.restLength[m];
    muscleText += "<muscle tendon='t" + std::to_string(m) + "' force='50' lengthrange='" +
                  number(0.7 * l) + " " + number(1.3 * l) + "'/>";
  }
  tendons += "</tendon>";
  muscleText += "</actuator>";
  return makeMjcf(model, option, sites, actuators ? tendons + muscleText : tendons);
}

}  // namespace pneuma::judges
