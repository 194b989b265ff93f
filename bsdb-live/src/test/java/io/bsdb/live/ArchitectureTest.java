package io.bsdb.live;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "io.bsdb", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest
  static final ArchRule READERS_AND_WRITERS_DO_NOT_KNOW_LIVE_TABLES =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.bsdb.live")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.bsdb.live");
}
