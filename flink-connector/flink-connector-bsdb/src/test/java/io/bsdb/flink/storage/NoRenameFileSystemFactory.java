package io.bsdb.flink.storage;

import java.net.URI;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;

/** For the scheme of {@link NoRenameFileSystem}. */
public final class NoRenameFileSystemFactory implements FileSystemFactory {
  @Override
  public String getScheme() {
    return NoRenameFileSystem.SCHEME;
  }

  @Override
  public FileSystem create(URI uri) {
    return new NoRenameFileSystem();
  }
}
