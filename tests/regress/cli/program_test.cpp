#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "tests/support/run_pneuma.h"

namespace pneuma::test {
namespace {

using ::testing::HasSubstr;

TEST(Program, HelpAndVersionSucceed) {
  const ProgramResult help = runPneuma({"--help"});
  EXPECT_EQ(help.exitCode, 0);
  EXPECT_THAT(help.out, HasSubstr("Exit codes"));
  const ProgramResult version = runPneuma({"--version"});
  EXPECT_EQ(version.exitCode, 0);
  EXPECT_TRUE(std::regex_search(version.out, std::regex(R"(pneuma \d+\.\d+\.\d+ \()")))
      << version.out;
}

/// A wrong data folder is an error of what uses it, not of the program.
TEST(Program, RunsWithoutADataFolderAsFarAsItNeedsNone) {
  const auto without = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"PNEUMA_DATA=/nonexist", PNEUMA_PROGRAM});
    return runProgram("/usr/bin/env", words);
  };
  EXPECT_EQ(without({"--version"}).exitCode, 0);
  EXPECT_EQ(without({"breathe", "--help"}).exitCode, 0);
  const ProgramResult body = without({"body", "info"});
  EXPECT_EQ(body.exitCode, 2);
  EXPECT_THAT(body.err, HasSubstr("/nonexist"));
  const ProgramResult breathe = without({"breathe", "--no-output", "--seconds", "1"});
  EXPECT_EQ(breathe.exitCode, 2);
  EXPECT_THAT(breathe.err, HasSubstr("/nonexist"));
}

struct BadCommand {
  std::vector<std::string> words;
  std::string message;
};

void PrintTo(const BadCommand& command, std::ostream* out) {
  *out << ::testing::PrintToString(command.words);
}

class BadCommands : public ::testing::TestWithParam<BadCommand> {};

TEST_P(BadCommands, ExitWithTwoAndNameTheNearestValidWord) {
  const ProgramResult result = runPneuma(GetParam().words);
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_THAT(result.err, HasSubstr(GetParam().message));
  EXPECT_EQ(result.out, "");
}

INSTANTIATE_TEST_SUITE_P(
    Words, BadCommands,
    ::testing::Values(
        BadCommand{{}, "a verb is required"},
        BadCommand{{"completon"},
                   "unknown verb 'completon' of 'pneuma' (did you mean 'completion'?)"},
        BadCommand{{"completion", "--jsn"},
                   "unknown option '--jsn' of 'pneuma completion' (did you mean '--json'?)"},
        BadCommand{{"completion", "bush"}, "'bush' is not one of bash (did you mean 'bash'?)"},
        BadCommand{{"completion", "--threads", "many"}, "--threads"},
        BadCommand{{"completion", "--threads=-3"}, "--threads"},
        BadCommand{{"--threads", "1", "brethe"}, "unknown verb 'brethe' of 'pneuma'"},
        BadCommand{{"-x"}, "unknown option '-x' of 'pneuma'"},
        BadCommand{{"breathe", "--out", ""}, "--out: the value is empty"},
        BadCommand{{"breathe", "--out="}, "--out: the value is empty"},
        BadCommand{{"breathe", "--seconds", "1,5"},
                   "'1,5' is out of range; expected 0.001 .. 36000"},
        BadCommand{{"breathe", "--seed", "-1"}, "--seed: '-1' is not a whole number >= 0"},
        BadCommand{{"breathe", "--step", "0"}, "--step: '0' is out of range; expected 0.01 .. 50"},
        BadCommand{{"breathe", "--kind", "flwo"}, "(did you mean 'flow'?)"},
        BadCommand{{"breathe", "--style", "dep"}, "(did you mean 'deep'?)"},
        BadCommand{{"body", "info", "--height", "5.9"}, "5.9 feet are 1.80 m"},
        BadCommand{{"muscle", "--fps", "1e300"}, "--fps: '1e300' is out of range"},
        BadCommand{{"muscle", "--seconds", "3600", "--fps", "1e5"}, "recorded frames"},
        BadCommand{{"muscle", "--excite", "nan:1"}, "'nan:1' is not understood"},
        BadCommand{{"muscle", "--preset", "biceps", "--curl", "0:1000"}, "-10 .. 150 degrees"},
        BadCommand{{"move", "--activations", "rest", "--skin"},
                   "option '--skin': is for a motion; expected one of --motion"},
        BadCommand{{"move", "--rest-frame", "3"}, "option '--rest-frame': is for a clip"},
        BadCommand{{"move", "--joint", "l_elbow_flexion=3", "--poses", "x.csv"},
                   "option '--poses': does not go with another motion"},
        BadCommand{{"move", "--joint", "l_elbow_flexion=3", "--step", "0.01"},
                   "option '--step': is for a simulation"},
        BadCommand{{"render", "x.obj", "--out", "x.jpg"},
                   "unknown ending '.jpg' of 'x.jpg'; expected .png"},
        BadCommand{{"render", "x.obj", "--out", "/dev/null/x.png"},
                   "/dev/null/x.png: cannot be written"},
        BadCommand{{"body", "export", "--format", "mjcf", "--out", "/tmp/pneuma_none/"},
                   "is a folder"},
        BadCommand{{"curves", "--out", "/dev/null/x.png"}, "/dev/null is no folder"},
        BadCommand{{"reproduce", "nedel2000", "--anatomy", "nowhere"}, "nowhere: is no folder"}));

/// Every `--option FLOAT` of every help page, as a command.
std::vector<std::vector<std::string>> numberOptions() {
  std::vector<std::vector<std::string>> commands;
  std::istringstream pages(runPneuma({"reference"}).out);
  const std::regex title(R"(## pneuma (.*))"), option(R"(  (--[a-z-]+) FLOAT.*)");
  std::vector<std::string> verb;
  std::smatch found;
  for (std::string line; std::getline(pages, line);) {
    if (std::regex_match(line, found, title)) {
      std::istringstream words(found[1].str());
      verb.assign(std::istream_iterator<std::string>(words), {});
    } else if (std::regex_match(line, found, option)) {
      commands.push_back(verb);
      commands.back().push_back(found[1].str());
    }
  }
  return commands;
}

TEST(Program, NoNumberMayBeNanOrInfinite) {
  const auto commands = numberOptions();
  EXPECT_GT(commands.size(), 25u);
  for (const std::vector<std::string>& command : commands)
    for (const char* value : {"nan", "inf", "1e999"}) {
      std::vector<std::string> words = command;
      words.push_back(value);
      const ProgramResult result = runPneuma(words);
      EXPECT_EQ(result.exitCode, 2) << ::testing::PrintToString(words);
      EXPECT_THAT(result.err, HasSubstr(command.back())) << ::testing::PrintToString(words);
    }
}

ProgramResult inShell(const std::string& command) {
  return runProgram("bash", {"-c", command, PNEUMA_PROGRAM});
}

TEST(Program, ResultsThatCannotBePrintedAreNoSuccess) {
  for (const char* words : {"completion bash", "--help", "body reference --json"}) {
    const ProgramResult result = inShell("\"$0\" " + std::string(words) + " > /dev/full");
    EXPECT_EQ(result.exitCode, 2) << words;
    EXPECT_THAT(result.err, HasSubstr("standard output: cannot be written")) << words;
  }
}

/// A full disk behind standard error once ended the program by a signal.
TEST(Program, ErrorsThatCannotBePrintedKeepTheirExitCode) {
  EXPECT_EQ(inShell("\"$0\" breathe --style dep 2> /dev/full").exitCode, 2);
  const ProgramResult done =
      inShell("\"$0\" breathe --seconds 0.05 --no-output --json 2> /dev/full");
  EXPECT_EQ(done.exitCode, 0);
  EXPECT_THAT(done.out, HasSubstr("\"tidal_ml\""));
}

TEST(Program, ClosedStreamsDoNotEndUpInTheFilesItWrites) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("pneuma_closed_" + std::to_string(::getpid()));
  const ProgramResult result =
      inShell("\"$0\" body export --format toml --out " + file.string() + " <&- >&- 2>&-");
  EXPECT_EQ(result.exitCode, 0);
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_TRUE(text.starts_with("# ") || text.starts_with("format")) << text.substr(0, 80);
  EXPECT_EQ(text.find("wrote "), std::string::npos);
  std::filesystem::remove(file);
}

TEST(Program, MissingToolsAreNamedBeforeTheSimulation) {
  const ProgramResult result =
      inShell("PATH=/nowhere \"$0\" muscle --grid 5x3x3 --seconds 3600 --out /tmp/pneuma_no_tools");
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_EQ(result.err,
            "pneuma: error: program 'gnuplot': is not installed; expected Debian package "
            "gnuplot-nox\n");
  EXPECT_FALSE(std::filesystem::exists("/tmp/pneuma_no_tools"));
}

/// A file that may not grow is named; without this the program dies by a signal.
TEST(Program, AFileThatMayNotGrowIsNamed) {
  const ProgramResult result =
      inShell("ulimit -f 4; \"$0\" body export --format toml --out /tmp/pneuma_limited_$$.toml");
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_THAT(result.err, HasSubstr(".toml: cannot be written: File too large"));
}

/// Where the ray tracer's library got no memory, it was called a mistake in Pneuma.
TEST(Program, LittleMemoryIsNamed) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer itself needs more";
#endif
  const ProgramResult result = inShell(
      "d=$(mktemp -d); printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' > $d/a.obj; ulimit -d 48000; "
      "\"$0\" render $d/a.obj --width 640 --height 480 --quiet --out $d/a.png; c=$?; rm -r $d; "
      "exit $c");
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_EQ(result.err, "pneuma: error: out of memory\n");
}

TEST(Program, PathsThatAreNotUtf8StillGiveJson) {
  const ProgramResult result = inShell(
      "f=/tmp/pneuma_$$_$(printf '\\xff').toml; \"$0\" body export --json --out \"$f\"; rm -f "
      "\"$f\"");
  EXPECT_THAT(result.out, HasSubstr("\xef\xbf\xbd.toml"));
  EXPECT_EQ(result.err, "");
}

TEST(Program, HelpShowsThePageOfAVerb) {
  EXPECT_EQ(runPneuma({"help", "body", "export"}).out, runPneuma({"body", "export", "--help"}).out);
  EXPECT_THAT(runPneuma({"help"}).out, HasSubstr("Exit codes"));
  const ProgramResult wrong = runPneuma({"help", "brethe"});
  EXPECT_EQ(wrong.exitCode, 2);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean 'breathe'?"));
}

TEST(Program, FileContentCannotSteerTheTerminal) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("pneuma_escape_" + std::to_string(::getpid()) + ".csv");
  std::ofstream(file) << "time,\x1b[2Jv\n0,x\n1,2\n";
  const ProgramResult result = runPneuma({"breathe", "--volume", file.string()});
  std::filesystem::remove(file);
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_THAT(result.err, HasSubstr("column '?[2Jv'"));
}

TEST(Program, EveryHelpPageOpensAndItsExampleIsAKnownCommand) {
  const std::string reference = runPneuma({"reference"}).out;
  const std::regex example(R"(Example:\n  pneuma ([^\n]*))");
  int examples = 0;
  for (std::sregex_iterator it(reference.begin(), reference.end(), example), end; it != end; ++it) {
    // The verbs of the example, followed by --help, must be understood.
    std::istringstream words((*it)[1].str());
    std::vector<std::string> command;
    for (std::string word;
         words >> word && !word.starts_with('-') && word.find('.') == std::string::npos;)
      command.push_back(word);
    command.push_back("--help");
    EXPECT_EQ(runPneuma(command).exitCode, 0) << (*it)[0].str();
    ++examples;
  }
  EXPECT_GE(examples, 1);
}

TEST(Program, CommandReferenceInDocsIsTheProgramsOwn) {
  std::ifstream in(PNEUMA_SOURCE_DIR "/docs/commands.md");
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(page, runPneuma({"reference"}).out) << "run `make docs`";
}

TEST(Program, BashCompletionIsValidBash) {
  const ProgramResult script = runPneuma({"completion", "bash"});
  EXPECT_EQ(script.exitCode, 0);
  EXPECT_EQ(runProgram("bash", {"-n", "-c", script.out}).exitCode, 0);
  const std::string ask =
      script.out + "\nCOMP_WORDS=(pneuma com); COMP_CWORD=1; _pneuma; echo \"${COMPREPLY[@]}\"";
  EXPECT_EQ(runProgram("bash", {"-c", ask}).out, "completion\n");
}

/// What bash offers for the last of some words.
std::string completionOf(const std::string& words) {
  static const std::string script = runPneuma({"completion", "bash"}).out;
  return runProgram("bash", {"-c", script + "\nCOMP_WORDS=(" + words +
                                       "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _pneuma; "
                                       "echo \"${COMPREPLY[@]}\""})
      .out;
}

TEST(Program, BashCompletesVerbsOptionsValuesAndFiles) {
  EXPECT_EQ(completionOf("pneuma --json bre"), "breathe\n");
  EXPECT_EQ(completionOf("pneuma body inf"), "info\n");
  EXPECT_EQ(completionOf("pneuma body --quiet inf"), "info\n");
  EXPECT_EQ(completionOf("pneuma breathe --sty"), "--style\n");
  EXPECT_EQ(completionOf("pneuma breathe --style ka"), "\n");
  EXPECT_EQ(completionOf("pneuma breathe --style ku"), "kussmaul\n");
  EXPECT_EQ(completionOf("pneuma breathe --style = ku"), "kussmaul\n");
  EXPECT_EQ(completionOf("pneuma breathe --style deep --post"), "--posture\n");
  EXPECT_EQ(completionOf("pneuma render --view front,le"), "front,left\n");
  EXPECT_EQ(completionOf("pneuma breathe --seconds ''"), "\n");
  EXPECT_EQ(completionOf("pneuma render " PNEUMA_SOURCE_DIR "/CMakeLi"),
            PNEUMA_SOURCE_DIR "/CMakeLists.txt\n");
  EXPECT_EQ(completionOf("pneuma breathe --volume " PNEUMA_SOURCE_DIR "/CMakeLi"),
            PNEUMA_SOURCE_DIR "/CMakeLists.txt\n");
  EXPECT_EQ(completionOf("pneuma completion ba"), "bash\n");
}

TEST(Program, TextsAreJsonWhenAsked) {
  EXPECT_THAT(runPneuma({"completion", "--json"}).out, HasSubstr("\"shell\": \"bash\""));
  EXPECT_THAT(runPneuma({"reference", "--json"}).out, HasSubstr("{\n  \"markdown\": \"# Command"));
  EXPECT_EQ(runPneuma({"--json", "body", "info"}).out, runPneuma({"body", "info", "--json"}).out);
}

}  // namespace
}  // namespace pneuma::test
