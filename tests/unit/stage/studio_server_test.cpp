#include "pneuma/stage/studio_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "pneuma/core/error.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/stage/studio_runs.h"
#include "tests/support/scratch_folder.h"

namespace pneuma::stage {
namespace {

/// A connection to a port of an address of this machine; -1 when nobody listens.
int connectTo(const char* address, std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  ::inet_pton(AF_INET, address, &to.sin_addr);
  const timeval patience{10, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) return socket;
  ::close(socket);
  return -1;
}

class StudioServerTest : public testing::Test {
 protected:
  StudioServerTest()
      : server("<p>the page</p>",
               {.bodies =
                    [](const PersonRequest& p) {
                      if (p.height.value_or(1.7) > 2.6) throw InputError("nobody is so tall");
                      if (p.sex == "male") return std::string(std::size_t{16} << 20, 'x');
                      return fmt::format("body of {} {:.2f}", p.sex, p.height.value_or(0));
                    },
                .orders = [this](const std::string& text) { return order(text); }},
               {.token = "secret", .runs = runs(), .mostClients = 8, .idleSeconds = 1}),
        thread([this] { server.run(); }) {}
  ~StudioServerTest() override {
    server.stop();
    thread.join();
  }

  /// A run that waits until it may end, tells how far it is meanwhile, and ends as it was asked to.
  StudioJob order(const std::string& text) {
    if (text != "good" && text != "bad") throw InputError("nobody can order '" + text + "'");
    return {"live", [this, text](const std::filesystem::path& to, Progress& progress) {
              std::filesystem::create_directories(to);
              io::writeFile(to / "run.toml", "verb = \"live\"\n");
              progress.begin("waiting", 8);
              while (!mayEnd) {
                progress.update(2);
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
              }
              if (text == "bad") throw SimulationError(0.5, "gut", "it burst");
              io::writeFile(to / "report.html", "ordered report");
            }};
  }
  std::string post(const std::string& target, const std::string& text,
                   const std::string& more = "") const {
    return exchange(fmt::format("POST {} HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n{}\r\n{}",
                                target, host(), text.size(), more, text));
  }
  nlohmann::json job() const {
    const std::string answer = get("/job?token=secret", host());
    return nlohmann::json::parse(answer.substr(answer.find("\r\n\r\n")));
  }
  nlohmann::json jobThatIs(const std::string& state) const {
    nlohmann::json now = job();
    for (int tries = 0; now["state"] != state && tries < 1000; now = job(), ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(now["state"], state);
    return now;
  }

  /// Two runs, and what is none: a folder without a report, a report without a run, a link to one.
  std::filesystem::path runs() {
    const std::filesystem::path root = folder.path() / "runs", outside = folder.path() / "outside";
    const auto put = [](const std::filesystem::path& in, const char* file, const char* text) {
      std::filesystem::create_directories(in);
      io::writeFile(in / file, text);
    };
    for (const auto& run : {root / "first", root / "more" / "second"}) {
      put(run, "run.toml", "verb = \"live\"\n");
      put(run, "report.html", run.filename() == "first" ? "first report" : "second report");
    }
    put(root / "unfinished", "run.toml", "verb = \"live\"\n");
    put(root / "foreign", "report.html", "not a run");
    put(outside, "run.toml", "verb = \"live\"\n");
    put(outside, "report.html", "private");
    std::filesystem::create_directory_symlink(outside, root / "link");
    std::filesystem::create_directories(root / "linked_report");
    io::writeFile(root / "linked_report" / "run.toml", "verb = \"live\"\n");
    std::filesystem::create_symlink(outside / "report.html",
                                    root / "linked_report" / "report.html");
    return root;
  }

  /// All that comes back for some bytes.
  std::string exchange(const std::string& bytes) const {
    const int socket = connectTo("127.0.0.1", server.port());
    EXPECT_GE(socket, 0);
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t n = ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) break;
      sent += static_cast<std::size_t>(n);
    }
    std::string answer;
    char buffer[4096];
    for (ssize_t n = 0; (n = ::recv(socket, buffer, sizeof buffer, 0)) > 0;)
      answer.append(buffer, static_cast<std::size_t>(n));
    ::close(socket);
    return answer;
  }
  std::string host() const { return fmt::format("127.0.0.1:{}", server.port()); }
  std::string get(const std::string& target, const std::string& host, const std::string& more = "",
                  const std::string& method = "GET") const {
    return exchange(
        fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\n{}\r\n", method, target, host, more));
  }
  static int statusOf(const std::string& answer) {
    return answer.size() > 12 ? std::stoi(answer.substr(9, 3)) : 0;
  }

  test::ScratchFolder folder;
  std::atomic<bool> mayEnd{false};
  StudioServer server;
  std::thread thread;
};

TEST_F(StudioServerTest, ShowsRunsAndNothingBesides) {
  const std::vector<StudioRun> runs = findRuns(folder.path() / "runs");
  ASSERT_EQ(runs.size(), 2u);
  const std::string list = get("/runs?token=secret", host());
  EXPECT_EQ(statusOf(list), 200);
  for (const StudioRun& run : runs) {
    EXPECT_NE(list.find(run.id), std::string::npos);
    EXPECT_NE(list.find('"' + run.name + '"'), std::string::npos);
    const std::string report = get("/run?token=secret&id=" + run.id, host());
    EXPECT_NE(report.find(run.name == "first" ? "first report" : "second report"),
              std::string::npos);
    EXPECT_NE(report.find("sandbox allow-scripts"), std::string::npos);
  }
  EXPECT_EQ(list.find("private"), std::string::npos);
  for (const char* id : {"", "0", "first", "../outside", "%2e%2e/outside", "/etc/passwd"})
    EXPECT_EQ(statusOf(get(fmt::format("/run?token=secret&id={}", id), host())), 404) << id;
  EXPECT_EQ(statusOf(get("/runs", host())), 403);
  EXPECT_EQ(statusOf(get("/run?id=" + runs[0].id, host())), 403);
  EXPECT_EQ(statusOf(get("/run/../outside/report.html?token=secret", host())), 404);
  EXPECT_TRUE(findRuns(folder.path() / "nowhere").empty());
}

TEST_F(StudioServerTest, MakesRunsOneAtATimeAndShowsThem) {
  EXPECT_EQ(job()["state"], "none");
  EXPECT_EQ(statusOf(post("/start?token=secret", "good")), 202);
  const nlohmann::json running = job();
  EXPECT_EQ(running["state"], "running");
  EXPECT_EQ(statusOf(post("/start?token=secret", "good")), 409);
  mayEnd = true;
  const nlohmann::json done = jobThatIs("done");
  EXPECT_EQ(done["run"], running["run"]);
  EXPECT_EQ(done["title"], "waiting");
  EXPECT_EQ(done["total"], 8);
  const std::string list = get("/runs?token=secret", host());
  EXPECT_NE(list.find(done["run"].get<std::string>()), std::string::npos);
  // The next one has a folder of its own.
  EXPECT_EQ(statusOf(post("/start?token=secret", "good")), 202);
  EXPECT_NE(jobThatIs("done")["run"], running["run"]);
}

TEST_F(StudioServerTest, ACancelledRunLeavesNothingAndAFailedOneSaysWhy) {
  EXPECT_EQ(statusOf(post("/start?token=secret", "good")), 202);
  const std::filesystem::path run = folder.path() / "runs" / job()["run"].get<std::string>();
  while (job()["done"] != 2) std::this_thread::yield();
  EXPECT_TRUE(std::filesystem::exists(run));
  EXPECT_EQ(statusOf(post("/cancel?token=secret", "")), 200);
  jobThatIs("cancelled");
  EXPECT_FALSE(std::filesystem::exists(run));
  EXPECT_EQ(findRuns(folder.path() / "runs").size(), 2u);
  mayEnd = true;
  EXPECT_EQ(statusOf(post("/cancel?token=secret", "")), 200);  // nothing to cancel
  EXPECT_EQ(statusOf(post("/start?token=secret", "bad")), 202);
  const nlohmann::json failed = jobThatIs("failed");
  EXPECT_NE(failed["message"].get<std::string>().find("it burst"), std::string::npos);
  EXPECT_EQ(statusOf(post("/start?token=secret", "good")), 202);
  jobThatIs("done");
}

TEST_F(StudioServerTest, RefusesOrdersThatItCannotTake) {
  const std::string unknown = post("/start?token=secret", "anything");
  EXPECT_EQ(statusOf(unknown), 400);
  EXPECT_NE(unknown.find("nobody can order 'anything'"), std::string::npos);
  EXPECT_EQ(statusOf(post("/start", "good")), 403);
  EXPECT_EQ(statusOf(post("/start?token=secreT", "good")), 403);
  EXPECT_EQ(statusOf(post("/start?token=secret", "good", "Origin: https://evil.example\r\n")), 403);
  EXPECT_EQ(statusOf(post("/cancel", "")), 403);
  EXPECT_EQ(statusOf(get("/job", host())), 403);
  EXPECT_EQ(statusOf(get("/start?token=secret", host())), 405);
  EXPECT_EQ(statusOf(get("/cancel?token=secret", host())), 405);
  EXPECT_EQ(statusOf(post("/job?token=secret", "")), 405);
  EXPECT_EQ(statusOf(post("/start?token=secret", std::string(2000, ' '))), 413);
  EXPECT_EQ(job()["state"], "none");
}

TEST_F(StudioServerTest, AServerThatEndsCancelsItsRun) {
  const std::filesystem::path runs = folder.path() / "others";
  std::filesystem::create_directories(runs);
  StudioJobs jobs(runs);
  {
    StudioJobs ending(runs);
    EXPECT_TRUE(ending.start(order("good")));
    while (ending.json()["done"] != 2) std::this_thread::yield();
  }
  EXPECT_TRUE(std::filesystem::is_empty(runs));
  EXPECT_EQ(jobs.json()["state"], "none");
}

TEST_F(StudioServerTest, EightClientsAtOnceAreServed) {
  std::vector<std::thread> clients;
  std::atomic<int> served{0};
  for (int i = 0; i < 8; ++i)
    clients.emplace_back([&] { served += statusOf(get("/?token=secret", host())) == 200; });
  for (std::thread& c : clients) c.join();
  EXPECT_EQ(served, 8);
}

TEST_F(StudioServerTest, GivesThePageToWhoeverHasTheToken) {
  const std::string answer = get("/?token=secret", host());
  EXPECT_EQ(statusOf(answer), 200);
  EXPECT_NE(answer.find("<p>the page</p>"), std::string::npos);
  EXPECT_NE(answer.find("Content-Security-Policy"), std::string::npos);
  EXPECT_EQ(server.address(), fmt::format("http://{}/?token=secret", host()));
}

TEST_F(StudioServerTest, GivesBodiesAndRefusesPeopleWhoCannotBe) {
  EXPECT_NE(get("/body?token=secret&sex=female&height=1.62", host()).find("body of female 1.62"),
            std::string::npos);
  EXPECT_EQ(statusOf(get("/body?token=secret&height=3.5", host())), 400);
  EXPECT_NE(get("/body?token=secret&hieght=1.7", host()).find("did you mean 'height'"),
            std::string::npos);
}

TEST_F(StudioServerTest, RefusesWhatDoesNotComeFromItsOwnPage) {
  struct Case {
    const char *what, *target;
    std::string host, more;
    int status;
  };
  const std::vector<Case> cases{
      {"no token", "/", host(), "", 403},
      {"wrong token", "/?token=secreT", host(), "", 403},
      {"longer token", "/?token=secret2", host(), "", 403},
      {"foreign name for this machine", "/?token=secret",
       fmt::format("evil.example:{}", server.port()), "", 403},
      {"other port", "/?token=secret", "127.0.0.1:1", "", 403},
      {"foreign origin", "/body?token=secret", host(), "Origin: https://evil.example\r\n", 403},
      {"origin of another scheme", "/body?token=secret", host(),
       fmt::format("Origin: https://{}\r\n", host()), 403},
      {"origin null", "/body?token=secret", host(), "Origin: null\r\n", 403},
      {"own origin", "/body?token=secret", host(), fmt::format("Origin: http://{}\r\n", host()),
       200},
      {"localhost", "/?token=secret", fmt::format("localhost:{}", server.port()), "", 200},
      {"other path", "/etc/passwd?token=secret", host(), "", 404},
      {"path upwards", "/../../etc/passwd?token=secret", host(), "", 404},
  };
  for (const Case& c : cases)
    EXPECT_EQ(statusOf(get(c.target, c.host, c.more)), c.status) << c.what;
  EXPECT_EQ(statusOf(get("/?token=secret", host(), "Content-Length: 0\r\n", "POST")), 405);
}

TEST_F(StudioServerTest, RefusesWhatIsTooLargeOrNoRequest) {
  EXPECT_EQ(statusOf(get("/?token=" + std::string(20000, 'x'), host())), 431);
  EXPECT_EQ(statusOf(get("/?token=secret", host(), "Content-Length: 5000000\r\n", "POST")), 413);
  EXPECT_EQ(statusOf(exchange("\x16\x03\x01 hello\r\n\r\n")), 400);
}

TEST_F(StudioServerTest, ClientsThatDoNothingDoNotStopTheRest) {
  std::vector<int> idle;
  for (int i = 0; i < 7; ++i) idle.push_back(connectTo("127.0.0.1", server.port()));
  EXPECT_EQ(statusOf(get("/?token=secret", host())), 200);
  // As many as there is room for: the next one waits until they are let go.
  idle.push_back(connectTo("127.0.0.1", server.port()));
  EXPECT_EQ(statusOf(get("/?token=secret", host())), 200);
  for (const int socket : idle) ::close(socket);
}

TEST_F(StudioServerTest, AClientThatStopsReadingDoesNotStopTheRest) {
  // More than any socket holds on the way.
  const int socket = connectTo("127.0.0.1", server.port());
  const std::string request =
      fmt::format("GET /body?token=secret&sex=male HTTP/1.1\r\nHost: {}\r\n\r\n", host());
  ASSERT_EQ(::send(socket, request.data(), request.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(request.size()));
  char first[16];
  ASSERT_GT(::recv(socket, first, sizeof first, 0), 0);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(statusOf(get("/?token=secret", host())), 200);
  // It is let go, with a part of what it asked for.
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  std::size_t got = sizeof first;
  std::vector<char> buffer(1 << 20);
  for (ssize_t n = 0; (n = ::recv(socket, buffer.data(), buffer.size(), 0)) > 0;)
    got += static_cast<std::size_t>(n);
  EXPECT_LT(got, std::size_t{16} << 20);
  ::close(socket);
}

TEST_F(StudioServerTest, NothingListensBeyondLoopback) {
  // All of 127.0.0.0/8 is this machine; a server on every address would answer there.
  EXPECT_EQ(connectTo("127.0.0.2", server.port()), -1);
}

TEST_F(StudioServerTest, APortThatIsTakenIsSaid) {
  EXPECT_THROW(StudioServer("", {}, {.port = server.port()}), InputError);
}

TEST(StudioServerToken, DiffersEachTime) {
  StudioServer a("", {}), b("", {});
  EXPECT_EQ(a.token().size(), 32u);
  EXPECT_NE(a.token(), b.token());
}

}  // namespace
}  // namespace pneuma::stage
