package io.bsdb.quickstart;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.bsdb.cli.Bsdb;
import io.bsdb.cli.output.Console;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.Arrays;

/** What a command answered in this process. */
record CommandRun(int status, String out, String err) {
  static CommandRun of(Object... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Console console =
        new Console(InputStream.nullInputStream(), out, new PrintStream(err, true, UTF_8), false);
    int status =
        Bsdb.execute(
            console, Arrays.stream(arguments).map(Object::toString).toArray(String[]::new));
    return new CommandRun(status, out.toString(UTF_8), err.toString(UTF_8));
  }
}
