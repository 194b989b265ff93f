package io.bsdb.cli;

import io.bsdb.cli.bench.BenchCommand;
import io.bsdb.cli.build.BuildCommand;
import io.bsdb.cli.build.MirrorCommand;
import io.bsdb.cli.change.ApplyCommand;
import io.bsdb.cli.change.CompactCommand;
import io.bsdb.cli.change.DeleteCommand;
import io.bsdb.cli.change.PutCommand;
import io.bsdb.cli.output.Console;
import io.bsdb.cli.read.DiffCommand;
import io.bsdb.cli.read.GetCommand;
import io.bsdb.cli.read.InspectCommand;
import io.bsdb.cli.read.ScanCommand;
import io.bsdb.cli.read.VerifyCommand;
import io.bsdb.cli.serve.ServeCommand;
import io.bsdb.cli.versions.EndStreamCommand;
import io.bsdb.cli.versions.LogCommand;
import io.bsdb.cli.versions.PruneCommand;
import io.bsdb.cli.versions.RollbackCommand;
import io.bsdb.cli.versions.SweepCommand;
import io.bsdb.cli.versions.VersionsCommand;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/**
 * The commands by name. Most of what a lookup costs is the loading of classes, so only the command
 * that is wanted is loaded; all of them where help is wanted.
 */
final class Commands {
  private static final List<String> NAMES =
      List.of(
          "build",
          "mirror",
          "apply",
          "put",
          "delete",
          "compact",
          "get",
          "scan",
          "inspect",
          "verify",
          "bench",
          "serve",
          "versions",
          "diff",
          "rollback",
          "prune",
          "sweep",
          "end-stream",
          "log",
          "quickstart",
          "completion");

  private Commands() {}

  /** Makes known to picocli what it may need for these arguments. */
  static void addTo(CommandLine commandLine, Console console, String... arguments) {
    String first =
        Arrays.stream(arguments).filter(each -> !each.startsWith("-")).findFirst().orElse("");
    Object wanted = create(first, console);
    if (wanted != null) {
      add(commandLine, first, wanted);
      return;
    }
    addAllTo(commandLine, console);
  }

  static boolean isKnown(String name) {
    return NAMES.contains(name);
  }

  static void addAllTo(CommandLine commandLine, Console console) {
    for (String name : NAMES) {
      add(commandLine, name, Objects.requireNonNull(create(name, console)));
    }
  }

  /** Help shows options in the order of their declaration, and not all of them in the synopsis. */
  private static void add(CommandLine commandLine, String name, Object command) {
    CommandLine added = new CommandLine(command);
    Stream.concat(Stream.of(added), added.getSubcommands().values().stream())
        .forEach(
            each -> {
              each.getCommandSpec().usageMessage().sortOptions(false).abbreviateSynopsis(true);
              each.getCommandSpec().parser().splitQuotedStrings(true); // a name may have quotes
            });
    commandLine.addSubcommand(name, added);
  }

  private static @Nullable Object create(String name, Console console) {
    return switch (name) {
      case "build" -> new BuildCommand(console);
      case "mirror" -> new MirrorCommand(console);
      case "apply" -> new ApplyCommand(console);
      case "put" -> new PutCommand(console);
      case "delete" -> new DeleteCommand(console);
      case "compact" -> new CompactCommand(console);
      case "get" -> new GetCommand(console);
      case "scan" -> new ScanCommand(console);
      case "inspect" -> new InspectCommand(console);
      case "verify" -> new VerifyCommand(console);
      case "bench" -> new BenchCommand(console);
      case "serve" -> new ServeCommand(console);
      case "diff" -> new DiffCommand(console);
      case "versions" -> new VersionsCommand(console);
      case "rollback" -> new RollbackCommand(console);
      case "prune" -> new PruneCommand(console);
      case "sweep" -> new SweepCommand(console);
      case "end-stream" -> new EndStreamCommand(console);
      case "log" -> new LogCommand(console);
      case "completion" -> new CompletionCommand(console);
      case "quickstart" -> new QuickstartCommand(console);
      default -> null;
    };
  }
}
