package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A table to be built, and its inputs. */
abstract class BuildFixture {
  @TempDir Path directory;
  Path table;

  @BeforeEach
  void nameTheTable() {
    table = directory.resolve("a table");
  }

  Path file(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text);
  }

  /** Builds from records of text. */
  void build(String text) throws IOException {
    CommandRun build = CommandRun.of("build", "-t", table, "-i", file("good.txt", text));
    assertThat(build.status()).as(build.err()).isZero();
  }

  CommandRun build(String format, Path input, Object... more) {
    List<Object> arguments =
        new ArrayList<>(List.of("build", "-t", table, "-i", input, "--format", format));
    arguments.addAll(List.of(more));
    return CommandRun.of(arguments.toArray());
  }

  String get(String... keys) {
    List<Object> arguments = new ArrayList<>(List.of("get", "-t", table, "--"));
    arguments.addAll(List.of(keys));
    CommandRun get = CommandRun.of(arguments.toArray());
    assertThat(get.status()).as(get.err()).isZero();
    return get.out();
  }
}
