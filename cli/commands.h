#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

/// Exit codes of the program.
enum ExitCode : int {
  kExitDone = 0,
  kExitWrongInput = 1,  ///< input or configuration can't be used
  kExitWrongUsage = 2,  ///< the command line is not understood
  kExitFailed = 3,      ///< failed while running
  kExitIncomplete = 4,  ///< done, but for parts of damaged files that could not be read
};

struct ScanArguments {
  std::vector<std::filesystem::path> paths;
  std::filesystem::path config;        ///< empty: defaults
  std::filesystem::path out;           ///< empty: standard output
  std::filesystem::path dead_letters;  ///< empty: only counted and reported
  std::filesystem::path state;         ///< empty: a temporary directory, gone afterwards
  std::filesystem::path scores;        ///< empty: no scores are written
  std::filesystem::path report;        ///< folder for an HTML report; empty: none
  std::string score_format = "json";
  std::string format;  ///< of JSON lines; empty: the configuration's
  bool random_key = false;
  bool json = false;
  std::size_t examples = 5;
};

struct VerdictsArguments {
  std::vector<std::filesystem::path> files;  ///< of verdicts; none: the topic of `config`
  std::filesystem::path config;
  std::string format;         ///< of VerdictFormats
  std::filesystem::path out;  ///< empty: standard output
};

struct EntriesArguments {
  std::vector<std::filesystem::path> paths;  ///< pages, or files of entries
  std::filesystem::path config;
  std::filesystem::path out;           ///< the file of entries, or a folder of verdicts
  std::filesystem::path dead_letters;  ///< empty: only counted and reported
  std::filesystem::path state;         ///< empty: a temporary directory, gone afterwards
  std::string format;                  ///< of JSON lines; empty: the configuration's
  std::string modified;                ///< RFC 3339; empty: the files' own times
  int threads = 0;                     ///< 0: the configuration's
  bool json = false;
};

struct FeedArguments {
  std::vector<std::filesystem::path> paths;
  std::filesystem::path config;
  std::string topic;   ///< empty: the first input topic
  int partitions = 1;  ///< of the topic, when it has to be made
  std::string format;  ///< of JSON lines; empty: the configuration's
  bool json = false;
};

struct EvalArguments {
  std::vector<std::filesystem::path> pages;
  std::vector<std::filesystem::path> pairs;  ///< none: what settings would drop, without labels
  std::filesystem::path config;
  std::filesystem::path report;  ///< folder for an HTML report; empty: none
  std::string scheme;            ///< compare one of the literature, or "all"; empty: the service's
  std::string format;            ///< of JSON lines; empty: the configuration's
  std::size_t samples = 3;
  bool random_key = false;
  bool json = false;
};

struct CheckArguments {
  std::filesystem::path config;
  std::filesystem::path
      sample;                ///< a file with records, or a topic; empty: check the configuration
  std::string format;        ///< of JSON lines in it; empty: the configuration's
  bool all = false;          ///< not only the first records
  bool connect = false;      ///< try the configuration against its brokers
  int timeout_seconds = 60;  ///< for all of that
  bool json = false;
};

struct TermsArguments {
  std::vector<std::filesystem::path> paths;
  std::filesystem::path config;
  std::filesystem::path out;
  std::uint64_t min_documents = 2;
};

struct ExtractArguments {
  std::filesystem::path file;  ///< -: standard input
  std::filesystem::path config;
  std::string content_type;
  std::string url = "file:///dev/stdin";
  bool random_key = false;
};

/// A running service to ask, and what it may want.
struct ServiceAddress {
  std::string url;                   ///< empty: none
  std::filesystem::path token_file;  ///< with the token that it wants; empty: none
  std::filesystem::path ca_file;     ///< PEM, who signs its certificate; empty: the system's
};

struct DueArguments {
  std::filesystem::path state;  ///< either this
  ServiceAddress service;       ///< or this
  std::string before;           ///< RFC 3339, or "now"
  std::string host;             ///< empty: all hosts
  std::string format = "json";
  std::filesystem::path out;  ///< empty: standard output
  std::uint64_t limit = 0;    ///< 0: all that are due, in the order of the URLs
};

struct ExplainArguments {
  std::string url;
  std::filesystem::path state;   ///< either this
  ServiceAddress service;        ///< or this, which knows its own configuration
  std::filesystem::path config;  ///< how URLs are spelt; empty: defaults
  std::string crawl;
  bool has_crawl = false;
  std::string at = "now";  ///< RFC 3339, or "now"
  bool json = false;
};

struct SiteArguments {
  std::string host;
  std::filesystem::path state;  ///< either this
  ServiceAddress service;       ///< or this
  bool json = false;
};

struct CheckpointArguments {
  std::filesystem::path repository;
  std::filesystem::path state;   ///< empty: the configuration's
  std::filesystem::path config;  ///< read where `state` is empty
  std::string name;              ///< of a checkpoint; empty: the newest
  bool all = false;              ///< verify all of them
  std::uint64_t keep = 0;        ///< 0: all
  std::string upload;            ///< program; empty: none
  int upload_seconds = 3600;     ///< for each file
  bool json = false;
};

struct LogTrimArguments {
  std::filesystem::path config;
  std::filesystem::path repository;  ///< empty: the configuration's
  bool dry_run = false;              ///< delete nothing
  bool json = false;
};

struct PurgeArguments {
  std::string kind;            ///< url, prefix, host or crawl
  std::string name;            ///< which one
  bool several_hosts = false;  ///< a prefix may cover more than one
  std::filesystem::path config;
  std::filesystem::path state;  ///< for a dry run
  std::string id;               ///< empty: a random one
  bool dry_run = false;         ///< say what would go, and send nothing
  bool json = false;
};

struct MigrateArguments {
  std::filesystem::path before;  ///< configuration of the deployment that runs
  std::filesystem::path after;   ///< of its shadow
  std::string suffix;            ///< of the shadow's names
  std::filesystem::path out;     ///< empty: standard output
  std::size_t examples = 3;      ///< of each kind of difference
  std::uint32_t wait = 600;      ///< seconds, for judges to stop
  bool json = false;
};

struct StateVerifyArguments {
  std::filesystem::path config;
  std::filesystem::path repository;  ///< of checkpoints; empty: the log is folded from its start
  bool json = false;
};

struct SlotsArguments {
  std::filesystem::path config;
  std::filesystem::path state;  ///< empty: the configuration's
  std::filesystem::path from;   ///< slots' files
  std::filesystem::path to;     ///< empty: where role index of the configuration looks for them
  std::uint32_t times = 2;
  bool json = false;
};

struct KeyArguments {
  std::filesystem::path config;
  std::filesystem::path file;  ///< empty: standard output or input
};

/// One of `count` parts of about the same size, from 1 on.
struct ChunkArgument {
  std::uint64_t number = 1;
  std::uint64_t count = 1;
};

struct IndexArguments {
  std::filesystem::path store;               ///< a snapshot
  std::filesystem::path input;               ///< lines of fingerprints
  std::vector<std::filesystem::path> pairs;  ///< files of lines of pairs
  std::filesystem::path out;                 ///< empty: standard output
  std::filesystem::path svg;                 ///< a folder; empty: no charts
  std::string kind;  ///< archive, searchable or restart; empty: lines of text
  std::string scheme;
  std::int64_t log_offset = -1;
  int max_distance = 3;
  int threads = 1;
  ChunkArgument chunk = {};
  std::uint64_t chunks = 1;     ///< to make of a snapshot
  std::uint32_t ranges = 1;     ///< of each permuted table
  std::uint64_t partition = 0;  ///< of all tables
  bool json = false;
};

struct TopArguments {
  std::vector<std::string>
      addresses;                 ///< of processes, http://host:port; none: the configuration's
  std::filesystem::path config;  ///< empty: defaults
  bool from_topic = false;       ///< read the metrics topic instead
  std::filesystem::path
      token_file;  ///< with the token that the processes want; empty: none, or the configuration's
  std::filesystem::path ca_file;  ///< PEM, who signs their certificates; empty: the system's
  double seconds = 2;             ///< from one look to the next
  int count = 0;                  ///< looks; 0: one, or on a terminal until it is ended
};

/// Each runs one command of the program and returns its exit code. Errors go to standard error.
int RunCommand(const std::filesystem::path& config);
/// The child of the crash probe, started by RunCommand. Not for people.
int ProbePageCommand(const std::filesystem::path& config);
int ScanCommand(const ScanArguments& arguments);
/// Writes verdicts as other programs take them.
int VerdictsCommand(const VerdictsArguments& arguments);
/// Makes entries of files of pages.
int EntriesExtractCommand(const EntriesArguments& arguments);
/// Folds files of entries to verdicts.
int EntriesFoldCommand(const EntriesArguments& arguments);
int FeedCommand(const FeedArguments& arguments);
int EvalCommand(const EvalArguments& arguments);
int CheckCommand(const std::filesystem::path& config, bool json);
/// Tries a configuration against its brokers and changes nothing there. kExitFailed where the
/// service could not start or would wait.
int ConnectCommand(const CheckArguments& arguments);
/// Shows what the first records of a file become.
int SampleCommand(const CheckArguments& arguments);
/// Compares the judge's state with a refold of the log; kExitWrongInput where they differ.
int StateVerifyCommand(const StateVerifyArguments& arguments);
/// Deletes entries of the log that two checkpoints make needless.
int LogTrimCommand(const LogTrimArguments& arguments);
/// Has the judges forget pages, or says which these would be.
int PurgeCommand(const PurgeArguments& arguments);
/// Prints the configuration of a shadow.
int MigratePlanCommand(const MigrateArguments& arguments);
/// Says whether two configurations can run beside each other; kExitWrongInput if not.
int MigrateCheckCommand(const MigrateArguments& arguments);
/// Compares the verdicts of two deployments.
int MigrateReportCommand(const MigrateArguments& arguments);
/// Ends the old deployment and gives its readers what only the shadow judged.
int MigrateSwitchCommand(const MigrateArguments& arguments);
/// Makes a checkpoint of the state of a judge that isn't running.
int CheckpointCreateCommand(const CheckpointArguments& arguments);
/// Lists the checkpoints of a repository.
int CheckpointListCommand(const CheckpointArguments& arguments);
/// Reads checkpoints to the end; kExitWrongInput where one is damaged.
int CheckpointVerifyCommand(const CheckpointArguments& arguments);
/// Makes a state directory of a checkpoint.
int CheckpointRestoreCommand(const CheckpointArguments& arguments);
/// Writes the files of all slots, of the state of a judge that isn't running.
int SlotsWriteCommand(const SlotsArguments& arguments);
/// Makes files of more slots of those of all slots.
int SlotsSplitCommand(const SlotsArguments& arguments);
/// Reads slots' files to the end; kExitWrongInput where one is damaged.
int SlotsCheckCommand(const SlotsArguments& arguments);
int ExtractCommand(const ExtractArguments& arguments);
/// Lists the URLs of a state directory that are due.
int DueCommand(const DueArguments& arguments);
/// Says why a URL has its score and last verdict, by a state directory or a running service.
int ExplainCommand(const ExplainArguments& arguments);
/// Prints what was learned of a site, by a state directory or a running service.
int SiteCommand(const SiteArguments& arguments);
/// Prints the key in the key topic.
int KeyExportCommand(const KeyArguments& arguments);
/// Puts a key into the key topic, unless there is another one.
int KeyImportCommand(const KeyArguments& arguments);
/// Shows running processes until it is interrupted, or `count` times.
int TopCommand(const TopArguments& arguments);
int TermsCommand(const TermsArguments& arguments);
int IndexBuildCommand(const IndexArguments& arguments);
int IndexExportCommand(const IndexArguments& arguments);
int IndexVerifyCommand(const IndexArguments& arguments);
int IndexStatsCommand(const IndexArguments& arguments);
int IndexPairsCommand(const IndexArguments& arguments);
/// Writes a snapshot as chunks, each a snapshot of its own.
int IndexSplitCommand(const IndexArguments& arguments);
/// Puts a snapshot's entries into the partitions of permuted tables.
int IndexScatterCommand(const IndexArguments& arguments);
/// Finds the near pairs within one of these partitions.
int IndexGatherCommand(const IndexArguments& arguments);
int IndexClustersCommand(const IndexArguments& arguments);
int IndexQueryCommand(const IndexArguments& arguments);

}  // namespace crawlsieve::consumer
