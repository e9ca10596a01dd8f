#include <fmt/format.h>

#include <algorithm>

#include "anatomy/text/read_fit.h"
#include "anatomy/text/table_reader.h"
#include "pneuma/anatomy/body_file.h"
#include "pneuma/core/data_folder.h"
#include "pneuma/io/file.h"
#include "pneuma/io/toml_depth.h"

namespace pneuma::anatomy {
namespace {

using internal::FileContext;
using internal::originOf;
using internal::TableReader;
using internal::Unit;

constexpr std::string_view kFormat = "pneuma-body 1";
constexpr std::string_view kOwnData = "pneuma:";  // in front of a file of the data folder

/// Reads a file, the files it includes before it, and so on.
class BodyReader {
 public:
  explicit BodyReader(const TextSource& source) : source_(source) {}

  Result<Body> read(const std::string& path) {
    readFile(path, Origin{}, 0);
    const bool failed = std::any_of(findings_.begin(), findings_.end(), [](const Diagnostic& d) {
      return d.severity == Severity::Error;
    });
    if (failed) return std::move(findings_);
    return {std::move(body_), std::move(findings_)};
  }

 private:
  void error(const Origin& where, std::string field, std::string message, std::string expected,
             std::string nearest = {}) {
    findings_.push_back({Severity::Error, where.position(), "", std::move(field),
                         std::move(message), std::move(expected), std::move(nearest)});
  }

  void readFile(const std::string& path, const Origin& from, int depth) {
    if (std::find(open_.begin(), open_.end(), path) != open_.end())
      return error(from, "include", fmt::format("'{}' includes itself in a circle", path), "");
    if (std::find(done_.begin(), done_.end(), path) != done_.end()) return;
    if (depth > kDeepestInclude)
      return error(from, "include", "files include one another too deeply",
                   fmt::format("at most {} levels", kDeepestInclude));
    if (static_cast<int>(done_.size()) >= kMostFiles)
      return error(from, "include", "too many files", fmt::format("at most {}", kMostFiles));
    Result<std::string> text = source_(path);
    if (!text) return unreadable(path, from, text.diagnostics());
    open_.push_back(path);
    done_.push_back(path);
    parse(path, *text, depth);
    open_.pop_back();
  }

  /// A file that cannot be read is reported where it is included, if it is.
  void unreadable(const std::string& path, const Origin& from, std::vector<Diagnostic> reasons) {
    for (Diagnostic& d : reasons) {
      if (from.file)
        error(from, "include", fmt::format("'{}': {}", path, d.message), d.expected, d.nearest);
      else
        findings_.push_back(std::move(d));
    }
  }

  void parse(const std::string& path, const std::string& text, int depth) {
    FileContext file{std::make_shared<const std::string>(path), {}, &findings_};
    if (const int line = io::lineOfDeepKey(text))
      return error(Origin{file.name, line, 1}, "", "a dotted key is too deep",
                   fmt::format("at most {} parts", io::kDeepestKey));
    toml::table table;
    try {
      table = toml::parse(text, path);
    } catch (const toml::parse_error& e) {
      const Origin where{file.name, static_cast<int>(e.source().begin.line),
                         static_cast<int>(e.source().begin.column)};
      return error(where, "", fmt::format("not valid TOML: {}", e.description()), "");
    }
    readHead(table, file, depth);
    Body part;
    part.subject = body_.subject;
    part.person = body_.person;
    TableReader reader(table, file, "", &part);
    internal::fields(reader, part);
    reader.finish({"format", "units", "include", internal::kFitField});
    // Checked here, where line and field are known; kept as it stands.
    if (const toml::node* fit = table.get(internal::kFitField))
      if (internal::readFit(*fit, file))
        part.unknownFields[internal::kFitField] = internal::inlineText(*fit);
    append(std::move(part), depth);
  }

  /// format, units and include: what must be known before the fields.
  void readHead(const toml::table& table, FileContext& file, int depth) {
    const auto* format = table.get_as<std::string>("format");
    if (!format || format->get() != kFormat) {
      const toml::node* node = table.get("format");
      error(node ? originOf(file, *node) : Origin{file.name, 1, 1}, "format",
            node ? fmt::format("is {}", internal::inlineText(*node)) : "is missing",
            fmt::format("format = \"{}\"", kFormat));
    }
    if (const toml::node* units = table.get("units")) readUnits(*units, file);
    const toml::node* include = table.get("include");
    if (!include) return;
    const toml::array* list = include->as_array();
    if (!list)
      return error(originOf(file, *include), "include", "is not a list", "a list of files");
    for (const toml::node& item : *list) {
      const auto* name = item.as_string();
      if (!name || name->get().empty()) {
        error(originOf(file, item), "include", fmt::format("is {}", internal::inlineText(item)),
              "the path of a file");
        continue;
      }
      const auto folder = std::filesystem::path(*file.name).parent_path();
      readFile(internal::includedFile(folder, name->get()).string(), originOf(file, item),
               depth + 1);
    }
  }

  void readUnits(const toml::node& node, FileContext& file) {
    const toml::table* table = node.as_table();
    if (!table)
      return error(originOf(file, node), "units", "is not a table", "{ length = \"mm\" }");
    const std::vector<std::string> keys = internal::unitKeys();
    for (const auto& [key, value] : *table) {
      const std::string name(key.str());
      const auto it = std::find(keys.begin(), keys.end(), name);
      if (it == keys.end()) {
        error(originOf(file, value), "units", fmt::format("unknown quantity '{}'", name),
              fmt::format("one of {}", fmt::join(keys, ", ")), nearestName(name, keys));
        continue;
      }
      const auto index = static_cast<std::size_t>(it - keys.begin());
      const auto unit = static_cast<Unit>(index);
      const auto* spelling = value.as_string();
      const auto factor = spelling ? internal::unitFactor(unit, spelling->get()) : std::nullopt;
      if (!factor) {
        error(originOf(file, value), "units",
              fmt::format("{} = {}", name, internal::inlineText(value)),
              fmt::format("one of {}", fmt::join(internal::unitSpellings(unit), ", ")));
        continue;
      }
      file.units.factor[index] = *factor;
      file.units.spelling[index] = spelling->get();
    }
  }

  /// Lists of included files come first; single values of the including file win.
  void append(Body part, int depth) {
    const auto move = [](auto& from, auto& to) {
      to.insert(to.end(), std::make_move_iterator(from.begin()),
                std::make_move_iterator(from.end()));
    };
    if (!part.name.empty()) body_.name = std::move(part.name);
    if (!part.description.empty() && depth == 0) body_.description = std::move(part.description);
    body_.subject = std::move(part.subject);
    body_.person = std::move(part.person);
    if (depth == 0) body_.where = part.where;
    if (isFitted(part)) body_ = withoutFit(std::move(body_));
    body_.unknownFields.merge(part.unknownFields);
    move(part.bones, body_.bones);
    move(part.landmarks, body_.landmarks);
    move(part.shapes, body_.shapes);
    move(part.segments, body_.segments);
    move(part.muscles, body_.muscles);
    move(part.bellies, body_.bellies);
    move(part.cavities, body_.cavities);
    appendTrunk(std::move(part.trunk));
    move(part.skinEnvelope, body_.skinEnvelope);
    move(part.muscleSolids, body_.muscleSolids);
    move(part.skinGroups, body_.skinGroups);
    move(part.skinPieces, body_.skinPieces);
    move(part.skinContours, body_.skinContours);
    move(part.skinExtremities, body_.skinExtremities);
    move(part.skinPrimitives, body_.skinPrimitives);
    move(part.skinFolds, body_.skinFolds);
    move(part.articulations, body_.articulations);
    move(part.postures, body_.postures);
    move(part.strengthTests, body_.strengthTests);
  }

  /// A table given again takes the place of the earlier one.
  void appendTrunk(Trunk part) {
    if (!part.where.file) return;
    Trunk& trunk = body_.trunk;
    if (!part.ribRadii.empty()) trunk.ribRadii = std::move(part.ribRadii);
    if (!part.diaphragm.empty()) trunk.diaphragm = std::move(part.diaphragm);
    if (!part.wall.empty()) trunk.wall = std::move(part.wall);
    if (!part.outline.empty()) trunk.outline = std::move(part.outline);
    trunk.where = part.where;
    trunk.fieldOrigins.merge(part.fieldOrigins);
    trunk.unknownFields.merge(part.unknownFields);
  }

  const TextSource& source_;
  Body body_;
  std::vector<Diagnostic> findings_;
  std::vector<std::string> open_, done_;
};

}  // namespace

namespace internal {

std::string includeName(const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  const fs::path full = fs::weakly_canonical(file);
  const fs::path inside = full.lexically_relative(fs::weakly_canonical(dataFolder()));
  if (inside.empty() || *inside.begin() == "..") return full.generic_string();
  return std::string(kOwnData) + inside.generic_string();
}

std::filesystem::path includedFile(const std::filesystem::path& folder, const std::string& name) {
  if (!name.starts_with(kOwnData)) return (folder / name).lexically_normal();
  return (dataFolder() / name.substr(kOwnData.size())).lexically_normal();
}

}  // namespace internal

Result<Body> readBody(const std::string& path, const TextSource& source) {
  return BodyReader(source).read(std::filesystem::path(path).lexically_normal().string());
}

Result<Body> readBody(const std::filesystem::path& path) {
  return readBody(path.string(),
                  [](const std::string& file) { return io::readFile(file, kLargestBodyFile); });
}

Result<Body> loadBody(const std::filesystem::path& path) {
  Result<Body> declared = readBody(path);
  if (!declared) return declared;
  Result<Body> expanded = expandBody(*declared);
  std::vector<Diagnostic> findings = declared.diagnostics();
  findings.insert(findings.end(), expanded.diagnostics().begin(), expanded.diagnostics().end());
  if (!expanded) return findings;
  return {std::move(*expanded), std::move(findings)};
}

std::filesystem::path defaultBodyPath() {
  return dataFolder() / "body" / "human.toml";
}

}  // namespace pneuma::anatomy
