package io.bsdb.live;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.bsdb.testkit.SizeRules;

@AnalyzeClasses(packages = "io.bsdb", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest static final ArchTests SIZES = ArchTests.in(SizeRules.class);

  @ArchTest
  static final ArchRule READERS_AND_WRITERS_DO_NOT_KNOW_LIVE_TABLES =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.bsdb.live..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.bsdb.live..");

  @ArchTest
  static final ArchRule THE_LOG_KNOWS_ONLY_VALUES_OF_THE_TABLE =
      noClasses()
          .that()
          .resideInAPackage("io.bsdb.live.log")
          .should()
          .dependOnClassesThat(
              resideInAPackage("io.bsdb.live")
                  .and(
                      not(
                          belongToAnyOf(
                              Durability.class,
                              LogPosition.class,
                              OutcomeUnknownException.class))));
}
