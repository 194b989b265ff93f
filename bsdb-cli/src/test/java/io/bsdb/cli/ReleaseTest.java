package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The bill of materials has every published library, in one version. */
class ReleaseTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern VERSION = Pattern.compile("<version>(.*?)</version>");
  private static final Pattern ARTIFACT = Pattern.compile("<artifactId>(.*?)</artifactId>");
  private static final String GROUP = "<groupId>io.bsdb</groupId>";

  private static List<Path> published() throws IOException {
    return poms().stream()
        .filter(
            file -> {
              String pom = read(file);
              return pom.contains("<parent>")
                  && !pom.contains("<packaging>pom</packaging>")
                  && !pom.contains("<maven.deploy.skip>true");
            })
        .toList();
  }

  private static String artifact(String pom) {
    return first(ARTIFACT, pom.substring(pom.indexOf("</parent>")));
  }

  private static List<Path> poms() throws IOException {
    try (Stream<Path> files = Files.find(ROOT, 3, (file, a) -> file.endsWith("pom.xml"))) {
      return files.filter(file -> !file.toString().contains("/target/")).toList();
    }
  }

  @Test
  void billOfMaterialsHasEveryPublishedLibraryInTheVersionOfTheProject() throws IOException {
    String bom = Files.readString(ROOT.resolve("bsdb-bom/pom.xml"));
    String managed = bom.substring(bom.indexOf("<dependencyManagement>"));
    List<String> listed =
        ARTIFACT
            .matcher(managed.substring(0, managed.indexOf("</dependencyManagement>")))
            .results()
            .map(found -> found.group(1))
            .toList();
    List<String> published =
        published().stream().map(ReleaseTest::read).map(ReleaseTest::artifact).toList();
    assertThat(listed).containsExactlyInAnyOrderElementsOf(published).isNotEmpty();
    assertThat(first(VERSION, bom)).isEqualTo(first(VERSION, read(ROOT.resolve("pom.xml"))));
  }

  /** Maven allows no property in place of the literal here, so a release replaces each of them. */
  @Test
  void theGroupIsWrittenWhereMavenWantsItOnly() throws IOException {
    for (Path pom : poms()) {
      String text = read(pom);
      int end = Math.max(text.indexOf("</parent>"), text.indexOf("</version>"));
      assertThat(text.substring(0, end)).as("%s", pom).containsOnlyOnce(GROUP);
      assertThat(text.substring(end)).as("%s", pom).doesNotContain(">io.bsdb<");
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String first(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .findFirst()
        .map((MatchResult found) -> found.group(1))
        .orElseThrow();
  }
}
