package io.bsdb.cli.build;

import io.bsdb.cli.build.InputBuild.Reading;
import io.bsdb.cli.build.MirrorState.Outcome;
import io.bsdb.cli.input.BadLines;
import io.bsdb.cli.output.Age;
import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.output.FailureText;
import io.bsdb.cli.output.Report;
import io.bsdb.cli.table.Interruption;
import io.bsdb.cli.table.TableCommand;
import io.bsdb.compact.Compactor;
import io.bsdb.reload.Publish;
import io.bsdb.reload.ReloadReport;
import io.bsdb.reload.TableReload;
import io.bsdb.table.Table;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Keeps a table equal to a source. */
@Command(
    name = "mirror",
    header = "Keeps a table equal to its source: reads it again and again, publishes what differs.",
    description = {
      "",
      "Each run reads all inputs, as 'bsdb build' does, and publishes the rows that differ from the"
          + " version in service, or all of them. If it has published something, it compacts the"
          + " changes as 'bsdb compact' does by default, and deletes old versions. Then, and at the"
          + " start, it deletes what killed commands left, as 'bsdb sweep' does by default. It prints"
          + " a line per run. The first run begins at once.",
      "",
      "A run that fails changes nothing, and is tried again: after one second, then after twice as"
          + " long each time, but at most after --every. Only a usage error in the first run ends the"
          + " command. A failed compaction or deletion and a health file that cannot be written are"
          + " only reported on standard error.",
      "",
      "SIGTERM ends it between two publications: a run that has not published yet is given up, and"
          + " leaves no files.",
      ""
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  bsdb mirror --table cities --input cities.csv.gz --format csv --key id \\",
      "      --every 10m",
      "  bsdb mirror --table customers --key id --every 1h --port 9090 \\",
      "      --jdbc jdbc:postgresql://db/shop --jdbc-properties login \\",
      "      --query 'SELECT id, name FROM customers'"
    })
public final class MirrorCommand extends TableCommand {
  private static final int KEPT_VERSIONS = 10;

  @Mixin private InputBuild build;

  @Option(
      names = "--every",
      required = true,
      paramLabel = "TIME",
      converter = Age.class,
      description =
          "Time from the begin of a run to that of the next, such as 30s, 10m or 1d; up to a tenth"
              + " more, at random. A run that takes longer is followed by the next one at once.")
  private Duration every;

  @Option(
      names = "--keep",
      paramLabel = "COUNT",
      description =
          "How many versions to keep, the one in service among them. Default: ${DEFAULT-VALUE}.")
  private int keep = KEPT_VERSIONS;

  @Option(
      names = "--health-file",
      paramLabel = "FILE",
      description =
          "After each run, replace this file by a JSON object: whether the run succeeded, its error,"
              + " the version in service, and when the next run is due.")
  private @Nullable Path healthFile;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description =
          "Answer /health/live, /health/ready (503 with the error if the last run failed) and"
              + " /metrics (Prometheus) at this port over HTTP; 0 for any. The address is printed"
              + " first.")
  private @Nullable Integer port;

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      description = "With --port: listen at this address. Default: 127.0.0.1.")
  private @Nullable String host;

  @Option(
      names = "--insecure",
      description = "With --host: let other machines read, without a token.")
  private boolean insecure;

  @Option(names = "--json", description = "Print a JSON object per run.")
  private boolean json;

  public MirrorCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() throws IOException {
    if (every.isZero() || keep < 1) {
      throw CommandFailure.usage("expected a time above 0 for --every, and --keep 1 or more");
    }
    if (port == null && (host != null || insecure)) {
      throw CommandFailure.usage("--host and --insecure are for --port");
    }
    MirrorState state = new MirrorState(every);
    try (MirrorPort opened = open(state)) {
      if (opened != null) {
        console.out().write((opened.address() + "\n").getBytes(StandardCharsets.UTF_8));
      }
      writeHealth(state);
      sweep();
      Random random = new Random();
      for (boolean first = true; ; first = false) {
        long began = System.nanoTime();
        Report report = run(state, first);
        if (report == null) {
          return ExitStatus.OK; // the process is ending
        }
        long ended = System.nanoTime();
        Duration wait =
            state.schedule(Duration.ofNanos(ended - began), Instant.now(), random.nextDouble());
        writeHealth(state);
        console.answer(json ? report.json() : report.line(), "the run has ended");
        long due = ended + TimeUnit.NANOSECONDS.convert(wait);
        TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return ExitStatus.OK;
    }
  }

  private @Nullable MirrorPort open(MirrorState state) throws IOException {
    return port == null
        ? null
        : MirrorPort.open(host == null ? "127.0.0.1" : host, port, insecure, state);
  }

  /** Runs once; returns null if the process is ending. */
  private @Nullable Report run(MirrorState state, boolean first) throws IOException {
    long started = System.nanoTime();
    try {
      BadLines badLines = build.records.badLines(console);
      Path directory = table.directory();
      ReloadReport reload =
          build.run(
              directory,
              options -> TableReload.begin(directory, options, build.publish(Publish.AUTO)),
              Reading.AGAIN_LATER,
              badLines,
              console);
      if (MirrorState.outcome(reload.difference()) == Outcome.PUBLISHED) {
        tidyUp(directory);
        sweep();
      }
      String version = Table.at(directory).requireCurrentVersion();
      Duration took = Duration.ofNanos(System.nanoTime() - started);
      Outcome outcome = state.succeeded(version, reload.difference(), Instant.now(), took);
      Report report = new Report().add("run", MirrorState.label(outcome)).add("version", version);
      InputBuild.report(reload, report, console);
      return report.add("skipped", badLines.count());
    } catch (IOException | RuntimeException e) {
      if (isInterrupted(e)) {
        return null;
      }
      if (first && FailureText.status(e) == ExitStatus.USAGE) {
        throw e;
      }
      FailureText.say(e, console, false);
      String message = FailureText.of(e);
      state.failed(message, Duration.ofNanos(System.nanoTime() - started));
      return new Report().add("run", MirrorState.label(Outcome.FAILED)).add("error", message);
    }
  }

  private static boolean isInterrupted(Exception e) {
    return Thread.currentThread().isInterrupted() || e instanceof InterruptedIOException;
  }

  /**
   * Deletes what killed commands have left, such as this one before: nobody else may. Only reports
   * what keeps it from that.
   */
  private void sweep() {
    try {
      if (Files.isDirectory(table.directory())) {
        Table.at(table.directory()).sweep(LEFT_BEHIND);
      }
    } catch (IOException | RuntimeException e) {
      console.say("bsdb: what killed commands left cannot be deleted: %s", FailureText.of(e));
    }
  }

  /** Compacts the changes, and deletes old versions; only reports what keeps it from that. */
  private void tidyUp(Path directory) throws IOException {
    try {
      Interruption.during(
          interruption -> {
            new Compactor(directory).run();
            return Table.at(directory).prune(keep);
          },
          directory,
          console);
    } catch (IOException | RuntimeException e) {
      if (isInterrupted(e)) {
        throw e;
      }
      console.say(
          "bsdb: the rows are published, but the table cannot be compacted, or old versions not be"
              + " deleted: %s",
          FailureText.of(e));
    }
  }

  private void writeHealth(MirrorState state) {
    Path file = healthFile;
    if (file == null) {
      return;
    }
    try {
      boolean replaces = Files.exists(file);
      if (replaces && !Files.isRegularFile(file)) { // a device would be one no more
        throw new IOException("what is there is no regular file; give the name of another file");
      }
      Path target = replaces ? file.toRealPath() : file;
      Path written = target.resolveSibling(target.getFileName() + ".tmp");
      try {
        Files.writeString(written, state.health().json());
        Files.move(written, target, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(written);
      }
    } catch (IOException e) {
      console.say("bsdb: the health file %s cannot be written: %s", file, FailureText.of(e));
    }
  }
}
