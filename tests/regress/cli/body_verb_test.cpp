#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/run_pneuma.h"
#include "tests/support/scratch_folder.h"

namespace pneuma::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

json info(std::vector<std::string> words) {
  words.insert(words.begin(), {"body", "info", "--json"});
  const ProgramResult result = runPneuma(words);
  EXPECT_EQ(result.exitCode, 0) << result.err;
  return json::parse(result.out);
}

TEST(BodyVerb, UpperBodyHasTheCountsOfItsPaper) {
  const json j = info({"--articulation", "upper-body"});
  EXPECT_EQ(j["bones"], 68);
  EXPECT_EQ(j["dofs"], 147);
  EXPECT_EQ(j["dofs_head_neck_trunk"], 133);
  EXPECT_EQ(j["muscles"], 814);
  EXPECT_EQ(j["muscles_head_neck"], 300);
  EXPECT_EQ(j["muscles_trunk"], 432);
  EXPECT_EQ(j["muscles_arms"], 82);
  EXPECT_NEAR(j["mass_kg"].get<double>(), 73, 0.73);
  EXPECT_NEAR(j["height_m"].get<double>(), 1.75, 1e-12);
}

TEST(BodyVerb, FigureHasTheCountsOfItsPaper) {
  const json j = info({"--articulation", "figure"});
  EXPECT_EQ(j["joints"], 31);
  EXPECT_EQ(j["dofs"], 62);
  EXPECT_EQ(j["bones"], 73);
  EXPECT_EQ(j["muscles"], 33);
  EXPECT_EQ(j["parts"], 105);
  EXPECT_EQ(j["action_lines"], 186);
}

TEST(BodyVerb, TorsoHasTheCountsOfItsPaper) {
  EXPECT_EQ(info({"--articulation", "torso"})["bodies"], 28);
}

TEST(BodyVerb, PersonOptionsAreObeyed) {
  const json j = info({"--sex", "female", "--height", "162", "--mass", "58", "--age", "44"});
  EXPECT_EQ(j["sex"], "female");
  EXPECT_NEAR(j["height_m"].get<double>(), 1.62, 1e-12);
  EXPECT_NEAR(j["mass_kg"].get<double>(), 58, 1e-6);
  EXPECT_EQ(j["age_years"], 44);
}

/// A word that is wrong in every link gives a screen of errors, not a line for each.
TEST(BodyVerb, ManyErrorsAreCounted) {
  const ScratchFolder folder;
  const auto file = folder / "many.toml";
  std::ofstream out(file);
  out << "format = \"pneuma-body 1\"\n";
  for (int i = 0; i < 40; ++i) out << "[[bone]]\nname = \"b" << i << "\"\nkind = \"stone\"\n";
  out.close();
  const ProgramResult result = runPneuma({"body", "info", "--body", file.string()});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_THAT(result.err, HasSubstr("many.toml:4"));
  EXPECT_THAT(result.err, HasSubstr("more\n"));
  EXPECT_LE(std::ranges::count(result.err, '\n'), 16) << result.err;
}

TEST(BodyVerb, WrongPersonsAndArticulationsAreBadInput) {
  const ProgramResult tall = runPneuma({"body", "info", "--height", "2.9"});
  EXPECT_EQ(tall.exitCode, 2);
  EXPECT_THAT(tall.err, HasSubstr("field 'height': 2.9 is read as m; expected 0.5 to 2.6 m"));
  const ProgramResult feet = runPneuma({"body", "info", "--height", "5.9"});
  EXPECT_EQ(
      feet.err,
      "pneuma: error: person: field 'height': 5.9 is read as cm; 5.9 feet are 1.80 m; expected "
      "0.5 to 2.6 m, or 50 to 260 cm\n");
  const ProgramResult wrong = runPneuma({"body", "info", "--articulation", "figur"});
  EXPECT_EQ(wrong.exitCode, 2);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean 'figure'?"));
}

/// Width and height of a PNG, from its header.
std::pair<int, int> pngSize(const std::filesystem::path& file) {
  const std::string bytes = contentOf(file);
  const auto number = [&](std::size_t at) {
    int n = 0;
    for (std::size_t k = at; k < at + 4; ++k) n = 256 * n + static_cast<unsigned char>(bytes.at(k));
    return n;
  };
  return {number(16), number(20)};
}

TEST(BodyVerb, RendersAPersonInTheSizeAskedFor) {
  const ScratchFolder folder;
  const auto picture = [&](const std::string& name, std::vector<std::string> more) {
    const auto file = folder / name;
    std::vector<std::string> words{"body",        "render",      "--samples", "1",
                                   "--triangles", "20000",       "--size",    "64x96",
                                   "--out",       file.string(), "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = runPneuma(words);
    EXPECT_EQ(result.exitCode, 0) << result.err;
    return contentOf(file);
  };
  const std::string clay = picture("clay.png", {"--shading", "clay"});
  EXPECT_EQ(pngSize(folder / "clay.png"), std::pair(64, 96));
  // Each option changes what is seen.
  EXPECT_NE(picture("skin.png", {"--shading", "skin"}), clay);
  EXPECT_NE(picture("xray.png", {"--shading", "xray"}), clay);
  EXPECT_NE(picture("head.png", {"--shading", "clay", "--close-up", "head"}), clay);
  EXPECT_NE(picture("far.png", {"--shading", "clay", "--span", "4"}), clay);
  EXPECT_NE(picture("bent.png", {"--shading", "clay", "--joint", "elbow.flexion=90"}), clay);
  EXPECT_EQ(picture("jpeg.jpg", {"--shading", "clay"}).substr(0, 2), "\xff\xd8");
  // Somebody new takes minutes to make, and that is said.
  const ProgramResult loud =
      runPneuma({"body", "render", "--shading", "clay", "--samples", "1", "--triangles", "20000",
                 "--size", "64x96", "--out", (folder / "loud.png").string()});
  EXPECT_THAT(loud.err, HasSubstr("making the person"));
}

TEST(BodyVerb, WrongWordsForAPictureAreBadInput) {
  const auto error = [](std::vector<std::string> more) {
    std::vector<std::string> words{"body", "render"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = runPneuma(words);
    EXPECT_EQ(result.exitCode, 2) << result.err;
    return result.err;
  };
  EXPECT_THAT(error({"--shading", "xrey"}), HasSubstr("did you mean 'xray'?"));
  EXPECT_THAT(error({"--shading", "skin", "--close-up", "haed"}),
              HasSubstr("did you mean 'head'?"));
  EXPECT_THAT(error({"--shading", "skin", "--posture", "standng"}),
              HasSubstr("did you mean 'standing'?"));
  EXPECT_THAT(error({"--shading", "skin", "--posture", "standing", "--at", "9"}),
              HasSubstr("9 s is beyond the motion"));
  for (const char* size : {"1920", "1920x", "x1080", "0x0", "1e9x64", "64.5x64", "wide"})
    EXPECT_THAT(error({"--size", size}), HasSubstr("is no size; expected WIDTHxHEIGHT"));
}

TEST(BodyVerb, ABrokenBodyLeavesTheOutputAsItWas) {
  const ScratchFolder folder;
  const auto broken =
      folder.put("broken.toml", "format = \"pneuma-body 1\"\n[[bone]]\nnmae = \"a\"\n");
  const auto out = folder.put("out.xml", "before");
  const ProgramResult result =
      runPneuma({"body", "export", "--body", broken.string(), "--out", out.string()});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_THAT(result.err, HasSubstr("broken.toml:2:1: bone: field 'name': is missing"));
  EXPECT_EQ(contentOf(out), "before");
}

/// Such cavities were simulated: a thimble for lungs, a diaphragm wider than any chest.
TEST(BodyVerb, CavitiesThatNobodyHasAreRefused) {
  struct Case {
    const char *file, *before, *after, *message;
  };
  for (const Case& c :
       {Case{"cavities.toml", "\nvolume = ", "\nvolume = 1e-9 #", "field 'volume'"},
        Case{"cavities.toml", "tissue_volume = ", "tissue_volume = 72 #",
             "do not fit into a cavity"},
        Case{"measured/torso.toml", "radius = [[0.11333", "radius = [[0.3", "holds 300 mm"}}) {
    const ScratchFolder folder;
    std::filesystem::copy(std::filesystem::path(PNEUMA_SOURCE_DIR) / "data/body", folder / "body",
                          std::filesystem::copy_options::recursive);
    std::string text = contentOf(folder / "body" / c.file);
    const std::size_t at = text.find(c.before);
    ASSERT_NE(at, std::string::npos) << c.before;
    text.replace(at, std::string(c.before).size(), c.after);
    std::ofstream(folder / "body" / c.file) << text;
    const ProgramResult result =
        runPneuma({"breathe", "--body", (folder / "body/human.toml").string(), "--no-output"});
    EXPECT_EQ(result.exitCode, 2) << c.after;
    EXPECT_THAT(result.err, HasSubstr(c.message)) << c.after;
  }
}

TEST(BodyVerb, SexIsUnderstoodInTheWordsItPrints) {
  EXPECT_EQ(info({"--sex", "woman"}), info({"--sex", "female"}));
  EXPECT_EQ(info({"--sex", "man"})["sex"], "male");
  EXPECT_EQ(info({"--sex", "girl", "--age", "8"}), info({"--sex", "female", "--age", "8"}));
  const ProgramResult old = runPneuma({"body", "info", "--sex", "boy"});
  EXPECT_EQ(old.exitCode, 2);
  EXPECT_THAT(old.err, HasSubstr("field 'age': 30 years are not those of a boy"));
}

TEST(BodyVerb, AnOpenSimModelBecomesAMujocoModelOfTheSameBody) {
  const ScratchFolder folder;
  const std::string osim = (folder / "a.osim").string(), mjcf = (folder / "a.xml").string();
  ASSERT_EQ(runPneuma({"body", "export", "--articulation", "figure", "--out", osim}).exitCode, 0);
  const auto converted = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"body", "convert"});
    arguments.emplace_back("--json");
    const ProgramResult result = runPneuma(arguments);
    EXPECT_EQ(result.exitCode, 0) << result.err;
    return nlohmann::json::parse(result.out);
  };
  const auto first = converted({osim, "--out", mjcf}), second = converted({mjcf});
  const auto ours = info({"--articulation", "figure"});
  EXPECT_EQ(first["dofs"], ours["dofs"]);
  EXPECT_EQ(first["muscles"], second["muscles"]);
  EXPECT_GT(first["muscles"], 100);
  for (const auto& read : {first, second})
    EXPECT_NEAR(read["mass_kg"], ours["articulation_mass_kg"], 1e-6);
  EXPECT_EQ(second["dofs"], first["dofs"]);

  const auto other = folder.put("chair.xml", "<chair/>");
  const ProgramResult chair = runPneuma({"body", "convert", other.string(), "--out", mjcf + "2"});
  EXPECT_EQ(chair.exitCode, 2);
  EXPECT_THAT(chair.err, HasSubstr("chair.xml"));
  const ProgramResult ending = runPneuma({"body", "convert", osim, "--out", mjcf + ".fbx"});
  EXPECT_EQ(ending.exitCode, 2);
  EXPECT_THAT(ending.err, HasSubstr("the ending '.fbx' names no format"));
}

TEST(BodyVerb, TheNameOfAnExportTellsItsFormat) {
  const ScratchFolder folder;
  const auto written = [&](const char* name) {
    const auto file = folder / name;
    EXPECT_EQ(
        runPneuma({"body", "export", "--articulation", "figure", "--out", file.string()}).exitCode,
        0);
    return contentOf(file).substr(0, 7);
  };
  EXPECT_EQ(written("a.glb").substr(0, 4), "glTF");
  EXPECT_EQ(written("a.xml"), "<mujoco");
  EXPECT_EQ(written("a.toml"), "format ");
  const ProgramResult two =
      runPneuma({"body", "export", "--format", "mjcf", "--out", (folder / "b.glb").string()});
  EXPECT_EQ(two.exitCode, 2);
  EXPECT_THAT(two.err, HasSubstr("does not go with --format mjcf"));
  const ProgramResult none = runPneuma({"body", "export", "--out", (folder / "b.fbx").string()});
  EXPECT_EQ(none.exitCode, 2);
  EXPECT_THAT(none.err, HasSubstr("the ending '.fbx' names no format"));
  EXPECT_FALSE(std::filesystem::exists(folder / "b.glb"));
}

TEST(BodyVerb, AnExportedBodyFileIsABodyAgain) {
  const ScratchFolder folder;
  const auto file = folder / "body.toml";
  ASSERT_EQ(runPneuma({"body", "export", "--format", "toml", "--out", file.string()}).exitCode, 0);
  const json j = info({"--body", file.string(), "--articulation", "upper-body"});
  EXPECT_EQ(j["muscles"], 814);
  EXPECT_NEAR(j["mass_kg"].get<double>(), 73, 1e-6);
}

TEST(BodyVerb, TheExportedGlbHasANodePerBone) {
  const ScratchFolder folder;
  const auto file = folder / "body.glb";
  ASSERT_EQ(runPneuma({"body", "export", "--format", "glb", "--out", file.string()}).exitCode, 0);
  const std::string bytes = contentOf(file);
  // Header: magic, version 2, length; then the JSON chunk.
  ASSERT_GT(bytes.size(), 20u);
  EXPECT_EQ(bytes.substr(0, 4), "glTF");
  const auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t k = 0; k < 4; ++k)
      value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + k])) << (8 * k);
    return value;
  };
  EXPECT_EQ(word(4), 2u);
  EXPECT_EQ(word(8), bytes.size());
  const json gltf = json::parse(bytes.substr(20, word(12)));
  std::set<std::string> names;
  for (const json& node : gltf["nodes"]) names.insert(node.value("name", ""));
  for (const char* bone : {"skull", "rib_05_l", "vertebra_t04", "humerus_r", "scapula_l"})
    EXPECT_TRUE(names.contains(bone)) << bone;
  // Few things to draw: the 814 lines of muscles are one mesh that knows their names.
  std::size_t drawCalls = 0;
  for (const json& node : gltf["nodes"])
    if (node.contains("mesh"))
      drawCalls += gltf["meshes"][node["mesh"].get<std::size_t>()]["primitives"].size();
  EXPECT_GT(drawCalls, 60u);
  EXPECT_LT(drawCalls, 120u);
  std::set<std::string> lines;
  for (const json& mesh : gltf["meshes"])
    if (mesh.value("name", "") == "muscles")
      for (const json& line : mesh["extras"]["lines"]) lines.insert(line["name"]);
  EXPECT_EQ(lines.size(), 814u);
  EXPECT_THAT(gltf["asset"]["copyright"].get<std::string>(), HasSubstr("CC BY-SA 2.1 JP"));
}

TEST(BodyVerb, CheckIsCleanForAChild) {
  const ProgramResult child =
      runPneuma({"body", "check", "--height", "1.20", "--mass", "23", "--age", "7", "--json"});
  EXPECT_EQ(child.exitCode, 0) << child.err;
  // What takes a minute on its first run says what it does.
  EXPECT_THAT(child.err, HasSubstr("surfaces of bones"));
  EXPECT_EQ(child.err.find("error"), std::string::npos);
}

TEST(BodyVerb, TheReferencePageIsUpToDate) {
  std::ifstream page(std::filesystem::path(PNEUMA_SOURCE_DIR) / "docs/body-reference.md");
  const std::string text((std::istreambuf_iterator<char>(page)), {});
  EXPECT_EQ(runPneuma({"body", "reference"}).out, text) << "run make docs";
}

}  // namespace
}  // namespace pneuma::test
