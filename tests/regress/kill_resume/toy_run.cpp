// A small run with everything a real one has: state, checkpoints, a growing table, results.
//
//   toy_run <folder> <steps> [--resume]
//
// A driven, damped oscillator with random kicks; every 50 steps a checkpoint, every 20 a row.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "pneuma/core/error.h"
#include "pneuma/core/random.h"
#include "pneuma/io/run_folder.h"
#include "pneuma/io/table.h"

using namespace pneuma;
using namespace pneuma::io;

namespace {

constexpr double kStep = 1e-3;  // [s]

struct State {
  std::uint64_t step = 0;
  double x = 1, v = 0;
  Random random{42};
  Table table;

  std::string pack() const {
    StateWriter out;
    out.put(step);
    out.put(x);
    out.put(v);
    out.put(random.state());
    table.save(out);
    return out.bytes();
  }
  void unpack(std::string_view bytes) {
    StateReader in(bytes);
    in.get(step);
    in.get(x);
    in.get(v);
    random = Random(in.get<std::uint64_t>());
    table.load(in);
  }
};

void advance(State& s) {
  const double t = kStep * static_cast<double>(s.step);
  const double force = std::sin(3 * t) + 0.1 * s.random.normal();
  s.v += kStep * (force - 40 * s.x - 0.2 * s.v);
  s.x += kStep * s.v;
  ++s.step;
  if (s.step % 20 == 0) s.table.appendRow({t + kStep, s.x, s.v});
}

void run(const char* folder, std::uint64_t steps, bool resume) {
  const RunDescription description{.command = "toy_run",
                                   .version = "1",
                                   .seed = 42,
                                   .settings = {{"steps", steps}, {"step", kStep}}};
  RunFolder runFolder = RunFolder::open(folder, description, resume);
  if (runFolder.alreadyComplete()) return;
  State state;
  state.table.addColumn("time", "s");
  state.table.addColumn("position", "m");
  state.table.addColumn("velocity", "m/s");
  if (const auto checkpoint = runFolder.lastCheckpoint()) state.unpack(checkpoint->state);
  while (state.step < steps) {
    advance(state);
    if (state.step % 50 == 0) runFolder.saveCheckpoint(state.step, state.pack());
  }
  writeCsv(runFolder.file("motion.csv"), state.table);
  writeJson(runFolder.file("summary.json"), {{"position", state.x}, {"velocity", state.v}});
  runFolder.finish();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  try {
    run(argv[1], std::strtoull(argv[2], nullptr, 10),
        argc > 3 && std::string_view(argv[3]) == "--resume");
  } catch (const InputError& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
