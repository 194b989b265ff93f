package io.bsdb.cli.build;

import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.TextFile;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.Validity;
import io.bsdb.writer.DuplicateKeyException;
import io.bsdb.writer.TooFewRowsException;
import io.bsdb.writer.options.WriterOptions;
import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A build that Flink does, in this process, with classes of its own. */
final class FlinkBuild {
  private static final String HOME_PROPERTY = "bsdb.home";
  private static final String PROGRAM = "io.bsdb.flink.SqlBuild";
  private static final String CONNECTOR = "flink-sql-connector-bsdb-*.jar";

  /** Engines that may build. */
  enum Engine {
    LOCAL,
    FLINK
  }

  @Option(
      names = "--engine",
      paramLabel = "ENGINE",
      description =
          "local, or flink: Flink runs in this process and reads whatever its connectors, formats"
              + " and file systems do. Default: local.")
  private Engine engine = Engine.LOCAL;

  @Option(
      names = "--sql",
      paramLabel = "FILE",
      description =
          "With --engine flink: Flink SQL statements with semicolons between. The last is a SELECT,"
              + " whose rows become the table.")
  private @Nullable Path sql;

  @Option(
      names = "--flink-home",
      paramLabel = "DIR",
      description = "The Flink to run, 2.2 or newer. Default: the environment's FLINK_HOME.")
  private @Nullable Path flinkHome;

  @Option(
      names = "--classpath",
      paramLabel = "PATHS",
      description =
          "Jars, or directories of jars, that Flink needs besides its lib/: file systems, formats,"
              + " Hadoop. With the system's path separator between.")
  private String classPath = "";

  /** Returns whether Flink is to build. */
  boolean isWanted() {
    if (engine == Engine.LOCAL && (sql != null || flinkHome != null || !classPath.isEmpty())) {
      throw CommandFailure.usage("--sql, --flink-home and --classpath are for --engine flink");
    }
    return engine == Engine.FLINK;
  }

  /**
   * Builds.
   *
   * @param options as given, the rest as by default
   */
  Manifest build(Path table, List<String> key, WriterOptions options, Console console)
      throws IOException {
    if (sql == null || key.isEmpty()) {
      throw CommandFailure.usage("--engine flink needs --sql and --key");
    }
    String script = TextFile.read(sql);
    Map<String, String> sinkOptions = sinkOptions(options);
    int parallelism =
        options.threads() > 0 ? options.threads() : Runtime.getRuntime().availableProcessors();
    List<URL> urls = urls();
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    // Left open: Flink's threads outlive the job, and end the process if a class is not found.
    URLClassLoader loader =
        new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    try {
      thread.setContextClassLoader(loader);
      Method run = program(loader);
      console.say("running %s in Flink", sql);
      run.invoke(null, script, table.toAbsolutePath().toString(), key, sinkOptions, parallelism);
    } catch (InvocationTargetException e) {
      throw failure(sql, Objects.requireNonNullElse(e.getCause(), e));
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    } finally {
      thread.setContextClassLoader(before);
    }
    Table built = Table.at(table);
    return built.manifest(built.requireCurrentVersion());
  }

  private static Method program(ClassLoader loader) {
    try {
      return Class.forName(PROGRAM, true, loader)
          .getMethod("run", String.class, String.class, List.class, Map.class, int.class);
    } catch (ClassNotFoundException | NoSuchMethodException e) {
      throw CommandFailure.usage(
          "no %s of this version on the class path; give it with --classpath".formatted(CONNECTOR));
    } catch (NoClassDefFoundError e) {
      throw CommandFailure.usage(
          "no Flink on the class path (%s): set FLINK_HOME, or give --flink-home, to the directory of Flink 2.2 or newer, which has lib/flink-dist-*.jar"
              .formatted(e.getMessage()));
    }
  }

  /** Returns the message of the innermost cause, with those around it for the place. */
  private static IOException failure(Path script, Throwable e) throws IOException {
    if (e instanceof InterruptedException) {
      throw new InterruptedIOException("interrupted");
    }
    Throwable innermost = e;
    Throwable outer = e;
    while (innermost.getCause() != null) {
      outer = innermost;
      innermost = innermost.getCause();
    }
    String message =
        Objects.requireNonNullElse(innermost.getMessage(), innermost.getClass().getName());
    if (e instanceof IllegalArgumentException) {
      throw CommandFailure.usage(script + ": " + message);
    }
    String type = innermost.getClass().getName(); // of Flink's class loader
    if (type.equals(TooFewRowsException.class.getName())) {
      throw CommandFailure.refused(
          "%s: %s; --min-rows and --max-shrinkage allow fewer".formatted(script, message));
    }
    if (type.equals(DuplicateKeyException.class.getName())) {
      String key = Objects.requireNonNullElse(outer.getMessage(), message).replaceAll(";.*", "");
      throw CommandFailure.refused(
          "%s: %s; --duplicates first or last keeps one record of each".formatted(script, key));
    }
    return new IOException("%s: Flink: %s".formatted(script, message), e);
  }

  /** Returns the connector's options for those of the build that are not the default. */
  private static Map<String, String> sinkOptions(WriterOptions options) {
    Map<String, String> defaults = WriterOptions.defaults().toMap();
    Map<String, String> sink = new LinkedHashMap<>();
    options
        .toMap()
        .forEach(
            (name, value) -> {
              if (name.equals("dictionary-size") || name.equals("temp") || name.contains(".")) {
                if (!value.equals(defaults.get(name))) {
                  throw CommandFailure.usage(
                      "--engine flink has no such option: " + name.replaceAll("\\..*", ""));
                }
              } else if (!name.equals("threads")
                  && !name.equals("history")
                  && !value.equals(defaults.get(name))) {
                sink.put("sink." + name, value);
              }
            });
    Validity validity = options.validity();
    if (validity != null) {
      Duration retention = validity.retention();
      sink.put(
          "history.retention",
          retention == null ? Validity.FOREVER.toString() : retention.toMillis() + " ms");
    }
    return sink;
  }

  private List<URL> urls() throws IOException {
    List<URL> urls = new ArrayList<>();
    String environment = System.getenv("FLINK_HOME");
    Path home = flinkHome != null ? flinkHome : environment == null ? null : Path.of(environment);
    if (home != null) {
      int before = urls.size();
      addJars(home.resolve("lib"), "*.jar", urls);
      if (urls.size() == before) {
        throw CommandFailure.usage("no Flink in %s: it has no lib/*.jar".formatted(home));
      }
    }
    for (String entry : classPath.split(File.pathSeparator, -1)) {
      Path path = Path.of(entry);
      if (!entry.isEmpty() && !Files.exists(path)) {
        throw CommandFailure.usage("--classpath names what is not there: " + path);
      }
      if (!entry.isEmpty()) {
        urls.add(path.toUri().toURL());
        addJars(path, "*.jar", urls);
      }
    }
    String ours = System.getProperty(HOME_PROPERTY);
    if (ours != null) {
      addJars(Path.of(ours, "flink"), CONNECTOR, urls);
      addJars(
          Path.of(ours, "flink-connector", "flink-sql-connector-bsdb", "target"), CONNECTOR, urls);
    }
    return urls;
  }

  private static void addJars(Path directory, String pattern, List<URL> urls) throws IOException {
    if (Files.isDirectory(directory)) {
      try (DirectoryStream<Path> jars = Files.newDirectoryStream(directory, pattern)) {
        for (Path jar : jars) {
          urls.add(jar.toUri().toURL());
        }
      }
    }
  }
}
