package io.bsdb.flink.sink;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.row.RecordEncoder;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.typeutils.TupleTypeInfo;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/** Encodes rows where they come from, so that the shuffle moves what the snapshot will hold. */
public final class EncodeFunction extends RichMapFunction<RowData, Tuple2<byte[], byte[]>> {
  private static final long serialVersionUID = 1L;

  /** The type of encoded records: key and value. */
  public static final TypeInformation<Tuple2<byte[], byte[]>> RECORD_TYPE =
      new TupleTypeInfo<>(
          PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO,
          PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);

  private final DeclaredTable table;
  private transient @Nullable RecordEncoder encoder;

  public EncodeFunction(DeclaredTable table) {
    this.table = table;
  }

  @Override
  public void open(OpenContext context) {
    encoder = new RecordEncoder(table);
  }

  @Override
  public Tuple2<byte[], byte[]> map(RowData row) {
    if (encoder == null) {
      throw new IllegalStateException("the function is not open");
    }
    try {
      return Tuple2.of(encoder.key(row), encoder.value(row));
    } catch (ValidationException e) {
      // The row will not get better.
      throw new SuppressRestartsException(e);
    }
  }
}
