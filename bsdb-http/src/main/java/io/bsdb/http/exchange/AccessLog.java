package io.bsdb.http.exchange;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes a line of JSON per request. Safe for use by many threads. */
public final class AccessLog {
  private static final Logger LOG = LoggerFactory.getLogger(AccessLog.class);

  /** Begins with the segment in front of a key, which clients may encode as they like. */
  private static final Pattern KEY =
      Pattern.compile("(/(?:r|%72)(?:o|%6f)(?:w|%77)(?:s|%73)/).*", Pattern.CASE_INSENSITIVE);

  private final OutputStream out;
  private final boolean withKeys;
  private boolean failed;

  /**
   * @param withKeys whether keys are written, which may be personal data
   */
  public AccessLog(OutputStream out, boolean withKeys) {
    this.out = out;
    this.withKeys = withKeys;
  }

  public void write(String method, String path, Access access, long micros) {
    ByteArrayOutputStream line = new ByteArrayOutputStream(256);
    try (JsonGenerator json = Exchange.JSON.createGenerator(line)) {
      json.writeStartObject();
      json.writeStringField("time", Instant.now().toString());
      json.writeStringField("method", method);
      json.writeStringField("path", withKeys ? path : withoutKey(path));
      json.writeNumberField("status", access.status);
      if (access.version != null) {
        json.writeStringField("version", access.version);
        json.writeNumberField("keys", access.keys);
        json.writeNumberField("found", access.found);
      }
      if (withKeys && access.key != null) {
        json.writeStringField("key", Texts.of(access.key));
      }
      json.writeNumberField("bytes", access.bytes);
      json.writeNumberField("micros", micros);
      json.writeEndObject();
      json.writeRaw('\n');
      json.flush();
      write(line);
    } catch (IOException e) {
      if (!failed) {
        failed = true;
        LOG.error("the access log cannot be written; requests are served without", e);
      }
    }
  }

  private synchronized void write(ByteArrayOutputStream line) throws IOException {
    line.writeTo(out);
  }

  private static String withoutKey(String path) {
    return KEY.matcher(path).replaceFirst("$1*");
  }
}
