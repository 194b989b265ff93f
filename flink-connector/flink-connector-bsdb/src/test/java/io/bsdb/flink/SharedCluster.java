package io.bsdb.flink;

import org.apache.flink.streaming.util.TestStreamEnvironment;
import org.apache.flink.test.util.MiniClusterWithClientResource;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** One cluster for all tests of a process that neither kill parts of a cluster nor configure it. */
final class SharedCluster implements BeforeAllCallback, AfterAllCallback {
  /** Ends with the process. */
  private static MiniClusterWithClientResource cluster;

  private static synchronized MiniClusterWithClientResource cluster() throws Exception {
    if (cluster == null) {
      MiniClusterWithClientResource started = new MiniClusterWithClientResource(Sql.cluster());
      started.before();
      cluster = started;
    }
    return cluster;
  }

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    TestStreamEnvironment.setAsContext(cluster().getMiniCluster(), cluster().getNumberSlots());
  }

  @Override
  public void afterAll(ExtensionContext context) throws Exception {
    TestStreamEnvironment.unsetAsContext();
    cluster().cancelAllJobs();
  }
}
