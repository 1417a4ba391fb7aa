package io.interlock.sample.browser;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import io.interlock.testsupport.postgres.PostgresServer;
import io.interlock.testsupport.redis.RedisServer;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.postgresql.Driver;

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
		showsAndChangesLocks(() -> BoxOfficeProcess.first(ACCESS, "--interlock.provider=jdbc"), "H2", (console) -> {
		});
	}

	@Test
	void showsAndChangesLocksInPostgresWithAnOutage() {
		try (PostgresServer postgres = PostgresServer.start()) {
			showsAndChangesLocks(
					() -> BoxOfficeProcess.first(List.of(LocksInPostgres.class, Driver.class), ACCESS,
							"--test.locks-url=" + postgres.url(), "--interlock.provider=jdbc",
							"--interlock.jdbc.initialize-schema=always"),
					"PostgreSQL",
					(console) -> tellsOfAnOutage(console, "PostgreSQL", postgres::stop, postgres::restart));
		}
	}

	@Test
	void showsAndChangesLocksInRedisWithAnOutage() {
		try (RedisServer redis = RedisServer.start()) {
			showsAndChangesLocks(
					() -> BoxOfficeProcess.first(ACCESS, "--interlock.provider=redis",
							"--spring.data.redis.port=" + redis.port()),
					"Redis", (console) -> tellsOfAnOutage(console, "Redis", redis::kill, redis::restart));
		}
	}

	@Test
	void showsStatesAndTimesOfTwoNamedProviders() {
		try (RedisServer redis = RedisServer.start();
				BoxOfficeProcess boxOffice = BoxOfficeProcess.first(List.of(LocksAtTwoProviders.class),
						"--interlock.providers.billing.provider=jdbc", "--interlock.providers.stock.provider=redis",
						"--spring.data.redis.port=" + redis.port());
				ConsolePage console = ConsolePage.open(browser, boxOffice)) {
			assertThat(console.find("#stores li")).hasCount(3);
			assertThat(console.find("#stores")).containsText("✓ H2 of billing is there");
			assertThat(console.find("#stores")).containsText("✓ Redis of stock is there");
			for (String provider : List.of("billing", "stock")) {
				console.find("#chart-provider").selectOption(provider);
				for (String curve : List.of("middle", "high")) {
					assertThat(console.find(".curve." + curve).first()).hasAttribute("points",
							Pattern.compile("[0-9., ]+"));
				}
			}
			redis.kill();
			assertThat(console.find("#stores")).containsText("× Redis of stock is not there since");
			assertThat(console.find("#stores")).containsText("✓ H2 of billing is there");
			assertThat(console.find("#stores")).containsText("✓ ZooKeeper is there");
			assertThat(console.find("#trouble")).containsText("No lock can be acquired in Redis of stock");
			console.expectTroubles("status of 503");
			assertThat(console.troubles()).isEmpty();
		}
	}

	private static void showsAndChangesLocks(Supplier<BoxOfficeProcess> start, String store,
			Consumer<ConsolePage> outage) {
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
			for (String name : List.of("left", "right")) {
				second.hold(name, "1", 60);
				console.showLock(name + "[1]");
				console.ask("Free by force");
				assertThat(console.find("#act-text")).containsText("Take " + name + "[1]");
				console.find("#act button[value=no]").click();
			}
			console.show("Jobs");
			assertThat(console.find("#jobs-rows tr").first()).containsText("✓ success");
			assertThat(console.find("#jobs-rows tr").first()).containsText(Pattern.compile("on " + first.instance()));
			console.act("Resume");
			assertThat(console.find("#jobs-rows tr").first()).containsText("free");
			console.act("Hold");
			assertThat(console.find("#jobs-rows")).containsText("held by an anonymous operator");
			console.act("Resume");
			assertThat(console.find("#jobs-rows tr").first()).containsText("free");
			assertThat(console.troubles()).isEmpty();
			outage.accept(console);
		}
	}

	private static void tellsOfAnOutage(ConsolePage console, String store, Runnable stop, Runnable start) {
		console.show("Overview");
		stop.run();
		assertThat(console.find("#stores")).containsText("× " + store + " is not there since");
		assertThat(console.find("#trouble")).containsText("No lock can be acquired in " + store);
		start.run();
		assertThat(console.find("#stores")).containsText("✓ " + store + " is there");
		assertThat(console.find("#trouble")).isHidden();
		assertThat(console.find("#timeline")).containsText(store + " is there again");
		console.expectTroubles("status of 503");
		assertThat(console.troubles()).isEmpty();
	}

}
