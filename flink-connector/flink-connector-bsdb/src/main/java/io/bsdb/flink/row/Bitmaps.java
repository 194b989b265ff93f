package io.bsdb.flink.row;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.flink.types.bitmap.Bitmap;
import org.apache.flink.types.bitmap.RoaringBitmapData;

/** Bitmaps, apart from the other types because Flink has them only since 2.3. */
final class Bitmaps {
  private Bitmaps() {}

  static Bitmap read(byte[] bytes) {
    try {
      return RoaringBitmapData.fromBytes(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException("a BITMAP cannot be read: " + e.getMessage(), e);
    }
  }

  static byte[] write(Object bitmap) {
    return ((Bitmap) bitmap).toBytes();
  }
}
