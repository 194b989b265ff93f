package io.bsdb.writer;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDictCompress;
import com.github.luben.zstd.ZstdException;
import io.bsdb.format.KeyStorage;
import io.bsdb.format.PartitionProperties.Codec;
import io.bsdb.format.SectionKind;
import io.bsdb.format.ZstdLibrary;
import io.bsdb.writer.options.WriterOptions;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The zstd side of one build: a dictionary, trained on the first partition that comes by and kept
 * if it saves more than it takes, and compressors that use it. A partition is a random sample of
 * all records, because partitions are ranges of a hash; so one dictionary serves all. Each file
 * repeats it in its {@link SectionKind#DICTIONARY} section and stays complete in itself. Safe for
 * many threads.
 */
final class FrameCompression implements Closeable {
  /** zstd's own advice: samples of about a hundred times the dictionary. */
  private static final int SAMPLES_PER_DICTIONARY_BYTE = 100;

  /** A dictionary should pay for itself: at most this share of what it helps to compress. */
  private static final int DATA_PER_DICTIONARY_BYTE = 32;

  private static final int LEAST_DICTIONARY = 1 << 10;

  /** Fewer samples than this zstd does not take. */
  private static final int LEAST_SAMPLES = 11;

  /** Frames that are compressed with and without a new dictionary, to see whether it pays. */
  private static final int TRIAL_FRAMES = 256;

  private final WriterOptions options;
  private boolean trained;
  private byte[] dictionary = new byte[0];
  private @Nullable ZstdDictCompress digested;

  FrameCompression(WriterOptions options) throws IOException {
    if (options.layout().codec() == Codec.ZSTD) {
      ZstdLibrary.require("layout '%s'".formatted(options.layout().label()));
    }
    this.options = options;
  }

  /** Returns the dictionary; empty if there is none. The first call trains it. */
  synchronized byte[] dictionary(PartitionRecords records, int frameRecords) {
    if (!trained) {
      byte[] candidate = train(records, frameRecords);
      if (candidate.length > 0 && pays(candidate, records, frameRecords)) {
        dictionary = candidate;
      }
      if (dictionary.length > 0) {
        digested = new ZstdDictCompress(dictionary, options.zstdLevel());
      }
      trained = true;
    }
    return dictionary;
  }

  private byte[] train(PartitionRecords records, int frameRecords) {
    long plain = plainBytes(records);
    int length = (int) Math.min(options.dictionaryBytes(), plain / DATA_PER_DICTIONARY_BYTE);
    if (length < LEAST_DICTIONARY) {
      return new byte[0];
    }
    int budget = (int) Math.min(plain, (long) length * SAMPLES_PER_DICTIONARY_BYTE);
    int average = (int) Math.max(1, plain / records.count());
    int sampled = Math.max(1, Math.min(records.count(), budget / average));
    double step = (double) records.count() / sampled;
    byte[][] samples = new byte[sampled / frameRecords][];
    int count = 0;
    for (long left = budget; count < samples.length; count++) {
      int first = count * frameRecords;
      left -= frameLength(records, first, first + frameRecords, step);
      if (left < 0) {
        break;
      }
      samples[count] = frame(records, first, first + frameRecords, step);
    }
    if (count < LEAST_SAMPLES) {
      return new byte[0];
    }
    byte[] target = new byte[length];
    long trainedLength;
    try {
      trainedLength = train(Arrays.copyOf(samples, count), target);
    } catch (ZstdException samplesUnfitForTraining) {
      return new byte[0];
    }
    return Zstd.isError(trainedLength) ? new byte[0] : Arrays.copyOf(target, (int) trainedLength);
  }

  /**
   * Trains for the level in use, with a zstd-jni before 1.5.6-5, such as Kafka 3.9 brings, for
   * zstd's default level: which is the same by default, and a few percent worse or better
   * otherwise.
   */
  private long train(byte[][] samples, byte[] target) {
    try {
      return Zstd.trainFromBuffer(samples, target, false, options.zstdLevel());
    } catch (NoSuchMethodError olderZstdJni) {
      return Zstd.trainFromBuffer(samples, target, false);
    }
  }

  private long plainBytes(PartitionRecords records) {
    return records.valueBytes() + (storesKeys() ? records.keyBytes() : 0);
  }

  private int plainLength(PartitionRecords records, int start) {
    return records.valueLength(start) + (storesKeys() ? records.keyLength(start) : 0);
  }

  private boolean storesKeys() {
    return options.keyStorage() == KeyStorage.STORED;
  }

  private void put(PartitionRecords records, int start, ByteBuffer target) {
    int offset = records.keyOffset(start) + (storesKeys() ? 0 : records.keyLength(start));
    int length = plainLength(records, start);
    target.put(target.position(), records.data(start), offset, length);
    target.position(target.position() + length);
  }

  /**
   * Returns whether a dictionary makes the frames of a partition shorter by more than its own
   * length. Frames of neighbouring records show it: training has seen other combinations of them.
   */
  private boolean pays(byte[] candidate, PartitionRecords records, int frameRecords) {
    int frames = Math.max(1, Math.min(TRIAL_FRAMES, records.count() / frameRecords));
    long tried = 0;
    long saved = 0;
    try (ZstdDictCompress trial = new ZstdDictCompress(candidate, options.zstdLevel());
        ZstdCompressCtx with = compressor(trial);
        ZstdCompressCtx without = compressor(null)) {
      for (int i = 0; i < frames; i++) {
        int first = (int) ((long) i * records.count() / frames);
        int end = Math.min(records.count(), first + frameRecords);
        byte[] frame = frame(records, first, end, 1);
        tried += frame.length;
        saved += without.compress(frame).length - with.compress(frame).length;
      }
    }
    return (double) saved / Math.max(1, tried) * plainBytes(records) > candidate.length;
  }

  /** Returns every {@code step}-th record, from number {@code first} on, one after the other. */
  private byte[] frame(PartitionRecords records, int first, int end, double step) {
    byte[] frame = new byte[Math.toIntExact(frameLength(records, first, end, step))];
    ByteBuffer target = ByteBuffer.wrap(frame);
    for (int i = first; i < end; i++) {
      put(records, records.start((int) (i * step)), target);
    }
    return frame;
  }

  private long frameLength(PartitionRecords records, int first, int end, double step) {
    long length = 0;
    for (int i = first; i < end; i++) {
      length += plainLength(records, records.start((int) (i * step)));
    }
    return length;
  }

  /** Returns a new compressor with level and dictionary set. The caller closes it. */
  synchronized ZstdCompressCtx compressor() {
    return compressor(digested);
  }

  private ZstdCompressCtx compressor(@Nullable ZstdDictCompress digest) {
    ZstdCompressCtx compressor = new ZstdCompressCtx();
    compressor.setLevel(options.zstdLevel());
    compressor.setMagicless(true);
    compressor.setContentSize(false);
    compressor.setChecksum(false);
    compressor.setDictID(false);
    if (digest != null) {
      compressor.loadDict(digest);
    }
    return compressor;
  }

  @Override
  public synchronized void close() {
    if (digested != null) {
      digested.close();
      digested = null;
    }
  }
}
