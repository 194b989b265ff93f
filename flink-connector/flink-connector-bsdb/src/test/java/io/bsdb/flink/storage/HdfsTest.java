package io.bsdb.flink.storage;

import static io.bsdb.testkit.Utf8.bytes;
import static io.bsdb.testkit.Utf8.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.table.storage.TableStorage;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.concurrent.FutureTask;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileSystem.WriteMode;
import org.apache.flink.core.fs.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** A table on HDFS, where a file that is written over is empty meanwhile. */
@Tag("any-release")
class HdfsTest extends StorageContract {
  @TempDir static java.nio.file.Path disks;
  private static MiniDFSCluster hdfs;

  private String path;

  @BeforeAll
  static void start() throws IOException {
    Configuration settings = new Configuration();
    settings.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, disks.toString());
    // At heartbeats blocks are deleted that were written over, maybe as a reader begins to read.
    settings.set("dfs.heartbeat.interval", "60s");
    hdfs = new MiniDFSCluster.Builder(settings).build();
    hdfs.waitActive();
  }

  @AfterAll
  static void stop() {
    hdfs.shutdown(true);
  }

  @BeforeEach
  void open(TestInfo test) {
    path = hdfs.getURI() + "/" + test.getTestMethod().orElseThrow().getName();
    storage = new FileSystemStorage(path);
  }

  @Test
  void aFileThatIsReplacedIsNeverEmpty() throws Exception {
    storage.replace("CURRENT", bytes("0"));
    FutureTask<Void> replacing =
        new FutureTask<>(
            () -> {
              TableStorage other = new FileSystemStorage(path);
              for (int i = 1; i <= 5; i++) {
                other.replace("CURRENT", bytes(Integer.toString(i)));
              }
              return null;
            });
    new Thread(replacing, "replacing").start();
    int last = 0;
    while (!replacing.isDone()) {
      int read = Integer.parseInt(text(storage.read("CURRENT", 10)));
      assertThat(read).isGreaterThanOrEqualTo(last);
      last = read;
    }
    replacing.get();

    assertThat(storage.list("")).containsExactly("CURRENT");
  }

  /** HDFS takes the file for one that is being written, until an hour after the crash. */
  @Test
  void aCrashAmidTheReplacementLeavesTheNewContent() throws Exception {
    storage.replace("CURRENT", bytes("old"));
    storage.replace("CURRENT.next", bytes("new"));
    Path file = new Path(path, "CURRENT");
    FSDataOutputStream crashed = file.getFileSystem().create(file, WriteMode.OVERWRITE);
    assertThat(storage.read("CURRENT", 10)).asString().isEqualTo("new");

    storage.replace("CURRENT", bytes("newer"));
    crashed.write(1);
    assertThatThrownBy(crashed::close).isInstanceOf(FileNotFoundException.class);

    assertThat(storage.read("CURRENT", 10)).asString().isEqualTo("newer");
  }
}
