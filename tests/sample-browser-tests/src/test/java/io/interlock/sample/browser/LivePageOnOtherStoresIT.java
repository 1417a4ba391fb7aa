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
 * Tests for the live page of two box offices whose locks are in a database or in Redis,
 * in a real browser: the queue of a lock, and its controls.
 */
@Deep
@EnabledIfBrowser
class LivePageOnOtherStoresIT {

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
	void showsQueuesAndFreesLocksInADatabase() {
		showsQueuesAndFreesLocks(() -> BoxOfficeProcess.first("--interlock.provider=jdbc"), "jdbc");
	}

	@Test
	void showsQueuesAndFreesLocksInRedis() {
		try (RedisServer redis = RedisServer.start()) {
			showsQueuesAndFreesLocks(() -> BoxOfficeProcess.first("--interlock.provider=redis",
					"--spring.data.redis.port=" + redis.port()), "redis");
		}
	}

	private static void showsQueuesAndFreesLocks(Supplier<BoxOfficeProcess> start, String provider) {
		try (BoxOfficeProcess first = start.get();
				BoxOfficeProcess second = first.joined();
				LivePage page = LivePage.wide(browser).open(first)) {
			second.hold("taken", "1", 60);
			assertThat(page.state("taken[1]")).hasText(heldBy(second));
			first.hold("taken", "1", 1);
			page.awaitWaiting("taken[1]", 1);
			assertThat(page.picture("taken[1]")).contains(second.name() + ": holds it", first.name() + ": 1 waiting");
			assertThat(page.lock("taken[1]").locator("svg.queue")).containsText("next");
			page.screenshot("queue-" + provider);
			page.lock("taken[1]").locator(".free").click();
			assertThat(page.page().locator("#story")).containsText("Lost taken[1]");
			second.hold("asked", "1", 60);
			assertThat(page.state("asked[1]")).hasText(heldBy(second));
			page.lock("asked[1]").locator(".ask").click();
			assertThat(page.page().locator("#story")).containsText("The holder of asked[1] gives it up");
			assertThat(page.instance(second).locator(".end")).isHidden();
			assertThat(page.troubles()).isEmpty();
		}
	}

	private static Pattern heldBy(BoxOfficeProcess boxOffice) {
		return Pattern.compile("held by [AB] %s stalled-\\d+".formatted(boxOffice.name()));
	}

}
