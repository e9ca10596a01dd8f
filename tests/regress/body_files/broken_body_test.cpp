// Deliberately broken body files: each change of a valid body must give an error (or warning) at
// the right file, line and field, and nothing may crash.
#include <gtest/gtest.h>

#include <set>

#include "broken_bodies.h"
#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/compile.h"
#include "pneuma/core/random.h"
#include "valid_body.h"

namespace pneuma::anatomy {
namespace {

using Files = std::map<std::string, std::string>;

Result<Body> loadFrom(const Files& files) {
  const TextSource source = [&](const std::string& path) -> Result<std::string> {
    const auto it = files.find(path);
    if (it != files.end()) return it->second;
    return Diagnostic{.where = {path}, .message = "cannot be found"};
  };
  const Result<Body> declared = readBody("body.toml", source);
  if (!declared) return declared.diagnostics();
  Result<Body> expanded = expandBody(*declared);
  std::vector<Diagnostic> all = declared.diagnostics();
  all.insert(all.end(), expanded.diagnostics().begin(), expanded.diagnostics().end());
  if (!expanded) return all;
  return {std::move(*expanded), std::move(all)};
}

/// Line (from 1) of the n-th occurrence of `text`.
int lineOf(const std::string& file, const std::string& text) {
  const std::size_t at = file.find(text);
  if (at == std::string::npos) return 0;
  return 1 + static_cast<int>(std::count(file.begin(), file.begin() + static_cast<long>(at), '\n'));
}

Files broken(const BrokenBody& b) {
  Files files = validFiles();
  std::string& text = files.at(b.file);
  const std::size_t at = text.find(b.replace);
  EXPECT_NE(at, std::string::npos) << b.replace;
  if (at != std::string::npos) text.replace(at, b.replace.size(), b.with);
  return files;
}

TEST(BrokenBody, TheUnbrokenOneLoads) {
  const Result<Body> body = loadFrom(validFiles());
  EXPECT_EQ(toString(body.diagnostics()), "");
  ASSERT_TRUE(body);
  EXPECT_TRUE(compileBody(*body, "legs"));
}

TEST(BrokenBody, AKeyOfManyPartsIsRefusedBeforeItOverflowsTheStack) {
  std::string key = "a";
  for (int i = 0; i < 300000; ++i) key += ".a";
  for (const std::string& line : {key + " = 1", "[" + key + "]", "[[" + key + "]]"}) {
    const Result<Body> body = loadFrom({{"body.toml", "format = \"pneuma-body 1\"\n" + line}});
    ASSERT_FALSE(body);
    EXPECT_EQ(toString(body.diagnostics()),
              "body.toml:2:1: a dotted key is too deep; expected at most 16 parts");
  }
}

TEST(BrokenBody, MusclesOnBonesOutsideTheArticulationAreNamed) {
  const Result<CompiledBody> body = compileBody(*loadFrom(validFiles()), "stiff");
  ASSERT_FALSE(body);
  EXPECT_NE(toString(body.diagnostics()).find("bone 'tibia_l' is not part of articulation 'stiff'"),
            std::string::npos);
}

TEST(BrokenBody, ThereAreAtLeastTwoHundredDifferentOnes) {
  std::set<std::string> texts;
  for (const BrokenBody& b : brokenBodies()) texts.insert(broken(b).at(b.file));
  EXPECT_GE(texts.size(), 200u);
  EXPECT_EQ(texts.size(), brokenBodies().size());
  RecordProperty("broken_bodies", static_cast<int>(texts.size()));
}

TEST(BrokenBody, EachGivesItsLineFieldAndMessage) {
  for (const BrokenBody& b : brokenBodies()) {
    const Files files = broken(b);
    const Result<Body> body = loadFrom(files);
    const std::string label = b.replace + " -> " + b.with;
    EXPECT_EQ(body.ok(), b.warning) << label << "\n" << toString(body.diagnostics());
    const int line = b.line.empty() ? b.lineNumber : lineOf(files.at(b.file), b.line);
    bool found = false;
    for (const Diagnostic& d : body.diagnostics())
      found = found || (d.where.file == b.file && d.where.line == line && d.field == b.field &&
                        d.toString().find(b.message) != std::string::npos &&
                        (d.severity == Severity::Warning) == b.warning);
    EXPECT_TRUE(found) << label << "\n  expected " << b.file << ":" << line << " field '" << b.field
                       << "' ..." << b.message << "...\n  found    "
                       << toString(body.diagnostics());
  }
}

TEST(BrokenBody, AllErrorsOfAllFilesComeTogether) {
  Files files = validFiles();
  const auto change = [&](const char* file, const std::string& from, const std::string& to) {
    std::string& text = files.at(file);
    text.replace(text.find(from), from.size(), to);
  };
  change("body.toml", "mass = 30", "mass = -30");
  change("body.toml", "slack = 0.9", "slack = \"long\"");
  change("body.toml", "slices = 12", "slices = 1.5");
  change("bones.toml", "region = \"leg\"", "region = \"lag\"");
  const Result<Body> body = loadFrom(files);
  ASSERT_FALSE(body);
  EXPECT_EQ(body.diagnostics().size(), 4u) << toString(body.diagnostics());
}

TEST(BrokenBody, IncludesInACircleAreFound) {
  Files files = validFiles();
  files["bones.toml"].insert(files["bones.toml"].find('\n') + 1, "include = [\"body.toml\"]\n");
  const Result<Body> body = loadFrom(files);
  ASSERT_FALSE(body);
  EXPECT_NE(toString(body.diagnostics()).find("bones.toml:2:12"), std::string::npos);
  EXPECT_NE(toString(body.diagnostics()).find("circle"), std::string::npos);
}

TEST(BrokenBody, EndlessIncludesStopAtTheLimit) {
  const TextSource source = [](const std::string& path) -> Result<std::string> {
    return "format = \"pneuma-body 1\"\ninclude = [\"x" + path + "\"]\n";
  };
  const Result<Body> body = readBody("a.toml", source);
  ASSERT_FALSE(body);
  EXPECT_NE(toString(body.diagnostics()).find("too deeply"), std::string::npos);
}

TEST(BrokenBody, UnknownFieldsSurviveSaving) {
  Files files = validFiles();
  std::string& text = files["body.toml"];
  text.replace(text.find("slack = 0.9"), 11, "slack = 0.9\ncolour = { r = 1, name = \"red\" }");
  const Result<Body> body = loadFrom(files);
  ASSERT_TRUE(body) << toString(body.diagnostics());
  EXPECT_NE(bodyText(*body).find("colour = {name = \"red\", r = 1}"), std::string::npos);
  const std::string once = bodyText(*body);
  const Result<Body> again = loadFrom({{"body.toml", once}});
  ASSERT_TRUE(again) << toString(again.diagnostics());
  EXPECT_EQ(bodyText(*again), once);
}

/// Bytes exchanged, removed, doubled: whatever happens, there is an answer.
TEST(BrokenBody, RandomDamageNeverCrashes) {
  Random random(20051);
  const std::string valid = validFiles().at("body.toml");
  int loaded = 0;
  for (int round = 0; round < 400; ++round) {
    std::string text = valid;
    for (int k = 0; k < 1 + round % 4; ++k) {
      const auto at =
          static_cast<std::size_t>(random.uniform() * static_cast<double>(text.size() - 20));
      const auto length = static_cast<std::size_t>(1 + random.uniform() * 12);
      switch (round % 3) {
        case 0:
          text.erase(at, length);
          break;
        case 1:
          text.insert(at, text.substr(text.size() / 2, length));
          break;
        default:
          text[at] = static_cast<char>(random.uniform() * 256);
          break;
      }
    }
    const Result<Body> body =
        loadFrom({{"body.toml", text}, {"bones.toml", validFiles().at("bones.toml")}});
    loaded += body.ok();
    EXPECT_TRUE(body.ok() || !body.diagnostics().empty());
  }
  EXPECT_LT(loaded, 400);
}

}  // namespace
}  // namespace pneuma::anatomy
