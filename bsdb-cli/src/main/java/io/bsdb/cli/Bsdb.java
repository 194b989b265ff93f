package io.bsdb.cli;

import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.output.FailureText;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The {@code bsdb} command: standard output carries results, standard error everything else. */
@Command(
    name = "bsdb",
    description = "Builds, changes and reads tables of snapshots.",
    synopsisSubcommandLabel = "COMMAND",
    versionProvider = ProductVersion.class,
    footerHeading = "%nExit status:%n",
    footer = {
      "  0   done; every key was found",
      "  1   a key is absent, or an input was refused",
      "  2   usage error",
      "  3   a table or file is corrupt; it or standard output cannot be read or",
      "      written; another build or compaction was published first; out of memory",
      "  70  a defect of bsdb: please report it",
      "  130, 143 ended by Ctrl-C or SIGTERM",
      "  141 the reader of the output has closed it",
      "",
      "'bsdb help COMMAND' shows a command's options and an example."
    })
public final class Bsdb {
  private static final String MORE_MEMORY =
      "set BSDB_JAVA_OPTIONS=-Xmx4g, or give 'build' a smaller --memory";

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Show this help.")
  @SuppressWarnings("unused") // picocli answers it
  private boolean help;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Show the versions of program, format and Java.")
  @SuppressWarnings("unused") // picocli answers it
  private boolean version;

  @Option(
      names = "--stacktrace",
      scope = ScopeType.INHERIT,
      description = "Show where in the program an error arose.")
  private boolean stackTrace;

  private Bsdb() {}

  /** Runs the command and ends the process with its status. */
  public static void main(String[] arguments) {
    Console console = Console.ofProcess();
    try {
      Arguments.requireWellFormed(arguments);
    } catch (CommandFailure | IOException e) {
      System.exit(FailureText.say(e, console, false));
    }
    System.exit(execute(console, arguments));
  }

  /** Takes {@code help} and {@code help COMMAND} for the option. */
  private static String[] withoutHelpCommand(String... arguments) {
    if (arguments.length == 0 || !arguments[0].equals("help")) {
      return arguments;
    }
    String[] words = Arrays.copyOfRange(arguments, 1, arguments.length);
    if (words.length > 0 && words[0].equals("help")) {
      return withoutHelpCommand(words);
    }
    if (words.length > 0 && !Commands.isKnown(words[0])) {
      return words; // which is refused
    }
    words = Arrays.copyOf(words, words.length + 1);
    words[words.length - 1] = "--help";
    return words;
  }

  /** Returns the command with all others, for what describes them. */
  static CommandLine withAllCommands(Console console) {
    CommandLine commandLine = new CommandLine(new Bsdb());
    Commands.addAllTo(commandLine, console);
    return commandLine;
  }

  /** Runs the command in this process. */
  public static int execute(Console console, String... given) {
    String[] arguments = withoutHelpCommand(given);
    Bsdb bsdb = new Bsdb();
    PrintWriter err = new PrintWriter(console.err(), true, StandardCharsets.UTF_8);
    StringWriter help = new StringWriter();
    CommandLine commandLine = new CommandLine(bsdb);
    Commands.addTo(commandLine, console, arguments); // before the settings, which it inherits
    commandLine
        .setOut(new PrintWriter(help))
        .setErr(err)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExpandAtFiles(false) // a key may begin with @
        .setParameterExceptionHandler((e, all) -> Failures.reportUsage(e, console))
        .setExecutionExceptionHandler(
            (e, command, parsed) -> FailureText.say(e, console, bsdb.stackTrace));
    try {
      int status = commandLine.execute(arguments);
      console.out().write(help.toString().getBytes(StandardCharsets.UTF_8));
      return status;
    } catch (IOException e) {
      return FailureText.say(e, console, bsdb.stackTrace);
    } catch (OutOfMemoryError e) {
      console.say("bsdb: out of memory (%s); %s", e.getMessage(), MORE_MEMORY);
      return ExitStatus.UNREADABLE;
    } catch (Error e) { // which Java would report with the status of an absent key
      return FailureText.say(e, console, bsdb.stackTrace);
    }
  }
}
