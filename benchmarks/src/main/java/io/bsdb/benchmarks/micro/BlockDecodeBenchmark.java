package io.bsdb.benchmarks.micro;

import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdDictTrainer;
import io.bsdb.benchmarks.Workload;
import io.bsdb.format.FileHeader;
import io.bsdb.format.PartChecksum;
import io.bsdb.format.PartitionProperties;
import io.bsdb.format.PartitionProperties.Codec;
import io.bsdb.format.PartitionProperties.KeyStorage;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.block.BlockIndex;
import io.bsdb.format.block.BlockOutput;
import io.bsdb.format.block.BlockReader;
import io.bsdb.format.block.BlockShape;
import io.bsdb.format.block.BlockWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What it takes to find a record in its block and to compare its key, and to verify a block, in
 * blocks that the processor's caches hold.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 7, time = 1)
@Fork(value = 1, jvmArgsAppend = "-Xmx1g")
public class BlockDecodeBenchmark {
  private static final int RECORDS = 1 << 10;
  private static final int RECORD_LENGTH = Workload.KEY_LENGTH + Workload.VALUE_LENGTH;
  private static final int BLOCK_SIZE = 4096;
  private static final int DICTIONARY_LENGTH = 16 << 10;
  private static final int SAMPLES = 10_000;
  private static final int ZSTD_LEVEL = 3;
  private static final String FILE = "benchmark";

  /** Of a file that begins with its blocks. */
  private static final FileHeader HEADER = new FileHeader(new UUID(1, 2), 0);

  /** How records lie in blocks. */
  public enum Records {
    /** Of one length, so that their places follow from their numbers. */
    FIXED(0),
    /** Of any length, behind slots. */
    VARYING(0),
    /** Of any length, in frames of two. */
    FRAMES_OF_2(2),
    /** Of any length, in frames of nine. */
    FRAMES_OF_9(9);

    private final int perFrame;

    Records(int perFrame) {
      this.perFrame = perFrame;
    }
  }

  @Param({"FIXED", "VARYING", "FRAMES_OF_2", "FRAMES_OF_9"})
  public Records records;

  private final byte[][] keys = new byte[RECORDS][];
  private final int[] order = new int[RECORDS];
  private final ZstdDecompressCtx decompressor = new ZstdDecompressCtx();
  private final ByteBuffer plain =
      ByteBuffer.allocateDirect(BLOCK_SIZE).order(ByteOrder.LITTLE_ENDIAN);
  private ByteBuffer blocks;
  private BlockIndex index;
  private BlockReader reader;
  private int next;

  /** One buffer for all blocks. */
  private record Memory(ByteBuffer buffer) implements BlockOutput {
    @Override
    public ByteBuffer reserve(int length) {
      return buffer;
    }

    @Override
    public long length() {
      return buffer.position();
    }
  }

  @Setup
  public void build() throws IOException {
    Workload workload = new Workload(SAMPLES);
    ByteBuffer source = direct(RECORDS * RECORD_LENGTH);
    for (int i = 0; i < RECORDS; i++) {
      keys[i] = workload.key(i);
      source.put(keys[i]).put(workload.value(i));
    }
    int length = records == Records.FIXED ? Workload.VALUE_LENGTH : PartitionProperties.VARYING;
    BlockShape shape =
        new BlockShape(
            BLOCK_SIZE,
            1,
            KeyStorage.STORED,
            Workload.KEY_LENGTH,
            length,
            records.perFrame,
            BLOCK_SIZE);
    Memory memory = new Memory(direct(2 * RECORDS * RECORD_LENGTH));
    BlockWriter writer;
    try (ZstdCompressCtx compressor = records.perFrame == 0 ? null : compressor(workload)) {
      writer = new BlockWriter(HEADER, shape, source, memory, compressor);
      for (int i = 0; i < RECORDS; i++) {
        writer.add(i * RECORD_LENGTH, Workload.KEY_LENGTH, Workload.VALUE_LENGTH);
      }
      writer.finish();
    }
    blocks = memory.buffer();
    index = index(writer.index());
    PartChecksum checksum = new PartChecksum(HEADER.fileId());
    reader = new BlockReader(properties(length, writer), checksum, FILE);
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < RECORDS; i++) {
      order[i] = random.nextInt(RECORDS);
      if (find() == BlockReader.ABSENT) {
        throw new IllegalStateException("record %d has another key".formatted(order[i]));
      }
    }
  }

  private static ByteBuffer direct(int length) {
    return ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
  }

  private ZstdCompressCtx compressor(Workload workload) {
    ZstdDictTrainer trainer =
        new ZstdDictTrainer(SAMPLES * RECORD_LENGTH, DICTIONARY_LENGTH, ZSTD_LEVEL);
    for (int i = 0; i < SAMPLES; i++) {
      byte[] sample = new byte[RECORD_LENGTH];
      System.arraycopy(workload.key(i), 0, sample, 0, Workload.KEY_LENGTH);
      System.arraycopy(workload.value(i), 0, sample, Workload.KEY_LENGTH, Workload.VALUE_LENGTH);
      trainer.addSample(sample);
    }
    byte[] dictionary = trainer.trainSamples();
    decompressor.setMagicless(true).loadDict(dictionary);
    return new ZstdCompressCtx()
        .setMagicless(true)
        .setLevel(ZSTD_LEVEL)
        .setChecksum(false)
        .setDictID(false)
        .setContentSize(false)
        .loadDict(dictionary);
  }

  private BlockIndex index(BlockIndex.Builder builder) throws IOException {
    ByteBuffer section = builder.encode(RECORDS, blocks.position());
    ByteBuffer direct = direct(section.limit()).put(section).flip();
    return BlockIndex.open(direct, RECORDS, blocks.position(), 1, FILE);
  }

  private PartitionProperties properties(int valueLength, BlockWriter writer) {
    return new PartitionProperties(
        RECORDS,
        KeyStorage.STORED,
        Workload.KEY_LENGTH,
        valueLength,
        0,
        BLOCK_SIZE,
        1,
        records.perFrame == 0 ? Codec.NONE : Codec.ZSTD,
        writer.maxFrameLength(),
        writer.maxBlockLength(),
        (long) RECORDS * Workload.KEY_LENGTH,
        (long) RECORDS * Workload.VALUE_LENGTH);
  }

  @TearDown
  public void close() {
    decompressor.close();
  }

  /** Where the value of a record lies; decompresses its frame, if there are frames. */
  @Benchmark
  public long find() throws IOException {
    int rank = order[next++ & (RECORDS - 1)];
    int block = index.block(rank);
    int base = (int) index.offset(block);
    int number = rank - index.firstRank(block);
    if (records.perFrame == 0) {
      int body = base + SnapshotFormat.BLOCK_HEADER_LENGTH;
      int length = BlockReader.bodyLength(blocks, base);
      long record =
          reader.record(blocks, body, length, BlockReader.recordCount(blocks, base), number);
      return reader.value(blocks, record, keys[rank]);
    }
    long frame = reader.frame(blocks, base, number);
    int length =
        decompressor.decompressDirectByteBuffer(
            plain, 0, plain.capacity(), blocks, (int) (frame >>> 32), (int) frame);
    long record =
        reader.record(
            plain,
            0,
            length,
            BlockReader.frameRecordCount(blocks, base, number),
            BlockReader.indexInFrame(blocks, base, number));
    return reader.value(plain, record, keys[rank]);
  }

  /** What the first lookup in a block does once: its checksum and header. */
  @Benchmark
  public void verify() throws IOException {
    int block = index.block(order[next++ & (RECORDS - 1)]);
    int base = (int) index.offset(block);
    int end = (int) index.offset(block + 1);
    reader.verify(blocks, base, end - base, base, index.firstRank(block));
  }
}
