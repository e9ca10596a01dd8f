#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "cli/verbs.h"
#include "pneuma/anatomy/body_file.h"
#include "pneuma/core/data_folder.h"
#include "pneuma/io/file.h"
#include "pneuma/stage/body_pack.h"
#include "pneuma/stage/film_order.h"
#include "pneuma/stage/studio_server.h"

namespace pneuma::cli {
namespace {

struct StudioOptions {
  stage::StudioServerOptions server;
  std::string page, runs;
};

/// The one given, the one that is installed, or the one that was built here.
std::string pageFile(const StudioOptions& o) {
  if (!o.page.empty()) return o.page;
  for (const std::filesystem::path& file :
       {dataFolder() / "studio.html", std::filesystem::path("build/studio/studio.html")}) {
    std::error_code error;
    if (std::filesystem::is_regular_file(file, error)) return file.string();
  }
  throw InputError(Diagnostic{.subject = "studio",
                              .message = "the page is not built",
                              .expected = "'make studio' in the source folder, or --page FILE"});
}

void serveStudio(Program& program, StudioOptions o) {
  o.server.runs = o.runs;
  const anatomy::Body measured = anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow();
  const std::string styles = io::readFile(dataFile("breath/styles.toml")).valueOrThrow();
  stage::StudioServer server(
      io::readFile(pageFile(o)).valueOrThrow(),
      {.bodies =
           [&](const stage::PersonRequest& person) {
             return stage::encodePack(stage::makeBodyPack(measured, person, styles));
           },
       .orders =
           [&](const std::string& text) {
             const stage::FilmOrder order = stage::readFilmOrder(text, measured);
             return stage::StudioJob{order.verb,
                                     [&measured, order](const auto& folder, Progress& progress) {
                                       stage::fillOrder(order, measured, folder, progress);
                                     }};
           }},
      o.server);
  program.print({{"address", server.address()}, {"port", server.port()}},
                fmt::format("The studio is open at\n\n  {}\n\nfor browsers of this machine. Ctrl-C "
                            "closes it.\n",
                            server.address()));
  std::fflush(stdout);
  server.run();
}

}  // namespace

void addStudioVerb(Program& program) {
  auto options = std::make_shared<StudioOptions>();
  CLI::App* verb = program.addVerb("studio", "Open the studio: a living body in the browser",
                                   "pneuma studio --port 8080");
  verb->add_option("--port", options->server.port, "On 127.0.0.1; 0: any free one")
      ->capture_default_str();
  verb->add_option("--runs", options->runs,
                   "Folder whose runs can be looked at, and where films are made")
      ->check(CLI::ExistingDirectory);
  verb->add_option("--page", options->page, "The page; default: the one that 'make studio' built");
  verb->callback([&program, options] { serveStudio(program, *options); });
}

}  // namespace pneuma::cli
