#include "pneuma/stage/studio_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <charconv>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <random>

#include "pneuma/core/error.h"
#include "pneuma/io/file.h"
#include "pneuma/io/settings_json.h"
#include "pneuma/stage/studio_runs.h"

namespace pneuma::stage {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using Request = http::request<http::string_body>;
using Response = http::response<http::string_body>;

constexpr std::uint32_t kLargestHead = 8192;  // [bytes]
constexpr std::uint64_t kLargestBody = 1024;  // of a request: the settings of a run [bytes]
constexpr int kTokenBytes = 16;

std::string randomToken() {
  std::random_device source;
  std::string token;
  for (int i = 0; i < kTokenBytes; ++i) token += fmt::format("{:02x}", source() & 0xffu);
  return token;
}

/// Takes as long for a wrong first character as for a wrong last one.
bool sameText(std::string_view a, std::string_view b) {
  unsigned differs = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    differs |= static_cast<unsigned>(a[i]) ^ static_cast<unsigned>(b[i]);
  return differs == 0;
}

/// Path and settings of a target "/body?sex=female&height=1.65". Percent signs are not decoded:
/// nothing that is served needs them.
struct Target {
  std::string path;
  std::map<std::string, std::string> settings;

  explicit Target(std::string_view text) {
    const std::size_t question = text.find('?');
    path = text.substr(0, question);
    if (question == std::string_view::npos) return;
    for (text.remove_prefix(question + 1); !text.empty();) {
      const std::string_view pair = text.substr(0, text.find('&'));
      text.remove_prefix(std::min(text.size(), pair.size() + 1));
      const std::size_t equals = std::min(pair.find('='), pair.size());
      settings.emplace(pair.substr(0, equals),
                       equals < pair.size() ? pair.substr(equals + 1) : std::string_view());
    }
  }
  std::string take(const std::string& name) {
    const auto at = settings.find(name);
    if (at == settings.end()) return {};
    std::string value = std::move(at->second);
    settings.erase(at);
    return value;
  }
};

/// Numbers as numbers, so that the settings' own table checks them.
PersonRequest personFrom(const std::map<std::string, std::string>& settings) {
  nlohmann::ordered_json j = nlohmann::ordered_json::object();
  for (const auto& [name, text] : settings) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size())
      j[name] = number;
    else
      j[name] = text;
  }
  PersonRequest person;
  io::readSettings(j, "person", person);
  return person;
}

Response plain(http::status status, std::string text) {
  Response r{status, 11};
  r.set(http::field::content_type, "text/plain; charset=utf-8");
  r.body() = std::move(text) + "\n";
  return r;
}

}  // namespace

struct StudioServer::Impl {
  Impl(std::string pageText, StudioSources from, const StudioServerOptions& o)
      : page(std::move(pageText)),
        sources(std::move(from)),
        options(o),
        jobs(o.runs),
        token(o.token.empty() ? randomToken() : o.token),
        acceptor(context) {}

  void listen() {
    const tcp::endpoint here(asio::ip::address_v4::loopback(), options.port);
    boost::system::error_code error;
    acceptor.open(here.protocol());
    acceptor.set_option(asio::socket_base::reuse_address(true));
    acceptor.bind(here, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error)
      throw InputError(Diagnostic{.subject = "studio",
                                  .field = "port",
                                  .message = fmt::format("{}: {}", options.port, error.message()),
                                  .expected = "a free port, or 0 for any"});
    port = acceptor.local_endpoint().port();
  }

  bool fromHere(std::string_view name) const {
    return name == fmt::format("127.0.0.1:{}", port) || name == fmt::format("localhost:{}", port);
  }

  /// A page elsewhere that a visitor has open must not reach this server: browsers name the page
  /// (Origin) and the name it asked for (Host).
  bool trusted(const Request& request) const {
    const auto host = request[http::field::host], origin = request[http::field::origin];
    if (!fromHere({host.data(), host.size()})) return false;
    constexpr std::string_view kScheme = "http://";
    const std::string_view from(origin.data(), origin.size());
    return from.empty() || (from.starts_with(kScheme) && fromHere(from.substr(kScheme.size())));
  }

  Response answer(const Request& request) {
    if (!trusted(request)) return plain(http::status::forbidden, "not from here");
    Target target({request.target().data(), request.target().size()});
    if (!sameText(target.take("token"), token))
      return plain(http::status::forbidden, "the token is missing or wrong");
    // Looking changes nothing; what does is never a mere address.
    const bool changes = target.path == "/start" || target.path == "/cancel";
    if (request.method() != (changes ? http::verb::post : http::verb::get))
      return plain(http::status::method_not_allowed, changes ? "only POST" : "only GET");
    if (target.path == "/") return pageResponse();
    if (target.path == "/body") return bodyResponse(target.settings);
    if (options.runs.empty()) return nothingThere();
    if (target.path == "/runs") return json(runsJson(findRuns(options.runs)));
    if (target.path == "/run") return runResponse(target.take("id"));
    return sources.orders ? jobResponse(target.path, request.body()) : nothingThere();
  }
  static Response nothingThere() { return plain(http::status::not_found, "there is no such page"); }

  Response jobResponse(const std::string& path, const std::string& order) {
    if (path == "/job") return json(jobs.json());
    if (path == "/cancel") {
      jobs.cancel();
      return json(jobs.json());
    }
    if (path != "/start") return nothingThere();
    try {
      const std::lock_guard lock(sourceMutex);
      if (!jobs.start(sources.orders(order)))
        return plain(http::status::conflict, "another run is under way");
    } catch (const InputError& e) {
      return plain(http::status::bad_request, e.what());
    }
    Response r = json(jobs.json());
    r.result(http::status::accepted);
    return r;
  }
  static Response json(const nlohmann::ordered_json& value) {
    return content("application/json", value.dump());
  }

  static Response content(const char* type, std::string bytes) {
    Response r{http::status::ok, 11};
    r.set(http::field::content_type, type);
    r.body() = std::move(bytes);
    return r;
  }

  /// A report of the list, never a path that was asked for.
  Response runResponse(const std::string& id) const {
    const std::vector<StudioRun> runs = findRuns(options.runs);
    const auto run = std::ranges::find(runs, id, &StudioRun::id);
    if (run == runs.end()) return plain(http::status::not_found, "there is no such run");
    Result<std::string> report = io::readFile(run->report);
    if (!report.ok()) return plain(http::status::not_found, "the report cannot be read");
    Response r = content("text/html; charset=utf-8", std::move(report).valueOrThrow());
    r.set("Content-Security-Policy",
          "sandbox allow-scripts allow-downloads; default-src 'none'; script-src 'unsafe-inline' "
          "blob:; style-src 'unsafe-inline'; img-src data: blob:; media-src data: blob:; "
          "connect-src data: blob:");
    return r;
  }

  Response pageResponse() const {
    Response r = content("text/html; charset=utf-8", page);
    r.set("Content-Security-Policy",
          "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src "
          "blob:; style-src 'unsafe-inline'; img-src data: blob:; connect-src 'self' data: blob:");
    return r;
  }

  Response bodyResponse(const std::map<std::string, std::string>& settings) {
    try {
      const PersonRequest person = personFrom(settings);
      const std::lock_guard lock(sourceMutex);
      return content("application/octet-stream", sources.bodies(person));
    } catch (const InputError& e) {
      return plain(http::status::bad_request, e.what());
    }
  }

  /// One request, then the connection ends: a page asks a handful of times.
  void serve(asio::io_context& own, tcp::socket socket) {
    beast::tcp_stream stream(std::move(socket));
    const auto patience = std::chrono::milliseconds(std::llround(1e3 * options.idleSeconds));
    stream.expires_after(patience);
    beast::flat_buffer buffer(kLargestHead + kLargestBody);
    http::request_parser<http::string_body> parser;
    parser.header_limit(kLargestHead);
    parser.body_limit(kLargestBody);
    beast::error_code error;
    // Time limits hold for asynchronous operations alone.
    http::async_read(stream, buffer, parser, [&](beast::error_code e, std::size_t) { error = e; });
    own.run();
    if (error == beast::error::timeout || error == http::error::end_of_stream) return;
    Response response = error == http::error::header_limit || error == http::error::buffer_overflow
                            ? plain(http::status::request_header_fields_too_large, "too long")
                        : error == http::error::body_limit
                            ? plain(http::status::payload_too_large, "too long")
                        : error ? plain(http::status::bad_request, "this is no request")
                                : answer(parser.get());
    response.set(http::field::cache_control, "no-store");
    response.set("X-Content-Type-Options", "nosniff");
    response.keep_alive(false);
    response.prepare_payload();
    stream.expires_after(patience);
    http::async_write(stream, response, [](beast::error_code, std::size_t) {});
    own.restart();
    own.run();
    stream.socket().shutdown(tcp::socket::shutdown_send, error);
  }

  std::string page;
  StudioSources sources;
  StudioServerOptions options;
  StudioJobs jobs;
  std::string token;
  asio::io_context context;
  tcp::acceptor acceptor;
  std::uint16_t port = 0;
  std::mutex sourceMutex;
  std::atomic<bool> stopped{false};
};

StudioServer::StudioServer(std::string page, StudioSources sources,
                           const StudioServerOptions& options)
    : impl_(std::make_unique<Impl>(std::move(page), std::move(sources), options)) {
  impl_->listen();
}
StudioServer::~StudioServer() = default;

std::uint16_t StudioServer::port() const {
  return impl_->port;
}
const std::string& StudioServer::token() const {
  return impl_->token;
}
std::string StudioServer::address() const {
  return fmt::format("http://127.0.0.1:{}/?token={}", impl_->port, impl_->token);
}

void StudioServer::run() {
  Impl& s = *impl_;
  asio::thread_pool clients(static_cast<std::size_t>(s.options.mostClients));
  while (!s.stopped) {
    // Each client has a context of its own, on which its thread waits.
    auto own = std::make_shared<asio::io_context>();
    auto socket = std::make_shared<tcp::socket>(*own);
    boost::system::error_code error;
    s.acceptor.accept(*socket, error);
    if (s.stopped) break;
    if (error) continue;
    asio::post(clients, [&s, own, socket] { s.serve(*own, std::move(*socket)); });
  }
  clients.join();
}

void StudioServer::stop() {
  impl_->stopped = true;
  // Wakes the thread that waits for a client.
  boost::system::error_code ignored;
  asio::io_context own;
  tcp::socket knock(own);
  knock.connect({asio::ip::address_v4::loopback(), impl_->port}, ignored);
}

}  // namespace pneuma::stage
