package io.bsdb.examples;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.bsdb.testkit.SizeRules;

/** What runs Flink and Kafka in this process is below the quickstarts and the examples. */
@AnalyzeClasses(packages = "io.bsdb.examples", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest static final ArchTests SIZES = ArchTests.in(SizeRules.class);

  @ArchTest
  static final ArchRule CLUSTERS_KNOW_NO_EXAMPLE =
      noClasses()
          .that()
          .resideInAPackage("io.bsdb.examples.cluster")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.bsdb.examples", "io.bsdb.examples.quickstart");

  @ArchTest
  static final ArchRule QUICKSTARTS_STAND_ALONE =
      noClasses()
          .that()
          .resideInAPackage("io.bsdb.examples.quickstart")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.bsdb.examples");
}
