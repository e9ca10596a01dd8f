#include "cli/move_recorder.h"

#include <algorithm>

#include "cli/figure_scene.h"
#include "pneuma/anatomy/scene.h"
#include "pneuma/io/morph_compression.h"
#include "pneuma/skeleton/configuration.h"

namespace pneuma::cli {

namespace {

constexpr double kLineTolerance = 5e-4;  // [m] of the animated muscle lines

io::Table muscleTable(const muscle::MuscleModel& muscles, const std::string& unit) {
  io::Table table;
  table.addColumn("time", "s");
  for (const std::string& name : muscles.names) table.addColumn(name, unit);
  return table;
}

void append(io::Table& table, double time, const VecX& values, std::vector<double>& row) {
  row.assign(1, time);
  row.insert(row.end(), values.begin(), values.end());
  table.appendRow(row);
}

/// From pale at rest to red at full activation, linear RGB.
Vec4 activationColor(double activation) {
  const Vec3 pale = io::linearColor(0xE8C9B8), red = io::linearColor(0xC01818);
  const Vec3 mixed = pale + std::clamp(activation, 0.0, 1.0) * (red - pale);
  return {mixed.x(), mixed.y(), mixed.z(), 1};
}

/// Points of all muscle lines in the world.
std::vector<Vec3> linePoints(const muscle::MuscleModel& muscles,
                             const skeleton::Kinematics& kinematics) {
  std::vector<Vec3> points;
  for (const muscle::LinkPoint& p : muscles.paths.points)
    points.push_back(p.link < 0 ? p.position : kinematics.X_WL[p.link] * p.position);
  return points;
}

}  // namespace

MoveRecorder::MoveRecorder(const muscle::DrivenBody& body)
    : lengths_(muscleTable(body.muscles(), "m")),
      forces_(muscleTable(body.muscles(), "N")),
      activations_(muscleTable(body.muscles(), "")) {
  joints_.addColumn("time", "s");
  std::vector<bool> slides(body.model().dofCount());
  for (const skeleton::CompiledMotion& m : body.model().motions)
    slides[m.dof] = m.code == skeleton::MotionCode::Slide;
  for (int j = 0; j < body.model().dofCount(); ++j)
    joints_.addColumn(body.dofNames()[j], slides[j] ? "m" : "rad");
  energy_.addColumn("time", "s");
  for (const char* name : {"kinetic", "gravity", "elastic", "total"}) energy_.addColumn(name, "J");
}

void MoveRecorder::record(muscle::DrivenBody& body) {
  const skeleton::State& state = body.state().skeleton;
  body.refresh();
  const muscle::MuscleWorkspace& results = body.muscleResults();
  append(joints_, state.time,
         skeleton::configurationDifference(body.model(), body.model().neutral, state.q), row_);
  append(lengths_, state.time, results.paths.length, row_);
  append(forces_, state.time, results.force, row_);
  append(activations_, state.time, body.state().muscles.activation, row_);
  const skeleton::EnergyBook e = body.energy();
  energy_.appendRow({state.time, e.kinetic, e.gravity, e.elastic, e.total()});
  times_.push_back(state.time);
  configurations_.insert(configurations_.end(), state.q.begin(), state.q.end());
}

void MoveRecorder::writeTables(const io::RunFolder& run) const {
  io::writeCsv(run.file("joints.csv"), joints_);
  io::writeCsv(run.file("lengths.csv"), lengths_);
  io::writeCsv(run.file("forces.csv"), forces_);
  io::writeCsv(run.file("activations.csv"), activations_);
  io::writeCsv(run.file("energy.csv"), energy_);
}

void MoveRecorder::writeScene(const io::RunFolder& run, const anatomy::Body& described,
                              const anatomy::CompiledBody& compiled,
                              const muscle::DrivenBody& body) const {
  io::GltfScene scene =
      anatomy::bodyScene(described, compiled, anatomy::GeometryCache(), {.muscles = false});
  scene.animationName = "motion";
  const skeleton::Model& model = body.model();
  skeleton::Kinematics kinematics(model);
  std::vector<std::vector<Pose>> poses(compiled.links.size());
  std::vector<std::vector<Vec3>> lines;
  VecX q(model.positionCount());
  for (std::size_t f = 0; f < times_.size(); ++f) {
    std::copy_n(configurations_.begin() + f * q.size(), q.size(), q.begin());
    skeleton::computePoses(model, q, kinematics);
    for (std::size_t l = 0; l < compiled.links.size(); ++l) {
      const int parent = compiled.links[l].parent;
      const Pose& X = kinematics.X_WL[body.linkIndices()[l]];
      poses[l].push_back(parent < 0 ? X
                                    : kinematics.X_WL[body.linkIndices()[parent]].inverse() * X);
    }
    lines.push_back(linePoints(body.muscles(), kinematics));
  }
  // A link's node comes before the nodes of its bones, which may share its name.
  for (std::size_t l = 0; l < compiled.links.size(); ++l) {
    const auto node = std::find_if(scene.nodes.begin(), scene.nodes.end(),
                                   [&](const auto& n) { return n.name == compiled.links[l].name; });
    if (node != scene.nodes.end()) node->animation = io::rigidAnimation(times_, poses[l]);
  }

  // Muscle lines move as one mesh with few morph targets; glTF cannot animate colours, so a line
  // has the colour of its strongest activation.
  const io::MorphSequence sequence =
      io::compressFrames(lines, {}, {.tolerance = kLineTolerance, .normals = false});
  io::GltfMesh mesh{.name = "muscles", .positions = sequence.base};
  const muscle::PathSet& paths = body.muscles().paths;
  for (int m = 0; m < body.muscles().count(); ++m) {
    const std::vector<double>& a = activations_.columns()[m + 1].values;
    const Vec4 color = activationColor(a.empty() ? 0 : *std::max_element(a.begin(), a.end()));
    for (int p = paths.pointBegin[m]; p < paths.pointBegin[m + 1]; ++p) {
      mesh.colors.push_back(color);
      if (p > paths.pointBegin[m]) mesh.segments.push_back({p - 1, p});
    }
  }
  mesh.targets = sequence.targets;
  mesh.material = scene.addMaterial({.name = "muscle", .color = Vec3::Ones()});
  const int node = scene.addNodeFor(scene.addMesh(std::move(mesh)));
  if (!sequence.targets.empty()) {
    scene.nodes[node].animation.times = times_;
    scene.nodes[node].animation.weights = sequence.weights;
  }
  io::writeGlb(run.file("motion.glb"), scene);
}

void MoveRecorder::save(io::StateWriter& out) const {
  for (const io::Table* table : {&joints_, &lengths_, &forces_, &activations_, &energy_})
    table->save(out);
  out.put(times_);
  out.put(configurations_);
}

void MoveRecorder::load(io::StateReader& in) {
  for (io::Table* table : {&joints_, &lengths_, &forces_, &activations_, &energy_}) table->load(in);
  in.get(times_);
  in.get(configurations_);
}

}  // namespace pneuma::cli
