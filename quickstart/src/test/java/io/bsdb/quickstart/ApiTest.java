package io.bsdb.quickstart;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.bsdb.format.Internal;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What users of the libraries see is what is public and not {@link Internal}: its signatures
 * mention nothing else, and neither JSON nor hash library. Here, because the quickstart has all
 * libraries on its class path.
 */
@AnalyzeClasses(packages = "io.bsdb", importOptions = ImportOption.DoNotIncludeTests.class)
class ApiTest {
  private static final List<String> PROGRAMS =
      List.of("io.bsdb.cli", "io.bsdb.examples", "io.bsdb.quickstart");
  private static final List<String> NOT_SHOWN = List.of("com.fasterxml.", "com.dynatrace.");

  /** The whole API of the Flink connector is SQL; Flink finds these classes by their names. */
  private static final Set<String> FLINK =
      Set.of(
          "io.bsdb.flink.AsyncLookup",
          "io.bsdb.flink.BeforeHorizon",
          "io.bsdb.flink.BsdbOptions",
          "io.bsdb.flink.Compaction",
          "io.bsdb.flink.SnapshotTableFactory",
          "io.bsdb.flink.catalog.SnapshotCatalogFactory",
          "io.bsdb.flink.catalog.VersionsTableFactory");

  @ArchTest
  static final ArchRule SIGNATURES_MENTION_THE_API_ONLY =
      classes()
          .should(
              new ArchCondition<JavaClass>("mention the API only") {
                @Override
                public void check(JavaClass type, ConditionEvents events) {
                  if (!isApi(type)) {
                    return;
                  }
                  for (JavaClass parent : type.getAllRawSuperclasses()) {
                    checkType(type, parent, "extends", events);
                  }
                  for (JavaClass parent : type.getAllRawInterfaces()) {
                    checkType(type, parent, "implements", events);
                  }
                  for (JavaMember member : type.getMembers()) {
                    if (isShown(member)) {
                      types(member)
                          .flatMap(mentioned -> mentioned.getAllInvolvedRawTypes().stream())
                          .map(JavaClass::getBaseComponentType)
                          .distinct()
                          .forEach(
                              mentioned ->
                                  checkType(type, mentioned, member.getFullName(), events));
                    }
                  }
                }
              });

  @ArchTest
  static final ArchRule FLINK_SHOWS_FACTORIES_AND_OPTIONS_ONLY =
      classes()
          .that()
          .resideInAPackage("io.bsdb.flink..")
          .should(
              new ArchCondition<JavaClass>("be listed here if they are API") {
                @Override
                public void check(JavaClass type, ConditionEvents events) {
                  if (isApi(type) && !FLINK.contains(type.getName())) {
                    events.add(SimpleConditionEvent.violated(type, type.getName() + " is API"));
                  }
                }
              });

  private static void checkType(
      JavaClass type, JavaClass mentioned, String where, ConditionEvents events) {
    boolean parent = where.equals("extends") || where.equals("implements");
    boolean ours = mentioned.getPackageName().startsWith("io.bsdb");
    boolean hidden =
        ours
            ? isInternal(mentioned) || (!parent && !isPublic(mentioned))
            : NOT_SHOWN.stream().anyMatch(mentioned.getName()::startsWith);
    if (hidden) {
      events.add(
          SimpleConditionEvent.violated(
              type, type.getName() + " mentions " + mentioned.getName() + ": " + where));
    }
  }

  private static boolean isApi(JavaClass type) {
    return isPublic(type)
        && !isInternal(type)
        && PROGRAMS.stream().noneMatch(type.getPackageName()::startsWith);
  }

  private static boolean isPublic(JavaClass type) {
    return type.getModifiers().contains(JavaModifier.PUBLIC)
        && type.getEnclosingClass().map(ApiTest::isPublic).orElse(true);
  }

  private static boolean isInternal(JavaClass type) {
    return type.isAnnotatedWith(Internal.class)
        || type.getPackage().isAnnotatedWith(Internal.class)
        || type.getEnclosingClass().map(ApiTest::isInternal).orElse(false);
  }

  private static boolean isShown(JavaMember member) {
    Set<JavaModifier> modifiers = member.getModifiers();
    return (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED))
        && !modifiers.contains(JavaModifier.SYNTHETIC)
        && !member.isAnnotatedWith(Internal.class);
  }

  private static Stream<JavaType> types(JavaMember member) {
    if (member instanceof JavaField field) {
      return Stream.of(field.getType());
    }
    JavaCodeUnit unit = (JavaCodeUnit) member;
    return Stream.of(
            Stream.of(unit.getReturnType()),
            unit.getParameterTypes().stream(),
            unit.getThrowsClause().stream().map(thrown -> (JavaType) thrown.getRawType()))
        .flatMap(types -> types);
  }
}
