#include "cli/suggest.h"

#include <fmt/format.h>

#include "pneuma/core/error.h"

namespace pneuma::cli {
namespace {

std::vector<std::string> verbNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : visibleVerbs(app)) names.push_back(sub->get_name());
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

[[noreturn]] void failEmpty(const std::string& option) {
  throw CLI::ParseError(fmt::format("{}: the value is empty", option),
                        CLI::ExitCodes::ValidationError);
}

const CLI::Option& knownOption(const CLI::App& app, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  for (const CLI::Option* option : app.get_options())
    for (const std::string& known : option->get_lnames())
      if ("--" + known == name) return *option;
  unknown("option", name, app, optionNames(app));
}

bool knowsShortOption(const CLI::App& app, char letter) {
  for (const CLI::Option* option : app.get_options())
    for (const std::string& known : option->get_snames())
      if (known[0] == letter) return true;
  return false;
}

bool isLongOption(const std::string& word) {
  return word.size() > 2 && word.starts_with("--");
}

}  // namespace

std::string fullName(const CLI::App* app) {
  const CLI::App* parent = app->get_parent();
  return parent == nullptr ? app->get_name() : fullName(parent) + " " + app->get_name();
}

std::vector<const CLI::App*> visibleVerbs(const CLI::App& app) {
  std::vector<const CLI::App*> verbs;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!sub->get_group().empty()) verbs.push_back(sub);
  return verbs;
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
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") return;
    if (isLongOption(word)) {
      const CLI::Option& option = knownOption(*current, word);
      if (word.find('=') != std::string::npos) {
        if (word.ends_with('=')) failEmpty(word.substr(0, word.size() - 1));
        continue;
      }
      const int values = option.get_items_expected_max();
      if (values > 0 && i + 1 < words.size() && words[i + 1].empty()) failEmpty(word);
      if (values == 1) ++i;                   // its value is judged by the option itself
      if (values > 1) verbsPossible = false;  // nobody knows where the list ends
      continue;
    }
    if (!verbsPossible) continue;
    if (word.starts_with('-')) {
      if (word.size() > 1 && !knowsShortOption(*current, word[1]))
        unknown("option", word, *current, optionNames(*current));
      continue;
    }
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
