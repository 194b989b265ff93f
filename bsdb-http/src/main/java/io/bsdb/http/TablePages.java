package io.bsdb.http;

import java.io.IOException;
import java.util.List;

/** The pages. */
final class TablePages {
  TablePages(Service service, Metrics metrics) {}

  void answer(Exchange exchange, List<String> segments) throws IOException {
    throw Router.unknownAddress();
  }
}
