#include "reproduce/dobsik/dobsik.h"

#include <fmt/format.h>

#include "pneuma/io/table.h"
#include "reproduce/dobsik/reproduction.h"

namespace pneuma::reproduce::dobsik {

Memo::Memo(io::RunFolder& folder) : folder_(folder) {
  const auto checkpoint = folder.lastCheckpoint();
  if (!checkpoint) return;
  io::StateReader in(checkpoint->state);
  for (auto count = in.get<std::uint64_t>(); count > 0; --count) {
    std::string key;
    in.get(key);
    in.get(values_[key]);
  }
}

const std::vector<double>& Memo::get(const std::string& key,
                                     const std::function<std::vector<double>()>& compute) {
  if (const auto found = values_.find(key); found != values_.end()) return found->second;
  std::vector<double> values = compute();
  const std::vector<double>& kept = values_[key] = std::move(values);
  io::StateWriter out;
  out.put(static_cast<std::uint64_t>(values_.size()));
  for (const auto& [name, numbers] : values_) out.put(name), out.put(numbers);
  folder_.saveCheckpoint(values_.size(), out);
  return kept;
}

void Reproduction::plot(const render::Plot& figure, const std::string& caption,
                        const std::string& name) {
  figure.write(folder.file(name + ".svg"));
  report.plot(figure, caption, name);
}

void Reproduction::compare(const char* quantity, const char* unit, const char* published,
                           double ours, std::optional<bool> pass, const std::string& note) {
  rows.push_back({quantity, unit, published, fmt::format("{:.3g}", ours), pass, note});
}

namespace {

void writeReadings(render::Report& report) {
  report.heading("How the paper was read");
  report.list({
      "Eq. 2 prints `dr/da_i` behind the bracket. The variation gives `dr/da_j`. With the printed "
      "index a sheared block has no shear stress and an axial force instead (verify/dobsik).",
      "The metric rate is called half of dG/dt and written as the whole of it. With E = G - G0 the "
      "whole is dE/dt, which is used.",
      "Eq. 4 has the factor (dV - dV0) in front of the derivatives. The bracket is the divergence "
      "of a cofactor matrix and vanishes identically; the factor belongs inside. The printed force "
      "falls to zero under refinement (verify/dobsik).",
      "Eq. 3 takes |dV|; the sign is kept, or a cell turned inside out would be at rest.",
      "The forces are the exact gradient of a discrete energy with all eight one-sided differences "
      "per cell, not differences of Eq. 2 term by term: second order instead of first at free "
      "ends, no torque on a free body. The paper's forms are kept as `--form paper-fluxes`, "
      "`paper-termwise`, `paper-printed`.",
      "Sizes, moduli and forces are not given in the paper; those here are of a human muscle (20 "
      "cm, 400 N) and a 12 cm brick.",
  });
}

}  // namespace

// Each figure is a step whose result the run folder keeps: the study of integrators takes long,
// and a killed run goes on behind the last figure.
Outcome run(const Context& context, bool quick) {
  io::RunDescription description;
  description.command = context.command;
  description.verb = "reproduce dobsik";
  description.settings = {{"reproduction", "dobsik"}, {"quick", quick}};
  io::RunFolder folder = io::RunFolder::open(context.out, description, context.resume);
  const auto progress = context.makeProgress("");
  Reproduction r{
      folder, quick, *progress, Memo(folder),
      render::Report("Biomechanically based muscle model",
                     "M. Dobšík and M. Frydrych: the paper's experiments, and ours beside them")};
  reproduceFig1(r);
  reproduceFig3(r);
  reproduceFig4(r);
  reproduceEnergy(r);
  reproduceIntegrators(r);
  r.report.heading("Paper and ours");
  r.report.comparison(r.rows, "What the paper shows as a plot only is named so.");
  writeReadings(r.report);
  r.report.writeHtml(folder.file("report.html"));
  io::writeJson(folder.file("numbers.json"), r.numbers);
  folder.finish();
  Outcome outcome{.numbers = std::move(r.numbers)};
  for (const render::ComparisonRow& row : r.rows)
    outcome.text += fmt::format("{:<66} {:>10} {:<8} {}\n", row.quantity, row.ours, row.unit,
                                !row.pass   ? ""
                                : *row.pass ? "ok"
                                            : "differs");
  outcome.text += fmt::format("report: {}\n", folder.file("report.html").string());
  return outcome;
}

}  // namespace pneuma::reproduce::dobsik
