package io.bsdb.http;

import static io.bsdb.http.Client.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.row.KeyEncoding;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.testkit.ArabicDigits;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What the pages show and where their links lead, as text; {@link BrowserTest} looks at them. */
@Timeout(60)
@ExtendWith(ArabicDigits.class)
class PagesTest {
  private static final String BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8";
  private static final Pattern LINK = Pattern.compile("(?:href|src|action)=\"?([^\" >]+)[\" >]");

  @TempDir private Path directory;
  @AutoClose private BsdbServer server;
  private Client client;
  private String before;

  @BeforeEach
  void serve() throws Exception {
    Path words = directory.resolve("words");
    before = Tables.publish(words, Map.of("a", "1", "0x61", "text", "b", "2"));
    Tables.publish(words, Map.of("a", "1", "0x61", "text", "b", "3"));
    Tables.publish(
        directory.resolve("odd"),
        Map.of("a,\"b\"\n", "x\ry", "0x00", "", "\u0000", "zero"),
        WriterOptions.builder().order(RecordOrder.KEY).build());
    Tables.series(directory.resolve("series"), 200);
    Tables.blocks(directory.resolve("blocks"));
    server =
        BsdbServer.builder()
            .table("blocks", directory.resolve("blocks"))
            .table("odd", directory.resolve("odd"))
            .table("series", directory.resolve("series"))
            .table("words", words)
            .start();
    client = new Client(server);
  }

  @Test
  void showRowsWithLongNames() throws Exception {
    Schema schema =
        Schema.builder()
            .column("id", "INT NOT NULL")
            .column("names", "MAP<STRING, INT>")
            .primaryKey("id")
            .build();
    RowCodec codec = RowCodec.of(schema);
    Path table = directory.resolve("long");
    try (SnapshotWriter writer =
        SnapshotWriter.create(table, WriterOptions.builder().schema(schema).build())) {
      writer.add(codec.encodeKey(1), codec.encodeValue((Object) Map.of("n".repeat(60_000), 7)));
      writer.publish();
    }
    try (BsdbServer other = BsdbServer.builder().table("t", table).start()) {
      assertThat(text(new Client(other).get("/tables/t/sample"))).contains("{&quot;nnn");
    }
  }

  /** Follows all links, as if the service were below a path of a proxy. */
  @Test
  void allLinksAreRelativeAndLeadSomewhere() throws Exception {
    Deque<String> waiting = new ArrayDeque<>(Set.of("/"));
    Set<String> seen = new HashSet<>(waiting);
    while (!waiting.isEmpty()) {
      String path = waiting.remove();
      HttpResponse<byte[]> answer = client.get(path);
      assertThat(answer.statusCode()).as(path).isEqualTo(200);
      if (!answer.headers().firstValue("content-type").orElseThrow().startsWith("text/html")) {
        continue;
      }
      URI proxied = URI.create("http://proxy/below/this" + path);
      Matcher links = LINK.matcher(text(answer));
      while (links.find()) {
        String link = links.group(1).replace("&amp;", "&");
        if (link.startsWith("#") || link.startsWith("data:")) {
          continue;
        }
        String target = proxied.resolve(link).toString();
        assertThat(target).as("%s in %s", link, path).startsWith("http://proxy/below/this/");
        String next = target.substring("http://proxy/below/this".length());
        if (seen.size() < 200 && seen.add(next)) {
          waiting.add(next);
        }
      }
    }
    assertThat(seen).contains("/live", "/page.css", "/tables/words/versions", "/v1/tables");
  }

  @Test
  void keysOfTheRowsLeadToTheRows() throws Exception {
    for (String table : new String[] {"words", "odd"}) {
      String page = text(client.get("/tables/" + table + "/sample"));
      Matcher links = Pattern.compile("<th scope=row><a href=\"([^\"]+)\">([^<]*)").matcher(page);
      int count = 0;
      while (links.find()) {
        URI key =
            URI.create("/tables/" + table + "/sample")
                .resolve(links.group(1).replace("&amp;", "&"));
        String shown = text(client.get(key.toString()));
        assertThat(shown).as(key.toString()).contains("Found</strong>");
        assertThat(shown).contains("<dt>key</dt><dd>" + links.group(2) + "</dd>");
        count++;
      }
      assertThat(count).isEqualTo(3);
    }
    assertThat(text(client.get("/tables/words/key?key=0x61"))).contains("<dd>text</dd>");
  }

  @Test
  void differencesAreCountedAndLeadToTheirRows() throws Exception {
    String page = text(client.get("/tables/words/diff?from=" + before));
    assertThat(page).contains("1 row that differs.").contains("key?key=b&amp;version=");
  }

  @Test
  void aTableBeginsWithItsRows() throws Exception {
    String page = text(client.get("/tables/series"));
    assertThat(page).containsSubsequence("value 0", "Records", "What takes the space", "Schema");
  }

  @Test
  void aBrowserIsShownAPageForWhatIsUnknown() throws Exception {
    for (String path :
        new String[] {"/x", "/tables/none", "/tables/words/x", "/tables/words/a/b"}) {
      HttpResponse<byte[]> page = client.get(path, "Accept", BROWSER);
      assertThat(page.statusCode()).isEqualTo(404);
      assertThat(page.headers().firstValue("content-type")).hasValue("text/html;charset=utf-8");
      assertThat(text(page)).contains("role=alert", ">Tables</a>");
      HttpResponse<byte[]> program = client.get(path);
      assertThat(program.statusCode()).isEqualTo(404);
      assertThat(program.headers().firstValue("content-type")).hasValue("application/problem+json");
    }
  }

  @Test
  void aRangeIsSavedAsCsv() throws Exception {
    HttpResponse<byte[]> csv = client.get("/tables/series/range.csv?prefix=milk&from=");
    assertThat(csv.headers().firstValue("content-type").orElseThrow()).startsWith("text/csv");
    assertThat(csv.headers().firstValue("content-disposition"))
        .hasValue("attachment; filename=\"series.csv\"");
    assertThat(text(csv)).startsWith("item,at,text\r\nmilk,0,value 0\r\nmilk,2,").hasLineCount(101);
    assertThat(text(client.get("/tables/odd/range.csv")))
        .isEqualTo("key,value\r\n0x00,zero\r\n0x00,\"\"\r\n0x612c2262220a,0x780d79\r\n");
    assertThat(client.get("/tables/words/range.csv").statusCode()).isEqualTo(422);
    assertThat(text(client.get("/tables/series/range?prefix=milk")))
        .contains("../../tables/series/range.csv?prefix=milk");
  }

  @Test
  void csvHasTheValuesAsTheyAre() throws Exception {
    Schema schema =
        Schema.builder()
            .column("note", "STRING")
            .column("id", "DOUBLE NOT NULL")
            .column("list", "ARRAY<DOUBLE>")
            .primaryKey("id")
            .keyEncoding(KeyEncoding.ORDERED)
            .build();
    RowCodec codec = RowCodec.of(schema);
    WriterOptions options = WriterOptions.builder().schema(schema).order(RecordOrder.KEY).build();
    Path table = directory.resolve("values");
    try (SnapshotWriter writer = SnapshotWriter.create(table, options)) {
      writer.add(codec.encodeKey(0.0), codec.encodeValue(null, List.of(-0.0, 1e300)));
      writer.add(codec.encodeKey(1.0), codec.encodeValue("null", null));
      writer.add(codec.encodeKey(1e300), codec.encodeValue("", List.of()));
      writer.publish();
    }
    try (BsdbServer other = BsdbServer.builder().table("t", table).start()) {
      Client reader = new Client(other);
      assertThat(text(reader.get("/tables/t/range.csv")))
          .isEqualTo(
              "note,id,list\r\n,0.0,\"[-0.0, 1.0E300]\"\r\nnull,1.0,\r\n\"\",1.0E300,[]\r\n");
      assertThat(text(reader.get("/tables/t/range")))
          .contains("/tables/t/key?key=0.0\">0.0</a></th><td>[-0.0, 1.0E300]</td></tr>");
    }
  }

  @Test
  void addressesAreShownAsSuch() throws Exception {
    String row = "{\"first\":\"192.0.2.0\",\"name\":\"TEST-NET-1\"}";
    assertThat(text(client.get("/v1/tables/blocks/rows/192.0.2.0"))).isEqualTo(row);
    assertThat(text(client.get("/v1/tables/blocks/rows:floor?key=192.0.2.17"))).isEqualTo(row);
    assertThat(text(client.post("/v1/tables/blocks/rows:lookup", "{\"keys\":[\"192.0.2.0\"]}")))
        .contains(row);
    assertThat(text(client.get("/tables/blocks"))).contains("key?key=192.0.2.0\">192.0.2.0</a>");
    assertThat(text(client.get("/tables/blocks/range.csv")))
        .isEqualTo("first,name\r\n192.0.2.0,TEST-NET-1\r\n");
  }
}
