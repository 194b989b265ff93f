package io.bsdb.reader;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.bsdb.testkit.SizeRules;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;

/** The arrows between packages: downwards, and none between writer and reader. */
@AnalyzeClasses(packages = "io.bsdb", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest static final ArchTests SIZES = ArchTests.in(SizeRules.class);

  /** From the bottom up: a package knows those in front of it only. */
  private static final List<String> LAYERS =
      List.of(
          "io.bsdb.format",
          "io.bsdb.format.io",
          "io.bsdb.format.hash",
          "io.bsdb.format.row",
          "io.bsdb.format.symbols",
          "io.bsdb.format.block",
          "io.bsdb.format.index",
          "io.bsdb.format.segment",
          "io.bsdb.row",
          "io.bsdb.row.text",
          "io.bsdb.table.storage",
          "io.bsdb.table.manifest",
          "io.bsdb.table",
          "io.bsdb.writer.options",
          "io.bsdb.writer.work",
          "io.bsdb.writer.intake",
          "io.bsdb.writer.file",
          "io.bsdb.writer",
          "io.bsdb.reader.memory",
          "io.bsdb.reader.options",
          "io.bsdb.reader.metrics",
          "io.bsdb.reader.io",
          "io.bsdb.reader.block",
          "io.bsdb.reader.partition",
          "io.bsdb.reader.overlay",
          "io.bsdb.reader.snapshot",
          "io.bsdb.reader",
          "io.bsdb.reader.diff",
          "io.bsdb.reader.follow",
          "io.bsdb.compact",
          "io.bsdb.reload",
          "io.bsdb.testkit");

  @ArchTest
  static final ArchRule EVERY_PACKAGE_HAS_A_LAYER =
      classes().should().resideInAnyPackage(LAYERS.toArray(String[]::new));

  @ArchTest
  static final ArchRule ARROWS_POINT_DOWNWARDS =
      classes()
          .should(
              new ArchCondition<JavaClass>("depend on packages of lower layers only") {
                @Override
                public void check(JavaClass type, ConditionEvents events) {
                  for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                    int target = LAYERS.indexOf(dependency.getTargetClass().getPackageName());
                    if (target > LAYERS.indexOf(type.getPackageName())) {
                      events.add(SimpleConditionEvent.violated(type, dependency.getDescription()));
                    }
                  }
                }
              });

  @ArchTest
  static final ArchRule WRITER_AND_READER_DO_NOT_KNOW_EACH_OTHER =
      slices().matching("io.bsdb.(writer|reader)..").should().notDependOnEachOther();

  @ArchTest
  static final ArchRule NO_CYCLES = slices().matching("io.bsdb.(**)").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule SUX4J_IS_NEEDED_BY_ITS_BUILDER_ONLY =
      noClasses()
          .that()
          .haveNameNotMatching(".*\\.Sux4jBuilder(\\$.*)?")
          .and()
          .resideOutsideOfPackage("it.unimi..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("it.unimi..");

  @ArchTest
  static final ArchRule NO_JAVA_SERIALIZATION =
      noClasses()
          .should()
          .dependOnClassesThat()
          .areAssignableTo(ObjectInputStream.class)
          .orShould()
          .dependOnClassesThat()
          .areAssignableTo(ObjectOutputStream.class);
}
