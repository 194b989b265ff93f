package io.bsdb.reader.io;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.util.ArrayList;
import java.util.List;

/**
 * Maps parts of a file, and unmaps them when it is closed. Java 22 and newer do that with an arena;
 * before, the internal method that frees a buffer is called; newer versions warn about it.
 */
abstract class Mapping {
  private static final int FIRST_WITH_ARENAS = 22;

  static Mapping create() throws IOException {
    return Runtime.version().feature() >= FIRST_WITH_ARENAS ? new OfArena() : new OfBuffers();
  }

  /** Maps a part, read-only, as a little-endian buffer. */
  final ByteBuffer map(FileChannel channel, long start, long length) throws IOException {
    return mapped(channel, start, length).order(ByteOrder.LITTLE_ENDIAN);
  }

  abstract ByteBuffer mapped(FileChannel channel, long start, long length) throws IOException;

  /** Unmaps all parts. Once. */
  abstract void close();

  private static RuntimeException unexpected(Throwable e) {
    if (e instanceof RuntimeException unchecked) {
      throw unchecked;
    }
    if (e instanceof Error error) {
      throw error;
    }
    throw new LinkageError("mapping or unmapping failed", e);
  }

  private static final class OfArena extends Mapping {
    private static final MethodHandle NEW_ARENA;
    private static final MethodHandle MAP;
    private static final MethodHandle AS_BUFFER;

    static {
      try {
        Class<?> arena = Class.forName("java.lang.foreign.Arena");
        Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        NEW_ARENA =
            lookup
                .findStatic(arena, "ofShared", MethodType.methodType(arena))
                .asType(MethodType.methodType(AutoCloseable.class));
        MAP =
            lookup
                .findVirtual(
                    FileChannel.class,
                    "map",
                    MethodType.methodType(segment, MapMode.class, long.class, long.class, arena))
                .asType(
                    MethodType.methodType(
                        Object.class,
                        FileChannel.class,
                        MapMode.class,
                        long.class,
                        long.class,
                        AutoCloseable.class));
        AS_BUFFER =
            lookup
                .findVirtual(segment, "asByteBuffer", MethodType.methodType(ByteBuffer.class))
                .asType(MethodType.methodType(ByteBuffer.class, Object.class));
      } catch (ReflectiveOperationException e) {
        throw new LinkageError("this Java runtime cannot map files into arenas", e);
      }
    }

    private final AutoCloseable arena;

    OfArena() {
      try {
        arena = (AutoCloseable) NEW_ARENA.invokeExact();
      } catch (Throwable e) {
        throw unexpected(e);
      }
    }

    @Override
    ByteBuffer mapped(FileChannel channel, long start, long length) throws IOException {
      try {
        Object segment = MAP.invokeExact(channel, MapMode.READ_ONLY, start, length, arena);
        return (ByteBuffer) AS_BUFFER.invokeExact(segment);
      } catch (IOException e) {
        throw e;
      } catch (Throwable e) {
        throw unexpected(e);
      }
    }

    @Override
    void close() {
      try {
        arena.close();
      } catch (Exception e) {
        throw unexpected(e);
      }
    }
  }

  private static final class OfBuffers extends Mapping {
    private static final MethodHandle UNMAP;

    static {
      try {
        Class<?> unsafe = Class.forName("sun.misc.Unsafe");
        var field = unsafe.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        UNMAP =
            MethodHandles.publicLookup()
                .findVirtual(
                    unsafe, "invokeCleaner", MethodType.methodType(void.class, ByteBuffer.class))
                .bindTo(field.get(null));
      } catch (ReflectiveOperationException e) {
        throw new LinkageError(
            "before Java 22, files are unmapped through module jdk.unsupported, which this Java runtime lacks: start it with --add-modules jdk.unsupported",
            e);
      }
    }

    private final List<ByteBuffer> buffers = new ArrayList<>();

    @Override
    ByteBuffer mapped(FileChannel channel, long start, long length) throws IOException {
      ByteBuffer buffer = channel.map(MapMode.READ_ONLY, start, length);
      buffers.add(buffer);
      return buffer;
    }

    @Override
    void close() {
      for (ByteBuffer buffer : buffers) {
        try {
          UNMAP.invokeExact(buffer);
        } catch (Throwable e) {
          throw unexpected(e);
        }
      }
    }
  }
}
