#include "pneuma/render/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "pneuma/core/error.h"
#include "pneuma/core/version.h"
#include "pneuma/io/file.h"
#include "render/viewer_script.h"

namespace pneuma::render {
namespace {

/// A name that is safe in every file system and link.
std::string fileName(std::string_view name) {
  std::string safe;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-' || c == '.';
    safe += plain ? c : '_';
  }
  return safe.empty() || safe[0] == '.' ? "picture" + safe : safe;
}

/// Two pictures of one name would overwrite each other in the Markdown version.
std::string uniqueName(const std::vector<Report::Item>& items, const std::string& wanted) {
  const auto taken = [&](const std::string& name) {
    return std::any_of(items.begin(), items.end(), [&](const Report::Item& item) {
      const auto* media = std::get_if<Report::Media>(&item);
      return media && media->name == name;
    });
  };
  const std::filesystem::path path(wanted);
  std::string name = wanted;
  for (int i = 2; taken(name); ++i)
    name = fmt::format("{}_{}{}", path.stem().string(), i, path.extension().string());
  return name;
}

}  // namespace

Report::Report(std::string title, std::string subtitle)
    : title_(std::move(title)), subtitle_(std::move(subtitle)) {}

Report& Report::heading(std::string text, int level) {
  items_.emplace_back(Heading{std::move(text), std::clamp(level, 2, 3)});
  return *this;
}

Report& Report::paragraph(std::string text) {
  items_.emplace_back(Paragraph{std::move(text)});
  return *this;
}

Report& Report::list(std::vector<std::string> items) {
  items_.emplace_back(List{std::move(items)});
  return *this;
}

Report& Report::code(std::string text) {
  items_.emplace_back(Code{std::move(text)});
  return *this;
}

Report& Report::recipe(const std::string& command) {
  heading("To repeat");
  if (!command.empty()) code(command);
  return paragraph(fmt::format(
      "Pneuma {}, {}. The same command on the same version gives the same numbers, whatever the "
      "number of threads; `run.toml` beside this file holds every setting. Not a medical device.",
      version(), buildDescription()));
}

Report& Report::table(Table table) {
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    if (table.rows[i].size() != table.header.size())
      throw InputError(
          Diagnostic{.subject = "table '" + table.caption + "'",
                     .message = fmt::format("row {} has {} cells", i + 1, table.rows[i].size()),
                     .expected = fmt::format("{}", table.header.size())});
  items_.emplace_back(std::move(table));
  return *this;
}

Report& Report::comparison(std::vector<ComparisonRow> rows, std::string caption) {
  items_.emplace_back(Comparison{std::move(rows), std::move(caption)});
  return *this;
}

Report& Report::picture(const Image& image, std::string caption, std::string name) {
  constexpr int kQuality = 88;  // a report is sent around and must be light
  const std::vector<std::uint8_t> png = encodePng(image), jpeg = encodeJpeg(image, kQuality);
  std::string file = uniqueName(items_, fileName(name + ".png"));
  items_.emplace_back(Media{std::move(file), std::string(png.begin(), png.end()),
                            std::move(caption), std::string(jpeg.begin(), jpeg.end())});
  return *this;
}

Report& Report::plot(const Plot& plot, std::string caption, std::string name) {
  std::string file = uniqueName(items_, fileName(name + ".svg"));
  items_.emplace_back(Media{std::move(file), plot.toSvg(), std::move(caption)});
  return *this;
}

Report& Report::media(const std::filesystem::path& file, std::string caption) {
  constexpr std::array known = {".png", ".jpg", ".jpeg", ".svg", ".mp4"};
  if (std::find(known.begin(), known.end(), file.extension().string()) == known.end())
    throw InputError(Diagnostic{.where = {.file = file.string()},
                                .message = "cannot be shown in a report",
                                .expected = ".png, .jpg, .svg or .mp4"});
  std::string name = uniqueName(items_, fileName(file.filename().string()));
  items_.emplace_back(
      Media{std::move(name), io::readFile(file).valueOrThrow(), std::move(caption)});
  return *this;
}

Report& Report::view3d(const std::filesystem::path& glb, std::string caption) {
  std::string bytes = io::readFile(glb).valueOrThrow();
  if (!bytes.starts_with("glTF"))
    throw InputError(Diagnostic{.where = {.file = glb.string()},
                                .message = "is not a binary glTF file",
                                .expected = ".glb"});
  std::string name = uniqueName(items_, fileName(glb.stem().string() + ".glb"));
  items_.emplace_back(Media{std::move(name), std::move(bytes), std::move(caption)});
  return *this;
}

bool hasInteractiveView() {
  return !internal::viewerScript().empty();
}

}  // namespace pneuma::render
