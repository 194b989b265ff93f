package io.bsdb.cli;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.ZstdOutputStream;
import io.bsdb.cli.output.ExitStatus;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** Inputs of builds: files, patterns, compressed and damaged files, encodings of text. */
class BuildInputsTest extends BuildFixture {
  @Test
  void readsCompressedInputs() throws IOException {
    try (OutputStream out =
        new GZIPOutputStream(Files.newOutputStream(directory.resolve("in.gz")))) {
      out.write(bytes("a 1\n"));
    }
    for (String name : new String[] {"in.zst", "in.ZSTD"}) {
      try (OutputStream out =
          new ZstdOutputStream(Files.newOutputStream(directory.resolve(name)))) {
        out.write(bytes(name + " 2\n"));
      }
    }

    CommandRun build =
        CommandRun.line(
            "build --table %s --input %s %s %s",
            table,
            directory.resolve("in.gz"),
            directory.resolve("in.zst"),
            directory.resolve("in.ZSTD"));

    assertThat(build.status()).as(build.err()).isZero();
    assertThat(get("a", "in.zst", "in.ZSTD")).isEqualTo("a\t1\nin.zst\t2\nin.ZSTD\t2\n");
  }

  @Test
  void readsTheFilesOfADirectoryByName() throws IOException {
    Files.createDirectories(directory.resolve("in/nested"));
    file("in/b.txt", "k second\n");
    file("in/a.txt", "k first\n");
    file("in/nested/c.txt", "k third\n");

    Path in = directory.resolve("in");
    CommandRun build = CommandRun.of("build", "-t", table, "-i", in, "--duplicates", "last");

    assertThat(build.status()).as(build.err()).isZero();
    assertThat(build.err())
        .startsWith("reading %s, %s\n".formatted(in.resolve("a.txt"), in.resolve("b.txt")));
    assertThat(get("k")).isEqualTo("k\tsecond\n");
  }

  /** Spark writes such files beside its rows, and file systems checksums. */
  @Test
  void passesOverHiddenFilesOfADirectory() throws IOException {
    Path input = Files.createDirectories(directory.resolve("in"));
    file("in/_SUCCESS", "");
    file("in/.part-0.txt.crc", "crc");
    CommandRun none = CommandRun.of("build", "-t", table, "-i", input);
    assertThat(none.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(none.err())
        .isEqualTo(
            "bsdb: no regular file in the input: %s; files in directories below it are not read, nor those that begin with . or _: name them, or give a pattern such as '%s/**.csv'%n"
                .formatted(input, input));
    file("in/part-0.txt", "k v\n");

    CommandRun build = CommandRun.of("build", "-t", table, "-i", input);

    assertThat(build.status()).as(build.err()).isZero();
    assertThat(get("k")).isEqualTo("k\tv\n");
    CommandRun named = CommandRun.of("build", "-t", table, "-i", input.resolve(".part-0.txt.crc"));
    assertThat(named.err()).startsWith("bsdb: " + input + "/.part-0.txt.crc:1: no separator");
  }

  @Test
  void readsWhatAPatternMatches() throws IOException {
    file("part-1.txt", "a 1\n");
    file("part-2.txt", "b 2\n");
    file("other.txt", "c\n");

    CommandRun build = CommandRun.of("build", "-t", table, "-i", directory + "/part-*.txt");

    assertThat(build.status()).as(build.err()).isZero();
    assertThat(get("a", "b")).isEqualTo("a\t1\nb\t2\n");
  }

  @Test
  void readsWhatAPatternMatchesBehindALink() throws IOException {
    Path input = Files.createDirectory(directory.resolve("2026-11-27"));
    Files.writeString(input.resolve("part-1.txt"), "a 1\n");
    Path link = Files.createSymbolicLink(directory.resolve("today"), input.getFileName());

    for (String pattern :
        List.of(link + "/part-*.txt", link + "//*.txt", directory + "/t*/*.txt")) {
      CommandRun build = CommandRun.of("build", "-t", table, "-i", pattern);

      assertThat(build.status()).as(build.err()).isZero();
      assertThat(build.out()).contains(" records=1 ");
    }
  }

  /** Can fail only for users who may not read everything. */
  @Test
  void looksIntoNoDirectoriesThatAPatternDoesNotReach() throws IOException {
    Path input = Files.createDirectory(directory.resolve("input"));
    Files.writeString(input.resolve("part-1.txt"), "a 1\n");
    Path secret = Files.createDirectory(input.resolve("secret"));
    Files.setPosixFilePermissions(secret, Set.of());
    try {
      CommandRun build = CommandRun.of("build", "-t", table, "-i", input + "/*.txt");

      assertThat(build.status()).as(build.err()).isZero();
    } finally {
      Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rwx------"));
    }
  }

  @Test
  void readsStandardInput() {
    CommandRun build = CommandRun.withInput(bytes("a 1\n"), "build", "-t", table, "-i", "-");

    assertThat(build.status()).as(build.err()).isZero();
    assertThat(get("a")).isEqualTo("a\t1\n");
  }

  @Test
  void splitsAtTheGivenSeparator() throws IOException {
    Path input = file("in.txt", "a b\tc d\n");

    assertThat(CommandRun.of("build", "-t", table, "-i", input, "--separator", "\\t").status())
        .isZero();
    assertThat(get("a b")).isEqualTo("a b\tc d\n");
  }

  @Test
  void refusesASeparatorThatSeparatesNothing() throws IOException {
    Path input = file("in.txt", "a b\n");
    for (String separator : new String[] {"", "\n", "\\q", "\\x4"}) {
      CommandRun build = CommandRun.of("build", "-t", table, "-i", input, "--separator", separator);
      assertThat(build.status()).isEqualTo(ExitStatus.USAGE);
      assertThat(build.err()).contains("not a separator");
    }
  }

  @Test
  void aDamagedInputLeavesTheSnapshotInService() throws IOException {
    build("a old\n");
    Path input = directory.resolve("in.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(input))) {
      out.write(bytes("a new\n".repeat(1000)));
    }
    byte[] whole = Files.readAllBytes(input);
    Files.write(input, Arrays.copyOf(whole, whole.length - 9));

    CommandRun build = CommandRun.of("build", "-t", table, "-i", input);

    assertThat(build.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(build.err()).startsWith("bsdb: cannot read " + input + ": ");
    assertThat(get("a")).isEqualTo("a\told\n");
  }

  @Test
  void aDamagedGzipMemberIsNoEndOfTheInput() throws IOException {
    build("a old\n");
    Path input = directory.resolve("in.gz");
    ByteArrayOutputStream members = new ByteArrayOutputStream();
    members.writeBytes(gzip("a new\n"));
    int second = members.size();
    members.writeBytes(gzip("b 1\n"));
    byte[] sound = members.toByteArray();
    byte[] damaged = sound.clone();
    damaged[second] ^= 1;

    for (byte[] stored : new byte[][] {damaged, Arrays.copyOf(sound, second + 5)}) {
      Files.write(input, stored);
      CommandRun build = CommandRun.of("build", "-t", table, "-i", input);
      assertThat(build.status()).isEqualTo(ExitStatus.UNREADABLE);
      assertThat(build.err()).startsWith("bsdb: cannot read " + input + ": ");
      assertThat(get("a")).isEqualTo("a\told\n");
    }
    Files.write(input, sound);
    assertThat(CommandRun.of("build", "-t", table, "-i", input).status()).isZero();
    assertThat(get("a", "b")).isEqualTo("a\tnew\nb\t1\n");
  }

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream member = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(member)) {
      out.write(bytes(text));
    }
    return member.toByteArray();
  }

  @Test
  void namesAnInputThatIsNotThere() {
    Path missing = directory.resolve("missing.txt");

    CommandRun build = CommandRun.of("build", "-t", table, "-i", missing);

    assertThat(build.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(build.err()).isEqualTo("bsdb: no such input: " + missing + "\n");
    assertThat(table).doesNotExist();
  }

  @Test
  void takesAMistypedOptionForNoInput() throws IOException {
    Path input = file("in.txt", "a 1\n");

    CommandRun build = CommandRun.of("build", "-t", table, "-i", input, "--tmp", directory);

    assertThat(build.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(build.err()).contains("unknown option, or no such input: '--tmp'");
  }

  @Test
  void readsHexadecimalAndBase64() throws IOException {
    assertThat(
            CommandRun.of(
                    "build", "-t", table, "-i", file("in.txt", "00ff 0a0d\n"), "--encoding", "hex")
                .status())
        .isZero();
    CommandRun base64 = CommandRun.of("get", "-t", table, "--encoding", "base64", "--", "AP8=");
    assertThat(base64.out()).isEqualTo("AP8=\tCg0=\n");
    CommandRun hex = CommandRun.of("get", "-t", table, "--encoding", "hex", "--", "00FF");
    assertThat(hex.out()).isEqualTo("00FF\t0a0d\n");
  }
}
