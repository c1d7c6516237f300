#include "config/print.h"
#include "consumer/cli/commands.h"
#include "consumer/commit.h"
#include "consumer/version.h"

#include <clocale>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

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

  std::filesystem::path config;
  CLI::App& run = *app.add_subcommand("run", "Run the service: pages in from Kafka, verdicts out");
  run.add_option("--config", config, "Configuration file (YAML)")->required();

  CLI::App& probe = *app.add_subcommand("probe-page", "Used by run itself")->group("");
  probe.add_option("--config", config)->required();

  constexpr const char* kRandomKey =
      "Make fingerprints with a random key (default: fingerprint.key, or a fixed one that "
      "everybody knows)";
  ScanArguments scan_arguments;
  CLI::App& scan = *app.add_subcommand(
      "scan", "Judge pages from files without a broker; verdicts as JSON lines");
  scan.add_option("PATH", scan_arguments.paths,
                  "WARC files, JSON lines, HTML files or folders of them (.gz and .zst too)")
      ->required();
  scan.add_option("--out", scan_arguments.out, "Write verdicts here (default: standard output)");
  scan.add_option("--config", scan_arguments.config, "Configuration file (default: all defaults)");
  scan.add_option("--state-dir", scan_arguments.state,
                  "Keep the judge's state here and go on from it (default: forget it)");
  scan.add_option("--dead-letters", scan_arguments.dead_letters,
                  "Write records without a URL here, as JSON lines");
  scan.add_option("--examples", scan_arguments.examples, "Near-duplicate pairs to show")
      ->capture_default_str();
  CLI::Option& scan_random = *scan.add_flag("--random-key", scan_arguments.random_key, kRandomKey);
  scan_random.excludes("--state-dir");
  scan.add_flag("--json", scan_arguments.json, "Print the summary as JSON");

  FeedArguments feed_arguments;
  CLI::App& feed = *app.add_subcommand("feed", "Publish pages from files to the input topic");
  feed.add_option("PATH", feed_arguments.paths, "As for scan")->required();
  feed.add_option("--config", feed_arguments.config, "Configuration file (YAML)")->required();
  feed.add_option("--topic", feed_arguments.topic, "Topic (default: the first input topic)");
  feed.add_option("--partitions", feed_arguments.partitions,
                  "Partitions of the topic, if it doesn't exist yet")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  feed.add_flag("--json", feed_arguments.json, "Print the summary as JSON");

  bool check_json = false;
  CLI::App& check = *app.add_subcommand(
      "check", "Check a configuration and print what is in effect, secrets masked");
  check.add_option("--config", config, "Configuration file (YAML)")->required();
  check.add_flag("--json", check_json, "Print mistakes as JSON");

  bool state_json = false;
  CLI::App& state = *app.add_subcommand("state", "The judge's durable state");
  state.require_subcommand(1);
  CLI::App& state_verify = *state.add_subcommand(
      "verify", "Fold the admission log again and compare; the judge must not be running");
  state_verify.add_option("--config", config, "Configuration file (YAML)")->required();
  state_verify.add_flag("--json", state_json, "Print the outcome as JSON");

  ExtractArguments extract_arguments;
  CLI::App& extract =
      *app.add_subcommand("extract", "Show what the extractor makes of one page, as JSON");
  extract.add_option("FILE", extract_arguments.file, "The page; - reads standard input")
      ->required();
  extract.add_option("--config", extract_arguments.config,
                     "Configuration file (default: all defaults)");
  extract.add_option("--content-type", extract_arguments.content_type, "As the server sent it");
  extract.add_option("--url", extract_arguments.url, "The page's URL")->capture_default_str();
  extract.add_flag("--random-key", extract_arguments.random_key, kRandomKey);

  KeyArguments key_arguments;
  CLI::App& key = *app.add_subcommand("key", "The key of the fingerprints, in its topic");
  key.require_subcommand(1);
  CLI::App& key_export = *key.add_subcommand("export", "Write the key, to be kept in a safe place");
  key_export.add_option("--config", key_arguments.config, "Configuration file (YAML)")->required();
  key_export.add_option("--out", key_arguments.file,
                        "File, readable by its owner alone (default: standard output)");
  CLI::App& key_import = *key.add_subcommand("import", "Put a key into the topic, which has none");
  key_import.add_option("--config", key_arguments.config, "Configuration file (YAML)")->required();
  key_import.add_option("--in", key_arguments.file, "File (default: standard input)");

  TermsArguments terms_arguments;
  CLI::App& terms = *app.add_subcommand(
      "terms", "Count in how many pages terms are, for extract.features.terms.weights");
  terms.add_option("PATH", terms_arguments.paths, "As for scan")->required();
  terms.add_option("--config", terms_arguments.config,
                   "Configuration file (default: all defaults)");
  terms.add_option("--out", terms_arguments.out, "The table")->required();
  terms
      .add_option("--min-documents", terms_arguments.min_documents,
                  "Leave out terms that fewer pages have")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();

  EvalArguments eval_arguments;
  CLI::App& eval = *app.add_subcommand(
      "eval", "Measure verdicts on labelled pairs, or what settings would drop of your own pages");
  eval.add_option("--pages", eval_arguments.pages, "Files with pages, as for scan")->required();
  CLI::Option& pairs =
      *eval.add_option("--pairs", eval_arguments.pairs,
                       "Files with lines of page, page, label (near, different) and kind, tabs "
                       "between (default: drop rates and samples, without labels)");
  eval.add_option("--config", eval_arguments.config, "Configuration file (default: all defaults)");
  eval.add_option("--report", eval_arguments.report,
                  "Write a report with plots and texts into this folder, as index.html");
  eval.add_option("--scheme", eval_arguments.scheme,
                  "Measure a scheme of the literature on the same pairs instead, or all of them")
      ->needs(&pairs);
  eval.add_option("--samples", eval_arguments.samples,
                  "Pairs to show for each distance, without labels")
      ->capture_default_str();
  eval.add_flag("--random-key", eval_arguments.random_key, kRandomKey);
  eval.add_flag("--json", eval_arguments.json, "Print one JSON object");
  IndexArguments index_arguments;
  CLI::App& index = *app.add_subcommand("index", "Snapshots of the index: make, check, search");
  index.require_subcommand(1);
  const auto add_index_command = [&](const char* name, const char* description) {
    CLI::App& command = *index.add_subcommand(name, description);
    command.add_flag("--json", index_arguments.json, "Print the summary as JSON");
    return &command;
  };
  const CLI::IsMember kinds({"archive", "searchable", "restart"});
  constexpr const char* kLines =
      "Lines of 16 hexadecimal digits and, optionally, a document number";
  CLI::App& index_build = *add_index_command("build", "Make a snapshot of a list of fingerprints");
  index_build.add_option("FILE", index_arguments.input, kLines)->required();
  index_build.add_option("--out", index_arguments.out, "The snapshot")->required();
  index_build.add_option("--kind", index_arguments.kind, "Of snapshot (default: restart)")
      ->check(kinds);
  index_build.add_option("--scheme", index_arguments.scheme, "Scheme id of the fingerprints");
  index_build.add_option("--log-offset", index_arguments.log_offset,
                         "Last entry of the admission log that is covered");
  CLI::App& index_export =
      *add_index_command("export", "Write a snapshot as lines of text, or as one of another kind");
  index_export.add_option("STORE", index_arguments.store, "The snapshot")->required();
  CLI::Option& export_out =
      *index_export.add_option("--out", index_arguments.out, "File (default: standard output)");
  index_export.add_option("--kind", index_arguments.kind, "Of snapshot (default: lines of text)")
      ->check(kinds)
      ->needs(&export_out);
  CLI::App& index_verify = *add_index_command("verify", "Read a snapshot and check all of it");
  index_verify.add_option("STORE", index_arguments.store, "The snapshot")->required();
  CLI::App& index_stats = *add_index_command(
      "stats", "Size of a snapshot and how its fingerprints are spread, with bar charts");
  index_stats.add_option("STORE", index_arguments.store, "The snapshot")->required();
  index_stats.add_option("--svg", index_arguments.svg, "Folder for the charts as SVG files")
      ->check(CLI::ExistingDirectory);
  CLI::App& index_query = *add_index_command(
      "query", "Find what is near a list of fingerprints, in one pass over a snapshot");
  index_query.add_option("--store", index_arguments.store, "The snapshot")->required();
  index_query.add_option("--queries", index_arguments.input, kLines)->required();
  index_query.add_option("--max-distance", index_arguments.max_distance, "Bits")
      ->check(CLI::Range(0, 7))
      ->capture_default_str();
  index_query.add_option("--out", index_arguments.out, "JSON lines (default: standard output)");

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
  if (run) return RunCommand(config);
  if (probe) return ProbePageCommand(config);
  if (scan) return ScanCommand(scan_arguments);
  if (feed) return FeedCommand(feed_arguments);
  if (eval) return EvalCommand(eval_arguments);
  if (check) return CheckCommand(config, check_json);
  if (state_verify) return StateVerifyCommand(config, state_json);
  if (extract) return ExtractCommand(extract_arguments);
  if (key_export) return KeyExportCommand(key_arguments);
  if (key_import) return KeyImportCommand(key_arguments);
  if (terms) return TermsCommand(terms_arguments);
  if (index_build) return IndexBuildCommand(index_arguments);
  if (index_export) return IndexExportCommand(index_arguments);
  if (index_verify) return IndexVerifyCommand(index_arguments);
  if (index_stats) return IndexStatsCommand(index_arguments);
  if (index_query) return IndexQueryCommand(index_arguments);
  std::fputs(app.help().c_str(), stdout);
  return kExitWrongUsage;
}

}  // namespace
}  // namespace crawlsieve::consumer

int main(int argc, char** argv) { return crawlsieve::consumer::Main(argc, argv); }
