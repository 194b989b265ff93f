package io.bsdb.reader;

import io.bsdb.reader.follow.TableReader;
import io.bsdb.table.manifest.Manifest;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Hears what a live snapshot tells. */
final class Heard implements TableReader.Listener {
  final BlockingQueue<String> events = new LinkedBlockingQueue<>();

  @Override
  public void onRefreshed(Manifest manifest) {
    events.add("refreshed " + manifest.version());
  }

  @Override
  public void onRefreshFailed(String version, Exception cause) {
    events.add("failed " + version + " " + cause.getClass().getSimpleName());
  }
}
