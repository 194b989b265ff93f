package io.bsdb.writer.work;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
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

  /** Milliseconds after which a waiting thread looks whether it still has something to do. */
  private static final long CHECK_MILLIS = 500;

  private final long heap;
  private final int maxThreads;
  private final List<Share> waiting = new ArrayList<>();
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
   * Begins a build that uses this memory.
   *
   * @param heapBytes that each of its threads needs
   */
  public Share share(long heapBytes) {
    return new Share(heapBytes);
  }

  /** Returns whether a build waits that has no memory yet, while others have what it needs. */
  public synchronized boolean isAwaited() {
    return waiting.stream().anyMatch(share -> share.holding == 0);
  }

  /** The memory that the threads of one build hold. */
  public final class Share {
    private final long heapBytes;
    private int holding;

    private Share(long heapBytes) {
      this.heapBytes = heapBytes;
    }

    /**
     * Waits until there is memory for another thread.
     *
     * @param needed whether the thread still has something to do; asked now and then
     * @return false if it has nothing to do any more, so that nothing was acquired
     */
    public boolean acquire(BooleanSupplier needed) throws InterruptedException {
      synchronized (BuildMemory.this) {
        while (needed.getAsBoolean()) {
          if (threads == 0 || (threads < maxThreads && heapInUse + heapBytes <= heap)) {
            threads++;
            heapInUse += heapBytes;
            holding++;
            return true;
          }
          waiting.add(this);
          try {
            BuildMemory.this.wait(CHECK_MILLIS);
          } finally {
            waiting.remove(this);
          }
        }
        return false;
      }
    }

    /** Gives back what {@link #acquire} has given. */
    public void release() {
      synchronized (BuildMemory.this) {
        threads--;
        heapInUse -= heapBytes;
        holding--;
        BuildMemory.this.notifyAll();
      }
    }
  }
}
