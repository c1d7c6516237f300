import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.MapFile;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.Text;
import org.apache.nutch.crawl.CrawlDatum;
import org.apache.nutch.crawl.CrawlDb;

/**
 * Has Nutch's own updatedb take a file of verdicts; see script/verdict_oracle.
 *
 * <p>UpdateCrawlDb FILE WORK PLUGINS URLS: makes a CrawlDb below WORK whose pages are the lines of
 * URLS, all fetched; puts FILE into a segment, updates, and prints a line for each page: its URL, a
 * tab, its status as Nutch names it, a tab, the time of its next fetch in seconds since 1970. A line
 * of URLS is a URL, a tab, and when it was fetched, in seconds since 1970.
 */
public final class UpdateCrawlDb {
  private static final int DAY_SECONDS = 24 * 60 * 60;
  // Of nutch-default.xml, which is in no jar.
  private static final int INTERVAL_DAYS = 30;
  private static final int LONGEST_INTERVAL_DAYS = 90;

  private static CrawlDatum fetched(long seconds, int days) {
    CrawlDatum datum = new CrawlDatum(CrawlDatum.STATUS_DB_FETCHED, days * DAY_SECONDS, 1);
    datum.setFetchTime((seconds + (long) days * DAY_SECONDS) * 1000);
    datum.setSignature(new byte[] {1, 2, 3});
    return datum;
  }

  public static void main(String[] arguments) throws Exception {
    Path work = Path.of(arguments[1]);
    Configuration conf = new Configuration();
    conf.set("hadoop.tmp.dir", work.resolve("tmp").toString());
    conf.set("plugin.folders", arguments[2]);
    conf.set("plugin.includes", "nutch-extensionpoints");
    conf.setBoolean("plugin.auto-activation", true);
    conf.setInt("db.fetch.interval.default", INTERVAL_DAYS * DAY_SECONDS);
    conf.setInt("db.fetch.interval.max", LONGEST_INTERVAL_DAYS * DAY_SECONDS);
    conf.set("db.fetch.schedule.class", "org.apache.nutch.crawl.DefaultFetchSchedule");

    // The longest interval that Nutch gives, so that a page's own next fetch is as late as can be.
    TreeMap<String, CrawlDatum> pages = new TreeMap<>();
    for (String line : Files.readAllLines(Path.of(arguments[3]), StandardCharsets.UTF_8)) {
      String[] parts = line.split("\t");
      pages.put(parts[0], fetched(Long.parseLong(parts[1]), LONGEST_INTERVAL_DAYS));
    }
    org.apache.hadoop.fs.Path crawlDb =
        new org.apache.hadoop.fs.Path(work.resolve("crawldb").toString());
    TreeSet<Text> keys = new TreeSet<>();
    for (String url : pages.keySet()) keys.add(new Text(url));
    try (MapFile.Writer writer = new MapFile.Writer(
            conf, new org.apache.hadoop.fs.Path(crawlDb, "current/part-r-00000"),
            MapFile.Writer.keyClass(Text.class), SequenceFile.Writer.valueClass(CrawlDatum.class))) {
      for (Text key : keys) writer.append(key, pages.get(key.toString()));
    }

    Path segment = work.resolve("segments/20260101000000");
    Files.createDirectories(segment.resolve("crawl_fetch"));
    Files.copy(Path.of(arguments[0]), segment.resolve("crawl_fetch/part-r-00000"));
    new CrawlDb(conf).update(
        crawlDb,
        new org.apache.hadoop.fs.Path[] {new org.apache.hadoop.fs.Path(segment.toString())},
        false, false, true, true);

    StringBuilder out = new StringBuilder();
    for (org.apache.hadoop.fs.FileStatus part : crawlDb.getFileSystem(conf).listStatus(
             new org.apache.hadoop.fs.Path(crawlDb, "current"))) {
      try (MapFile.Reader reader = new MapFile.Reader(part.getPath(), conf)) {
        Text url = new Text();
        CrawlDatum datum = new CrawlDatum();
        while (reader.next(url, datum)) {
          out.append(url).append('\t').append(CrawlDatum.getStatusName(datum.getStatus()));
          out.append('\t').append(Instant.ofEpochMilli(datum.getFetchTime()).getEpochSecond());
          out.append('\n');
        }
      }
    }
    System.out.write(out.toString().getBytes(StandardCharsets.UTF_8));
    System.out.flush();
  }
}
