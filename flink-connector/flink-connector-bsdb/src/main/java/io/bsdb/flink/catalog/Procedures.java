package io.bsdb.flink.catalog;

import io.bsdb.compact.Compactor;
import io.bsdb.flink.BsdbOptions;
import io.bsdb.flink.storage.TableLocation;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.reader.SnapshotVerifier;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.storage.DirectoryTree;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.flink.table.annotation.ArgumentHint;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.ProcedureHint;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.procedure.ProcedureContext;
import org.apache.flink.table.procedures.Procedure;
import org.apache.flink.types.Row;
import org.apache.flink.util.TimeUtils;
import org.jspecify.annotations.Nullable;

/** The procedures of a catalog: {@code CALL catalog.sys.name(…)}. They run on the client. */
final class Procedures {
  static final String DATABASE = "sys";

  private Procedures() {}

  static List<String> names() {
    return List.of("compact", "end_stream", "expire", "rollback", "rollback_to", "sweep", "verify");
  }

  /** Returns the procedure of this name, or null. */
  static @Nullable Procedure get(ObjectPath path, TableDirectories tables) {
    if (!path.getDatabaseName().equals(DATABASE)) {
      return null;
    }
    return switch (path.getObjectName()) {
      case "compact" -> new Compact(tables);
      case "end_stream" -> new EndStream(tables);
      case "expire" -> new Expire(tables);
      // ROLLBACK is a keyword of SQL, so that the first name needs backticks.
      case "rollback", "rollback_to" -> new Rollback(tables);
      case "sweep" -> new Sweep(tables);
      case "verify" -> new Verify(tables);
      default -> null;
    };
  }

  /** Folds changes into partition files, and merges the rest. */
  @ProcedureHint(
      arguments = {
        @ArgumentHint(name = "table", type = @DataTypeHint("STRING")),
        @ArgumentHint(name = "fraction", type = @DataTypeHint("DOUBLE"), isOptional = true)
      },
      output = @DataTypeHint("ROW<version STRING, folded_partitions INT, merged_segments INT>"))
  public record Compact(TableDirectories tables) implements Procedure {
    /**
     * Answers the version in service, and what was done to it.
     *
     * @param fraction of the records of a partition from which it is folded if so many were
     *     changed; 0 folds all changes; null for the default
     */
    public Row[] call(ProcedureContext context, @Nullable String table, @Nullable Double fraction)
        throws IOException {
      ObjectPath path = tables.require(table);
      TableLocation location = tables.location(path);
      double foldFraction = fraction == null ? Compactor.FOLD_FRACTION : fraction;
      if (location.isLocal()) {
        return answer(new Compactor(location.directory()).foldFraction(foldFraction).run());
      }
      Path copies = Files.createTempDirectory("bsdb-compact-");
      try {
        return answer(
            Compactor.remote(tables.table(path), copies).foldFraction(foldFraction).run());
      } finally {
        DirectoryTree.delete(copies);
      }
    }

    private static Row[] answer(Compactor.Result result) {
      return new Row[] {
        Row.of(result.manifest().version(), result.foldedPartitions(), result.mergedSegments())
      };
    }
  }

  /** Forgets a stream whose job has stopped for good. */
  @ProcedureHint(
      arguments = {
        @ArgumentHint(name = "table", type = @DataTypeHint("STRING")),
        @ArgumentHint(name = "stream", type = @DataTypeHint("STRING"))
      },
      output = @DataTypeHint("ROW<version STRING>"))
  public record EndStream(TableDirectories tables) implements Procedure {
    /** Answers the version that is in service now, with the same rows as before. */
    public Row[] call(ProcedureContext context, @Nullable String table, @Nullable String stream)
        throws IOException {
      String ended = required("stream", stream);
      return new Row[] {Row.of(tables.table(tables.require(table)).endStream(ended).version())};
    }
  }

  /** Deletes the oldest versions beyond the newest {@code keep}. */
  @ProcedureHint(
      arguments = {
        @ArgumentHint(name = "table", type = @DataTypeHint("STRING")),
        @ArgumentHint(name = "keep", type = @DataTypeHint("INT"))
      },
      output = @DataTypeHint("ROW<deleted STRING>"))
  public record Expire(TableDirectories tables) implements Procedure {
    /** Answers the versions that are deleted. The one in service never is. */
    public Row[] call(ProcedureContext context, @Nullable String table, @Nullable Integer keep)
        throws IOException {
      return rows(tables.table(tables.require(table)).prune(required("keep", keep)));
    }
  }

  /** Puts another version in service; by default the one before. */
  @ProcedureHint(
      arguments = {
        @ArgumentHint(name = "table", type = @DataTypeHint("STRING")),
        @ArgumentHint(name = "version", type = @DataTypeHint("STRING"), isOptional = true),
        @ArgumentHint(name = "stream", type = @DataTypeHint("STRING"), isOptional = true)
      },
      output = @DataTypeHint("ROW<version STRING>"))
  public record Rollback(TableDirectories tables) implements Procedure {
    /**
     * Answers the version that is in service now.
     *
     * @param stream that is recorded in the table, where the storage has no locks; its job must
     *     have stopped
     */
    public Row[] call(
        ProcedureContext context,
        @Nullable String table,
        @Nullable String version,
        @Nullable String stream)
        throws IOException {
      Table stored = tables.table(tables.require(table));
      String target =
          version == null ? Versions.previous(stored) : Versions.resolve(stored, version);
      stored.rollback(target, stream);
      return new Row[] {Row.of(target)};
    }
  }

  /** Deletes what failed builds left behind. */
  @ProcedureHint(
      arguments = {
        @ArgumentHint(name = "table", type = @DataTypeHint("STRING")),
        @ArgumentHint(name = "age", type = @DataTypeHint("STRING"), isOptional = true)
      },
      output = @DataTypeHint("ROW<deleted STRING>"))
  public record Sweep(TableDirectories tables) implements Procedure {
    /**
     * Answers what is deleted, relative to the table directory.
     *
     * @param age for how long nothing must have changed in it, as Flink's options write it; null
     *     for the default of {@code sink.staging-retention}
     */
    public Row[] call(ProcedureContext context, @Nullable String table, @Nullable String age)
        throws IOException {
      return rows(tables.table(tables.require(table)).sweep(retention(age)));
    }

    private static Duration retention(@Nullable String age) {
      try {
        return age == null
            ? BsdbOptions.SINK_STAGING_RETENTION.defaultValue()
            : TimeUtils.parseDuration(age);
      } catch (IllegalArgumentException | ArithmeticException e) {
        throw new ValidationException(
            "argument 'age' = '%s' is no duration, such as '2 d': %s"
                .formatted(age, e.getMessage()),
            e);
      }
    }
  }

  private static <T> T required(String argument, @Nullable T value) {
    if (value == null) {
      throw new ValidationException("argument '%s' is NULL; expected a value".formatted(argument));
    }
    return value;
  }

  private static Row[] rows(List<String> texts) {
    return texts.stream().map(text -> Row.of(text)).toArray(Row[]::new);
  }

  /** Reads every byte of a version; by default of the one in service. */
  @ProcedureHint(
      arguments = {
        @ArgumentHint(name = "table", type = @DataTypeHint("STRING")),
        @ArgumentHint(name = "version", type = @DataTypeHint("STRING"), isOptional = true)
      },
      output = @DataTypeHint("ROW<version STRING, records BIGINT, size_in_bytes BIGINT>"))
  public record Verify(TableDirectories tables) implements Procedure {
    /**
     * Answers what is sound.
     *
     * @throws io.bsdb.format.CorruptSnapshotException if something is not
     */
    public Row[] call(ProcedureContext context, @Nullable String table, @Nullable String version)
        throws IOException {
      ObjectPath path = tables.require(table);
      Table stored = tables.table(path);
      String chosen =
          version == null ? stored.requireCurrentVersion() : Versions.resolve(stored, version);
      Manifest manifest = verify(tables.location(path), stored, chosen);
      return new Row[] {Row.of(chosen, manifest.recordCount(), manifest.length())};
    }

    /** Reads a local version in place, and any other in a copy that is deleted afterwards. */
    private static Manifest verify(TableLocation location, Table table, String version)
        throws IOException {
      String snapshot = SnapshotFormat.SNAPSHOTS_DIRECTORY + "/" + version;
      if (location.isLocal()) {
        return SnapshotVerifier.verify(location.directory().resolve(snapshot));
      }
      Path copy = Files.createTempDirectory("bsdb-verify-");
      try {
        Set<String> files = new LinkedHashSet<>(table.manifest(version).files());
        files.add(snapshot + "/" + SnapshotFormat.MANIFEST_FILE);
        for (String file : files) {
          Path target = copy.resolve(file);
          Files.createDirectories(Objects.requireNonNull(target.getParent()));
          try (InputStream in = table.storage().open(file)) {
            Files.copy(in, target);
          }
        }
        return SnapshotVerifier.verify(copy.resolve(snapshot));
      } finally {
        DirectoryTree.delete(copy);
      }
    }
  }
}
