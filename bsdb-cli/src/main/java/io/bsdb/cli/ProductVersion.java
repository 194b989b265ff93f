package io.bsdb.cli;

import io.bsdb.format.SnapshotFormat;
import picocli.CommandLine.IVersionProvider;

/** The version of the program, from its jar, and of the format that it writes. */
final class ProductVersion implements IVersionProvider {
  @Override
  public String[] getVersion() {
    String version = ProductVersion.class.getPackage().getImplementationVersion();
    return new String[] {
      "bsdb %s (format %d, Java %s)"
          .formatted(
              version == null ? "(not packaged)" : version,
              SnapshotFormat.VERSION,
              Runtime.version())
    };
  }
}
