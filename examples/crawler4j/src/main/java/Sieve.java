import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import edu.uci.ics.crawler4j.crawler.Page;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends pages and hears their verdicts. Thread-safe. */
final class Sieve implements AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(Sieve.class);
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final ObjectMapper json = new ObjectMapper();

  /** The fields of a verdict that this crawler needs. */
  record Verdict(String verdict, String reason, boolean followLinks) {}

  private final String pages;
  private final KafkaProducer<String, String> producer;
  private final KafkaConsumer<String, String> consumer;
  private final Thread listener;
  /** By record key, which a verdict has from its page. */
  private final Map<String, CompletableFuture<Verdict>> waiting = new ConcurrentHashMap<>();

  Sieve(String bootstrap, String pages, String verdicts) {
    this.pages = pages;
    producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrap), new StringSerializer(), new StringSerializer());
    consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers", bootstrap,
                "group.id", "crawler4j",
                "isolation.level", "read_committed",
                "auto.offset.reset", "earliest"),
            new StringDeserializer(),
            new StringDeserializer());
    consumer.subscribe(List.of(verdicts));
    listener = new Thread(this::listen, "verdicts");
    listener.start();
  }

  /** Sends a page and waits for its verdict; empty if none came in time. */
  Optional<Verdict> verdictOf(Page page) {
    String url = page.getWebURL().getURL();
    CompletableFuture<Verdict> verdict = new CompletableFuture<>();
    waiting.put(url, verdict);
    try {
      producer.send(new ProducerRecord<>(pages, url, recordOf(page)));
      Verdict heard = verdict.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      logger.info("{} {} {}", heard.verdict(), heard.reason(), url);
      return Optional.of(heard);
    } catch (JsonProcessingException | ExecutionException | TimeoutException e) {
      logger.warn("no verdict of {}; its links are followed", url, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      waiting.remove(url);
    }
    return Optional.empty();
  }

  @Override
  public void close() {
    consumer.wakeup();
    try {
      listener.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    producer.close();
  }

  /** The page in crawlsieve's canonical format. Jackson writes bytes in base64. */
  private static String recordOf(Page page) throws JsonProcessingException {
    return json.writeValueAsString(
        Map.of(
            "url", page.getWebURL().getURL(),
            "status_code", page.getStatusCode(),
            "content_type", page.getContentType(),
            "body", page.getContentData(),
            "body_encoding", "base64"));
  }

  private void listen() {
    try (consumer) {
      while (true) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofSeconds(1))) {
          CompletableFuture<Verdict> waits = waiting.get(record.key());
          if (waits != null) {
            waits.complete(verdictIn(record.value()));
          }
        }
      }
    } catch (WakeupException closing) {
      // From close().
    } catch (JsonProcessingException | RuntimeException e) {
      logger.error("verdicts aren't read any more", e);
    }
  }

  private static Verdict verdictIn(String value) throws JsonProcessingException {
    JsonNode verdict = json.readTree(value);
    return new Verdict(
        verdict.get("verdict").asText(),
        verdict.get("reason").asText(),
        verdict.get("follow_links").asBoolean());
  }
}
