#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>

#include "cli/suggest.h"
#include "cli/verbs.h"

namespace pneuma::cli {
namespace {

std::vector<const CLI::App*> visibleVerbs(const CLI::App& app) {
  std::vector<const CLI::App*> verbs;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!sub->get_group().empty()) verbs.push_back(sub);
  return verbs;
}

/// One case per verb: what may follow it.
std::string bashCompletion(const CLI::App& app) {
  std::string cases;
  const std::function<void(const CLI::App&)> visit = [&](const CLI::App& verb) {
    std::vector<std::string> words;
    for (const CLI::App* sub : visibleVerbs(verb)) words.push_back(sub->get_name());
    for (const CLI::Option* option : verb.get_options())
      for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
    cases += fmt::format("    '{}') words='{}' ;;\n", fullName(&verb), fmt::join(words, " "));
    for (const CLI::App* sub : visibleVerbs(verb)) visit(*sub);
  };
  visit(app);
  return fmt::format(R"(# bash completion for pneuma; put it in place with:
#   pneuma completion bash > ~/.local/share/bash-completion/completions/pneuma
_pneuma() {{
  local path=pneuma word words current="${{COMP_WORDS[COMP_CWORD]}}"
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$word" in -*) break ;; *) path="$path $word" ;; esac
  done
  case "$path" in
{}    *) words='' ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [ ${{#COMPREPLY[@]}} -eq 0 ]; then COMPREPLY=($(compgen -f -- "$current")); fi
}}
complete -o filenames -F _pneuma pneuma
)",
                     cases);
}

std::string markdownReference(const CLI::App& app) {
  std::string pages =
      "# Command reference\n\nThe help pages of the program itself, written by `pneuma "
      "reference`.\n";
  const std::function<void(const CLI::App&)> visit = [&](const CLI::App& verb) {
    // Not verb.help(): that shows the page of the verb that was called, `reference`, for its
    // parent.
    const std::string page =
        verb.get_formatter()->make_help(&verb, fullName(&verb), CLI::AppFormatMode::Normal);
    pages += fmt::format("\n## {}\n\n```\n{}```\n", fullName(&verb), page);
    for (const CLI::App* sub : visibleVerbs(verb)) visit(*sub);
  };
  visit(app);
  return pages;
}

}  // namespace

void addHelpVerbs(Program& program) {
  CLI::App* completion = program.addVerb("completion", "Print a completion script for a shell",
                                         "pneuma completion bash");
  static std::string shell = "bash";
  completion->add_option("shell", shell, "The shell")
      ->check(oneOf({"bash"}))
      ->capture_default_str();
  completion->callback([&program] { fmt::print("{}", bashCompletion(program.app())); });

  CLI::App* reference = program.addVerb("reference", "Print all help pages as Markdown", "");
  reference->group("");  // for docs/commands.md, not for users
  reference->callback([&program] { fmt::print("{}", markdownReference(program.app())); });
}

}  // namespace pneuma::cli
