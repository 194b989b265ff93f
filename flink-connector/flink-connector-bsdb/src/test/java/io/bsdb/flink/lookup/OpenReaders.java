package io.bsdb.flink.lookup;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.KeyShare;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Shows which readers are open; as an extension, requires that each test leaves none. */
public final class OpenReaders implements AfterEachCallback {
  @Override
  public void afterEach(ExtensionContext context) {
    assertThat(count()).isZero();
  }

  public static int count() {
    return SharedSnapshots.shares().size();
  }

  /** The shares of the keys that are open. */
  public static List<KeyShare> shares() {
    return SharedSnapshots.shares();
  }

  static List<String> versions() {
    return SharedSnapshots.open().stream().map(TableReader::version).toList();
  }

  static long failedRefreshes() {
    return SharedSnapshots.open().stream().mapToLong(TableReader::failedRefreshes).sum();
  }
}
