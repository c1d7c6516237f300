import edu.uci.ics.crawler4j.crawler.CrawlConfig;
import edu.uci.ics.crawler4j.crawler.CrawlController;
import edu.uci.ics.crawler4j.crawler.Page;
import edu.uci.ics.crawler4j.crawler.WebCrawler;
import edu.uci.ics.crawler4j.fetcher.PageFetcher;
import edu.uci.ics.crawler4j.robotstxt.RobotstxtConfig;
import edu.uci.ics.crawler4j.robotstxt.RobotstxtServer;
import edu.uci.ics.crawler4j.url.WebURL;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/**
 * Crawls the guide and its mirror, from START_URL on. With KAFKA_BOOTSTRAP set, pages are published,
 * and links of pages that crawlsieve judges to be duplicates aren't followed.
 *
 * <p>crawler4j makes one of these a thread.
 */
public class GuideCrawler extends WebCrawler {
  private static final int THREADS = 8;

  private final Set<String> hosts;
  private final Optional<Sieve> sieve;
  private Page judged;
  private boolean follow;

  GuideCrawler(Set<String> hosts, Optional<Sieve> sieve) {
    this.hosts = hosts;
    this.sieve = sieve;
  }

  @Override
  public boolean shouldVisit(Page page, WebURL link) {
    return hosts.contains(URI.create(link.getURL()).getAuthority()) && followsLinksOf(page);
  }

  /** Comes after shouldVisit, which is not asked about a page without new links. */
  @Override
  public void visit(Page page) {
    followsLinksOf(page);
  }

  private boolean followsLinksOf(Page page) {
    if (page != judged) {
      follow = sieve.flatMap(s -> s.verdictOf(page)).map(Sieve.Verdict::followLinks).orElse(true);
      judged = page;
    }
    return follow;
  }

  public static void main(String[] args) throws Exception {
    CrawlConfig config = new CrawlConfig();
    String storage = sieveBootstrap().isPresent() ? "crawl_beside" : "crawl_without";
    config.setCrawlStorageFolder(Path.of(System.getenv("WORK"), storage).toString());
    config.setPolitenessDelay(0);
    config.setThreadMonitoringDelaySeconds(1);
    config.setThreadShutdownDelaySeconds(1);
    config.setCleanupDelaySeconds(1);
    PageFetcher fetcher = new PageFetcher(config);
    CrawlController controller =
        new CrawlController(config, fetcher, new RobotstxtServer(new RobotstxtConfig(), fetcher));
    controller.addSeed(System.getenv("START_URL"));
    Set<String> hosts = Set.of(System.getenv("SITE_HOSTS").split(","));
    Optional<Sieve> sieve =
        sieveBootstrap().map(address -> new Sieve(address, "crawl.pages", "crawl.verdicts"));
    try {
      controller.start(() -> new GuideCrawler(hosts, sieve), THREADS);
    } finally {
      sieve.ifPresent(Sieve::close);
    }
  }

  private static Optional<String> sieveBootstrap() {
    return Optional.ofNullable(System.getenv("KAFKA_BOOTSTRAP"));
  }
}
