/**
 * Compaction: folds changes into the partition files, and merges segments.
 *
 * <ul>
 *   <li>{@code UpkeepPolicy} decides which partitions are folded and which segments are merged, and
 *       returns a {@code Plan}; it reads no file. {@code UpkeepSettings} has its limits.
 *   <li>{@code Upkeep} asks it whenever something may be due, in a thread of its own; {@link
 *       io.bsdb.compact.Compactor} asks it for one run.
 *   <li>{@code PlanRunner} carries a plan out, step by step: {@code FoldJob} folds, {@code
 *       MergeJob} merges, in the files of a {@code Workplace}, and each step publishes a version.
 * </ul>
 */
@NullMarked
package io.bsdb.compact;

import org.jspecify.annotations.NullMarked;
