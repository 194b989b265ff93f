package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.options.Access;
import io.bsdb.writer.options.Layout;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A program of a module of its own, with the libraries on its module path. */
@Timeout(120)
class ModulePathTest {
  /** What the reader and the writer need; they are jars from phase package on. */
  private static final Pattern NEEDED =
      Pattern.compile(
          ".*[/\\\\](bsdb-(format|reader)[/\\\\]target[/\\\\]classes|(bsdb-(format|reader)|jspecify|hash4j|zstd-jni|jackson-(core|databind|annotations)|caffeine|jna|slf4j-api)-\\d[^/\\\\]*\\.jar)");

  @TempDir Path directory;

  private static String modulePath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(path -> NEEDED.matcher(path).matches())
        .collect(Collectors.joining(File.pathSeparator));
  }

  private Path source(String name) throws IOException {
    Path file = directory.resolve("source").resolve(name);
    Files.createDirectories(file.getParent());
    try (InputStream text =
        ModulePathTest.class.getResourceAsStream("/modulepath/" + name + ".txt")) {
      Files.copy(Objects.requireNonNull(text), file);
    }
    return file;
  }

  @Test
  void buildsAndReadsEveryTableInEveryWayWithoutAWarning() throws Exception {
    String modulePath = modulePath();
    Path classes = directory.resolve("classes");
    int compiled =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "--module-path",
                modulePath,
                "-d",
                classes.toString(),
                source("module-info.java").toString(),
                source("app/Main.java").toString());
    assertThat(compiled).isZero();
    List<String> expected = new ArrayList<>();
    for (Layout layout : Layout.values()) {
      for (Access access : Access.values()) {
        expected.add(layout + " " + access + " value 7");
      }
    }
    List<String> command =
        new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    if (Runtime.version().feature() >= 24) {
      command.add("--enable-native-access=com.github.luben.zstd_jni,com.sun.jna");
    }
    command.addAll(
        List.of(
            "--module-path",
            modulePath + File.pathSeparator + classes,
            "--module",
            "app/app.Main",
            directory.resolve("tables").toString()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (BufferedReader output = process.inputReader()) {
      assertThat(output.lines().filter(line -> !line.startsWith("SLF4J: ")))
          .containsExactlyElementsOf(expected); // SLF4J says that it has nowhere to log to
      assertThat(process.waitFor()).isZero();
    } finally {
      process.destroyForcibly();
    }
  }
}
