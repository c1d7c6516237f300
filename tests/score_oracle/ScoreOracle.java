import com.digitalpebble.stormcrawler.Metadata;
import com.digitalpebble.stormcrawler.persistence.Status;
import com.digitalpebble.stormcrawler.util.URLPartitioner;
import com.google.common.hash.Hashing;
import com.google.protobuf.util.JsonFormat;
import crawlercommons.urlfrontier.URLFrontierGrpc;
import crawlercommons.urlfrontier.Urlfrontier.AckMessage;
import crawlercommons.urlfrontier.Urlfrontier.GetParams;
import crawlercommons.urlfrontier.Urlfrontier.KnownURLItem;
import crawlercommons.urlfrontier.Urlfrontier.URLInfo;
import crawlercommons.urlfrontier.Urlfrontier.URLItem;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import it.unimi.di.law.bubing.util.BURL;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.nutch.crawl.CrawlDatum;
import org.apache.nutch.crawl.Injector;
import org.archive.modules.extractor.Hop;
import org.json.JSONObject;

/**
 * Reads rendered scores with the classes of the projects they are for; see script/score_oracle.
 *
 * <p>ScoreOracle FORMAT FILE NOW prints a line for each URL, in the order in which the frontier
 * would take them as of NOW, in seconds since 1970: the URL, a tab, and its place, a number that
 * doesn't fall; or `never`. Fails where a class of the project refuses a value.
 */
public class ScoreOracle {
  record Place(String url, double place) {}

  static List<String> lines(byte[] file) {
    return new String(file, StandardCharsets.UTF_8).lines().toList();
  }

  static List<Place> nutch(byte[] file) throws Exception {
    Injector.InjectMapper mapper = new Injector.InjectMapper();
    Method readMetadata = Injector.InjectMapper.class.getDeclaredMethod(
        "processMetaData", String.class, CrawlDatum.class, String.class);
    readMetadata.setAccessible(true);
    List<Place> places = new ArrayList<>();
    for (String line : lines(file)) {
      // KeyValueTextInputFormat: what stands before the first tab, and after it.
      String[] parts = line.split("\t", 2);
      CrawlDatum datum = new CrawlDatum();
      datum.setScore(-1);
      readMetadata.invoke(mapper, parts[1], datum, parts[0]);
      if (datum.getScore() < 0) throw new Exception("no score in " + line);
      places.add(new Place(parts[0], -datum.getScore()));
    }
    return places;
  }

  static List<Place> bubing(byte[] file) throws Exception {
    List<Place> places = new ArrayList<>();
    for (String line : lines(file)) {
      URI url = BURL.parse(line);
      if (url == null || !url.isAbsolute()) throw new Exception("malformed: " + line);
      places.add(new Place(line, places.size()));
    }
    return places;
  }

  static List<Place> heritrix(byte[] file) throws Exception {
    List<Place> places = new ArrayList<>();
    for (String line : lines(file)) {
      // What UKWA's receiver asks of the object, with the getters that it uses.
      JSONObject request = new JSONObject(line);
      if (!"GET".equals(request.getString("method"))) throw new Exception("method of " + line);
      request.getString("parentUrl");
      JSONObject parent = request.getJSONObject("parentUrlMetadata");
      parent.getJSONObject("heritableData");
      String path = parent.getString("pathFromSeed") + request.optString("hop", "");
      for (char hop : path.toCharArray()) {
        boolean known = false;
        for (Hop value : Hop.values()) known |= value.getHopChar() == hop;
        if (!known) throw new Exception("hop of " + line);
      }
      request.getJSONObject("headers");
      request.getBoolean("forceFetch");
      request.getBoolean("isSeed");
      boolean high = path.endsWith(Hop.EMBED.getHopString());
      places.add(new Place(request.getString("url"), high ? 0 : 1));
    }
    return places;
  }

  static List<Place> stormcrawler(byte[] file) throws Exception {
    List<Place> places = new ArrayList<>();
    List<String> lines = lines(file);
    for (int i = 0; i < lines.size(); i += 2) {
      JSONObject action = new JSONObject(lines.get(i));
      JSONObject body = new JSONObject(lines.get(i + 1));
      JSONObject target = action.getJSONObject(action.keySet().iterator().next());
      JSONObject document = body.optJSONObject("upsert", body);
      String url = document.getString("url");
      Status.valueOf(document.getString("status"));
      String id = Hashing.sha256().hashString(url, StandardCharsets.UTF_8).toString();
      if (!id.equals(target.getString("_id"))) throw new Exception("id of " + url);
      String key = new URLPartitioner().getPartition(url, new Metadata());
      if (!document.getString("key").equals(key)) throw new Exception("key of " + url);
      if (!target.getString("routing").equals(key)) throw new Exception("routing of " + url);
      double date = Double.POSITIVE_INFINITY;
      if (document.has("nextFetchDate")) {
        date = Instant.parse(document.getString("nextFetchDate")).getEpochSecond();
      }
      places.add(new Place(url, date));
    }
    return places;
  }

  static List<URLItem> items(String format, byte[] file) throws Exception {
    List<URLItem> items = new ArrayList<>();
    if (format.equals("urlfrontier_json")) {
      for (String line : lines(file)) {
        URLItem.Builder item = URLItem.newBuilder();
        JsonFormat.parser().merge(line, item);
        items.add(item.build());
      }
      return items;
    }
    InputStream stream = new ByteArrayInputStream(file);
    for (URLItem item; (item = URLItem.parseDelimitedFrom(stream)) != null; ) items.add(item);
    return items;
  }

  /** A frontier in memory behind the published API: queues by key, ordered by date, then URL. */
  static class TestFrontier extends URLFrontierGrpc.URLFrontierImplBase {
    final Map<String, TreeMap<String, KnownURLItem>> queues = new TreeMap<>();
    final long now;

    TestFrontier(long now) {
      this.now = now;
    }

    synchronized void put(URLItem item) {
      KnownURLItem known = item.hasKnown() ? item.getKnown()
          : KnownURLItem.newBuilder().setInfo(item.getDiscovered().getInfo())
              .setRefetchableFromDate(now).build();
      TreeMap<String, KnownURLItem> queue =
          queues.computeIfAbsent(known.getInfo().getKey(), key -> new TreeMap<>());
      if (item.hasKnown() || !queue.containsKey(known.getInfo().getUrl())) {
        queue.put(known.getInfo().getUrl(), known);
      }
    }

    @Override
    public StreamObserver<URLItem> putURLs(StreamObserver<AckMessage> acks) {
      return new StreamObserver<>() {
        @Override
        public void onNext(URLItem item) {
          put(item);
          acks.onNext(AckMessage.newBuilder().setStatus(AckMessage.Status.OK).build());
        }

        @Override
        public void onError(Throwable error) {
          acks.onError(error);
        }

        @Override
        public void onCompleted() {
          acks.onCompleted();
        }
      };
    }

    @Override
    public synchronized void getURLs(GetParams params, StreamObserver<URLInfo> urls) {
      for (TreeMap<String, KnownURLItem> queue : queues.values()) {
        queue.values().stream()
            .filter(item -> item.getRefetchableFromDate() != 0)
            .filter(item -> item.getRefetchableFromDate() <= now)
            .sorted((a, b) -> Long.compare(a.getRefetchableFromDate(), b.getRefetchableFromDate()))
            .forEach(item -> urls.onNext(item.getInfo()));
      }
      urls.onCompleted();
    }
  }

  static List<Place> urlfrontier(String format, byte[] file, long now) throws Exception {
    List<URLItem> items = items(format, file);
    Server server = NettyServerBuilder
        .forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
        .addService(new TestFrontier(now)).build().start();
    ManagedChannel channel = NettyChannelBuilder
        .forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getPort()))
        .usePlaintext().build();
    List<Place> places = new ArrayList<>();
    try {
      CountDownLatch done = new CountDownLatch(1);
      List<Throwable> errors = new ArrayList<>();
      StreamObserver<URLItem> put =
          URLFrontierGrpc.newStub(channel).putURLs(new StreamObserver<AckMessage>() {
            @Override
            public void onNext(AckMessage ack) {}

            @Override
            public void onError(Throwable error) {
              errors.add(error);
              done.countDown();
            }

            @Override
            public void onCompleted() {
              done.countDown();
            }
          });
      for (URLItem item : items) put.onNext(item);
      put.onCompleted();
      if (!done.await(60, TimeUnit.SECONDS) || !errors.isEmpty()) throw new Exception("" + errors);
      Iterator<URLInfo> urls =
          URLFrontierGrpc.newBlockingStub(channel).getURLs(GetParams.getDefaultInstance());
      while (urls.hasNext()) places.add(new Place(urls.next().getUrl(), places.size()));
    } finally {
      channel.shutdownNow();
      server.shutdownNow();
    }
    return places;
  }

  /** The keys that Guava makes of the authorities on standard input, for Heritrix. */
  static void keys() throws Exception {
    for (String authority : lines(System.in.readAllBytes())) {
      System.out.println(
          Hashing.murmur3_32().hashBytes(authority.getBytes(StandardCharsets.UTF_8)));
    }
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("keys")) {
      keys();
      return;
    }
    byte[] file = Files.readAllBytes(Path.of(arguments[1]));
    List<Place> places = switch (arguments[0]) {
      case "nutch" -> nutch(file);
      case "bubing" -> bubing(file);
      case "heritrix" -> heritrix(file);
      case "stormcrawler" -> stormcrawler(file);
      default -> urlfrontier(arguments[0], file, Long.parseLong(arguments[2]));
    };
    StringBuilder out = new StringBuilder();
    for (Place place : places) {
      out.append(place.url()).append('\t');
      out.append(Double.isInfinite(place.place()) ? "never" : Double.toString(place.place()));
      out.append('\n');
    }
    System.out.write(out.toString().getBytes(StandardCharsets.UTF_8));
    System.out.flush();
  }
}
