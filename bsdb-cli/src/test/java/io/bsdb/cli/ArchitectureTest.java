package io.bsdb.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.bsdb.testkit.SizeRules;

/** Each kind of commands has a package; what they share is in three more, which know no command. */
@AnalyzeClasses(packages = "io.bsdb.cli", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest static final ArchTests SIZES = ArchTests.in(SizeRules.class);

  @ArchTest
  static final ArchRule ARROWS_POINT_DOWNWARDS =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .ensureAllClassesAreContainedInArchitecture()
          .layer("command line")
          .definedBy("io.bsdb.cli")
          .layer("build")
          .definedBy("io.bsdb.cli.build")
          .layer("read")
          .definedBy("io.bsdb.cli.read")
          .layer("change")
          .definedBy("io.bsdb.cli.change")
          .layer("versions")
          .definedBy("io.bsdb.cli.versions")
          .layer("serve")
          .definedBy("io.bsdb.cli.serve")
          .layer("bench")
          .definedBy("io.bsdb.cli.bench")
          .layer("table")
          .definedBy("io.bsdb.cli.table")
          .layer("input")
          .definedBy("io.bsdb.cli.input")
          .layer("output")
          .definedBy("io.bsdb.cli.output")
          .whereLayer("command line")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("build")
          .mayOnlyBeAccessedByLayers("command line")
          .whereLayer("read") // a build verifies what it has built
          .mayOnlyBeAccessedByLayers("command line", "build")
          .whereLayer("change")
          .mayOnlyBeAccessedByLayers("command line")
          .whereLayer("versions")
          .mayOnlyBeAccessedByLayers("command line")
          .whereLayer("serve")
          .mayOnlyBeAccessedByLayers("command line")
          .whereLayer("bench")
          .mayOnlyBeAccessedByLayers("command line")
          .whereLayer("table")
          .mayOnlyBeAccessedByLayers("build", "read", "change", "versions", "serve", "bench")
          .whereLayer("input")
          .mayOnlyBeAccessedByLayers("build", "read", "change", "bench")
          .whereLayer("output")
          .mayOnlyBeAccessedByLayers(
              "command line",
              "build",
              "read",
              "change",
              "versions",
              "serve",
              "bench",
              "table",
              "input");

  @ArchTest
  static final ArchRule INPUTS_BUILD_NO_JSON_TREE =
      noClasses()
          .that()
          .resideInAPackage("io.bsdb.cli.input")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("com.fasterxml.jackson.databind..");
}
