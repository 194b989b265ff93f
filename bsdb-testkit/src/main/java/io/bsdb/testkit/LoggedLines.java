package io.bsdb.testkit;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.Property;

/** What a class logs, until it is closed: level, message and, if there is one, the exception. */
public final class LoggedLines extends AbstractAppender implements AutoCloseable {
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final boolean fails;
  private final Logger logger;

  private LoggedLines(Logger logger, boolean fails) {
    super("lines", null, null, !fails, Property.EMPTY_ARRAY);
    this.logger = logger;
    this.fails = fails;
  }

  public static LoggedLines of(Class<?> type) {
    return of(type, false);
  }

  /** Returns lines none of which can be written, as the log takes no more of them. */
  public static LoggedLines failing(Class<?> type) {
    return of(type, true);
  }

  private static LoggedLines of(Class<?> type, boolean fails) {
    Configurator.setLevel(type.getName(), Level.INFO);
    Logger logger = ((LoggerContext) LogManager.getContext(false)).getLogger(type.getName());
    var lines = new LoggedLines(logger, fails);
    lines.start();
    logger.addAppender(lines);
    return lines;
  }

  @Override
  public void append(LogEvent event) {
    String line = event.getLevel() + " " + event.getMessage().getFormattedMessage();
    lines.add(event.getThrown() == null ? line : line + " " + event.getThrown());
    if (fails) {
      throw new AppenderLoggingException("no space left");
    }
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
