#include "config/print.h"
#include "consumer/commit.h"
#include "consumer/input/formats/input_format.h"
#include "consumer/version.h"

#include <charconv>
#include <clocale>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/score_file.h"
#include "cli/verdict_file.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

/// A command, and what to do if it is the one that was given.
struct Command {
  const CLI::App* given;
  std::function<int()> run;
};
using Commands = std::vector<Command>;

constexpr const char* kRandomKey =
    "Make fingerprints with a random key (default: fingerprint.key, or a fixed one that everybody "
    "knows)";

constexpr const char* kFormatMeaning =
    "Format of JSON lines (default: kafka.input.format, or canonical where that is none of JSON)";

/// The formats that lines of a file can have.
CLI::IsMember JsonFormatNames() {
  std::vector<std::string> names;
  for (const FormatKind kind : AllFormats()) {
    if (IsJsonFormat(kind)) names.emplace_back(FormatName(kind));
  }
  return CLI::IsMember(names);
}

void AddRun(CLI::App& app, Commands& commands) {
  const auto config = std::make_shared<std::filesystem::path>();
  CLI::App& run = *app.add_subcommand("run", "Run the service: pages in from Kafka, verdicts out");
  run.add_option("--config", *config, "Configuration file (YAML)")->required();
  commands.push_back({&run, [config] { return RunCommand(*config); }});

  CLI::App& probe = *app.add_subcommand("probe-page", "Used by run itself")->group("");
  probe.add_option("--config", *config)->required();
  commands.push_back({&probe, [config] { return ProbePageCommand(*config); }});
}

void AddScan(CLI::App& app, Commands& commands) {
  const auto arguments = std::make_shared<ScanArguments>();
  CLI::App& scan = *app.add_subcommand(
      "scan", "Judge pages from files without a broker; verdicts as JSON lines");
  scan.add_option("PATH", arguments->paths,
                  "WARC files, JSON lines, HTML files or folders of them (.gz and .zst too)")
      ->required();
  scan.add_option("--out", arguments->out, "Write verdicts here (default: standard output)");
  scan.add_option("--config", arguments->config, "Configuration file (default: all defaults)");
  scan.add_option("--state-dir", arguments->state,
                  "Keep the judge's state here and go on from it (default: forget it)");
  scan.add_option("--dead-letters", arguments->dead_letters,
                  "Write records without a URL here, as JSON lines");
  scan.add_option("--format", arguments->format, kFormatMeaning)->check(JsonFormatNames());
  scan.add_option("--scores", arguments->scores,
                  "Write the score of every URL here that was fetched or linked to");
  scan.add_option("--score-format", arguments->score_format, "The frontier that reads the scores")
      ->check(CLI::IsMember(ScoreFileFormats()))
      ->needs("--scores")
      ->capture_default_str();
  scan.add_option("--report", arguments->report,
                  "Write a report into this folder, as index.html: what was kept and dropped, why "
                  "and when, and pairs to label");
  scan.add_option("--examples", arguments->examples, "Near-duplicate pairs to show")
      ->capture_default_str();
  CLI::Option& scan_random = *scan.add_flag("--random-key", arguments->random_key, kRandomKey);
  scan_random.excludes("--state-dir");
  scan.add_flag("--json", arguments->json, "Print the summary as JSON");
  commands.push_back({&scan, [arguments] { return ScanCommand(*arguments); }});
}

void AddVerdicts(CLI::App& app, Commands& commands) {
  const auto arguments = std::make_shared<VerdictsArguments>();
  CLI::App& verdicts = *app.add_subcommand(
      "verdicts", "Write verdicts as other programs take them: of files, or of the topic");
  verdicts.add_option("FILE", arguments->files,
                      "Verdicts of scan, as JSON lines (.gz and .zst too); - reads standard input "
                      "(default: the topic kafka.verdicts.topic of --config)");
  std::string meaning;
  for (const VerdictFormat& format : VerdictFormats()) {
    meaning += fmt::format("{}{}: {}", meaning.empty() ? "" : "; ", format.name, format.summary);
  }
  verdicts.add_option("--format", arguments->format, meaning)
      ->required()
      ->check(CLI::IsMember(VerdictFormatNames()));
  verdicts.add_option("--out", arguments->out, "Write them here (default: standard output)");
  verdicts.add_option("--config", arguments->config, "Configuration file (YAML)");
  verdicts.parse_complete_callback([arguments] {
    if (arguments->files.empty() == arguments->config.empty()) {
      throw CLI::RequiredError("either FILE or --config");
    }
  });
  commands.push_back({&verdicts, [arguments] { return VerdictsCommand(*arguments); }});
}

void AddEntries(CLI::App& app, Commands& commands) {
  const auto arguments = std::make_shared<EntriesArguments>();
  CLI::App& entries = *app.add_subcommand(
      "entries", "The two halves of a scan, for engines that extract on many machines");
  entries.require_subcommand(1);
  CLI::App& extract =
      *entries.add_subcommand("extract", "Make a file of entries of pages, as scan does");
  extract
      .add_option("PATH", arguments->paths, "As for scan; - reads JSON lines from standard input")
      ->required();
  extract.add_option("--out", arguments->out, "The file of entries")->required();
  extract.add_option("--dead-letters", arguments->dead_letters,
                     "Write records without a URL here, as JSON lines");
  extract.add_option("--format", arguments->format, kFormatMeaning)->check(JsonFormatNames());
  extract.add_option("--modified", arguments->modified,
                     "Time of pages that have none, like 2026-03-01T12:00:00Z (default: that of "
                     "their file)");
  extract
      .add_option("--threads", arguments->threads, "That extract (default: the configuration's)")
      ->check(CLI::Range(1, 1'024));
  CLI::App& fold = *entries.add_subcommand(
      "fold", "Judge the pages of files of entries, in the order given, as scan does");
  fold.add_option("FILE", arguments->paths, "That entries extract wrote")->required();
  fold.add_option("--out", arguments->out,
                  "Folder for the verdicts: NAME.jsonl of NAME.entries, a line each")
      ->required();
  fold.add_option("--state-dir", arguments->state,
                  "Keep the judge's state here and go on from it (default: forget it)");
  for (CLI::App* command : {&extract, &fold}) {
    command->add_option("--config", arguments->config,
                        "Configuration file (default: all defaults)");
    command->add_flag("--json", arguments->json, "Print the summary as JSON");
  }
  commands.push_back({&extract, [arguments] { return EntriesExtractCommand(*arguments); }});
  commands.push_back({&fold, [arguments] { return EntriesFoldCommand(*arguments); }});
}

void AddFeed(CLI::App& app, Commands& commands) {
  const auto arguments = std::make_shared<FeedArguments>();
  CLI::App& feed = *app.add_subcommand("feed", "Publish pages from files to the input topic");
  feed.add_option("PATH", arguments->paths, "As for scan")->required();
  feed.add_option("--config", arguments->config, "Configuration file (YAML)")->required();
  feed.add_option("--topic", arguments->topic, "Topic (default: the first input topic)");
  feed.add_option("--partitions", arguments->partitions,
                  "Partitions of the topic, if it doesn't exist yet")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  feed.add_option("--format", arguments->format, kFormatMeaning)->check(JsonFormatNames());
  feed.add_flag("--json", arguments->json, "Print the summary as JSON");
  commands.push_back({&feed, [arguments] { return FeedCommand(*arguments); }});
}

/// A configuration file and whether to print JSON.
struct ConfigArguments {
  std::filesystem::path config;
  bool json = false;
};

void AddCheck(CLI::App& app, Commands& commands) {
  const auto arguments = std::make_shared<CheckArguments>();
  CLI::App& check = *app.add_subcommand(
      "check",
      "Check a configuration and print what is in effect, secrets masked; or try it against its "
      "brokers; or show what records become");
  CLI::Option& config =
      *check.add_option("--config", arguments->config, "Configuration file (YAML)");
  CLI::Option& sample =
      *check.add_option("--sample", arguments->sample,
                        "Show what the first ten records of this file become, or up to ten of the "
                        "newest ones of each "
                        "partition of this topic: URL, status, type, body, what is ignored. Any "
                        "file that scan reads; "
                        "a topic needs --config, and no file of its name. Commits nothing");
  check.add_option("--format", arguments->format, kFormatMeaning)
      ->check(JsonFormatNames())
      ->needs(&sample);
  check.add_flag("--all", arguments->all, "Show all records of the file")->needs(&sample);
  CLI::Option& connect = *check.add_flag(
      "--connect", arguments->connect,
      "Try the configuration against its brokers: addresses, login, topics and their settings, "
      "permissions, groups. Changes nothing there");
  connect.needs(&config)->excludes(&sample);
  check.add_option("--timeout", arguments->timeout_seconds, "Seconds for all of --connect")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str()
      ->needs(&connect);
  check.add_flag("--json", arguments->json,
                 "Print mistakes, findings, or what records become, as JSON");
  commands.push_back({&check, [arguments, &config, &sample] {
                        if (sample.count() > 0) return SampleCommand(*arguments);
                        if (arguments->connect) return ConnectCommand(*arguments);
                        if (config.count() > 0) {
                          return CheckCommand(arguments->config, arguments->json);
                        }
                        std::fputs("check: --config or --sample is required\n", stderr);
                        return static_cast<int>(kExitWrongUsage);
                      }});
}

void AddState(CLI::App& app, Commands& commands) {
  const auto arguments = std::make_shared<StateVerifyArguments>();
  CLI::App& state = *app.add_subcommand("state", "The judge's durable state");
  state.require_subcommand(1);
  CLI::App& verify = *state.add_subcommand(
      "verify", "Fold the admission log again and compare; the judge must not be running");
  verify.add_option("--config", arguments->config, "Configuration file (YAML)")->required();
  verify.add_option("--from", arguments->repository,
                    "Repository of checkpoints: fold from the oldest that the log still reaches "
                    "(default: from the log's first entry)");
  verify.add_flag("--json", arguments->json, "Print the outcome as JSON");
  commands.push_back({&verify, [arguments] { return StateVerifyCommand(*arguments); }});
}

void AddLog(CLI::App& app, Commands& commands) {
  const auto arguments = std::make_shared<LogTrimArguments>();
  CLI::App& log = *app.add_subcommand("log", "The admission log");
  log.require_subcommand(1);
  CLI::App& trim = *log.add_subcommand(
      "trim",
      "Delete entries below the older of two checkpoints, which are read and checked first");
  trim.add_option("--config", arguments->config, "Configuration file (YAML)")->required();
  trim.add_option("--from", arguments->repository,
                  "Repository of checkpoints (default: service.checkpoints.directory)");
  trim.add_flag("--dry-run", arguments->dry_run, "Say what would be deleted, and delete nothing");
  trim.add_flag("--json", arguments->json, "Print the outcome as JSON");
  commands.push_back({&trim, [arguments] { return LogTrimCommand(*arguments); }});
}

void AddPurge(CLI::App& app, Commands& commands) {
  const auto arguments = std::make_shared<PurgeArguments>();
  CLI::App& purge = *app.add_subcommand(
      "purge", "Have the judges forget pages: of a URL, a prefix, a host or a crawl");
  purge.add_option("WHAT", arguments->kind, "url, prefix (of URLs), host or crawl")
      ->required()
      ->check(CLI::IsMember({"url", "prefix", "host", "crawl"}));
  purge
      .add_option(
          "NAME", arguments->name,
          "Which one. A prefix goes on to the first / behind its host at least; a host goes "
          "with all its ports, and without those below it; a crawl is its crawl_id")
      ->required();
  purge.add_flag("--several-hosts", arguments->several_hosts,
                 "A prefix may be shorter, like https://www. or, for everything, http");
  purge.add_option("--config", arguments->config, "Configuration file (YAML)");
  purge.add_option("--id", arguments->id,
                   "Name of this purge: sent twice, it is done once (default: a random one)");
  CLI::Option& state = *purge.add_option(
      "--state", arguments->state, "State directory of a judge that isn't running, for --dry-run");
  CLI::Option& dry_run = *purge.add_flag("--dry-run", arguments->dry_run,
                                         "Say what of --state would go, and send nothing");
  state.needs(&dry_run);
  dry_run.needs(&state);
  purge.add_flag("--json", arguments->json, "Print the outcome as JSON");
  purge.parse_complete_callback([arguments] {
    if (!arguments->dry_run && arguments->config.empty()) {
      throw CLI::RequiredError("--config, or --dry-run with --state");
    }
  });
  commands.push_back({&purge, [arguments] { return PurgeCommand(*arguments); }});
}

void AddMigrate(CLI::App& app, Commands& commands) {
  const auto arguments = std::make_shared<MigrateArguments>();
  CLI::App& migrate = *app.add_subcommand(
      "migrate", "Try another fingerprint scheme in a shadow beside the deployment that runs");
  migrate.require_subcommand(1);
  CLI::App& plan = *migrate.add_subcommand(
      "plan", "Print the configuration of a shadow, and what to do in which order");
  plan.add_option("--to", arguments->suffix, "Ends the names of the shadow's topics: next")
      ->required();
  plan.add_option("--out", arguments->out, "Write it here (default: standard output)");
  CLI::App& check =
      *migrate.add_subcommand("check", "Say whether two configurations can run beside each other");
  CLI::App& report = *migrate.add_subcommand(
      "report",
      "Compare the verdicts of both: what is the same, what differs, how far the shadow is");
  report.add_option("--examples", arguments->examples, "Of each kind of difference")
      ->check(CLI::Range(0, 1'000))
      ->capture_default_str();
  CLI::App& change = *migrate.add_subcommand(
      "switch",
      "Close the old log for good, and copy to the old topics what only the shadow judged");
  change.add_option("--wait", arguments->wait, "Seconds that judges have to stop")
      ->check(CLI::Range(0, 86'400))
      ->capture_default_str();
  for (CLI::App* command : {&report, &change}) {
    command->add_flag("--json", arguments->json, "Print the result as JSON");
  }
  for (CLI::App* command : {&plan, &check, &report, &change}) {
    command->add_option("OLD", arguments->before, "Configuration of the deployment that runs")
        ->required();
    if (command == &plan) continue;
    command->add_option("NEW", arguments->after, "Configuration of the shadow")->required();
  }
  commands.push_back({&plan, [arguments] { return MigratePlanCommand(*arguments); }});
  commands.push_back({&check, [arguments] { return MigrateCheckCommand(*arguments); }});
  commands.push_back({&report, [arguments] { return MigrateReportCommand(*arguments); }});
  commands.push_back({&change, [arguments] { return MigrateSwitchCommand(*arguments); }});
}

/// --state or --config.
void AddStateOptions(CLI::App& command, CheckpointArguments& arguments, const char* meaning) {
  CLI::Option& state = *command.add_option("--state", arguments.state, meaning);
  command
      .add_option("--config", arguments.config,
                  "Configuration file, for its service.state_directory")
      ->excludes(&state);
  command.parse_complete_callback([&arguments] {
    if (arguments.state.empty() && arguments.config.empty()) {
      throw CLI::RequiredError("--state or --config");
    }
  });
}

void AddCheckpoint(CLI::App& app, Commands& commands) {
  const auto arguments = std::make_shared<CheckpointArguments>();
  CLI::App& checkpoint = *app.add_subcommand(
      "checkpoint", "Copies of a judge's state, from which a judge starts without the whole log");
  checkpoint.require_subcommand(1);
  CLI::App& create =
      *checkpoint.add_subcommand("create", "Make one; the judge must not be running");
  AddStateOptions(create, *arguments, "State directory");
  create.add_option("--to", arguments->repository, "Repository: a directory; empty at first")
      ->required();
  create
      .add_option("--keep", arguments->keep,
                  "Remove older ones but the newest so many (default: keep all)")
      ->check(CLI::PositiveNumber);
  CLI::Option& upload = *create.add_option(
      "--upload", arguments->upload,
      "Program to run for each new file and then for the manifest, with the file's path and its "
      "key in the store as arguments");
  create.add_option("--upload-timeout", arguments->upload_seconds, "Seconds for each file")
      ->check(CLI::Range(1, 1'000'000))
      ->needs(&upload)
      ->capture_default_str();
  create.add_flag("--json", arguments->json, "Print the checkpoint as JSON");

  CLI::App& list = *checkpoint.add_subcommand("list", "Print what there is, the newest last");
  list.add_option("--from", arguments->repository, "Repository")->required();
  list.add_flag("--json", arguments->json, "Print JSON lines");

  constexpr const char* kName = "Its name, as list prints it (default: the newest)";
  CLI::App& verify = *checkpoint.add_subcommand("verify", "Read one and check every byte");
  verify.add_option("--from", arguments->repository, "Repository")->required();
  CLI::Option& name = *verify.add_option("--checkpoint", arguments->name, kName);
  verify.add_flag("--all", arguments->all, "All of them")->excludes(&name);

  CLI::App& restore =
      *checkpoint.add_subcommand("restore", "Make a state directory of one, checked");
  restore.add_option("--from", arguments->repository, "Repository")->required();
  restore.add_option("--checkpoint", arguments->name, kName);
  AddStateOptions(restore, *arguments, "State directory, absent or empty");
  commands.push_back({&create, [arguments] { return CheckpointCreateCommand(*arguments); }});
  commands.push_back({&list, [arguments] { return CheckpointListCommand(*arguments); }});
  commands.push_back({&verify, [arguments] { return CheckpointVerifyCommand(*arguments); }});
  commands.push_back({&restore, [arguments] { return CheckpointRestoreCommand(*arguments); }});
}

void AddSlots(CLI::App& app, Commands& commands) {
  const auto arguments = std::make_shared<SlotsArguments>();
  CLI::App& slots = *app.add_subcommand(
      "slots", "Files of the slots of an index that other processes than the judge hold");
  slots.require_subcommand(1);
  CLI::App& write = *slots.add_subcommand(
      "write", "Write those of all slots, of a judge's state; the judge must not be running");
  write.add_option("--config", arguments->config, "Configuration file, with index.slots")
      ->required();
  write.add_option("--state", arguments->state, "State directory (default: the configuration's)");
  write.add_option("--to", arguments->to,
                   "Folder (default: where role index of the configuration looks for them)");

  CLI::App& split = *slots.add_subcommand(
      "split", "Write those of more slots, of the files of all slots; no process may have them");
  split.add_option("--from", arguments->from, "Folder of all slots' files")->required();
  split.add_option("--to", arguments->to, "Folder for the new ones")->required();
  split.add_option("--times", arguments->times, "So many slots for each")
      ->check(CLI::Range(2, 4'096))
      ->capture_default_str();

  CLI::App& check = *slots.add_subcommand("check", "Read them and check every byte");
  check.add_option("FOLDER", arguments->from, "Folder of slots' files")->required();
  for (CLI::App* const command : {&write, &split, &check}) {
    command->add_flag("--json", arguments->json, "Print what there is as JSON lines");
  }
  commands.push_back({&write, [arguments] { return SlotsWriteCommand(*arguments); }});
  commands.push_back({&split, [arguments] { return SlotsSplitCommand(*arguments); }});
  commands.push_back({&check, [arguments] { return SlotsCheckCommand(*arguments); }});
}

void AddTop(CLI::App& app, Commands& commands) {
  const auto arguments = std::make_shared<TopArguments>();
  CLI::App& top = *app.add_subcommand(
      "top", "Show running processes: on a terminal until q is pressed, elsewhere once as text");
  CLI::Option& addresses =
      *top.add_option("URL", arguments->addresses,
                      "Addresses of processes, http://host:port or https://host:port (default: "
                      "http.address and http.port of the configuration)");
  CLI::Option& config =
      *top.add_option("--config", arguments->config, "Configuration file (default: all defaults)");
  top.add_flag("--topic", arguments->from_topic,
               "Read the metrics topic instead: all processes of the deployment")
      ->needs(&config)
      ->excludes(&addresses);
  top.add_option("--token-file", arguments->token_file,
                 "File with the token that the processes want (default: http.token_file, for the "
                 "configured address)")
      ->check(CLI::ExistingFile);
  top.add_option("--ca", arguments->ca_file,
                 "PEM file with who signs the processes' certificates (default: the system's)")
      ->check(CLI::ExistingFile);
  top.add_option("--interval", arguments->seconds, "Seconds between looks")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  top.add_option("--count", arguments->count,
                 "Look so many times, and write text on a terminal too")
      ->check(CLI::Range(1, 1'000'000));
  commands.push_back({&top, [arguments] { return TopCommand(*arguments); }});
}

void AddExtract(CLI::App& app, Commands& commands) {
  const auto arguments = std::make_shared<ExtractArguments>();
  CLI::App& extract =
      *app.add_subcommand("extract", "Show what the extractor makes of one page, as JSON");
  extract.add_option("FILE", arguments->file, "The page; - reads standard input")->required();
  extract.add_option("--config", arguments->config, "Configuration file (default: all defaults)");
  extract.add_option("--content-type", arguments->content_type, "As the server sent it");
  extract.add_option("--url", arguments->url, "The page's URL")->capture_default_str();
  extract.add_flag("--random-key", arguments->random_key, kRandomKey);
  commands.push_back({&extract, [arguments] { return ExtractCommand(*arguments); }});
}

constexpr const char* kStateMeaning =
    "State directory, of a judge that isn't running; nothing in it is changed";

/// One of the two is needed.
void AddStateOrService(CLI::App& command, std::filesystem::path& state, ServiceAddress& service) {
  CLI::Option& directory = *command.add_option("--state", state, kStateMeaning);
  CLI::Option& url = *command.add_option("--url", service.url,
                                         "A running judge in its place, by its HTTP address, like "
                                         "http://127.0.0.1:8080");
  command.add_option("--token-file", service.token_file, "File with the token that it wants")
      ->needs(&url);
  command
      .add_option("--ca", service.ca_file,
                  "PEM file with who signs its certificate (default: the system's)")
      ->needs(&url);
  url.excludes(&directory);
  command.parse_complete_callback([&directory, &url] {
    if (directory.count() + url.count() == 0) throw CLI::RequiredError("--state or --url");
  });
}

void AddSite(CLI::App& app, Commands& commands) {
  const auto arguments = std::make_shared<SiteArguments>();
  CLI::App& site = *app.add_subcommand(
      "site", "Show what was learned of a site: its URLs' patterns, rules and counts");
  site.add_option("HOST", arguments->host, "Host, with its port if it has one; or a URL")
      ->required();
  AddStateOrService(site, arguments->state, arguments->service);
  site.add_flag("--json", arguments->json, "Print the record as JSON");
  commands.push_back({&site, [arguments] { return SiteCommand(*arguments); }});
}

void AddDue(CLI::App& app, Commands& commands) {
  const auto arguments = std::make_shared<DueArguments>();
  CLI::App& due = *app.add_subcommand(
      "due", "List the URLs of a state that are due to be fetched again, with their scores");
  AddStateOrService(due, arguments->state, arguments->service);
  due.add_option("--before", arguments->before,
                 "Those due at this time, like 2026-03-01T12:00:00Z, or at the time now")
      ->required();
  due.add_option("--limit", arguments->limit,
                 "The so many most urgent ones, the highest score first (default: all, in the "
                 "order of the URLs)")
      ->check(CLI::PositiveNumber);
  due.add_option("--host", arguments->host, "Only URLs of this host");
  due.add_option("--format", arguments->format, "The frontier that reads the scores")
      ->check(CLI::IsMember(ScoreFileFormats()))
      ->capture_default_str();
  due.add_option("--out", arguments->out, "Write them here (default: standard output)");
  commands.push_back({&due, [arguments] { return DueCommand(*arguments); }});
}

void AddExplain(CLI::App& app, Commands& commands) {
  const auto arguments = std::make_shared<ExplainArguments>();
  CLI::App& explain = *app.add_subcommand(
      "explain", "Say why a URL has its score and its last verdict, with the evidence");
  explain.add_option("URL", arguments->url, "In any spelling")->required();
  AddStateOrService(explain, arguments->state, arguments->service);
  explain.add_option(
      "--config", arguments->config,
      "Configuration file, for how URLs are spelt (default: all defaults). A running "
      "judge knows its own");
  CLI::Option& crawl = *explain.add_option(
      "--crawl", arguments->crawl, "Crawl, where each has URLs of its own (judge.scope: crawl)");
  explain.add_option("--at", arguments->at, "The score at this time, like 2026-03-01T12:00:00Z")
      ->capture_default_str();
  explain.add_flag("--json", arguments->json, "Print the explanation as JSON");
  commands.push_back({&explain, [arguments, &crawl] {
                        arguments->has_crawl = crawl.count() > 0;
                        return ExplainCommand(*arguments);
                      }});
}

void AddKey(CLI::App& app, Commands& commands) {
  const auto arguments = std::make_shared<KeyArguments>();
  CLI::App& key = *app.add_subcommand("key", "The key of the fingerprints, in its topic");
  key.require_subcommand(1);
  CLI::App& key_export = *key.add_subcommand("export", "Write the key, to be kept in a safe place");
  key_export.add_option("--config", arguments->config, "Configuration file (YAML)")->required();
  key_export.add_option("--out", arguments->file,
                        "File, readable by its owner alone (default: standard output)");
  CLI::App& key_import = *key.add_subcommand("import", "Put a key into the topic, which has none");
  key_import.add_option("--config", arguments->config, "Configuration file (YAML)")->required();
  key_import.add_option("--in", arguments->file, "File (default: standard input)");
  commands.push_back({&key_export, [arguments] { return KeyExportCommand(*arguments); }});
  commands.push_back({&key_import, [arguments] { return KeyImportCommand(*arguments); }});
}

void AddTerms(CLI::App& app, Commands& commands) {
  const auto arguments = std::make_shared<TermsArguments>();
  CLI::App& terms = *app.add_subcommand(
      "terms", "Count in how many pages terms are, for extract.features.terms.weights");
  terms.add_option("PATH", arguments->paths, "As for scan")->required();
  terms.add_option("--config", arguments->config, "Configuration file (default: all defaults)");
  terms.add_option("--out", arguments->out, "The table")->required();
  terms
      .add_option("--min-documents", arguments->min_documents,
                  "Leave out terms that fewer pages have")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  commands.push_back({&terms, [arguments] { return TermsCommand(*arguments); }});
}

void AddEval(CLI::App& app, Commands& commands) {
  const auto arguments = std::make_shared<EvalArguments>();
  CLI::App& eval = *app.add_subcommand(
      "eval", "Measure verdicts on labelled pairs, or what settings would drop of your own pages");
  eval.add_option("--pages", arguments->pages, "Files with pages, as for scan")->required();
  CLI::Option& pairs =
      *eval.add_option("--pairs", arguments->pairs,
                       "Files with lines of page, page, label (near, different) and kind, tabs "
                       "between (default: drop rates and samples, without labels)");
  eval.add_option("--config", arguments->config, "Configuration file (default: all defaults)");
  eval.add_option("--report", arguments->report,
                  "Write a report with charts and texts into this folder, as index.html");
  eval.add_option("--format", arguments->format, kFormatMeaning)->check(JsonFormatNames());
  eval.add_option("--scheme", arguments->scheme,
                  "Measure a scheme of the literature on the same pairs instead, or all of them")
      ->needs(&pairs);
  eval.add_option("--samples", arguments->samples,
                  "Pairs to show for each distance, without labels")
      ->capture_default_str();
  eval.add_flag("--random-key", arguments->random_key, kRandomKey);
  eval.add_flag("--json", arguments->json, "Print one JSON object");
  commands.push_back({&eval, [arguments] { return EvalCommand(*arguments); }});
}

constexpr const char* kFingerprintLines =
    "Lines of 16 hexadecimal digits and, optionally, a document number";

/// Throws CLI::ValidationError if it isn't "I/N" with 1 <= I <= N.
ChunkArgument ParseChunk(const std::string& text) {
  ChunkArgument chunk{.number = 0, .count = 0};
  const char* const end = text.data() + text.size();
  const auto [slash, number_error] = std::from_chars(text.data(), end, chunk.number);
  if (number_error == std::errc() && slash != end && *slash == '/') {
    const auto [rest, count_error] = std::from_chars(slash + 1, end, chunk.count);
    if (count_error != std::errc() || rest != end) chunk.count = 0;
  }
  if (chunk.number < 1 || chunk.number > chunk.count) {
    throw CLI::ValidationError("--chunk", "\"" + text + "\" is not I/N with I from 1 to N");
  }
  return chunk;
}

CLI::App& AddIndexCommand(CLI::App& index, IndexArguments& arguments, const char* name,
                          const char* description) {
  CLI::App& command = *index.add_subcommand(name, description);
  command.add_flag("--json", arguments.json, "Print the summary as JSON");
  return command;
}

void AddChunkOption(CLI::App& command, const std::shared_ptr<IndexArguments>& arguments,
                    const char* chunk) {
  command
      .add_option_function<std::string>(
          "--chunk", [arguments](const std::string& text) { arguments->chunk = ParseChunk(text); },
          chunk)
      ->type_name("I/N");
}

/// --threads and --chunk of commands that read a snapshot in one pass.
void AddPassOptions(CLI::App& command, const std::shared_ptr<IndexArguments>& arguments,
                    const char* chunk) {
  command.add_option("--threads", arguments->threads, "That compare")
      ->check(CLI::Range(1, 1'024))
      ->capture_default_str();
  AddChunkOption(command, arguments, chunk);
}

/// Parts of a query or of pairs, for engines that divide a set among machines.
void AddIndexForEngines(CLI::App& index, const std::shared_ptr<IndexArguments>& arguments,
                        Commands& commands) {
  CLI::App& split = AddIndexCommand(
      index, *arguments, "split",
      "Write a snapshot as chunks, each a snapshot of its own, and set.json, which names them");
  split.add_option("STORE", arguments->store, "The snapshot")->required();
  split.add_option("--chunks", arguments->chunks, "At most so many, of about one size")
      ->required()
      ->check(CLI::Range(1, 100'000));
  split.add_option("--out", arguments->out, "A folder without chunks")->required();

  CLI::App& scatter = AddIndexCommand(
      index, *arguments, "scatter",
      "Write the fingerprints of a snapshot by partition of permuted tables, for gather");
  scatter.add_option("STORE", arguments->store, "The snapshot")->required();
  CLI::App& gather =
      AddIndexCommand(index, *arguments, "gather",
                      "Find the near pairs within one partition, read from standard input");
  gather.add_option("--partition", arguments->partition, "Its number")->required();
  gather.add_option("--out", arguments->out, "JSON lines (default: standard output)");
  for (CLI::App* command : {&scatter, &gather}) {
    command->add_option("--max-distance", arguments->max_distance, "Bits")
        ->check(CLI::Range(0, 7))
        ->capture_default_str();
    command->add_option("--ranges", arguments->ranges, "Partitions of each table")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
  }
  AddChunkOption(scatter, arguments, "Chunk I of N of the snapshot only");
  commands.push_back({&split, [arguments] { return IndexSplitCommand(*arguments); }});
  commands.push_back({&scatter, [arguments] { return IndexScatterCommand(*arguments); }});
  commands.push_back({&gather, [arguments] { return IndexGatherCommand(*arguments); }});
}

void AddIndex(CLI::App& app, Commands& commands) {
  const auto arguments = std::make_shared<IndexArguments>();
  CLI::App& index = *app.add_subcommand("index", "Snapshots of the index: make, check, search");
  index.require_subcommand(1);
  const CLI::IsMember kinds({"archive", "searchable", "restart"});
  CLI::App& index_build =
      AddIndexCommand(index, *arguments, "build", "Make a snapshot of a list of fingerprints");
  index_build.add_option("FILE", arguments->input, kFingerprintLines)->required();
  index_build.add_option("--out", arguments->out, "The snapshot")->required();
  index_build.add_option("--kind", arguments->kind, "Of snapshot (default: restart)")->check(kinds);
  index_build.add_option("--scheme", arguments->scheme, "Scheme id of the fingerprints");
  index_build.add_option("--log-offset", arguments->log_offset,
                         "Last entry of the admission log that is covered");
  CLI::App& index_export = AddIndexCommand(
      index, *arguments, "export", "Write a snapshot as lines of text, or as one of another kind");
  index_export.add_option("STORE", arguments->store, "The snapshot")->required();
  CLI::Option& export_out =
      *index_export.add_option("--out", arguments->out, "File (default: standard output)");
  index_export.add_option("--kind", arguments->kind, "Of snapshot (default: lines of text)")
      ->check(kinds)
      ->needs(&export_out);
  CLI::App& index_verify =
      AddIndexCommand(index, *arguments, "verify", "Read a snapshot and check all of it");
  index_verify.add_option("STORE", arguments->store, "The snapshot")->required();
  CLI::App& index_stats =
      AddIndexCommand(index, *arguments, "stats",
                      "Size of a snapshot and how its fingerprints are spread, with bar charts");
  index_stats.add_option("STORE", arguments->store, "The snapshot")->required();
  index_stats.add_option("--svg", arguments->svg, "Folder for the charts as SVG files")
      ->check(CLI::ExistingDirectory);
  CLI::App& index_query = AddIndexCommand(
      index, *arguments, "query",
      "Find what is near a list of fingerprints, in one pass over the snapshot; of a few, in a "
      "searchable snapshot, by a search for each");
  index_query.add_option("--store", arguments->store, "The snapshot")->required();
  index_query.add_option("--queries", arguments->input, kFingerprintLines)->required();
  index_query.add_option("--max-distance", arguments->max_distance, "Bits")
      ->check(CLI::Range(0, 7))
      ->capture_default_str();
  AddPassOptions(index_query, arguments,
                 "Look at chunk I of N of the snapshot only: 1/8 is the first of eight");
  index_query.add_option("--out", arguments->out, "JSON lines (default: standard output)");
  CLI::App& index_pairs = AddIndexCommand(
      index, *arguments, "pairs",
      "Find all near pairs within a snapshot; documents with equal fingerprints are a chain");
  index_pairs.add_option("STORE", arguments->store, "The snapshot")->required();
  index_pairs.add_option("--max-distance", arguments->max_distance, "Bits")
      ->check(CLI::Range(0, 7))
      ->capture_default_str();
  AddPassOptions(index_pairs, arguments,
                 "Pairs of the entries in chunk I of N with all: 1/8 is the first of eight");
  index_pairs.add_option("--out", arguments->out, "JSON lines (default: standard output)");
  CLI::App& index_clusters =
      AddIndexCommand(index, *arguments, "clusters",
                      "Put documents that pairs connect into clusters, of which the smallest "
                      "document, or fingerprint where there are none, is the root");
  index_clusters
      .add_option("PAIRS", arguments->pairs, "Files that index pairs wrote, of all chunks")
      ->required();
  index_clusters.add_option("--out", arguments->out, "JSON lines (default: standard output)");
  AddIndexForEngines(index, arguments, commands);
  commands.push_back({&index_pairs, [arguments] { return IndexPairsCommand(*arguments); }});
  commands.push_back({&index_clusters, [arguments] { return IndexClustersCommand(*arguments); }});
  commands.push_back({&index_build, [arguments] { return IndexBuildCommand(*arguments); }});
  commands.push_back({&index_export, [arguments] { return IndexExportCommand(*arguments); }});
  commands.push_back({&index_verify, [arguments] { return IndexVerifyCommand(*arguments); }});
  commands.push_back({&index_stats, [arguments] { return IndexStatsCommand(*arguments); }});
  commands.push_back({&index_query, [arguments] { return IndexQueryCommand(*arguments); }});
}

int Main(int argc, char** argv) {
  CLI::App app(
      "Duplicate filter for web crawls: reads fetched pages, publishes keep/drop verdicts.",
      "crawlsieve");
  app.set_version_flag("--version", fmt::format("{} (commit {})", kVersion, Commit()));
  app.require_subcommand(0, 1);
  app.footer(
      "Exit codes: 0 done, 1 wrong input or configuration (scan: also no page in it), 2 wrong "
      "usage, "
      "3 failed while running, 4 done but for parts of damaged files that could not be read.");

  bool print_config_doc = false;
  bool print_reference_config = false;
  app.add_flag("--print-config-doc", print_config_doc, "Print docs/configuration.md and exit");
  app.add_flag("--print-reference-config", print_reference_config,
               "Print config/crawlsieve.yaml and exit");

  Commands commands;
  AddRun(app, commands);
  AddScan(app, commands);
  AddVerdicts(app, commands);
  AddEntries(app, commands);
  AddFeed(app, commands);
  AddCheck(app, commands);
  AddState(app, commands);
  AddLog(app, commands);
  AddPurge(app, commands);
  AddMigrate(app, commands);
  AddDue(app, commands);
  AddExplain(app, commands);
  AddSite(app, commands);
  AddCheckpoint(app, commands);
  AddSlots(app, commands);
  AddTop(app, commands);
  AddExtract(app, commands);
  AddKey(app, commands);
  AddTerms(app, commands);
  AddEval(app, commands);
  AddIndex(app, commands);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitDone : kExitWrongUsage;
  }
  if (print_config_doc) {
    std::fputs(config::ConfigDocument().c_str(), stdout);
    return kExitDone;
  }
  if (print_reference_config) {
    std::fputs(config::ReferenceConfig().c_str(), stdout);
    return kExitDone;
  }
  for (const Command& command : commands) {
    if (command.given->parsed()) return command.run();
  }
  std::fputs(app.help().c_str(), stdout);
  return kExitWrongUsage;
}

}  // namespace
}  // namespace crawlsieve::consumer

// An exception is a defect: it ends the process where it is thrown, and a core dump shows where.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv) { return crawlsieve::consumer::Main(argc, argv); }
