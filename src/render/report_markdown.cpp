#include <fmt/format.h>

#include "pneuma/io/atomic_file.h"
#include "pneuma/render/report.h"
#include "render/report_text.h"

namespace pneuma::render {
namespace {

/// A cell must not break its row.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|')
      out += "\\|";
    else
      out += c == '\n' ? ' ' : c;
  }
  return out;
}

struct MarkdownWriter {
  std::string& out;
  std::string folder;

  void operator()(const Report::Heading& h) const {
    out += std::string(static_cast<std::size_t>(h.level), '#') + " " + h.text + "\n\n";
  }
  void operator()(const Report::Paragraph& p) const { out += p.text + "\n\n"; }
  void operator()(const Report::Code& c) const { out += "```\n" + c.text + "\n```\n\n"; }
  void operator()(const Report::List& list) const {
    for (const std::string& item : list.items) out += "- " + item + "\n";
    out += "\n";
  }
  void operator()(const Report::Comparison& c) const { (*this)(internal::comparisonTable(c)); }
  void operator()(const Table& t) const {
    row(t.header);
    for (std::size_t c = 0; c < t.header.size(); ++c) {
      std::size_t numbers = 0;
      for (const auto& r : t.rows) numbers += internal::looksNumeric(r[c]);
      out += 2 * numbers > t.rows.size() ? "| ---: " : "| --- ";
    }
    out += "|\n";
    for (const auto& r : t.rows) row(r);
    out += t.caption.empty() ? "\n" : "\n*" + t.caption + "*\n\n";
  }
  void operator()(const Report::Media& m) const {
    const std::string link = folder + "/" + m.name;
    const std::string_view kind = internal::ending(m.name);
    if (kind == ".mp4" || kind == ".glb")
      out += fmt::format("[{}]({}): {}\n\n", m.name, link, m.caption);
    else
      out += fmt::format("![{}]({})\n\n*{}*\n\n", m.caption, link, m.caption);
  }

 private:
  void row(const std::vector<std::string>& cells) const {
    for (const std::string& c : cells) out += "| " + cell(c) + " ";
    out += "|\n";
  }
};

}  // namespace

void Report::writeMarkdown(const std::filesystem::path& path) const {
  const std::string folder = path.stem().string() + "_files";
  std::string out = "# " + title_ + "\n\n";
  if (!subtitle_.empty()) out += subtitle_ + "\n\n";
  for (const Item& item : items_) {
    std::visit(MarkdownWriter{out, folder}, item);
    if (const auto* media = std::get_if<Media>(&item))
      io::writeFile(path.parent_path() / folder / media->name, media->bytes);
  }
  // Last, so that a text never names pictures that are not there yet.
  io::writeFile(path, out);
}

}  // namespace pneuma::render
