package io.bsdb.writer.work;

import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Limits what the threads that build partitions take of the heap and of the direct memory of a
 * process, which they share with whatever else runs there. Each writer keeps to its own options;
 * several at a time also keep to this. Safe for many threads.
 */
public final class BuildMemory {
  /** Direct memory that a thread needs: to write and to compress. */
  private static final int DIRECT_BYTES_PER_THREAD = 4 << 20;

  private static final Pattern DIRECT_LIMIT =
      Pattern.compile("-XX:MaxDirectMemorySize=(\\d+)([kKmMgGtT]?)");

  private static final BuildMemory OF_PROCESS =
      new BuildMemory(
          Runtime.getRuntime().maxMemory() / 2,
          (int) Math.min(1 << 16, directLimit() / 8 / DIRECT_BYTES_PER_THREAD));

  private final long heap;
  private final int maxThreads;
  private long heapInUse;
  private int threads;

  /**
   * @param heap bytes for all threads together; a single thread may exceed it
   * @param maxThreads at a time; there is always one
   */
  BuildMemory(long heap, int maxThreads) {
    this.heap = heap;
    this.maxThreads = maxThreads;
  }

  public static BuildMemory ofProcess() {
    return OF_PROCESS;
  }

  /** Returns the bytes of heap that all threads may take together. */
  public long heap() {
    return heap;
  }

  /** Returns the JVM's limit on direct memory. */
  public static long directLimit() {
    long limit = 0;
    for (String argument : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      Matcher matcher = DIRECT_LIMIT.matcher(argument);
      if (matcher.matches()) {
        int shift =
            10 * " kmgt".indexOf((matcher.group(2) + " ").toLowerCase(Locale.ROOT).charAt(0));
        limit = Long.parseLong(matcher.group(1)) << shift;
      }
    }
    return limit == 0 ? Runtime.getRuntime().maxMemory() : limit;
  }

  /**
   * Waits until there is memory for another thread.
   *
   * @param heapBytes that the thread needs
   * @param needed whether the thread still has something to do
   * @return false if it has nothing to do any more, so that nothing was acquired
   */
  public synchronized boolean acquire(long heapBytes, BooleanSupplier needed)
      throws InterruptedException {
    while (needed.getAsBoolean()) {
      if (threads == 0 || (threads < maxThreads && heapInUse + heapBytes <= heap)) {
        threads++;
        heapInUse += heapBytes;
        return true;
      }
      wait();
    }
    return false;
  }

  /** Gives back what {@link #acquire} has given. */
  public synchronized void release(long heapBytes) {
    threads--;
    heapInUse -= heapBytes;
    notifyAll();
  }
}
