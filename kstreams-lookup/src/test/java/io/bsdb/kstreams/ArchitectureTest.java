package io.bsdb.kstreams;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.bsdb.testkit.SizeRules;
import java.util.Set;

@AnalyzeClasses(packages = "io.bsdb.kstreams", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest static final ArchTests SIZES = ArchTests.in(SizeRules.class);

  private static final String KAFKA_UTILS = "org.apache.kafka.common.utils";
  private static final Set<String> PUBLIC_UTILS = Set.of("Bytes", "Time", "Timer");

  /**
   * The same class files run on several releases of Kafka, which move and change what is not
   * public.
   */
  @ArchTest
  static final ArchRule usesPublicKafkaApiOnly =
      noClasses()
          .should()
          .dependOnClassesThat(
              describe(
                  "are internal to Kafka",
                  type ->
                      isKafka(type)
                          && (type.getPackageName().contains(".internals")
                              || (type.getPackageName().equals(KAFKA_UTILS)
                                  && !PUBLIC_UTILS.contains(type.getSimpleName())))));

  /** Stores stand beside joins: an application without stores has no writable tables. */
  @ArchTest
  static final ArchRule onlyStoresUseWritableTables =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.bsdb.kstreams.store")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.bsdb.live..", "io.bsdb.kstreams.store");

  @ArchTest
  static final ArchRule storesDoNotUseJoins =
      noClasses()
          .that()
          .resideInAPackage("io.bsdb.kstreams.store")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.bsdb.kstreams");

  @ArchTest
  static final ArchRule productionCodeDoesNotUseTheTestingPackage =
      noClasses()
          .that()
          .resideInAnyPackage("io.bsdb.kstreams", "io.bsdb.kstreams.store")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.bsdb.kstreams.testing");

  private static boolean isKafka(JavaClass type) {
    return type.getPackageName().startsWith("org.apache.kafka");
  }
}
