package io.bsdb.flink.row;

import org.apache.flink.types.bitmap.Bitmap;
import org.apache.flink.types.bitmap.RoaringBitmapData;

/** Bitmaps, apart from the other types because Flink has them only since 2.3. */
final class Bitmaps {
  private Bitmaps() {}

  static Bitmap read(byte[] bytes) {
    return RoaringBitmapData.fromBytes(bytes);
  }

  static byte[] write(Object bitmap) {
    return ((Bitmap) bitmap).toBytes();
  }
}
