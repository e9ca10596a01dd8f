#include "cli/bash_completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "cli/suggest.h"

namespace pneuma::cli {
namespace {

/// The words of "TEXT:one of a, b=b", as the help shows an option; none when it has no list.
std::vector<std::string> listedValues(const CLI::Option& option) {
  const std::string type = option.get_type_name(), mark = "one of ";
  std::vector<std::string> values;
  const std::size_t at = type.find(mark);
  if (at == std::string::npos) return values;
  std::string text = type.substr(at + mark.size());
  std::erase(text, ' ');
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t comma = std::min(text.find(',', i), text.size());
    values.push_back(text.substr(i, comma - i));
    i = comma + 1;
  }
  return values;
}

bool isNumber(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.starts_with("FLOAT") || type.starts_with("INT") || type.starts_with("UINT");
}

/// What the script knows of one verb and of those below it.
struct Cases {
  std::vector<std::string> paths;
  std::string words, values;

  void add(const CLI::App& verb) {
    const std::string path = fullName(&verb);
    paths.push_back(path);
    std::vector<std::string> next;
    for (const CLI::App* sub : visibleVerbs(verb)) next.push_back(sub->get_name());
    for (const CLI::Option* option : verb.get_options()) {
      if (option->get_lnames().empty()) addPositional(*option, next);
      for (const std::string& name : option->get_lnames()) {
        next.push_back("--" + name);
        if (option->get_items_expected_max() > 0) addValues(path + " --" + name, *option);
      }
    }
    words += fmt::format("    '{}') words='{}' ;;\n", path, fmt::join(next, " "));
    for (const CLI::App* sub : visibleVerbs(verb)) add(*sub);
  }

 private:
  static void addPositional(const CLI::Option& option, std::vector<std::string>& next) {
    for (const std::string& value : listedValues(option)) next.push_back(value);
  }
  void addValues(const std::string& place, const CLI::Option& option) {
    const std::vector<std::string> listed = listedValues(option);
    const std::string kind = !listed.empty() ? "list" : isNumber(option) ? "none" : "files";
    values += fmt::format("    '{}') kind={} words='{}' ;;\n", place, kind, fmt::join(listed, " "));
  }
};

}  // namespace

// Written out from the verbs themselves, so that completion knows every option the program knows.
std::string bashCompletion(const CLI::App& app) {
  Cases cases;
  cases.add(app);
  return fmt::format(R"(# bash completion for pneuma; put it in place with:
#   pneuma completion bash > ~/.local/share/bash-completion/completions/pneuma
_pneuma() {{
  local IFS=$' \t\n' path=pneuma kind=words words='' word begin=''
  local current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
  local paths='|{}|'
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$paths" in *"|$path $word|"*) path="$path $word" ;; esac
  done
  # Bash cuts --option=value at the equals sign.
  if [ "$current" = '=' ]; then current=''; elif [ "$before" = '=' ]; then
    before="${{COMP_WORDS[COMP_CWORD-2]}}"
  fi
  case "$path" in
{}  esac
  case "$path $before" in
{}  esac
  # Lists such as front,left: the part behind the last comma.
  if [ $kind = list ]; then
    case "$current" in *,*) begin="${{current%,*}}," ;; esac
  fi
  COMPREPLY=()
  case $kind in
    none) return ;;
    files) ;;
    *) COMPREPLY=($(compgen -P "$begin" -W "$words" -- "${{current##*,}}")) ;;
  esac
  if [ ${{#COMPREPLY[@]}} -eq 0 ] && [ $kind != list ]; then
    compopt -o filenames 2> /dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}}
complete -F _pneuma pneuma
)",
                     fmt::join(cases.paths, "|"), cases.words, cases.values);
}

}  // namespace pneuma::cli
