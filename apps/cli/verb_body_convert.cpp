#include <fmt/format.h>

#include <filesystem>

#include "cli/verbs.h"
#include "pneuma/anatomy/mjcf.h"
#include "pneuma/anatomy/model_import.h"
#include "pneuma/anatomy/osim.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/muscle/driven_body.h"

namespace pneuma::cli {
namespace {

using nlohmann::ordered_json;

struct ConvertOptions {
  std::string model, out;
};

/// Writes by the ending of the file; gives what the format cannot carry.
std::vector<std::string> writeModel(const anatomy::CompiledBody& body, const std::string& out) {
  const std::string ending = std::filesystem::path(out).extension().string();
  if (ending == ".xml" || ending == ".mjcf") {
    io::writeFile(out, anatomy::toMjcf(body));
    return {};
  }
  if (ending != ".osim")
    throw InputError(Diagnostic{.subject = "option '--out'",
                                .message = fmt::format("the ending '{}' names no format", ending),
                                .expected = ".osim (OpenSim 4) or .xml (MuJoCo)"});
  anatomy::OsimModel model = anatomy::toOsim(body);
  io::writeFile(out, model.text);
  return std::move(model.dropped);
}

void convert(const Program& program, const ConvertOptions& o) {
  const anatomy::ImportedModel read = anatomy::importModel(o.model);
  // Compiled as for a simulation: what cannot be stepped is said here, not later.
  const muscle::DrivenBody body(read.body);
  double mass = 0;
  for (const skeleton::Link& link : body.model().links) mass += link.inertia.mass;
  ordered_json j;
  j["links"] = read.body.links.size();
  j["dofs"] = body.model().dofCount();
  j["muscles"] = body.muscles().count();
  j["springs"] = read.body.springs.size();
  j["mass_kg"] = mass;
  j["not_taken"] = read.dropped;
  std::string text =
      fmt::format("{}: {} links, {} degrees of freedom, {} muscles, {:.2f} kg\n", o.model,
                  read.body.links.size(), body.model().dofCount(), body.muscles().count(), mass);
  for (const std::string& what : read.dropped) text += "not taken: " + what + "\n";
  if (!o.out.empty()) {
    const std::vector<std::string> dropped = writeModel(read.body, o.out);
    j["not_in_the_format"] = dropped;
    j["file"] = o.out;
    for (const std::string& what : dropped) text += "not in the format: " + what + "\n";
    text += fmt::format("wrote {}\n", o.out);
  }
  program.print(j, text);
}

}  // namespace

void addBodyConvertVerb(Program& program, CLI::App* body) {
  auto o = std::make_shared<ConvertOptions>();
  CLI::App* verb = program.addSubVerb(
      body, "convert", "Read another program's model, say what it holds, write it for a third",
      "pneuma body convert arm.osim --out arm.xml");
  verb->add_option("model", o->model, "OpenSim 4 (.osim) or MuJoCo (MJCF) file")
      ->required()
      ->type_name("FILE");
  verb->add_option("--out", o->out,
                   "File to write, .osim or .xml; without it the model is described")
      ->type_name("FILE");
  verb->callback([&program, o] { convert(program, *o); });
}

}  // namespace pneuma::cli
