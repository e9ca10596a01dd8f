#include <fmt/format.h>

#include "pneuma/core/base64.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/io/glb_compression.h"
#include "pneuma/render/report.h"
#include "render/report_text.h"
#include "render/viewer_script.h"

namespace pneuma::render {
namespace {

using internal::escapeHtml;
using internal::inlineHtml;

constexpr std::string_view kStyle = R"css(
:root { --ink: #22292f; --muted: #6b7680; --rule: #d5dade; --accent: #1f6f8b; --backdrop: #f1f3f5;
  --good: #2e7d4f; --bad: #b3372f; color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 3rem 1.5rem 5rem; color: var(--ink); background: #fff;
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 2.1rem; line-height: 1.2; margin: 0 0 .3rem; letter-spacing: -.01em; }
h2 { font-size: 1.4rem; margin: 2.8rem 0 .8rem; padding-top: 1rem; border-top: 1px solid var(--rule); }
h3 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p, li { max-width: 46rem; }
.subtitle { color: var(--muted); margin: 0 0 2rem; font-size: 1.05rem; }
code, pre { font: .9em ui-monospace, "SF Mono", Menlo, Consolas, monospace; background: var(--backdrop);
  border-radius: 4px; }
code { padding: .1em .35em; }
pre { padding: .9rem 1.1rem; overflow-x: auto; }
figure { margin: 1.6rem 0; }
figure img, figure video { display: block; max-width: 100%; height: auto; margin: 0 auto; border-radius: 6px; }
figcaption { color: var(--muted); font-size: .92rem; margin-top: .55rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .94rem; font-variant-numeric: tabular-nums; min-width: 50%; }
th { text-align: left; font-weight: 600; border-bottom: 1.5px solid var(--ink); padding: .35rem 1.2rem .35rem 0; }
td { border-bottom: 1px solid #e7eaed; padding: .35rem 1.2rem .35rem 0; vertical-align: top; }
.number { text-align: right; white-space: nowrap; }
.good { color: var(--good); font-weight: 600; white-space: nowrap; }
.bad { color: var(--bad); font-weight: 600; white-space: nowrap; }
.view { border: 1px solid var(--rule); border-radius: 8px; overflow: hidden; }
.view-canvas { height: min(34rem, 72vh); background: var(--backdrop); position: relative; }
.view-canvas canvas { display: block; }
.view-bar, .view-transport { display: flex; flex-wrap: wrap; gap: .5rem .6rem; align-items: center;
  padding: .5rem .7rem; font-size: .88rem; background: #fff; position: relative; }
.view-transport[hidden] { display: none; }
.view-transport input { flex: 1; accent-color: var(--accent); }
.view button { font: inherit; color: var(--ink); background: var(--backdrop); border: 1px solid var(--rule);
  border-radius: 5px; padding: .15rem .7rem; cursor: pointer; }
.view button:hover { border-color: var(--accent); }
.view-parts { margin-left: auto; }
.view-parts summary { cursor: pointer; }
.view-parts[open] { position: absolute; right: .7rem; top: .5rem; z-index: 2; width: 17rem; background: #fff;
  border: 1px solid var(--rule); border-radius: 6px; padding: .4rem .7rem; box-shadow: 0 6px 24px #0002; }
.view-parts > div:last-child { max-height: 18rem; overflow-y: auto; }
.view-parts label { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.view-parts label[hidden] { display: none; }
.view-parts input[type=search] { width: 100%; margin: .4rem 0; font: inherit; }
.view-note { margin: 0; padding: 2rem; color: var(--muted); }
@media print { .view-bar, .view-transport { display: none; } body { padding: 0; } }
)css";

std::string caption(const std::string& text) {
  return text.empty() ? "" : "<figcaption>" + inlineHtml(text) + "</figcaption>";
}

std::string_view mediaType(std::string_view ending) {
  if (ending == ".png") return "image/png";
  if (ending == ".svg") return "image/svg+xml";
  if (ending == ".mp4") return "video/mp4";
  return "image/jpeg";
}

std::string viewHtml(const Report::Media& m) {
  if (internal::viewerScript().empty())
    return fmt::format(
        "<figure><p class=\"view-note\">The interactive 3-D view is left out of this build. "
        "<a download=\"{0}\" href=\"data:model/gltf-binary;base64,{1}\">{0}</a> opens in any glTF "
        "viewer.</p>{2}</figure>\n",
        m.name, encodeBase64(m.bytes), caption(m.caption));
  return fmt::format(
      "<figure><div class=\"view\" id=\"{}\"><div class=\"view-bar\"></div>"
      "<div class=\"view-canvas\"></div><div class=\"view-transport\" hidden></div>"
      "<script type=\"application/octet-stream;base64\">{}</script></div>{}</figure>\n",
      m.name, encodeBase64(io::compressedGlb(m.bytes)), caption(m.caption));
}

struct HtmlWriter {
  std::string& out;

  void operator()(const Report::Heading& h) const {
    out += fmt::format("<h{0}>{1}</h{0}>\n", h.level, inlineHtml(h.text));
  }
  void operator()(const Report::Paragraph& p) const {
    out += "<p>" + inlineHtml(p.text) + "</p>\n";
  }
  void operator()(const Report::Code& c) const {
    out += "<pre><code>" + escapeHtml(c.text) + "</code></pre>\n";
  }
  void operator()(const Report::List& list) const {
    out += "<ul>\n";
    for (const std::string& item : list.items) out += "<li>" + inlineHtml(item) + "</li>\n";
    out += "</ul>\n";
  }
  void operator()(const Report::Comparison& c) const { (*this)(internal::comparisonTable(c)); }
  void operator()(const Table& t) const {
    out += "<figure><div class=\"scroll\"><table>\n<thead><tr>";
    for (std::size_t c = 0; c < t.header.size(); ++c)
      out += fmt::format("<th{}>{}</th>", numericColumn(t, c) ? " class=\"number\"" : "",
                         inlineHtml(t.header[c]));
    out += "</tr></thead>\n<tbody>\n";
    for (const auto& row : t.rows) {
      out += "<tr>";
      for (std::size_t c = 0; c < row.size(); ++c) cell(row[c], numericColumn(t, c));
      out += "</tr>\n";
    }
    out += "</tbody></table></div>" + caption(t.caption) + "</figure>\n";
  }
  void operator()(const Report::Media& m) const {
    const std::string_view kind = internal::ending(m.name);
    if (kind == ".glb") {
      out += viewHtml(m);
      return;
    }
    const bool light = !m.jpeg.empty();
    const std::string source = fmt::format("data:{};base64,{}", mediaType(light ? ".jpg" : kind),
                                           encodeBase64(light ? m.jpeg : m.bytes));
    out += "<figure>";
    if (kind == ".mp4")
      out += fmt::format("<video controls loop muted playsinline src=\"{}\"></video>", source);
    else
      out += fmt::format("<img alt=\"{}\" src=\"{}\">", escapeHtml(m.caption), source);
    out += caption(m.caption) + "</figure>\n";
  }

 private:
  static bool numericColumn(const Table& t, std::size_t column) {
    std::size_t numbers = 0;
    for (const auto& row : t.rows) numbers += internal::looksNumeric(row[column]);
    return 2 * numbers > t.rows.size();
  }
  void cell(const std::string& text, bool numeric) const {
    const char* kind = text.starts_with("✓")   ? " class=\"good\""
                       : text.starts_with("✗") ? " class=\"bad\""
                       : numeric               ? " class=\"number\""
                                               : "";
    out += fmt::format("<td{}>{}</td>", kind, inlineHtml(text));
  }
};

}  // namespace

std::string Report::toHtml() const {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  out += "<title>" + escapeHtml(title_) + "</title>\n<style>" + std::string(kStyle) +
         "</style>\n</head>\n<body>\n<h1>" + escapeHtml(title_) + "</h1>\n";
  if (!subtitle_.empty()) out += "<p class=\"subtitle\">" + inlineHtml(subtitle_) + "</p>\n";
  bool interactive = false;
  for (const Item& item : items_) {
    std::visit(HtmlWriter{out}, item);
    const auto* media = std::get_if<Media>(&item);
    interactive = interactive || (media && internal::ending(media->name) == ".glb");
  }
  // The script is carried once, and only where something needs it. It holds no closing tag.
  if (interactive && hasInteractiveView())
    out += fmt::format("<script>{}\nPneumaViewer.mountAll();</script>\n", internal::viewerScript());
  return out + "</body>\n</html>\n";
}

void Report::writeHtml(const std::filesystem::path& path) const {
  io::writeFile(path, toHtml());
}

}  // namespace pneuma::render
