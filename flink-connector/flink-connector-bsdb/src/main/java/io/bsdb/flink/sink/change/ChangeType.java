package io.bsdb.flink.sink.change;

import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.jspecify.annotations.Nullable;

/** The type of {@link Change}, by which Flink finds its serializer. */
final class ChangeType extends TypeInformation<Change> {
  private static final long serialVersionUID = 1L;

  @Override
  public boolean isBasicType() {
    return false;
  }

  @Override
  public boolean isTupleType() {
    return false;
  }

  @Override
  public boolean isKeyType() {
    return false;
  }

  @Override
  public int getArity() {
    return 1;
  }

  @Override
  public int getTotalFields() {
    return 1;
  }

  @Override
  public Class<Change> getTypeClass() {
    return Change.class;
  }

  @Override
  public TypeSerializer<Change> createSerializer(SerializerConfig config) {
    return new ChangeSerializer();
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof ChangeType;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ChangeType;
  }

  @Override
  public int hashCode() {
    return ChangeType.class.hashCode();
  }

  @Override
  public String toString() {
    return "Change";
  }
}
