package io.bsdb.testkit;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.conditions.ArchPredicates.are;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.codeUnits;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Maximum sizes, which hold in every module: {@code ArchTests.in(SizeRules.class)}. */
public final class SizeRules {
  private static final String GENERATED = ".jmh_generated";
  private static final int MAX_FILES = 20;
  private static final int MAX_LINES = 450;
  private static final int MAX_PARAMETERS = 8;

  /** Packages of many small files of one kind: types of columns, and procedures. */
  private static final Set<String> LARGE = Set.of("io.bsdb.row", "io.bsdb.flink.catalog");

  private SizeRules() {}

  @ArchTest
  static final ArchRule PACKAGES_HAVE_FEW_FILES =
      classes()
          .should(
              new ArchCondition<JavaClass>("be in a package of at most %d files", MAX_FILES) {
                private final Map<String, Integer> files = new TreeMap<>();

                @Override
                public void check(JavaClass type, ConditionEvents events) {
                  if (type.isTopLevelClass() && !type.getSimpleName().equals("package-info")) {
                    files.merge(type.getPackageName(), 1, Integer::sum);
                  }
                }

                @Override
                public void finish(ConditionEvents events) {
                  files.keySet().removeAll(LARGE);
                  files.keySet().removeIf(name -> name.endsWith(GENERATED));
                  files.forEach(
                      (name, count) ->
                          events.add(
                              new SimpleConditionEvent(
                                  name,
                                  count <= MAX_FILES,
                                  "package %s has %d files, at most %d are allowed; move some to a package of their own"
                                      .formatted(name, count, MAX_FILES))));
                  files.clear();
                }
              });

  @ArchTest
  static final ArchRule FILES_ARE_SHORT =
      classes()
          .that()
          .areTopLevelClasses()
          .should(
              new ArchCondition<JavaClass>("be in a file of at most %d lines", MAX_LINES) {
                @Override
                public void check(JavaClass type, ConditionEvents events) {
                  Path file = sourceFile(type);
                  long lines = Files.exists(file) ? lines(file) : 0; // else generated
                  events.add(
                      new SimpleConditionEvent(
                          type,
                          lines <= MAX_LINES,
                          "%s has %d lines, at most %d are allowed; move a job of its own to another class"
                              .formatted(file, lines, MAX_LINES)));
                }
              });

  /** Returns where the source of a class is, which Maven has compiled in this tree. */
  private static Path sourceFile(JavaClass type) {
    String uri = type.getSource().orElseThrow().getUri().toString().replaceFirst("^jar:", "");
    return Path.of(URI.create(uri.replaceFirst("/target/.*", "/src/main/java/")))
        .resolve(type.getName().replace('.', '/') + ".java");
  }

  private static long lines(Path file) {
    try (var lines = Files.lines(file)) {
      return lines.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Records, which are made by a builder or read from a file, may have more components. */
  @ArchTest
  static final ArchRule CODE_HAS_FEW_PARAMETERS =
      codeUnits()
          .that(are(describe("written by hand", SizeRules::isWritten)))
          .should(
              new ArchCondition<>("have at most %d parameters", MAX_PARAMETERS) {
                @Override
                public void check(JavaCodeUnit code, ConditionEvents events) {
                  int outer = code.isConstructor() && code.getOwner().isInnerClass() ? 1 : 0;
                  int count = code.getRawParameterTypes().size() - outer;
                  events.add(
                      new SimpleConditionEvent(
                          code,
                          count <= MAX_PARAMETERS,
                          "%s has %d parameters, at most %d are allowed"
                              .formatted(code.getFullName(), count, MAX_PARAMETERS)));
                }
              });

  private static boolean isWritten(JavaCodeUnit code) {
    JavaClass owner = code.getOwner();
    if (owner.getPackageName().endsWith(GENERATED)) {
      return false;
    }
    return code.isConstructor()
        ? !owner.isRecord() && !owner.isEnum() && !owner.isAnonymousClass()
        : !code.getModifiers().contains(JavaModifier.PRIVATE)
            && !code.getModifiers().contains(JavaModifier.SYNTHETIC);
  }
}
