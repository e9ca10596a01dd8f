#include "pneuma/stage/motion_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/io/table.h"
#include "pneuma/skeleton/motion_dynamics.h"
#include "stage/gait_torques.h"

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

/// Forces at the floor over the body's weight.
struct FloorForces {
  std::vector<double> vertical, left;  // of each frame; what nothing explains
  double peak = 0;                     // of the vertical ones
  double flightPercent = 0;            // of the frames, no foot stands
  double meanLeft = 0;                 // root mean square of what is left, over the weight
  double meanMoment = 0;               // and of its moment about the pelvis [N m]

  FloorForces(const skeleton::MotionDynamics& d, double weight) {
    double flight = 0;
    const auto count = static_cast<double>(d.groundForce.size());
    for (std::size_t i = 0; i < d.groundForce.size(); ++i) {
      vertical.push_back(d.groundForce[i].y() / weight);
      left.push_back(d.residualForce[i].norm() / weight);
      peak = std::max(peak, vertical.back());
      flight += d.flight[i];
      meanLeft += left.back() * left.back() / count;
      meanMoment += d.residualMoment[i].squaredNorm() / count;
    }
    flightPercent = 100 * flight / count;
    meanLeft = std::sqrt(meanLeft);
    meanMoment = std::sqrt(meanMoment);
  }
};

io::Table torqueTable(const PlayedMotion& motion, const skeleton::MotionDynamics& d,
                      const FloorForces& floor) {
  const std::vector<std::string> names = dofNames(motion);
  io::Table table;
  table.addColumn("time", "s", motion.times);
  std::vector<VecX> torques;
  for (const VecX& tau : d.torque)
    torques.push_back(namedValues(motion.compiled, motion.model, tau));
  for (int j = 6; j < motion.model.dofCount(); ++j) {
    std::vector<double> values;
    for (const VecX& tau : torques) values.push_back(tau[j]);
    table.addColumn(names[j], "N m", values);
  }
  table.addColumn("ground_force_vertical", "body weights", floor.vertical);
  table.addColumn("residual_force", "body weights", floor.left);
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
  floor.line(times, forces.left, "left over at the pelvis");
  floor.horizontalRule(1);
  return plot;
}

const char* nameOf(Gait gait) {
  return gait == Gait::Run ? "run" : gait == Gait::Walk ? "walk" : "no gait";
}

std::string bandOf(const TorquePeak& p) {
  return p.low ? fmt::format("{:.2g} to {:.2g}", *p.low, *p.high) : "";
}

std::string verdictOf(const TorquePeak& p) {
  return !p.low ? "" : p.inside() ? "inside" : p.value < *p.low ? "low" : "high";
}

ordered_json peakJson(const TorquePeak& p) {
  ordered_json j{{"joint", p.joint},
                 {"action", p.action},
                 {"nm_per_kg", p.value},
                 {"time_s", p.time},
                 {"left_over_body_weights", p.left}};
  if (p.low)
    j["people"] = {{"low", *p.low}, {"high", *p.high}, {"seen", p.seen}, {"verdict", verdictOf(p)}};
  return j;
}

/// Peaks of the legs beside people's, in the report and as text.
std::string addGait(const GaitTorques& gait, render::Report& report, ordered_json& json) {
  render::Table table{
      {"joint", "torque [N m/kg]", "at [s]", "left over then [body weights]", "people", "figures",
       ""},
      {},
      fmt::format("Largest torques of either leg, {} at {:.2f} m/s. Where the floor "
                  "leaves much unexplained, the torques below it are too low.",
                  nameOf(gait.gait), gait.speed)};
  std::string text = fmt::format(
      "{} at {:.2f} m/s, centre of pressure at most {:.1f} mm outside "
      "its sole\n",
      nameOf(gait.gait), gait.speed, 1e3 * gait.outsideSole);
  for (const TorquePeak& p : gait.peaks) {
    const std::string name = p.joint + " " + p.action;
    const char* mark = !p.low ? "" : p.seen ? "seen" : "recalled";
    table.rows.push_back({name, fmt::format("{:.2f}", p.value), fmt::format("{:.2f}", p.time),
                          fmt::format("{:.2f}", p.left), bandOf(p), mark, verdictOf(p)});
    text += fmt::format("  {:<22} {:>5.2f} N m/kg, people {:<12} {:<9} {}\n", name, p.value,
                        bandOf(p), mark, verdictOf(p));
    json["torque_peaks"].push_back(peakJson(p));
  }
  report.table(table);
  json["gait"] = nameOf(gait.gait);
  json["speed_m_s"] = gait.speed;
  json["pressure_outside_sole_mm"] = 1e3 * gait.outsideSole;
  text.pop_back();
  return text;
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

std::string addInverseDynamics(const PlayedMotion& shown, const io::RunFolder& run,
                               render::Report& report, ordered_json& json) {
  const PlayedMotion motion = atOwnRate(shown);
  if (motion.q.size() < 5) throw InputError("option '--inverse-dynamics': needs at least 5 frames");
  skeleton::MotionDynamicsConfig config;
  config.points = skeleton::soleCorners(motion.model);
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
          "Mass {:.1f} kg. {:.0f} configurations a second, smoothed by a Gaussian of {:.0f} ms. "
          "The floor pushes "
          "through the soles, never pulls, and its pressure never leaves them. What it cannot give "
          "is left over at the pelvis: {:.2f} body weights and {:.0f} N m (root mean square); a "
          "seat "
          "is part of that. In {:.0f} % of the frames no foot stands.",
          mass, motion.framesPerSecond, 1e3 * config.smoothing, floor.meanLeft, floor.meanMoment,
          floor.flightPercent))
      .plot(plot, "Torques of the main joints, and the force from the floor.", "torques");
  json["peak_ground_force_body_weights"] = floor.peak;
  json["residual_force_body_weights"] = floor.meanLeft;
  json["residual_moment_n_m"] = floor.meanMoment;
  return fmt::format(
             "force of the floor at most {:.2f} body weights, {:.2f} left over (root mean "
             "square)\n",
             floor.peak, floor.meanLeft) +
         addGait(measureGait(motion, d, config.points), report, json);
}

}  // namespace pneuma::stage
