#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace pneuma::cli {

/// The verb or sub-verb that the words lead to, as far as they are known.
const CLI::App* deepestVerb(const CLI::App& app, const std::vector<std::string>& words);

/// Throws a CLI::ExtrasError that names the nearest verb or option when a word is unknown. Runs
/// before the real parser, whose own message would only say that something is left over.
void checkWords(const CLI::App& app, const std::vector<std::string>& words);

/// "pneuma body info".
std::string fullName(const CLI::App* app);

/// The verbs below one that its help page shows.
std::vector<const CLI::App*> visibleVerbs(const CLI::App& app);

}  // namespace pneuma::cli
