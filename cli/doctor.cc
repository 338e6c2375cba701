// coppice doctor: what a bug report should say about program and machine.
#include <fmt/core.h>
#include <hwy/highway.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/context.h"
#include "cli/globals.h"
#include "cli/terminal.h"
#include "cli/verbs.h"

// Only for its version numbers.
#include <toml++/impl/version.h>

namespace coppice::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}", __clang_version__);
#else
  return fmt::format("g++ {}", __VERSION__);
#endif
}

std::string sanitizers() {
#if defined(__SANITIZE_ADDRESS__)
  return "address";
#elif defined(__SANITIZE_THREAD__)
  return "thread";
#else
  return "none";
#endif
}

std::string assertions() {
#ifdef COPPICE_ASSERTIONS
  return "on";
#else
  return "off";
#endif
}

std::string operating_system() {
  utsname name{};
  if (::uname(&name) != 0) return "unknown";
  return fmt::format("{} {} {}", name.sysname, name.release, name.machine);
}

// The best instruction set that the machine has and Highway knows.
std::string simd() {
  const std::int64_t targets = hwy::SupportedTargets();
  return hwy::TargetName(targets & -targets);  // the lowest bit is the best target
}

std::string locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const std::string value = environment(name); !value.empty()) return value;
  return "C";
}

std::string terminal() {
  if (!is_terminal(STDERR_FILENO)) return "stderr is not a terminal";
  return fmt::format("{}, {} columns", environment("TERM"), terminal_columns(STDERR_FILENO));
}

Json libraries() {
  return {{"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100,
                              FMT_VERSION % 100)},
          {"highway", fmt::format("{}.{}.{}", HWY_MAJOR, HWY_MINOR, HWY_PATCH)},
          {"nlohmann-json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR,
                                        NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)},
          {"toml++", fmt::format("{}.{}.{}", TOML_LIB_MAJOR, TOML_LIB_MINOR, TOML_LIB_PATCH)}};
}

Json report(const Context& context) {
  const std::string build = COPPICE_BUILD_TYPE;
  return {{"v", 1},
          {"version", version_text()},
          {"compiler", compiler()},
          {"build", build.empty() || build == "None" ? "custom flags" : build},
          {"assertions", assertions()},
          {"sanitizers", sanitizers()},
          {"system", operating_system()},
          {"cores", std::thread::hardware_concurrency()},
          {"usable_cores", usable_cores()},
          {"threads", context.threads()},
          {"simd", simd()},
          {"locale", locale()},
          {"terminal", terminal()},
          {"libraries", libraries()}};
}

ExitStatus describe_machine(Context& context) {
  const Json document = report(context);
  if (context.json()) {
    context.out() << document.dump(2) << '\n';
    return ExitStatus::kDone;
  }
  for (const auto& [name, value] : document.items()) {
    if (name == "v") continue;
    std::string text;
    if (value.is_object()) {
      for (const auto& [library, version] : value.items())
        text += (text.empty() ? "" : ", ") + library + ' ' + version.get<std::string>();
    } else {
      text = value.is_string() ? value.get<std::string>() : value.dump();
    }
    context.out() << fmt::format("{:<13} {}\n", name, text);
  }
  return ExitStatus::kDone;
}

}  // namespace

Command doctor_verb() {
  return {.name = "doctor",
          .summary = "describe program and machine, for bug reports",
          .group = "this program",
          .help =
              "Prints what a bug report should say: version, compiler, cores, instruction set, "
              "libraries, locale, terminal. No file is read and nothing is sent.",
          .examples = {{"coppice doctor", "for people"}, {"coppice doctor --json", "for programs"}},
          .reports = true,
          .run = describe_machine};
}

}  // namespace coppice::cli
