package io.bsdb.reader;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;

/** The arrows between packages: format ← table ← {writer, reader}. */
@AnalyzeClasses(packages = "io.bsdb", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest
  static final ArchRule FORMAT_KNOWS_NOBODY =
      noClasses()
          .that()
          .resideInAPackage("io.bsdb.format..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.bsdb.table..", "io.bsdb.writer..", "io.bsdb.reader..");

  @ArchTest
  static final ArchRule TABLE_KNOWS_NEITHER_WRITER_NOR_READER =
      noClasses()
          .that()
          .resideInAPackage("io.bsdb.table..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.bsdb.writer..", "io.bsdb.reader..");

  @ArchTest
  static final ArchRule WRITER_AND_READER_DO_NOT_KNOW_EACH_OTHER =
      slices().matching("io.bsdb.(writer|reader)..").should().notDependOnEachOther();

  @ArchTest
  static final ArchRule NO_CYCLES = slices().matching("io.bsdb.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule BLOCK_SOURCES_KNOW_NO_READER =
      classes()
          .that()
          .resideInAPackage("io.bsdb.reader.io..")
          .should()
          .onlyBeAccessed()
          .byClassesThat()
          .resideInAPackage("io.bsdb.reader..")
          .andShould()
          .onlyDependOnClassesThat()
          .resideOutsideOfPackage("io.bsdb.reader");

  @ArchTest
  static final ArchRule SUX4J_IS_NEEDED_BY_ITS_BUILDER_ONLY =
      noClasses()
          .that()
          .haveNameNotMatching(".*\\.Sux4jBuilder.*")
          .and()
          .resideOutsideOfPackage("it.unimi..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("it.unimi..");

  @ArchTest
  static final ArchRule NO_JAVA_SERIALIZATION =
      noClasses()
          .should()
          .dependOnClassesThat()
          .areAssignableTo(ObjectInputStream.class)
          .orShould()
          .dependOnClassesThat()
          .areAssignableTo(ObjectOutputStream.class);
}
