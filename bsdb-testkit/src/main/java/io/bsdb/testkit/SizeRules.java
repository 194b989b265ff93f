package io.bsdb.testkit;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Maximum sizes, which hold in every module: {@code ArchTests.in(SizeRules.class)}. */
public final class SizeRules {
  private static final int MAX_FILES = 20;
  private static final int MAX_PARAMETERS = 8;

  /** Packages of many small files of one kind: types of columns, and procedures. */
  private static final Set<String> LARGE = Set.of("io.bsdb.row", "io.bsdb.flink.catalog");

  private SizeRules() {}

  @ArchTest
  static final ArchRule PACKAGES_HAVE_FEW_FILES =
      classes()
          .should(
              new ArchCondition<JavaClass>("be in a package of at most %d files", MAX_FILES) {
                private final Map<String, Integer> files = new TreeMap<>();

                @Override
                public void check(JavaClass type, ConditionEvents events) {
                  if (type.isTopLevelClass() && !type.getSimpleName().equals("package-info")) {
                    files.merge(type.getPackageName(), 1, Integer::sum);
                  }
                }

                @Override
                public void finish(ConditionEvents events) {
                  files.keySet().removeAll(LARGE);
                  files.keySet().removeIf(name -> name.endsWith(".jmh_generated"));
                  files.forEach(
                      (name, count) ->
                          events.add(
                              new SimpleConditionEvent(
                                  name,
                                  count <= MAX_FILES,
                                  "package %s has %d files, at most %d are allowed; move some to a package of their own"
                                      .formatted(name, count, MAX_FILES))));
                  files.clear();
                }
              });

  /** Records, which are made by a builder or read from a file, may have more components. */
  @ArchTest
  static final ArchRule CONSTRUCTORS_HAVE_FEW_PARAMETERS =
      classes()
          .that()
          .areNotRecords()
          .and()
          .areNotEnums()
          .and()
          .areNotAnonymousClasses()
          .should(
              new ArchCondition<JavaClass>(
                  "have constructors of at most %d parameters", MAX_PARAMETERS) {
                @Override
                public void check(JavaClass type, ConditionEvents events) {
                  for (JavaConstructor constructor : type.getConstructors()) {
                    int count =
                        constructor.getRawParameterTypes().size() - (type.isInnerClass() ? 1 : 0);
                    events.add(
                        new SimpleConditionEvent(
                            constructor,
                            count <= MAX_PARAMETERS,
                            "%s has %d parameters, at most %d are allowed"
                                .formatted(constructor.getFullName(), count, MAX_PARAMETERS)));
                  }
                }
              });
}
