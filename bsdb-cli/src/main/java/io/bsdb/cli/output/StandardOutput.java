package io.bsdb.cli.output;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Standard output, whose failures can be distinguished from those of files.
 *
 * <p>Closing it only flushes: in a process that was started without standard output, its descriptor
 * may belong to a file that Java needs.
 */
public final class StandardOutput extends FilterOutputStream {
  public StandardOutput(OutputStream out) {
    super(out);
  }

  @Override
  public void write(int b) throws IOException {
    try {
      out.write(b);
    } catch (IOException e) {
      throw new Failure(e);
    }
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    try {
      out.write(bytes, offset, length);
    } catch (IOException e) {
      throw new Failure(e);
    }
  }

  @Override
  public void flush() throws IOException {
    try {
      out.flush();
    } catch (IOException e) {
      throw new Failure(e);
    }
  }

  @Override
  public void close() throws IOException {
    flush();
  }

  /** Standard output cannot be written. */
  public static final class Failure extends IOException {
    private static final long serialVersionUID = 1L;

    Failure(IOException cause) {
      super("standard output cannot be written: " + cause.getMessage(), cause);
    }

    /** Returns whether the reader has closed the pipe, as with 'bsdb scan | head'. */
    public boolean isBrokenPipe() {
      Throwable cause = getCause();
      return cause != null && "Broken pipe".equals(cause.getMessage());
    }
  }
}
