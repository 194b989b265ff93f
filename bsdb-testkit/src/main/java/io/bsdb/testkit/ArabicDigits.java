package io.bsdb.testkit;

import java.util.Locale;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Runs a class of tests with a locale in which {@code String.formatted} writes numbers in other
 * digits than 0 to 9, as where Arabic or Persian is spoken. What programs read must not depend on
 * it.
 */
public final class ArabicDigits implements BeforeAllCallback, AfterAllCallback {
  private final Locale before = Locale.getDefault(Locale.Category.FORMAT);

  @Override
  public void beforeAll(ExtensionContext context) {
    Locale.setDefault(Locale.Category.FORMAT, Locale.forLanguageTag("ar-EG-u-nu-arab"));
  }

  @Override
  public void afterAll(ExtensionContext context) {
    Locale.setDefault(Locale.Category.FORMAT, before);
  }
}
