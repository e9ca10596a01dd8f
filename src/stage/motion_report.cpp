#include "pneuma/stage/motion_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "pneuma/io/table.h"
#include "pneuma/skeleton/motion_dynamics.h"

namespace pneuma::stage {
namespace {

using nlohmann::ordered_json;

io::Table residualTable(const skeleton::RetargetedMotion& clip) {
  io::Table table;
  std::vector<std::string> roles, joints, links;
  std::vector<double> mean, largest, uniform;
  for (const skeleton::RoleResidual& r : clip.roles) {
    roles.push_back(r.role), joints.push_back(r.clipJoint), links.push_back(r.link);
    mean.push_back(1e3 * r.mean), largest.push_back(1e3 * r.largest);
    uniform.push_back(1e3 * r.meanUniform);
  }
  table.addTextColumn("role", roles);
  table.addTextColumn("clip_joint", joints);
  table.addTextColumn("link", links);
  table.addColumn("mean", "mm", mean);
  table.addColumn("largest", "mm", largest);
  table.addColumn("mean_uniform_scale", "mm", uniform);
  return table;
}

/// The feet as what may stand on the floor.
skeleton::MotionDynamicsConfig standingFeet(const skeleton::Model& model) {
  constexpr double kSoleAheadOfAnkle = 0.05;  // middle of the sole [m]
  skeleton::MotionDynamicsConfig config;
  for (const char* foot : {"talus_l", "talus_r"}) {
    config.feet.push_back(model.linkIndex(foot));
    const double height = model.links[config.feet.back()].X_WL_rest.position.y();
    config.soles.push_back(Vec3(0, -height, kSoleAheadOfAnkle));
  }
  return config;
}

/// Forces at the floor over the body's weight.
struct FloorForces {
  std::vector<double> vertical, unsupported;  // of each frame
  double peak = 0;                            // of the vertical ones
  double flightPercent = 0;                   // of the frames, no foot stands

  FloorForces(const skeleton::MotionDynamics& d, double weight) {
    double flight = 0;
    for (std::size_t i = 0; i < d.groundForce.size(); ++i) {
      vertical.push_back(d.groundForce[i].y() / weight);
      unsupported.push_back(d.unsupported[i] / weight);
      peak = std::max(peak, vertical.back());
      flight += d.unsupported[i] > 0;
    }
    flightPercent = 100 * flight / static_cast<double>(d.groundForce.size());
  }
};

io::Table torqueTable(const PlayedMotion& motion, const skeleton::MotionDynamics& d,
                      const FloorForces& floor) {
  const std::vector<std::string> names = dofNames(motion);
  io::Table table;
  table.addColumn("time", "s", motion.times);
  for (int j = 6; j < motion.model.dofCount(); ++j) {
    std::vector<double> values;
    for (const VecX& tau : d.torque) values.push_back(tau[j]);
    table.addColumn(names[j], "N m", values);
  }
  table.addColumn("ground_force_vertical", "body weights", floor.vertical);
  return table;
}

render::Plot torquePlot(const io::Table& torques, const FloorForces& forces) {
  const std::vector<double>& times = torques.column("time").values;
  render::Plot plot("Inverse dynamics");
  const auto curve = [&](render::Panel& panel, const std::string& dof) {
    panel.line(times, torques.column(dof).values, dof);
  };
  render::Panel& legs = plot.panel("Joint torques, legs", "time [s]", "torque [N m]");
  for (const char* dof : {"l_hip_flexion", "l_knee_flexion", "l_ankle_flexion", "r_hip_flexion",
                          "r_knee_flexion", "r_ankle_flexion"})
    curve(legs, dof);
  render::Panel& arms = plot.panel("Joint torques, arms", "time [s]", "torque [N m]");
  for (const char* dof :
       {"l_shoulder_flexion", "l_elbow_flexion", "r_shoulder_flexion", "r_elbow_flexion"})
    curve(arms, dof);
  render::Panel& floor = plot.panel("Force from the floor", "time [s]", "body weights");
  floor.line(times, forces.vertical, "vertical");
  floor.line(times, forces.unsupported, "unsupported (flight)");
  floor.horizontalRule(1);
  return plot;
}

}  // namespace

void addResiduals(const PlayedMotion& motion, const io::RunFolder& run, render::Report& report,
                  ordered_json& json) {
  const skeleton::RetargetedMotion& clip = motion.clip;
  io::writeCsv(run.file("residuals.csv"), residualTable(clip));
  render::Table table{
      {"role", "joint of the clip", "link", "mean [mm]", "largest [mm]", "mean, one scale [mm]"},
      {},
      "Distance of joint centres from the clip's own skeleton, scaled limb by limb "
      "to the figure; last column: scaled by one number and shifted to fit."};
  for (const skeleton::RoleResidual& r : clip.roles)
    table.rows.push_back({r.role, r.clipJoint, r.link, fmt::format("{:.1f}", 1e3 * r.mean),
                          fmt::format("{:.1f}", 1e3 * r.largest),
                          fmt::format("{:.1f}", 1e3 * r.meanUniform)});
  report.heading("Residuals").table(table);
  render::Table limits{{"freedom", "frames at its limit [%]"}, {}, ""};
  for (const skeleton::LimitUse& l : clip.limits)
    limits.rows.push_back({l.dof, fmt::format("{:.1f}", 100 * l.part)});
  if (!limits.rows.empty()) report.heading("Joints at their limits").table(limits);
  json["metres_per_clip_unit"] = clip.scale;
  json["mean_joint_error_mm"] = 1e3 * clip.meanResidual;
  json["largest_joint_error_mm"] = 1e3 * clip.largestResidual;
  json["mean_joint_error_one_scale_mm"] = 1e3 * clip.meanResidualUniform;
  for (const skeleton::RoleResidual& r : clip.roles)
    json["mapped"].push_back(r.clipJoint + " > " + r.link);
  for (const skeleton::LimitUse& l : clip.limits) json["at_limit"][l.dof] = l.part;
}

void addInverseDynamics(const PlayedMotion& motion, const io::RunFolder& run,
                        render::Report& report, ordered_json& json) {
  if (motion.q.size() < 5) throw InputError("option '--inverse-dynamics': needs at least 5 frames");
  const skeleton::MotionDynamicsConfig config = standingFeet(motion.model);
  const skeleton::MotionDynamics d = skeleton::computeMotionDynamics(
      motion.model, motion.q, motion.times[1] - motion.times[0], config);
  const double mass = motion.model.totalMass();
  const FloorForces floor(d, mass * kGravity);
  const io::Table torques = torqueTable(motion, d, floor);
  io::writeCsv(run.file("torques.csv"), torques);
  const render::Plot plot = torquePlot(torques, floor);
  plot.write(run.file("torques.png"));
  report.heading("Inverse dynamics")
      .paragraph(fmt::format(
          "Mass {:.1f} kg. Configurations are smoothed by a Gaussian of {:.0f} ms. The wrench that "
          "the root would need comes from the floor through the soles of the standing feet, with "
          "the least couples on them; whatever else carries the body, such as a seat, is counted "
          "as floor. In {:.0f} % of the frames no foot stands.",
          mass, 1e3 * config.smoothing, floor.flightPercent))
      .plot(plot, "Torques of the main joints, and the force from the floor.", "torques");
  json["peak_ground_force_body_weights"] = floor.peak;
}

}  // namespace pneuma::stage
