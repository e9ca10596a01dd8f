#include "reproduce/tsoli2014/characters.h"

#include <algorithm>
#include <array>

#include "pneuma/core/error.h"
#include "pneuma/fit/character.h"
#include "pneuma/fit/fit_figure.h"

namespace pneuma::reproduce::tsoli2014 {

std::vector<CharacterLine> registerCharacters(const std::filesystem::path& folder,
                                              const anatomy::Body& measured, Progress& progress) {
  constexpr std::array kEndings{".obj", ".ply", ".stl", ".gltf", ".glb"};
  if (!std::filesystem::is_directory(folder))
    throw InputError(
        Diagnostic{.field = "characters", .message = folder.string() + " is no folder"});
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (std::ranges::find(kEndings, entry.path().extension().string()) != kEndings.end())
      files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<CharacterLine> lines;
  progress.begin("registering characters", static_cast<double>(files.size()));
  for (const std::filesystem::path& file : files) {
    progress.update(static_cast<double>(lines.size()));
    const fit::Character character = fit::readCharacter(file, {});
    fit::FitRequest request;
    // A file that says so in its name need not be asked.
    if (file.stem().string().starts_with("female")) request.sex = anatomy::Sex::Female;
    if (file.stem().string().starts_with("male")) request.sex = anatomy::Sex::Male;
    const fit::FittedFigure figure =
        fit::fitFigure(character.body, measured, request, anatomy::GeometryCache());
    lines.push_back({file.stem().string(), figure.report.trunk, figure.report.skin,
                     figure.report.character, figure.restSkin});
  }
  progress.end();
  return lines;
}

}  // namespace pneuma::reproduce::tsoli2014
