#include <gmock/gmock.h>

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
        BadCommand{{"completion", "--threads=-3"}, "--threads"}));

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

}  // namespace
}  // namespace pneuma::test
