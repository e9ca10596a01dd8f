#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "pneuma/stage/person_request.h"
#include "pneuma/stage/studio_jobs.h"

/// The studio's page from this program, with what only the program can do: bodies of any person as
/// they are, runs with flesh and film, and a look at run folders.
namespace pneuma::stage {

/// What is served, and to whom. Only programs of this machine reach it, and only with the token.
///
///   GET /?token=T                the page
///   GET /body?token=T&sex=..&height=..&mass=..&age=..    a packed body (stage/body_pack.h)
///   GET /runs?token=T            runs below a folder, as JSON (stage/studio_runs.h)
///   GET /run?token=T&id=I        the report of one of them, to be looked at apart: its scripts run
///                                in an origin of its own and cannot ask this server
///   POST /start?token=T          begins a run that the request's text orders (202), one at a time
///                                (409 while another is at work)
///   GET /job?token=T             how far it is, as JSON (stage/studio_jobs.h)
///   POST /cancel?token=T         ends it; nothing of it stays
///
/// Everything else is refused: another Host than 127.0.0.1 or localhost with the port (a foreign
/// name that resolves to this machine), a foreign Origin, a missing or wrong token (403), other
/// methods (405), other paths, and runs where no folder was given (404), requests above 8 kB or
/// with a text above 1 kB (431, 413), settings that no person or order has (400, with the message).
/// A client that neither sends nor reads is let go after `idleSeconds`.
struct StudioServerOptions {
  std::uint16_t port = 0;      ///< 0: any free one
  std::string token;           ///< empty: a random one
  std::filesystem::path runs;  ///< whose runs are shown, and where new ones are made; empty: none
  int mostClients = 16;        ///< at once; further ones wait
  double idleSeconds = 30;
};

/// Where what is served comes from. Each may throw InputError, and is called by one client at a
/// time.
struct StudioSources {
  std::function<std::string(const PersonRequest&)> bodies;  ///< bytes of a packed body
  /// What the text of a request orders; empty: nothing can be ordered.
  std::function<StudioJob(const std::string&)> orders = {};
};

class StudioServer {
 public:
  /// Listens on loopback from now on. Throws InputError when the port is taken.
  StudioServer(std::string page, StudioSources sources, const StudioServerOptions& options = {});
  /// Cancels a run that is under way.
  ~StudioServer();

  std::uint16_t port() const;
  const std::string& token() const;
  std::string address() const;  ///< with the token, to open in a browser
  /// Serves until stop() is called, from any thread.
  void run();
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pneuma::stage
