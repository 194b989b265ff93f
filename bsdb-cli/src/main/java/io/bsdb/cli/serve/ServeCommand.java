package io.bsdb.cli.serve;

import io.bsdb.cli.output.ByteSize;
import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.output.TextFile;
import io.bsdb.cli.table.MemoryArgument;
import io.bsdb.http.BsdbServer;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Serves tables over HTTP. */
@Command(
    name = "serve",
    header = "Answers lookups over HTTP, and shows what tables hold.",
    description = {
      "",
      "Prints its address once it answers, and serves until SIGTERM. Then it finishes the requests"
          + " in flight. Serves this machine only, unless --host is given.",
      ""
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  bsdb serve --table cities=/data/cities --port 8080",
      "  bsdb serve --warehouse /data --access io_uring --block-cache 1G",
      "  bsdb serve --table cities=/data/cities --host 0.0.0.0 --token-file token \\",
      "      --tls-certificate cert.pem --tls-key key.pem \\",
      "      --allow-host tables.example.com"
    })
public final class ServeCommand implements Callable<Integer> {
  private final Console console;

  @Option(
      names = {"-t", "--table"},
      paramLabel = "NAME=DIR",
      description = "Serve the table in a directory under a name. May be repeated.")
  private List<String> tables = new ArrayList<>(); // a map would take the last of one name

  @Option(
      names = "--warehouse",
      paramLabel = "DIR",
      description =
          "Serve all tables that are in this directory now, under the names of their directories;"
              + " those one level deeper as DATABASE.TABLE. One that cannot be opened is reported,"
              + " and keeps the service from being ready.")
  private @Nullable Path warehouse;

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      description =
          "Listen at this address; one that is not loopback needs --token-file and TLS, or"
              + " --insecure. Default: ${DEFAULT-VALUE}.")
  private String host = "127.0.0.1";

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "Listen at this port; 0 for any. Default: ${DEFAULT-VALUE}.")
  private int port = 8080;

  @Option(
      names = "--allow-host",
      paramLabel = "NAME",
      description = "A name by which clients know the server. May be repeated.")
  private List<String> allowedHosts = new ArrayList<>();

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "Answer only requests that have the token in this file.")
  private @Nullable Path tokenFile;

  @Option(
      names = "--tls-certificate",
      paramLabel = "FILE",
      description = "Certificate chain, PEM. Read again when it changes.")
  private @Nullable Path certificate;

  @Option(names = "--tls-key", paramLabel = "FILE", description = "Its key, PEM, PKCS #8.")
  private @Nullable Path key;

  @Option(
      names = "--insecure",
      description = "Serve other machines without a token, or with one but without TLS.")
  private boolean insecure;

  @Option(
      names = "--access",
      paramLabel = "ACCESS",
      description = "How to read: mapped, resident, direct or io_uring. Default: mapped.")
  private Access access = Access.MAPPED;

  @Option(
      names = "--block-cache",
      paramLabel = "SIZE",
      converter = ByteSize.Converter.class,
      description = "Size of the block cache, with direct and io_uring. Default: none.")
  private @Nullable ByteSize blockCache;

  @Mixin private MemoryArgument memory;

  @Option(
      names = "--refresh",
      paramLabel = "SECONDS",
      description =
          "How often to look for new versions; 0 for never: what is in service at the start is"
              + " served to the end. Default: 10.")
  private long refresh = TableReader.REFRESH_INTERVAL.toSeconds();

  @Option(
      names = "--max-age",
      paramLabel = "SECONDS",
      description = "Fail /health/ready while the version of a table is older. Default: no limit.")
  private @Nullable Long maxAge;

  @Option(
      names = "--limit",
      paramLabel = "NAME=NUMBER",
      description =
          "Set a limit: keys, body-bytes, address-bytes, answer-bytes, all-answers-bytes,"
              + " request-millis, idle-millis, connections, pinned-versions, pins-per-minute or"
              + " drain-millis. May be repeated.")
  private Map<String, Integer> limits = new LinkedHashMap<>();

  @Option(
      names = "--access-log",
      paramLabel = "FILE",
      description = "Append a line of JSON per request.")
  private @Nullable Path accessLog;

  @Option(names = "--log-keys", description = "Write keys to the access log, too.")
  private boolean logKeys;

  public ServeCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException {
    BsdbServer.Builder builder =
        BsdbServer.builder()
            .host(host)
            .port(port)
            .limits(limits)
            .options(
                ReaderOptions.builder()
                    .access(access)
                    .blockCacheBytes(blockCache == null ? 0 : blockCache.bytes())
                    .memory(memory.budget())
                    .build())
            .refreshEvery(Duration.ofSeconds(refresh))
            .listener(new Messages());
    if (tables.isEmpty() && warehouse == null) {
      throw CommandFailure.usage(
          "there is no table to serve: give --table NAME=DIR or --warehouse");
    }
    for (String table : tables) {
      int nameEnd = table.indexOf('=');
      if (nameEnd < 0 || nameEnd == table.length() - 1) {
        throw CommandFailure.usage("--table: expected NAME=DIR, actual '%s'".formatted(table));
      }
      builder.table(table.substring(0, nameEnd), Path.of(table.substring(nameEnd + 1)));
    }
    if (warehouse != null) {
      if (warehouse.toString().isEmpty()) { // such as the value of an unset variable
        throw CommandFailure.usage("--warehouse is empty; give '.' for the current directory");
      }
      builder.warehouse(warehouse);
    }
    allowedHosts.forEach(builder::allowHost);
    if (insecure) {
      builder.insecure();
    }
    if (tokenFile != null) {
      builder.token(TextFile.read(tokenFile).strip());
    }
    if ((certificate == null) != (key == null)) {
      throw CommandFailure.usage("--tls-certificate and --tls-key go together");
    }
    if (certificate != null && key != null) {
      builder.tls(certificate, key);
    }
    if (refresh < 0) {
      throw CommandFailure.usage("--refresh: expected 0 or more, actual " + refresh);
    }
    if (maxAge != null && maxAge < 0) {
      throw CommandFailure.usage("--max-age: expected 0 or more, actual " + maxAge);
    }
    if (maxAge != null) {
      builder.maxAge(Duration.ofSeconds(maxAge));
    }
    if (logKeys) {
      builder.logKeys();
    }
    try (OutputStream log = accessLog == null ? null : appending(accessLog)) {
      if (log != null) {
        builder.accessLog(log);
      }
      serve(builder);
    }
    return ExitStatus.OK;
  }

  private static OutputStream appending(Path file) throws IOException {
    return Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private void serve(BsdbServer.Builder builder) throws IOException {
    CountDownLatch signalled = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    Thread hook =
        new Thread(
            () -> {
              signalled.countDown();
              await(ended);
            },
            "bsdb-serve-end");
    try (BsdbServer server = builder.start()) {
      console.out().write((server.address() + "\n").getBytes(StandardCharsets.UTF_8));
      console.out().flush();
      Runtime.getRuntime().addShutdownHook(hook);
      await(signalled);
    } finally {
      ended.countDown();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Reports on standard error what becomes of the tables. */
  private final class Messages implements TableReader.Listener {
    @Override
    public void onRefreshed(Manifest manifest) {
      console.say("bsdb: version %s is in use", manifest.version());
    }

    @Override
    public void onRefreshFailed(@Nullable String version, Exception cause) {
      if (version == null) {
        console.say("bsdb: %s", cause.getMessage());
      } else {
        console.say("bsdb: version %s cannot be used: %s", version, cause.getMessage());
      }
    }
  }
}
