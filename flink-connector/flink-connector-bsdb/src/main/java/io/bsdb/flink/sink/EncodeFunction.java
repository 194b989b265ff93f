package io.bsdb.flink.sink;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.row.RecordEncoder;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.typeinfo.BasicTypeInfo;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.typeutils.TupleTypeInfo;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * Encodes rows where they come from, so that the shuffle moves what the table will hold. Old
 * versions of rows that are updated are left out.
 */
public final class EncodeFunction
    extends RichFlatMapFunction<RowData, Tuple3<byte[], byte[], Boolean>> {
  private static final long serialVersionUID = 1L;

  /** The type of encoded records: key, value, and whether the key is deleted. */
  public static final TypeInformation<Tuple3<byte[], byte[], Boolean>> RECORD_TYPE =
      new TupleTypeInfo<>(
          PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO,
          PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO,
          BasicTypeInfo.BOOLEAN_TYPE_INFO);

  private static final byte[] NOTHING = new byte[0];

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
  public void flatMap(RowData row, Collector<Tuple3<byte[], byte[], Boolean>> records) {
    if (encoder == null) {
      throw new IllegalStateException("the function is not open");
    }
    try {
      switch (row.getRowKind()) {
        case INSERT, UPDATE_AFTER ->
            records.collect(Tuple3.of(encoder.key(row), encoder.value(row), false));
        case DELETE -> records.collect(Tuple3.of(encoder.key(row), NOTHING, true));
        case UPDATE_BEFORE -> {} // what comes after it says it all
      }
    } catch (ValidationException e) {
      // The row will not get better.
      throw new SuppressRestartsException(e);
    }
  }
}
