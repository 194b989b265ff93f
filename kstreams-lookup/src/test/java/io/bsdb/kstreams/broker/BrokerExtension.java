package io.bsdb.kstreams.broker;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.testcontainers.DockerClientFactory;

/**
 * Gives tests a {@link Broker}, one for all: in a container where Docker answers, in this process
 * elsewhere. {@code -Dkafka.it=docker} or {@code -Dkafka.it=embedded} forces one of the two.
 */
final class BrokerExtension implements ParameterResolver {
  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(BrokerExtension.class);

  /** Closes the broker when the last test is over. */
  private record Shared(Broker broker) implements AutoCloseable {
    @Override
    public void close() throws Exception {
      broker.close();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Broker.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context
        .getRoot()
        .getStore(NAMESPACE)
        .getOrComputeIfAbsent(Shared.class, key -> new Shared(start()), Shared.class)
        .broker();
  }

  private static Broker start() {
    String kind = System.getProperty("kafka.it", "auto");
    return switch (kind) {
      case "docker" -> ContainerBroker.start();
      case "embedded" -> startEmbedded();
      case "auto" ->
          DockerClientFactory.instance().isDockerAvailable()
              ? ContainerBroker.start()
              : startEmbedded();
      default ->
          throw new IllegalArgumentException(
              "kafka.it: expected docker or embedded, actual=" + kind);
    };
  }

  private static Broker startEmbedded() {
    String classPath = System.getProperty("kafka.broker.classpath");
    return classPath == null ? EmbeddedBroker.start() : SeparateBroker.start(classPath);
  }
}
