package io.bsdb.reader;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.Property;

/** What a class logs, until it is closed: level, message and, if there is one, the exception. */
public final class LoggedLines extends AbstractAppender implements AutoCloseable {
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final Logger logger;

  private LoggedLines(Logger logger) {
    super("lines", null, null, true, Property.EMPTY_ARRAY);
    this.logger = logger;
  }

  public static LoggedLines of(Class<?> type) {
    Configurator.setLevel(type.getName(), Level.INFO);
    Logger logger = ((LoggerContext) LogManager.getContext(false)).getLogger(type.getName());
    var lines = new LoggedLines(logger);
    lines.start();
    logger.addAppender(lines);
    return lines;
  }

  @Override
  public void append(LogEvent event) {
    String line = event.getLevel() + " " + event.getMessage().getFormattedMessage();
    lines.add(event.getThrown() == null ? line : line + " " + event.getThrown());
  }

  public List<String> all() {
    return List.copyOf(lines);
  }

  @Override
  public void close() {
    logger.removeAppender(this);
    stop();
  }
}
