package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.junit.jupiter.api.Test;

/** What Flink says of first mistakes: the page tells how to mend them. */
class FirstStepsTest {
  static final String NO_CONNECTOR = "Could not find any factory for identifier 'bsdb'";
  static final String NO_TIME_ATTRIBUTE =
      "supports 'FOR SYSTEM_TIME AS OF' left table's time attribute field";
  static final String CONSTANT_TIME = "MatchError: CURRENT_TIMESTAMP";
  static final String EVENT_TIME = "Event-Time Temporal Table Join requires";
  static final String RIGHT_JOIN = "Unknown join type RIGHT";
  static final String VIEW = "Unsupported call: __TEMPORAL_JOIN_CONDITION_PRIMARY_KEY";
  static final List<String> MESSAGES =
      List.of(NO_CONNECTOR, NO_TIME_ATTRIBUTE, CONSTANT_TIME, EVENT_TIME, RIGHT_JOIN, VIEW);

  private static final String JOIN =
      "SELECT d.name FROM s JOIN d FOR SYSTEM_TIME AS OF %s AS d ON d.id = s.f0";

  private static Sql session(String connector) throws Exception {
    return Sql.streaming(1)
        .run(
            "CREATE TABLE d (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = '%s', 'path' = '/no/such')"
                .formatted(connector));
  }

  /** A session with a stream of numbers and times. */
  private static Sql session(Schema.Builder times) throws Exception {
    Sql session = session("bsdb");
    session.tables.createTemporaryView(
        "s",
        session.tables.fromDataStream(
            session.env.fromSequence(0, 1),
            times
                .column("f0", DataTypes.BIGINT())
                .columnByExpression("t", "TO_TIMESTAMP_LTZ(f0, 3)")
                .build()));
    return session;
  }

  private static void assertRefused(Sql session, String query, String message) {
    assertThatThrownBy(() -> session.tables.explainSql(query)).hasStackTraceContaining(message);
  }

  @Test
  void noConnector() throws Exception {
    assertRefused(
        session("bsdc").numbers("s", 1),
        JOIN.formatted("s.pt"),
        NO_CONNECTOR.replace("bsdb", "bsdc"));
  }

  @Test
  void noTimeAttribute() throws Exception {
    Sql session = session(Schema.newBuilder());

    assertRefused(session, JOIN.formatted("s.t"), NO_TIME_ATTRIBUTE);
    assertRefused(session, JOIN.formatted("CURRENT_TIMESTAMP"), CONSTANT_TIME);
  }

  @Test
  void eventTime() throws Exception {
    assertRefused(
        session(Schema.newBuilder().watermark("t", "t")), JOIN.formatted("s.t"), EVENT_TIME);
  }

  @Test
  void view() throws Exception {
    assertRefused(
        session("bsdb")
            .numbers("s", 1)
            .run("CREATE TEMPORARY VIEW v AS SELECT id, name FROM d WHERE name LIKE 'a%'"),
        JOIN.formatted("s.pt").replace("JOIN d", "JOIN v"),
        VIEW);
  }

  @Test
  void rightJoin() throws Exception {
    assertRefused(
        session("bsdb").numbers("s", 1),
        JOIN.formatted("s.pt").replace("JOIN", "RIGHT JOIN"),
        RIGHT_JOIN);
  }
}
