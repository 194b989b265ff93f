package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.cli.output.ExitStatus;
import io.bsdb.table.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every command with every state of CURRENT: nothing is taken for an empty table. */
class DamagedCurrentTest {
  private static final String MISSING = "missing";

  @TempDir private Path directory;

  private static Stream<Arguments> commands() {
    List<String> commands =
        List.of(
            "build -t TABLE -i INPUT",
            "build -t TABLE -i INPUT --max-shrinkage 10%",
            "build -t TABLE -i INPUT --keep-changes-after FIRST",
            "put -t TABLE k v",
            "delete -t TABLE k",
            "apply -t TABLE -i CHANGES",
            "compact -t TABLE",
            "prune -t TABLE --keep 1",
            "sweep -t TABLE",
            "get -t TABLE k",
            "scan -t TABLE",
            "verify -t TABLE",
            "inspect -t TABLE",
            "rollback -t TABLE");
    return Stream.of(MISSING, "", "x\n", "0000000009-00000000\n")
        .flatMap(state -> commands.stream().map(command -> Arguments.of(state, command)));
  }

  private CommandRun run(String command, Path table) throws IOException {
    String first = Table.at(table).versions().get(0);
    Object[] arguments =
        Arrays.stream(command.split(" "))
            .map(
                word ->
                    switch (word) {
                      case "TABLE" -> table.toString();
                      case "INPUT" -> directory.resolve("in.txt").toString();
                      case "CHANGES" -> directory.resolve("changes.txt").toString();
                      case "FIRST" -> first;
                      default -> word;
                    })
            .toArray();
    return CommandRun.of(arguments);
  }

  @ParameterizedTest(name = "CURRENT [{0}]: {1}")
  @MethodSource("commands")
  void namesTheCommandThatMendsIt(String state, String command) throws IOException {
    Path table = directory.resolve("table");
    Path input = Files.writeString(directory.resolve("in.txt"), "k 1\n");
    Files.writeString(directory.resolve("changes.txt"), "put k 2\n");
    for (int i = 0; i < 2; i++) {
      CommandRun build = CommandRun.of("build", "-t", table, "-i", input);
      assertThat(build.status()).as(build.err()).isZero();
    }
    Path current = table.resolve("CURRENT");
    if (state.equals(MISSING)) {
      Files.delete(current);
    } else {
      Files.writeString(current, state);
    }
    List<String> versions = Table.at(table).versions();
    CommandRun refused = run(command, table);
    assertThat(refused.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(refused.err())
        .contains("CURRENT")
        .contains("bsdb rollback --table '%s' %s".formatted(table, versions.get(1)));
    assertThat(Table.at(table).versions()).isEqualTo(versions);

    assertThat(CommandRun.of("rollback", "--table", table, versions.get(1)).status()).isZero();
    assertThat(run("get -t TABLE k", table).out()).contains("1");
  }
}
