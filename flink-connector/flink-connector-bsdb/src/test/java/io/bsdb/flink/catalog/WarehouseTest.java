package io.bsdb.flink.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WarehouseTest {
  @TempDir Path directory;

  @Test
  void deletesDirectoriesThatAreEmptyOrGone() throws Exception {
    Warehouse warehouse = Warehouse.at(directory.toString());
    warehouse.createDirectory("geo", "cities");
    warehouse.createDirectory("geo", "towns");
    Files.writeString(directory.resolve("geo/towns/notes.txt"), "x");

    warehouse.deleteDirectory("geo", "cities");
    warehouse.deleteDirectory("geo", "cities");

    assertThat(directory.resolve("geo/cities")).doesNotExist();
    assertThatThrownBy(() -> warehouse.deleteDirectory("geo", "towns"))
        .isInstanceOf(IOException.class);
    assertThat(directory.resolve("geo/towns/notes.txt")).exists();
  }
}
