#pragma once

#include "pneuma/anatomy/body.h"
#include "pneuma/anatomy/compile.h"
#include "pneuma/io/run_folder.h"
#include "pneuma/io/table.h"
#include "pneuma/muscle/driven_body.h"

namespace pneuma::cli {

/// Collects the frames of a moving body and writes them: joint angles, muscle lengths, forces and
/// activations, energy (CSV), and an animated GLB of bones and muscle lines.
class MoveRecorder {
 public:
  explicit MoveRecorder(const muscle::DrivenBody& body);

  void record(muscle::DrivenBody& body);
  std::size_t frameCount() const { return times_.size(); }

  void writeTables(const io::RunFolder& run) const;
  void writeScene(const io::RunFolder& run, const anatomy::Body& described,
                  const anatomy::CompiledBody& compiled, const muscle::DrivenBody& body) const;

  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);

 private:
  io::Table joints_, lengths_, forces_, activations_, energy_;
  std::vector<double> times_;
  std::vector<double> configurations_;  // q of every frame, for the scene
  std::vector<double> row_;
};

}  // namespace pneuma::cli
