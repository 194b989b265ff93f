package io.bsdb.live.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.snapshot.Calls;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.Property;
import org.junit.jupiter.api.Test;

class ReclaimerTest {
  /** A log that takes no more lines. */
  private static final class FullLog extends AbstractAppender implements AutoCloseable {
    private final Logger logger;

    FullLog(Class<?> type) {
      super("full", null, null, false, Property.EMPTY_ARRAY);
      Configurator.setLevel(type.getName(), Level.WARN);
      logger = ((LoggerContext) LogManager.getContext(false)).getLogger(type.getName());
      start();
      logger.addAppender(this);
    }

    @Override
    public void append(LogEvent event) {
      throw new AppenderLoggingException("no space left");
    }

    @Override
    public void close() {
      logger.removeAppender(this);
      stop();
    }
  }

  /** Else files and memory would stay until the table is closed, and after that. */
  @Test
  void goesOnIfNothingCanBeLogged() throws Exception {
    CountDownLatch closed = new CountDownLatch(2);
    try (FullLog unused = new FullLog(Reclaimer.class);
        Reclaimer reclaimer = new Reclaimer(new Calls("test", IllegalStateException::new))) {
      reclaimer.retire(
          () -> {
            closed.countDown();
            throw new IOException("thrown by a test");
          });
      reclaimer.retire(closed::countDown);
      reclaimer.start();
      assertThat(closed.await(60, TimeUnit.SECONDS)).as("both are closed").isTrue();
    }
  }
}
