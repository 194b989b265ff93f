package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.flink.storage.S3Server;
import java.nio.file.Path;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.plugin.DefaultPluginManager;
import org.apache.flink.core.plugin.DirectoryBasedPluginFinder;
import org.apache.flink.core.plugin.PluginManager;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A warehouse in S3, through each of the plugins that Flink has for it. */
@Timeout(300)
class S3PluginsTest {
  @RegisterExtension
  static final MiniClusterExtension CLUSTER = new MiniClusterExtension(Sql.cluster());

  private static final String WAREHOUSE = "s3://" + S3Server.BUCKET + "/warehouse";

  @AfterEach
  void forgetPlugin() {
    FileSystem.initialize(new Configuration(), null);
  }

  private static void use(String plugin, S3Server server) throws Exception {
    Configuration configuration = new Configuration();
    configuration.setString("s3.endpoint", server.endpoint());
    configuration.setString("s3.path.style.access", "true");
    configuration.setString("s3.path-style-access", "true");
    configuration.setString("s3.access-key", "key");
    configuration.setString("s3.secret-key", "secret");
    configuration.setString("s3.region", "us-east-1");
    configuration.setString("s3.endpoint.region", "us-east-1");
    PluginManager plugins =
        new DefaultPluginManager(
            new DirectoryBasedPluginFinder(Path.of("target/plugins", plugin)).findPlugins(),
            new String[] {"java.", "org.apache.flink.", "javax.", "org.slf4j", "org.apache.log4j"});
    FileSystem.initialize(configuration, plugins);
  }

  @ParameterizedTest
  @ValueSource(strings = {"hadoop", "presto", "native"})
  void buildsChangesAndReadsATable(String plugin) throws Exception {
    try (S3Server server = new S3Server()) {
      use(plugin, server);
      Sql session = Sql.batch(1).numbers("s", 10);
      session.run(
          "CREATE CATALOG c WITH ('type' = 'bsdb', 'warehouse' = '%s')".formatted(WAREHOUSE));

      session.run("CREATE DATABASE c.geo");
      assertThat(session.texts("SHOW DATABASES IN c")).contains("+I[geo]");
      session.run(
          "CREATE TABLE c.geo.cities (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED) DISTRIBUTED INTO 2 BUCKETS");
      session.run("INSERT OVERWRITE c.geo.cities SELECT f0, 'old' FROM s");
      session.run("INSERT INTO c.geo.cities SELECT f0, 'changed' FROM s WHERE f0 < 3");

      assertThat(session.texts("SELECT name, COUNT(*) FROM c.geo.cities GROUP BY name"))
          .containsExactly("+I[changed, 3]", "+I[old, 7]");
      assertThat(
              session.texts(
                  "SELECT d.name FROM s JOIN c.geo.cities FOR SYSTEM_TIME AS OF s.pt AS d ON d.id = s.f0 WHERE s.f0 = 9"))
          .containsExactly("+I[old]");
      session.run("CALL c.sys.compact('geo.cities', 0.0)");
      session.run("CALL c.sys.expire('geo.cities', 1)");
      assertThat(session.texts("SELECT sequence, records FROM c.geo.`cities$snapshots`"))
          .containsExactly("+I[3, 10]");
      session.run("DROP TABLE c.geo.cities");
      session.run("DROP DATABASE c.geo");
      assertThat(session.texts("SHOW DATABASES IN c")).containsExactly("+I[default]");
      assertThat(server.keys()).noneMatch(key -> key.contains("geo"));
    }
  }
}
