package io.interlock.sample.browser;

import java.util.function.Supplier;
import java.util.regex.Pattern;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import io.interlock.testsupport.redis.RedisServer;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the console of two box offices whose locks are in a database or in Redis, in
 * a real browser.
 */
@Deep
@EnabledIfBrowser
class ConsoleOnOtherStoresIT {

	private static final String ACCESS = "--management.endpoint.locks.access=unrestricted";

	private static Playwright driver;

	private static Browser browser;

	@BeforeAll
	static void open() {
		driver = Chromium.driver();
		browser = Chromium.launch(driver);
		PlaywrightAssertions.setDefaultAssertionTimeout(60_000);
	}

	@AfterAll
	static void close() {
		if (driver != null) {
			driver.close();
		}
	}

	@Test
	void showsAndChangesLocksInADatabase() {
		showsAndChangesLocks(() -> BoxOfficeProcess.first(ACCESS, "--interlock.provider=jdbc"), "H2", () -> {
		});
	}

	@Test
	void showsAndChangesLocksInRedisWithAnOutage() {
		try (RedisServer redis = RedisServer.start()) {
			showsAndChangesLocks(() -> BoxOfficeProcess.first(ACCESS, "--interlock.provider=redis",
					"--spring.data.redis.port=" + redis.port()), "Redis", redis::kill);
		}
	}

	private static void showsAndChangesLocks(Supplier<BoxOfficeProcess> start, String store, Runnable outage) {
		try (BoxOfficeProcess first = start.get();
				BoxOfficeProcess second = first.joined();
				ConsolePage console = ConsolePage.open(browser, first)) {
			assertThat(console.find("#stores")).containsText("✓ " + store);
			second.hold("taken", "1", 60);
			first.hold("taken", "1", 1);
			console.showLock("taken[1]");
			assertThat(console.find("#lock-picture svg")).hasAttribute("aria-label",
					ConsolePage.queue("taken[1]", second, first));
			console.act("Free by force");
			assertThat(console.find("#message")).containsText("free by force, taken[1]");
			assertThat(console.find("#lock-state")).not().containsText(Pattern.compile("held by " + second.instance()));
			second.hold("asked", "1", 60);
			console.showLock("asked[1]");
			console.act("Ask for it");
			assertThat(console.find("#lock-state")).hasText("Nothing holds it, and nothing waits for it.");
			console.show("Jobs");
			console.act("Resume");
			assertThat(console.find("#jobs-rows tr").first()).containsText("free");
			console.act("Hold");
			assertThat(console.find("#jobs-rows")).containsText("held by an anonymous operator");
			console.act("Resume");
			assertThat(console.find("#jobs-rows tr").first()).containsText("free");
			assertThat(console.troubles()).isEmpty();
			if (store.equals("Redis")) {
				outage.run();
				console.show("Overview");
				assertThat(console.find("#stores")).containsText("× Redis is not there since");
			}
		}
	}

}
