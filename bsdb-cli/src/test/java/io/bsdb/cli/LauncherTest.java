package io.bsdb.cli;

import static java.nio.file.attribute.PosixFilePermissions.fromString;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.cli.output.ExitStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launcher in a project of its own, where java and mvn are scripts that tell what they were
 * given.
 */
class LauncherTest {
  private static final Path LAUNCHER = Path.of("..", "bsdb").toAbsolutePath().normalize();
  private static final List<String> MODULES =
      List.of(
          "bsdb-format",
          "bsdb-reader",
          "flink-connector",
          "kstreams-lookup",
          "examples",
          "quickstart",
          "bsdb-http",
          "bsdb-live",
          "bsdb-sql",
          "bsdb-cli");

  @TempDir private Path directory;
  private Path project;
  private Path java;
  private Path tools;

  @BeforeEach
  void makeAProject() throws IOException {
    project = directory.resolve("a project");
    java = directory.resolve("a jdk");
    tools = Files.createDirectories(directory.resolve("tools"));
    for (String module : MODULES) {
      Files.createDirectories(project.resolve(module).resolve("src/main"));
    }
    Files.createFile(project.resolve("pom.xml"));
    Files.copy(LAUNCHER, project.resolve("bsdb"));
    javaOfVersion("17.0.1");
    script(
        tools.resolve("mvn"),
        """
        echo "[INFO] Building bsdb :: command line 1"
        echo "mvn $*" >>calls
        mkdir -p bsdb-cli/target quickstart/target
        touch bsdb-cli/target/bsdb-cli-1.jar "library.jar"
        printf '%s' "$PWD/library.jar" >bsdb-cli/target/commands.classpath
        case $* in *' -pl quickstart '*)
          touch quickstart/target/bsdb-quickstart-1.jar
          printf '%s' "$PWD/library.jar" >quickstart/target/quickstart.classpath
        esac
        """);
  }

  @Test
  void buildsOnFirstUseOnly() throws Exception {
    Result first = run("get", "--table", "a table", "--", "k");
    Result second = run("get", "--table", "a table", "--", "k");

    assertThat(first.err()).contains("Building bsdb, ").contains("bsdb :: command line");
    assertThat(second.err()).isEmpty();
    assertThat(project.resolve("calls")).content().hasLineCount(1).contains("-pl bsdb-cli -am");
    assertThat(second.status()).isZero();
    assertThat(second.out())
        .isEqualTo(first.out())
        .contains("<-Dbsdb.home=" + project + ">")
        .contains("<" + project + "/bsdb-cli/target/bsdb-cli-1.jar:" + project + "/library.jar>")
        .endsWith("<io.bsdb.cli.Bsdb><get><--table><a table><--><k>\n");
  }

  @Test
  void buildsAgainWhenASourceHasChanged() throws Exception {
    run("--help");
    Path source = Files.createFile(project.resolve("bsdb-reader/src/main/New.java"));
    Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(60)));

    Result changed = run("--help");

    assertThat(changed.err()).contains("Building bsdb, ");
  }

  @Test
  void buildsAgainWhenALibraryIsGone() throws Exception {
    run("--help");
    Files.delete(project.resolve("library.jar"));

    assertThat(run("--help").err()).contains("Building bsdb, ");
  }

  @Test
  void worksThroughALinkFromAnyDirectory() throws Exception {
    Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("a project", "bsdb"));

    Result result = run(Map.of(), List.of(link.toString(), "--version"), tools);

    assertThat(result.status()).isZero();
    assertThat(result.out()).contains("<-Dbsdb.home=" + project + ">");
  }

  @Test
  void tellsOfABuildThatFails() throws Exception {
    script(tools.resolve("mvn"), "echo '[ERROR] no such class'; exit 1");

    Result result = run("--version");

    assertThat(result.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(result.out()).isEmpty();
    assertThat(result.err())
        .contains("[ERROR] no such class")
        .contains("bsdb: the build failed; see " + project + "/bsdb-cli/target/build.log");
  }

  @Test
  void refusesAnOldJava() throws Exception {
    javaOfVersion("11.0.2");

    Result result = run("--version");

    assertThat(result.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(result.err())
        .isEqualTo("bsdb: " + java + "/bin/java is Java 11.0.2; bsdb needs Java 17 or newer\n");
  }

  @Test
  void refusesAJavaHomeWithoutJava() throws Exception {
    Result result =
        run(
            Map.of("JAVA_HOME", directory.toString()),
            List.of(project + "/bsdb", "--version"),
            directory);

    assertThat(result.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(result.err()).contains("JAVA_HOME is " + directory + ", which has no bin/java");
  }

  @Test
  void buildsFlinkForWhatRunsInItAlone() throws Exception {
    run("get", "flink");
    assertThat(project.resolve("calls")).content().doesNotContain("flink").hasLineCount(1);

    run("build", "--engine", "flink");
    run("build", "--engine=flink");
    assertThat(project.resolve("calls"))
        .content()
        .endsWith("-pl bsdb-cli,flink-connector/flink-sql-connector-bsdb -am\n")
        .hasLineCount(2);

    Result quickstart = run("quickstart");
    run("quickstart");
    assertThat(project.resolve("calls")).content().endsWith("-pl quickstart -am\n").hasLineCount(3);
    assertThat(quickstart.out())
        .contains(project + "/quickstart/target/bsdb-quickstart-1.jar:" + project + "/library.jar>")
        .contains("<--add-opens=");
    assertThat(run("get").out()).doesNotContain("quickstart/target");
  }

  @Test
  void aConnectorsSourceMattersToFlinkAlone() throws Exception {
    run("get");
    run("build", "--engine", "flink");
    Path source = Files.createFile(project.resolve("flink-connector/src/main/New.java"));
    Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(60)));

    assertThat(run("get").err()).isEmpty();
    assertThat(run("build", "--engine", "flink").err()).contains("Building bsdb, ");
  }

  @Test
  void anUnpackedArchiveWritesItsClassesDownOnce() throws Exception {
    Path home = directory.resolve("unpacked");
    Path lib = Files.createDirectories(home.resolve("lib"));
    Files.createFile(lib.resolve("b.jar"));
    Files.createFile(lib.resolve("a.jar"));
    Path launcher = Files.createDirectories(home.resolve("bin")).resolve("bsdb");
    Files.copy(LAUNCHER, launcher);

    Result first = run(Map.of(), List.of(launcher.toString(), "get", "k"), directory);
    Result second = run(Map.of(), List.of(launcher.toString(), "get", "k"), directory);

    String classes = "<-XX:SharedArchiveFile=" + lib + "/commands-17.0.1.jsa>";
    assertThat(first.out())
        .contains(classes)
        .contains("<-cp><" + lib + "/a.jar:" + lib + "/b.jar>");
    assertThat(first.err()).isEmpty();
    assertThat(second.out()).isEqualTo(first.out());
    assertThat(java.resolve("calls")).content().hasLineCount(4); // build and get before the first
    Result build = run(Map.of(), List.of(launcher.toString(), "build"), directory);
    assertThat(build.out()).doesNotContain("SharedArchiveFile");
    Result quickstart = run(Map.of(), List.of(launcher.toString(), "quickstart"), directory);
    assertThat(quickstart.err()).contains("the quickstart needs Flink and Kafka");
  }

  @Test
  void anArchiveThatCannotWriteItsClassesDownTriesOnce() throws Exception {
    Path home = directory.resolve("unpacked");
    Path lib = Files.createDirectories(home.resolve("lib"));
    Files.createFile(lib.resolve("a.jar"));
    Path launcher = Files.createDirectories(home.resolve("bin")).resolve("bsdb");
    Files.copy(LAUNCHER, launcher);
    script(
        java.resolve("bin/java"), "case $* in *Archive*) echo no >&2; exit 1; esac; echo \"$@\"");

    Result first = run(Map.of(), List.of(launcher.toString(), "get", "k"), directory);
    Result second = run(Map.of(), List.of(launcher.toString(), "get", "k"), directory);

    assertThat(first.err())
        .isEqualTo("note: no class archive, so that bsdb starts more slowly: no\n");
    assertThat(second.err()).isEmpty();
    assertThat(second.out()).isEqualTo(first.out()).endsWith("io.bsdb.cli.Bsdb get k\n");
  }

  @Test
  void measuresWithAHeapThatHasItsMemory() throws Exception {
    run("--help");

    assertThat(run("bench").out()).contains("<-XX:+AlwaysPreTouch>");
    assertThat(run("build").out()).doesNotContain("AlwaysPreTouch");
  }

  @Test
  void compilesLittleForCommandsThatAreSoonOver() throws Exception {
    run("--help");

    for (String command : List.of("get", "scan", "put", "versions")) {
      assertThat(run(command).out())
          .as(command)
          .contains("<-XX:TieredStopAtLevel=1>", "<-Xlog:all=error,cds*=off:stderr>");
    }
    for (String command : List.of("build", "mirror", "compact", "serve")) {
      assertThat(run(command).out()).as(command).doesNotContain("TieredStopAtLevel");
    }
  }

  @Test
  void readsArgumentsAsUtf8InAnyLocale() throws Exception {
    run("--help");

    for (Map<String, String> locale :
        List.of(
            Map.<String, String>of(),
            Map.of("LANG", "xx_XX.UTF-8"),
            Map.of("LANG", "C.UTF-8", "LC_TIME", "xx_XX.UTF-8"),
            Map.of("LC_ALL", "de_DE.UTF-8"))) {
      Result result = run(locale, List.of(project + "/bsdb", "--version"), directory);

      assertThat(result.out()).as("%s", locale).contains("LC_ALL=C.UTF-8\n");
    }
  }

  /** Java would get the first file that it opens in place of standard input. */
  @Test
  void leavesAClosedStandardInputUnreadable() throws Exception {
    run("--help");
    script(
        java.resolve("bin/java"),
        "{ : 8<&0; } 2>/dev/null && IFS= read -r line && echo \"$line\" || echo \"status $?\"");
    Files.writeString(directory.resolve("keys"), "k\n");

    assertThat(runShell("'%s/bsdb' get <keys".formatted(project)).out()).isEqualTo("k\n");
    Result closed = runShell("'%s/bsdb' get <&-".formatted(project));
    assertThat(closed.out()).isEqualTo("status 1\n");
    assertThat(closed.err()).contains("read error: 0: Bad file descriptor"); // not a closed one
  }

  private Result runShell(String command) throws Exception {
    return run(Map.of(), List.of("bash", "-c", command), directory);
  }

  private void javaOfVersion(String version) throws IOException {
    Files.createDirectories(java.resolve("bin"));
    Files.writeString(java.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
    script(
        java.resolve("bin/java"),
        """
        if [ "$1" = --list-modules ]; then echo jdk.compiler@17; exit; fi
        echo "$*" >>"${0%/bin/java}/calls"
        for argument in "$@"; do
          case $argument in
            -XX:ArchiveClassesAtExit=*) echo classes >"${argument#*=}" ;;
          esac
        done
        echo "LC_ALL=${LC_ALL:-}"
        printf '<%s>' "$@"
        echo
        """);
  }

  private static void script(Path file, String text) throws IOException {
    Files.writeString(file, "#!/usr/bin/env bash\n" + text);
    Files.setPosixFilePermissions(file, fromString("rwxr-xr-x"));
  }

  private record Result(int status, String out, String err) {}

  private Result run(String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(project + "/bsdb");
    command.addAll(List.of(arguments));
    return run(Map.of(), command, directory);
  }

  private Result run(Map<String, String> environment, List<String> command, Path workingDirectory)
      throws Exception {
    Path out = directory.resolve("out");
    Path err = directory.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(workingDirectory.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().clear();
    builder.environment().put("PATH", tools + ":" + System.getenv("PATH"));
    builder.environment().put("JAVA_HOME", java.toString());
    builder.environment().putAll(environment);
    int status = builder.start().waitFor();
    return new Result(
        status,
        Files.readString(out, StandardCharsets.UTF_8),
        Files.readString(err, StandardCharsets.UTF_8));
  }
}
