#include "cli/suggest.h"

#include <fmt/format.h>

#include "pneuma/core/error.h"

namespace pneuma::cli {
namespace {

std::vector<std::string> verbNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!sub->get_name().empty() && !sub->get_group().empty()) names.push_back(sub->get_name());
  return names;
}

std::vector<std::string> optionNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

const CLI::App* findVerb(const CLI::App& app, const std::string& word) {
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    if (sub->get_name() == word) return sub;
  return nullptr;
}

[[noreturn]] void unknown(const std::string& what, const std::string& word, const CLI::App& app,
                          const std::vector<std::string>& known) {
  const std::string nearest = nearestName(word, known);
  throw CLI::ParseError(
      fmt::format("unknown {} '{}' of '{}'{}", what, word, fullName(&app),
                  nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest)),
      CLI::ExitCodes::ExtrasError);
}

bool isLongOption(const std::string& word) {
  return word.size() > 2 && word.starts_with("--");
}

}  // namespace

std::string fullName(const CLI::App* app) {
  const CLI::App* parent = app->get_parent();
  return parent == nullptr ? app->get_name() : fullName(parent) + " " + app->get_name();
}

const CLI::App* deepestVerb(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* current = &app;
  for (const std::string& word : words) {
    const CLI::App* next = findVerb(*current, word);
    if (next != nullptr) current = next;
  }
  return current;
}

void checkWords(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* current = &app;
  bool verbsPossible = true;
  for (const std::string& word : words) {
    if (word == "--") return;
    if (isLongOption(word)) {
      const std::string name = word.substr(0, word.find('='));
      const std::vector<std::string> known = optionNames(*current);
      if (std::find(known.begin(), known.end(), name) == known.end())
        unknown("option", name, *current, known);
      // The next word may be this option's value, so it is no longer judged as a verb.
      verbsPossible = false;
      continue;
    }
    if (!verbsPossible || word.starts_with('-')) continue;
    const std::vector<std::string> verbs = verbNames(*current);
    if (verbs.empty()) {
      verbsPossible = false;
      continue;
    }
    const CLI::App* next = findVerb(*current, word);
    if (next == nullptr) unknown("verb", word, *current, verbs);
    current = next;
  }
}

}  // namespace pneuma::cli
