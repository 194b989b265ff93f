package io.bsdb.benchmarks;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.bsdb.testkit.SizeRules;

/** The harness is below the stores that are compared, and both are below the benchmarks. */
@AnalyzeClasses(
    packages = "io.bsdb.benchmarks",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest static final ArchTests SIZES = ArchTests.in(SizeRules.class);

  @ArchTest
  static final ArchRule THE_HARNESS_KNOWS_NO_BENCHMARK =
      noClasses()
          .that()
          .resideInAPackage("io.bsdb.benchmarks.harness")
          .should()
          .dependOnClassesThat(
              resideInAPackage("io.bsdb.benchmarks..")
                  .and(resideOutsideOfPackage("io.bsdb.benchmarks.harness")));

  @ArchTest
  static final ArchRule PEERS_KNOW_ONLY_THE_HARNESS =
      noClasses()
          .that()
          .resideInAPackage("io.bsdb.benchmarks.peers")
          .should()
          .dependOnClassesThat(
              resideInAPackage("io.bsdb.benchmarks..")
                  .and(
                      resideOutsideOfPackages(
                          "io.bsdb.benchmarks.harness", "io.bsdb.benchmarks.peers")));
}
