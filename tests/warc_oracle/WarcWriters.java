import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.OutputStream;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.archive.io.warc.WARCRecordInfo;
import org.archive.io.warc.WARCWriter;
import org.archive.io.warc.WARCWriterPoolSettingsData;
import org.archive.uid.UUIDGenerator;
import org.archive.format.warc.WARCConstants.WARCRecordType;
import org.jwat.warc.WarcWriterFactory;
import org.netpreserve.jwarc.HttpResponse;
import org.netpreserve.jwarc.MediaType;
import org.netpreserve.jwarc.MessageVersion;
import org.netpreserve.jwarc.WarcCompression;
import org.netpreserve.jwarc.WarcResource;
import org.netpreserve.jwarc.WarcResponse;

/**
 * Writes the same records with each library, once as they are and once with gzip.
 *
 *   WarcWriters RECORDS FOLDER
 *
 * RECORDS has a line for each record: type, URL, date, content type and block in base64, with tabs
 * between. See writers.py.
 */
public final class WarcWriters {
  private record Entry(String type, String url, String date, String contentType, byte[] block) {
    boolean isResponse() {
      return type.equals("response");
    }
  }

  public static void main(String[] arguments) throws Exception {
    List<Entry> entries = new ArrayList<>();
    for (String line : Files.readAllLines(Path.of(arguments[0]), StandardCharsets.UTF_8)) {
      String[] parts = line.split("\t", -1);
      entries.add(new Entry(parts[0], parts[1], parts[2], parts[3],
                            Base64.getDecoder().decode(parts[4])));
    }
    Path folder = Path.of(arguments[1]);
    for (boolean gzip : new boolean[] {false, true}) {
      String ending = gzip ? ".warc.gz" : ".warc";
      writeJwarc(entries, folder.resolve("jwarc" + ending), gzip);
      writeJwat(entries, folder.resolve("jwat" + ending), gzip);
      writeHeritrix(entries, folder, gzip);
    }
  }

  private static void writeJwarc(List<Entry> entries, Path path, boolean gzip) throws Exception {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE,
                                                StandardOpenOption.WRITE);
         org.netpreserve.jwarc.WarcWriter writer = new org.netpreserve.jwarc.WarcWriter(
             channel, gzip ? WarcCompression.GZIP : WarcCompression.NONE)) {
      for (Entry entry : entries) {
        Instant date = Instant.parse(entry.date());
        if (entry.isResponse()) {
          writer.write(new WarcResponse.Builder(entry.url())
                           .date(date)
                           .body(MediaType.HTTP_RESPONSE, entry.block())
                           .build());
        } else if (entry.type().equals("resource")) {
          writer.write(new WarcResource.Builder(URI.create(entry.url()))
                           .date(date)
                           .body(MediaType.parse(entry.contentType()), entry.block())
                           .build());
        }
      }
    }
  }

  private static void writeJwat(List<Entry> entries, Path path, boolean gzip) throws Exception {
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(path));
         org.jwat.warc.WarcWriter writer = WarcWriterFactory.getWriter(out, gzip)) {
      for (Entry entry : entries) {
        org.jwat.warc.WarcRecord record = org.jwat.warc.WarcRecord.createRecord(writer);
        record.header.addHeader("WARC-Type", entry.type());
        record.header.addHeader("WARC-Target-URI", entry.url());
        record.header.addHeader("WARC-Date", entry.date());
        record.header.addHeader("WARC-Record-ID", "<urn:uuid:" + UUID.randomUUID() + ">");
        record.header.addHeader("Content-Type", entry.contentType());
        record.header.addHeader("Content-Length", String.valueOf(entry.block().length));
        writer.writeHeader(record);
        writer.streamPayload(new ByteArrayInputStream(entry.block()));
        writer.closeRecord();
      }
    }
  }

  private static void writeHeritrix(List<Entry> entries, Path folder, boolean gzip)
      throws Exception {
    UUIDGenerator ids = new UUIDGenerator();
    WARCWriterPoolSettingsData settings = new WARCWriterPoolSettingsData(
        "heritrix" + (gzip ? "-gzip" : ""), "${prefix}", 1L << 30, gzip,
        List.of(folder.toFile()), List.of(), ids);
    WARCWriter writer = new WARCWriter(new AtomicInteger(), settings);
    for (Entry entry : entries) {
      WARCRecordInfo record = new WARCRecordInfo();
      record.setType(WARCRecordType.valueOf(entry.type()));
      record.setUrl(entry.url());
      record.setCreate14DigitDate(entry.date());
      record.setMimetype(entry.contentType());
      record.setRecordId(URI.create("urn:uuid:" + UUID.randomUUID()));
      record.setContentStream(new ByteArrayInputStream(entry.block()));
      record.setContentLength(entry.block().length);
      record.setEnforceLength(true);
      writer.checkSize();
      writer.writeRecord(record);
    }
    writer.close();
  }
}
