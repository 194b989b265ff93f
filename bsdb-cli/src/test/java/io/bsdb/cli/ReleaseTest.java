package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is published goes together, and says under which terms. */
class ReleaseTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern VERSION = Pattern.compile("<version>(.*?)</version>");
  private static final Pattern ARTIFACT = Pattern.compile("<artifactId>(.*?)</artifactId>");
  private static final Pattern OURS =
      Pattern.compile("(flink-connector-bsdb|bsdb-[a-z]+)-\\d[^/]*\\.jar");

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
        poms().stream()
            .map(ReleaseTest::read)
            .filter(pom -> pom.contains("<parent>"))
            .filter(pom -> !pom.contains("<packaging>pom</packaging>"))
            .filter(pom -> !pom.contains("<maven.deploy.skip>true"))
            .map(pom -> first(ARTIFACT, pom.substring(pom.indexOf("</parent>"))))
            .toList();
    assertThat(listed).containsExactlyInAnyOrderElementsOf(published).isNotEmpty();
    assertThat(first(VERSION, bom)).isEqualTo(first(VERSION, read(ROOT.resolve("pom.xml"))));
  }

  @Test
  void everyJarHasLicenceAndNotice() throws IOException {
    List<Path> jars =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .map(Path::of)
            .filter(jar -> OURS.matcher(jar.getFileName().toString()).matches())
            .toList();
    assumeThat(jars).as("jars of this project, which phase package makes").hasSize(7);
    for (Path path : jars) {
      try (JarFile jar = new JarFile(path.toFile())) {
        for (String name : List.of("LICENSE", "NOTICE")) {
          try (var content = jar.getInputStream(jar.getEntry("META-INF/" + name))) {
            assertThat(content.readAllBytes())
                .as("%s of %s", name, path)
                .isEqualTo(Files.readAllBytes(ROOT.resolve(name)));
          }
        }
      }
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
