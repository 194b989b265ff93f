package io.bsdb.reader;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Many histories at random, beside maps. {@code mvn test -Pmodel} */
@Tag("model")
@ExtendWith(NothingLeftOpen.class)
class EndedRowsCampaignTest {
  @TempDir private Path directory;

  @Test
  void showsWhatAModelShows() throws Exception {
    try (Campaign campaign = Campaign.start("model of a history")) {
      while (campaign.nextRound()) {
        Path table = directory.resolve("table-" + campaign.seed());
        EndedRowsModel model = new EndedRowsModel(table, campaign.random());
        try {
          model.run(30);
        } catch (IOException | RuntimeException | AssertionError e) {
          throw new AssertionError("-Dcampaign.seed=" + campaign.seed() + " " + model, e);
        }
        TableModelCampaignTest.delete(table);
        campaign.count("rounds");
      }
    }
  }
}
