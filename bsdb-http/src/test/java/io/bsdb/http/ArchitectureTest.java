package io.bsdb.http;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.bsdb.testkit.SizeRules;

/** Answers for programs and pages for people stand beside each other, over tables and exchanges. */
@AnalyzeClasses(packages = "io.bsdb.http", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest static final ArchTests SIZES = ArchTests.in(SizeRules.class);

  @ArchTest
  static final ArchRule ARROWS_POINT_DOWNWARDS =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .ensureAllClassesAreContainedInArchitecture()
          .layer("server")
          .definedBy("io.bsdb.http")
          .layer("page")
          .definedBy("io.bsdb.http.page")
          .layer("api")
          .definedBy("io.bsdb.http.api")
          .layer("table")
          .definedBy("io.bsdb.http.table")
          .layer("exchange")
          .definedBy("io.bsdb.http.exchange")
          .layer("wire")
          .definedBy("io.bsdb.http.wire")
          .whereLayer("server")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("page")
          .mayOnlyBeAccessedByLayers("server")
          .whereLayer("api")
          .mayOnlyBeAccessedByLayers("server")
          .whereLayer("table")
          .mayOnlyBeAccessedByLayers("server", "page", "api")
          .whereLayer("exchange")
          .mayOnlyBeAccessedByLayers("server", "page", "api", "table")
          .whereLayer("wire")
          .mayOnlyBeAccessedByLayers("server", "page", "api", "table", "exchange");
}
