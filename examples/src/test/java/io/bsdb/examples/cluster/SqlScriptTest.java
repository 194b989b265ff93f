package io.bsdb.examples.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class SqlScriptTest {
  @Test
  void tellsSettingsFromStatements() {
    SqlScript script =
        SqlScript.parse(
            """
            -- a comment; with a semicolon
            SET 'execution.runtime-mode' = 'batch';

            CREATE TABLE t (a INT); -- after a statement
            SELECT ';'
            FROM t;
            """,
            Map.of());

    assertThat(script.settings()).isEqualTo(Map.of("execution.runtime-mode", "batch"));
    assertThat(script.statements()).containsExactly("CREATE TABLE t (a INT)", "SELECT ';'\nFROM t");
  }

  @Test
  void putsValuesIntoStringsOfSql() {
    SqlScript script = SqlScript.parse("SELECT '${path}';", Map.of("path", "/it's $1"));

    assertThat(script.statements()).containsExactly("SELECT '/it''s $1'");
  }

  @Test
  void refusesAVariableWithoutValue() {
    assertThatThrownBy(() -> SqlScript.parse("SELECT '${path}';", Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("no value for ${path}");
  }
}
