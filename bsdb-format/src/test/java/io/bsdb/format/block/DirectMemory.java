package io.bsdb.format.block;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/** Memory of direct buffers. */
public final class DirectMemory {
  private DirectMemory() {}

  /** Bytes of all that this process has. */
  public static long used() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }
}
