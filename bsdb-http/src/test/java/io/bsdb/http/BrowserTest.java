package io.bsdb.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.row.RowCodec;
import io.bsdb.table.Table;
import io.bsdb.writer.DeltaWriter;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.ExpectedConditions;
import org.openqa.selenium.support.ui.WebDriverWait;

/** The pages in Debian's Chromium; needs the packages chromium and chromium-driver. */
@Timeout(120)
class BrowserTest {
  private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
  private static final Path BROWSER = Path.of("/usr/bin/chromium");

  /** Two, with and without scripts, for all tests: a browser takes long to start. */
  private static final Map<Boolean, ChromeDriver> BROWSERS = new HashMap<>();

  @TempDir private static Path profiles;

  @TempDir private Path directory;
  private BsdbServer server;
  private URI home;
  private ChromeDriver browser;
  private String first;
  private String second;

  @BeforeEach
  void serve() throws Exception {
    assertThat(DRIVER).as("install the package chromium-driver").exists();
    assertThat(BROWSER).as("install the package chromium").exists();
    Path cities = directory.resolve("cities");
    first = Tables.cities(cities, 2000, 0);
    Tables.cities(cities, 2000, 7);
    RowCodec codec = RowCodec.of(Tables.CITIES);
    try (DeltaWriter writer = DeltaWriter.create(Table.at(cities))) {
      writer.put(
          codec.encodeKey(5L), codec.encodeValue("<b>Bern</b>", 1L, BigDecimal.valueOf(1, 2)));
      writer.put(codec.encodeKey(9999L), codec.encodeValue("New", 2L, BigDecimal.valueOf(2, 2)));
      writer.delete(codec.encodeKey(6L));
      second = writer.publish().version();
    }
    Tables.publish(directory.resolve("colours"), Map.of("rose", "red", "violet", "blue"));
    Tables.series(directory.resolve("series"), 200);
    server =
        BsdbServer.builder()
            .table("cities", cities)
            .table("colours", directory.resolve("colours"))
            .table("series", directory.resolve("series"))
            .refreshEvery(Duration.ZERO)
            .start();
    home = server.address();
  }

  private void open(boolean withScript) {
    browser = BROWSERS.computeIfAbsent(withScript, BrowserTest::start);
    browser.manage().logs().get(LogType.PERFORMANCE); // forgets those of other tests
    browser.manage().logs().get(LogType.BROWSER);
    browser.manage().window().setSize(new Dimension(1280, 900));
  }

  /** The one without scripts is dark. */
  private static ChromeDriver start(boolean withScript) {
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.PERFORMANCE, java.util.logging.Level.ALL);
    logs.enable(LogType.BROWSER, java.util.logging.Level.ALL);
    ChromeOptions options = new ChromeOptions();
    options.setBinary(BROWSER.toFile());
    options.addArguments(
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--user-data-dir=" + profiles.resolve("script-" + withScript));
    if (!withScript) {
      options.addArguments("--blink-settings=preferredColorScheme=0");
      options.setExperimentalOption(
          "prefs", Map.of("profile.managed_default_content_settings.javascript", 2));
    }
    options.setCapability("goog:loggingPrefs", logs);
    return new ChromeDriver(
        new ChromeDriverService.Builder().usingDriverExecutable(DRIVER.toFile()).build(), options);
  }

  @AfterEach
  void close() throws Exception {
    if (browser != null) {
      browser.get("about:blank"); // else it goes on asking the server
    }
    server.close();
  }

  @AfterAll
  static void quit() {
    BROWSERS.values().forEach(ChromeDriver::quit);
    BROWSERS.clear();
  }

  private void visit(String path) {
    browser.get(home.resolve(path).toString());
  }

  /** Does something that leads to another page, and waits until that page is there. */
  private void follow(WebElement from, Consumer<WebElement> action) {
    WebElement page = browser.findElement(By.tagName("html"));
    action.accept(from);
    WebDriverWait wait = new WebDriverWait(browser, Duration.ofSeconds(60));
    // A driver that is asked in the middle of the change may fail in other ways.
    wait.ignoring(WebDriverException.class).until(ExpectedConditions.stalenessOf(page));
    wait.until(ExpectedConditions.presenceOfElementLocated(By.tagName("footer")));
  }

  private void follow(By link) {
    follow(browser.findElement(link), WebElement::click);
  }

  private void askFor(String key) {
    WebElement field = browser.findElement(By.id("key"));
    field.clear();
    follow(field, to -> to.sendKeys(key, Keys.ENTER));
  }

  private String main() {
    return browser.findElement(By.id("main")).getText();
  }

  private void picture(String name) throws Exception {
    Path target = Path.of("target", "screenshots");
    Files.createDirectories(target);
    Files.write(target.resolve(name + ".png"), browser.getScreenshotAs(OutputType.BYTES));
  }

  /** Whatever the page fetched came from this server, and the policy forbade nothing it wanted. */
  private void requireNoOtherHost() {
    List<String> requests =
        browser.manage().logs().get(LogType.PERFORMANCE).getAll().stream()
            .map(LogEntry::getMessage)
            .filter(message -> message.contains("\"Network.requestWillBeSent\""))
            .map(
                message ->
                    message.replaceAll("(?s).*\"request\":\\{.*?\"url\":\"([^\"]*)\".*", "$1"))
            .toList();
    assertThat(requests).isNotEmpty();
    assertThat(requests)
        .allMatch(
            url ->
                url.startsWith(home.toString())
                    || url.startsWith("data:")
                    || url.startsWith("chrome://"));
    assertThat(browser.manage().logs().get(LogType.BROWSER).getAll())
        .filteredOn(entry -> entry.getMessage().contains("Content Security Policy"))
        .isEmpty();
  }

  @Test
  void findsAKeyAndComparesVersions() throws Exception {
    open(true);
    visit("/");
    assertThat(main()).contains("cities", "colours", second);
    picture("tables");
    follow(By.linkText("cities"));
    assertThat(main())
        .contains("population", "BIGINT", "blocks", "part-0000")
        .contains("2 puts and 1 delete in 1 segment of ");
    picture("snapshot");
    askFor("5");
    assertThat(browser.findElement(By.id("row")).getText()).contains("<b>Bern</b>", "0.01");
    assertThat(browser.findElement(By.id("place")).getText())
        .contains("Partition", "Rank", "Block", "Signature", "Change");
    browser.findElements(By.tagName("summary")).get(1).click();
    picture("key");
    askFor("6");
    assertThat(browser.findElement(By.id("verdict")).getText()).startsWith("Absent");
    askFor("Bern");
    assertThat(main()).contains("Not a key of this table", "'Bern' is not a value of");
    follow(By.linkText("Versions"));
    assertThat(main()).contains(first, second, "in use", "source=test");
    browser.findElements(By.tagName("summary")).get(0).click();
    assertThat(main()).contains("bsdb rollback --table '" + directory.resolve("cities") + "' 000");
    picture("versions");
    follow(By.linkText("Differences to now"));
    assertThat(browser.findElement(By.id("verdict")).getText()).isEqualTo("3 rows that differ.");
    assertThat(main()).contains("added", "removed", "changed", "name: <b>Bern</b>", "area: 5.50");
    picture("diff");
    follow(By.linkText("Sample"));
    assertThat(browser.findElements(By.cssSelector("tbody tr"))).hasSize(20);
    picture("sample");
    follow(By.cssSelector("tbody th a"));
    assertThat(browser.findElement(By.id("verdict")).getText()).startsWith("Found");
    visit("/tables/cities/diff?from=" + first + "&to=" + second);
    assertThat(browser.findElement(By.id("verdict")).getText())
        .isEqualTo("The first 200 rows that differ.");
    visit("/live");
    assertThat(main()).contains("Requests a second", "99 % within");
    picture("live");
    visit("/tables/colours/key?key=violet");
    assertThat(browser.findElement(By.id("row")).getText()).contains("blue");
    requireNoOtherHost();
  }

  @Test
  void walksATableInKeyOrder() throws Exception {
    open(true);
    visit("/tables/series");
    assertThat(main()).contains("Order", "by key");
    follow(By.linkText("Range"));
    assertThat(browser.findElements(By.cssSelector("tbody tr"))).hasSize(50);
    follow(By.linkText("Next rows"));
    assertThat(browser.findElement(By.cssSelector("tbody tr")).getText())
        .isEqualTo("bread 100 value 50");
    browser.findElement(By.name("reverse")).click();
    follow(browser.findElement(By.name("prefix")), to -> to.sendKeys("milk", Keys.ENTER));
    assertThat(browser.findElement(By.cssSelector("tbody tr")).getText())
        .isEqualTo("milk 198 value 99");
    picture("range");
    askFor("bread,7");
    assertThat(browser.findElement(By.id("verdict")).getText()).startsWith("Absent");
    assertThat(browser.findElement(By.id("neighbours")).getText())
        .contains("bread 6 value 3", "bread 8 value 4");
    picture("neighbours");
    requireNoOtherHost();
  }

  @Test
  void saysThatAnotherVersionIsInUse() throws Exception {
    open(true);
    visit("/tables/cities");
    String next = Tables.cities(directory.resolve("cities"), 100, 1);
    server.refresh();
    new WebDriverWait(browser, Duration.ofSeconds(60))
        .until(driver -> driver.findElement(By.id("news")).getText().contains(next));
    picture("news");
    follow(By.linkText("Show it"));
    new WebDriverWait(browser, Duration.ofSeconds(60))
        .until(driver -> driver.findElement(By.id("main")).getText().contains(next));
    requireNoOtherHost();
  }

  @Test
  void worksWithoutTheScriptInTheDarkOnATelephone() throws Exception {
    open(false);
    browser.manage().window().setSize(new Dimension(500, 900));
    for (String path :
        List.of(
            "/",
            "/tables/cities",
            "/tables/cities/versions",
            "/tables/cities/key?key=5",
            "/tables/cities/sample",
            "/tables/cities/diff?from=" + first,
            "/tables/series/range?prefix=bread",
            "/tables/series/key?key=bread,7",
            "/live")) {
      visit(path);
      String name = path.replaceAll("\\?.*", "").replace('/', '-');
      picture("dark" + name);
      Object wide =
          browser.findElement(By.tagName("body")).getSize().width
              <= browser.manage().window().getSize().width;
      assertThat(wide).as(path).isEqualTo(true);
    }
    visit("/");
    follow(By.linkText("cities"));
    askFor("7");
    assertThat(browser.findElement(By.id("row")).getText()).contains("City 7");
    requireNoOtherHost();
  }
}
