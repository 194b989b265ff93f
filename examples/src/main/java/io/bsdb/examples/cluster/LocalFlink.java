package io.bsdb.examples.cluster;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.DeploymentOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;

/**
 * A Flink cluster inside this process, for several jobs one after the other. A local table
 * environment would start one for each job, and most of the time of a small job is that start.
 *
 * @param cluster which knows more of its jobs than their clients do
 */
public record LocalFlink(MiniCluster cluster, int slots) implements AutoCloseable {
  /** Starts it, on any free port of the loopback interface. */
  public static LocalFlink start(int slots) throws Exception {
    return start(slots, new Configuration());
  }

  /** Starts it with more options of a cluster. */
  public static LocalFlink start(int slots, Configuration options) throws Exception {
    Configuration configuration = new Configuration(options);
    configuration.set(RestOptions.BIND_ADDRESS, "localhost");
    configuration.set(RestOptions.ADDRESS, "localhost");
    configuration.set(RestOptions.BIND_PORT, "0");
    MiniCluster cluster =
        new MiniCluster(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(configuration)
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(slots)
                .build());
    cluster.start();
    return new LocalFlink(cluster, slots);
  }

  /** Returns the configuration that an environment needs to run its jobs here. */
  public Configuration configuration() throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(DeploymentOptions.TARGET, "remote");
    configuration.set(DeploymentOptions.ATTACHED, true);
    configuration.set(RestOptions.ADDRESS, "localhost");
    configuration.set(RestOptions.PORT, cluster.getRestAddress().get().getPort());
    configuration.set(CoreOptions.DEFAULT_PARALLELISM, slots);
    return configuration;
  }

  @Override
  public void close() throws Exception {
    cluster.close();
  }
}
