package io.bsdb.sql;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.bsdb.testkit.SizeRules;

/** JDBC queries and column types do not depend on DuckDB. */
@AnalyzeClasses(packages = "io.bsdb.sql", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest static final ArchTests SIZES = ArchTests.in(SizeRules.class);

  @ArchTest
  static final ArchRule QUERIES_OVER_JDBC_KNOW_NO_DUCKDB =
      noClasses()
          .that()
          .haveSimpleNameStartingWith("Jdbc")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.duckdb..");

  @ArchTest
  static final ArchRule TYPES_OF_SOURCES_KNOW_NO_DATABASE =
      noClasses()
          .that()
          .haveSimpleNameStartingWith("SourceType")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.duckdb..", "java.sql..");
}
