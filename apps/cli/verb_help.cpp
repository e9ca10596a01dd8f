#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>

#include "cli/bash_completion.h"
#include "cli/suggest.h"
#include "cli/verbs.h"

namespace pneuma::cli {
namespace {

/// The page of a verb. Not verb.help(): that shows the page of the verb that was called.
std::string pageOf(const CLI::App& verb) {
  return verb.get_formatter()->make_help(&verb, fullName(&verb), CLI::AppFormatMode::Normal);
}

std::string markdownReference(const CLI::App& app) {
  std::string pages =
      "# Command reference\n\nThe help pages of the program itself, written by `pneuma "
      "reference`.\n";
  const std::function<void(const CLI::App&)> visit = [&](const CLI::App& verb) {
    pages += fmt::format("\n## {}\n\n```\n{}```\n", fullName(&verb), pageOf(verb));
    for (const CLI::App* sub : visibleVerbs(verb)) visit(*sub);
  };
  visit(app);
  return pages;
}

/// These verbs have no other purpose than their text: --quiet does not silence it.
void printText(const Program& program, const nlohmann::ordered_json& data,
               const std::string& text) {
  fmt::print("{}", program.options().json ? data.dump(2) + "\n" : text);
}

}  // namespace

void addHelpVerbs(Program& program) {
  CLI::App* completion = program.addVerb("completion", "Print a completion script for a shell",
                                         "pneuma completion bash");
  static std::string shell = "bash";
  completion->add_option("shell", shell, "The shell")
      ->check(oneOf({"bash"}))
      ->capture_default_str();
  completion->callback([&program] {
    const std::string script = bashCompletion(program.app());
    printText(program, {{"shell", shell}, {"script", script}}, script);
  });

  CLI::App* help = program.addVerb("help", "Show the page of a verb", "pneuma help body export");
  static std::vector<std::string> verbs;
  help->add_option("verb", verbs, "The verb, and its own verb if it has some")->type_name("VERB");
  help->callback([&program] {
    checkWords(program.app(), verbs);
    const std::string page = pageOf(*deepestVerb(program.app(), verbs));
    printText(program, {{"page", page}}, page);
  });

  CLI::App* reference = program.addVerb("reference", "Print all help pages as Markdown", "");
  reference->group("");  // for docs/commands.md, not for users
  reference->callback([&program] {
    const std::string pages = markdownReference(program.app());
    printText(program, {{"markdown", pages}}, pages);
  });
}

}  // namespace pneuma::cli
