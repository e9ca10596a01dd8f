#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "pneuma/stage/person_request.h"

/// The studio's page from this program, and bodies of any person for it.
namespace pneuma::stage {

/// What is served, and to whom. Only programs of this machine reach it, and only with the token.
///
///   GET /?token=T                the page
///   GET /body?token=T&sex=..&height=..&mass=..&age=..    a packed body (stage/body_pack.h)
///   GET /runs?token=T            runs below a folder, as JSON (stage/studio_runs.h)
///   GET /run?token=T&id=I        the report of one of them, to be looked at apart: its scripts run
///                                in an origin of its own and cannot ask this server
///
/// Everything else is refused: another Host than 127.0.0.1 or localhost with the port (a foreign
/// name that resolves to this machine), a foreign Origin, a missing or wrong token (403), other
/// methods (405), other paths (404), requests above 8 kB (431, 413), settings that no person has
/// (400, with the message). A client that neither sends nor reads is let go after `idleSeconds`.
struct StudioServerOptions {
  std::uint16_t port = 0;      ///< 0: any free one
  std::string token;           ///< empty: a random one
  std::filesystem::path runs;  ///< whose runs are shown; empty: none
  int mostClients = 16;        ///< at once; further ones wait
  double idleSeconds = 30;
};

/// Gives the bytes of a packed body; called by one client at a time. May throw InputError.
using BodySource = std::function<std::string(const PersonRequest&)>;

class StudioServer {
 public:
  /// Listens on loopback from now on. Throws InputError when the port is taken.
  StudioServer(std::string page, BodySource bodies, const StudioServerOptions& options = {});
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
