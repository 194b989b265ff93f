package io.bsdb.flink.sink;

import java.nio.file.Path;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;
import org.apache.flink.streaming.runtime.operators.sink.InitContextBase;

/** Where a task may put temporary files: Flink's {@code io.tmp.dirs}, used in turn by the tasks. */
final class TemporaryDirectories {
  private TemporaryDirectories() {}

  static Path of(WriterInitContext context, int subtask) {
    // The public context does not say; the one that Flink passes in does.
    if (context instanceof InitContextBase base
        && base.getRuntimeContext() instanceof StreamingRuntimeContext runtime) {
      String[] directories = runtime.getTaskManagerRuntimeInfo().getTmpDirectories();
      if (directories.length > 0) {
        return Path.of(directories[subtask % directories.length]);
      }
    }
    return Path.of(System.getProperty("java.io.tmpdir"));
  }
}
