package io.bsdb.examples.quickstart;

import java.nio.file.Path;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilder;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilderFactory;
import org.apache.logging.log4j.core.config.builder.impl.BuiltConfiguration;

/** Sends what Flink logs to a file: it is a lot, and useful only when something fails. */
final class QuickstartLog {
  private static final String PATTERN = "%d{ISO8601} %-5p %-50.50c{1.} %m%n";

  private QuickstartLog() {}

  /** Starts a new file, whatever was logged to before. */
  static void writeTo(Path file) {
    ConfigurationBuilder<BuiltConfiguration> builder =
        ConfigurationBuilderFactory.newConfigurationBuilder();
    builder.setStatusLevel(Level.ERROR);
    builder.add(
        builder
            .newAppender("file", "File")
            .addAttribute("fileName", file.toString())
            .addAttribute("append", false)
            .add(builder.newLayout("PatternLayout").addAttribute("pattern", PATTERN)));
    builder.add(builder.newRootLogger(Level.INFO).add(builder.newAppenderRef("file")));
    Configurator.reconfigure(builder.build());
  }
}
