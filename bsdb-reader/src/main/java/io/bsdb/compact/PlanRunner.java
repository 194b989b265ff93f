package io.bsdb.compact;

import io.bsdb.format.io.IOConsumer;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.Validity;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** Carries plans out, one step after the other. Each step publishes a version. */
final class PlanRunner {
  private final JobContext context;
  private final Workplace workplace;
  private final IOConsumer<Compactor.Result> observer;

  PlanRunner(JobContext context, Workplace workplace, IOConsumer<Compactor.Result> observer) {
    this.context = context;
    this.workplace = workplace;
    this.observer = observer;
  }

  /** Carries out a plan for the version in service, or for one from which it was made. */
  void run(Plan plan) throws IOException {
    Instant now = plan.now();
    if (now != null) {
      context.edit(
          inService(),
          inService -> {
            Validity validity = inService.validity();
            return validity == null ? inService : inService.with(validity.at(now));
          });
    }
    List<UUID> folding = plan.folding().stream().map(PartitionFile::fileId).toList();
    for (int from = 0; from < folding.size(); from += plan.perStep()) {
      int to = Math.min(from + plan.perStep(), folding.size());
      fold(folding.subList(from, to));
    }
    if (!plan.merging().isEmpty()) {
      Manifest merged = new MergeJob(context, inService(), plan.merging(), workplace).run();
      observer.accept(new Compactor.Result(merged, 0, plan.merging().size()));
    }
  }

  private void fold(List<UUID> files) throws IOException {
    while (!tryFold(files)) {
      context.throttle().pass(0); // once it goes on
    }
  }

  /** Returns false if it was given up, while paused, and is to be done again. */
  private boolean tryFold(List<UUID> files) throws IOException {
    Manifest manifest = inService();
    // Others may have folded some meanwhile.
    Set<UUID> present =
        manifest.partitions().stream()
            .map(PartitionFile::fileId)
            .filter(files::contains)
            .collect(Collectors.toSet());
    if (present.isEmpty()) {
      return true;
    }
    Manifest folded;
    try {
      folded =
          workplace.open(
              manifest,
              present,
              version -> new FoldJob(context, version, present, workplace.directory()).run());
    } catch (Throttle.GivenUpException e) {
      return false;
    }
    observer.accept(new Compactor.Result(folded, present.size(), 0));
    return true;
  }

  private Manifest inService() throws IOException {
    return Objects.requireNonNull(workplace.inService(), "version in service");
  }
}
