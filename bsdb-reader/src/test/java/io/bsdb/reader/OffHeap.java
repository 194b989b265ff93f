package io.bsdb.reader;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/** Memory of direct and mapped buffers. */
final class OffHeap {
  private OffHeap() {}

  /** Bytes of all that this process has. */
  static long bytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }
}
