package io.bsdb.cli.build;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Values by their labels, for picocli: converts them, and lists them in the help. */
abstract class Labels<T> implements ITypeConverter<T>, Iterable<String> {
  private final Map<String, T> values = new LinkedHashMap<>();

  Labels(T[] values, Function<T, String> label) {
    for (T value : values) {
      this.values.put(label.apply(value), value);
    }
  }

  @Override
  public T convert(String label) {
    T value = values.get(label);
    if (value == null) {
      throw new TypeConversionException(
          "expected one of %s, actual %s".formatted(values.keySet(), label));
    }
    return value;
  }

  @Override
  public Iterator<String> iterator() {
    return values.keySet().iterator();
  }
}
