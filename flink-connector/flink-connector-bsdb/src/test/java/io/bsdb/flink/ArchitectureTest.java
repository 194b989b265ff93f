package io.bsdb.flink;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.bsdb.testkit.SizeRules;

/** The arrows between the packages of the connector, and from there to the library. */
@AnalyzeClasses(packages = "io.bsdb.flink", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest static final ArchTests SIZES = ArchTests.in(SizeRules.class);

  @ArchTest
  static final ArchRule NO_CYCLES = slices().matching("io.bsdb.(**)").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule NOTHING_BELOW_KNOWS_THE_FACTORY_OR_THE_CATALOG =
      noClasses()
          .that()
          .resideInAnyPackage(
              "io.bsdb.flink.storage",
              "io.bsdb.flink.state",
              "io.bsdb.flink.row",
              "io.bsdb.flink.lookup",
              "io.bsdb.flink.scan",
              "io.bsdb.flink.follow",
              "io.bsdb.flink.sink..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.bsdb.flink", "io.bsdb.flink.catalog");

  @ArchTest
  static final ArchRule THE_CONNECTOR_KNOWS_NO_OFFSETS =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.bsdb.format.block",
              "io.bsdb.format.index",
              "io.bsdb.format.segment",
              "io.bsdb.reader.block",
              "io.bsdb.reader.partition");
}
