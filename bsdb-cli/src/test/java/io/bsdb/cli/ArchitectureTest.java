package io.bsdb.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Commands read with {@code input} and speak with {@code output}; neither knows a command. */
@AnalyzeClasses(packages = "io.bsdb.cli", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest
  static final ArchRule ARROWS_POINT_DOWNWARDS =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .ensureAllClassesAreContainedInArchitecture()
          .layer("commands")
          .definedBy("io.bsdb.cli")
          .layer("input")
          .definedBy("io.bsdb.cli.input")
          .layer("output")
          .definedBy("io.bsdb.cli.output")
          .whereLayer("commands")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("input")
          .mayOnlyBeAccessedByLayers("commands")
          .whereLayer("output")
          .mayOnlyBeAccessedByLayers("commands", "input");

  @ArchTest
  static final ArchRule INPUTS_BUILD_NO_JSON_TREE =
      noClasses()
          .that()
          .resideInAPackage("io.bsdb.cli.input")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("com.fasterxml.jackson.databind..");
}
