package io.bsdb.kstreams.broker;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * An {@link EmbeddedBroker} of another release of Kafka than the tests run on, which has its
 * classes to itself.
 */
final class SeparateBroker implements Broker {
  private final URLClassLoader classes;
  private final Object broker;

  private SeparateBroker(URLClassLoader classes, Object broker) {
    this.classes = classes;
    this.broker = broker;
  }

  /**
   * Starts one.
   *
   * @param classPath of the broker, where the tests' own classes need not be
   */
  static Broker start(String classPath) {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try {
      URLClassLoader classes =
          new URLClassLoader("broker", urls(classPath), ClassLoader.getPlatformClassLoader());
      thread.setContextClassLoader(classes); // of the broker's threads, too
      var start = classes.loadClass(EmbeddedBroker.class.getName()).getDeclaredMethod("start");
      start.setAccessible(true);
      return new SeparateBroker(classes, start.invoke(null));
    } catch (ReflectiveOperationException | MalformedURLException e) {
      throw new IllegalStateException("no separate broker", e);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private static URL[] urls(String classPath) throws MalformedURLException {
    List<URL> urls = new ArrayList<>();
    urls.add(EmbeddedBroker.class.getProtectionDomain().getCodeSource().getLocation());
    for (String entry : classPath.split(File.pathSeparator, -1)) {
      urls.add(Path.of(entry).toUri().toURL());
    }
    return urls.toArray(URL[]::new);
  }

  private Object call(String method) throws ReflectiveOperationException {
    var declared = broker.getClass().getDeclaredMethod(method);
    declared.setAccessible(true);
    return declared.invoke(broker);
  }

  @Override
  public String bootstrapServers() {
    try {
      return (String) call("bootstrapServers");
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the broker does not say where it is", e);
    }
  }

  @Override
  public void close() throws Exception {
    try (classes) {
      call("close");
    }
  }
}
