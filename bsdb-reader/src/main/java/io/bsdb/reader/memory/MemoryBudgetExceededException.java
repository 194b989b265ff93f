package io.bsdb.reader.memory;

import java.io.IOException;

/** Thrown when a version cannot be opened as its memory would exceed the {@link MemoryBudget}. */
public final class MemoryBudgetExceededException extends IOException {
  private static final long serialVersionUID = 1L;

  MemoryBudgetExceededException(String message) {
    super(message);
  }
}
