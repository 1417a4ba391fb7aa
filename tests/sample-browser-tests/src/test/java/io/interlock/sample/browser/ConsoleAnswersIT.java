package io.interlock.sample.browser;

import java.util.List;
import java.util.regex.Pattern;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.Request;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what the console makes of answers of the endpoints, in a real browser and
 * without an application.
 */
@Deep
@EnabledIfBrowser
class ConsoleAnswersIT {

	private static final String AWAY = "{\"error\":\"UNAVAILABLE\",\"message\":\"There is no connection to ZooKeeper\"}";

	private static final String BUSY = "{\"error\":\"BUSY\",\"message\":\"2 calls read the locks of the cluster already\"}";

	private static Playwright driver;

	private static Browser browser;

	private AnsweredConsole console;

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

	@BeforeEach
	void prepare() {
		this.console = new AnsweredConsole(browser);
	}

	@AfterEach
	void nothingFailedInThePage() {
		assertThat(this.console.troubles()).isEmpty();
		this.console.close();
	}

	@Test
	void offersNoHoldOfALockThatIsNotKnown() {
		this.console.answer("locks/cluster", 200, AnsweredConsole.cluster(AnsweredConsole.lock("kept", "shop@b:1")))
			.open("#lock?name=kept");
		assertThat(this.console.find("#lock-state")).hasText("held by shop@b:1");
		this.console.answer("locks/cluster", 503, AWAY);
		assertThat(this.console.find("#lock-state")).containsText("held by shop@b:1, as it was last read");
		this.console.tab().evaluate("location.hash = '#lock?name=other'");
		assertThat(this.console.find("#lock-state")).containsText("Whether anything holds it is not known.");
		assertThat(this.console.find("#lock-actions button")).hasCount(0);
		this.console.answer("locks/cluster", 200, AnsweredConsole.cluster());
		assertThat(this.console.find("#lock-actions button")).hasText("Hold …");
	}

	@Test
	void offersNoHoldOfAJobThatIsNotKnown() {
		this.console.answer("locks/runs", 200,
				"{\"runs\":[{\"name\":\"settle\",\"startedAt\":\"2026-11-28T10:00:00Z\",\"duration\":\"PT1S\",\"instance\":\"a\",\"outcome\":\"success\"}]}")
			.answer("locks/cluster", 503, AWAY)
			.open("#jobs");
		assertThat(this.console.find("#jobs-rows tr .holder")).hasText("not known");
		assertThat(this.console.find("#jobs-rows button")).hasCount(0);
		this.console.answer("locks/cluster", 200, AnsweredConsole.cluster());
		assertThat(this.console.find("#jobs-rows tr .holder")).hasText("free");
		assertThat(this.console.find("#jobs-rows button")).hasText("Hold …");
	}

	@Test
	void takesNoForeignContributorForItsStore() {
		this.console.answer("health", 200, """
				{"status":"DOWN","components":{"zookeeper":{"status":"DOWN","details":
				{"connectionString":"zk1:2181","state":"LATENT"}}}}
				""").open("");
		assertThat(this.console.find("#stores")).containsText("✓ the store is there");
		assertThat(this.console.find("#trouble")).isHidden();
		this.console.answer("health", 503, """
				{"status":"DOWN","components":{"zookeeper":{"status":"DOWN","details":
				{"store":"ZooKeeper","state":"LOST"}}}}
				""");
		assertThat(this.console.find("#stores")).containsText("× ZooKeeper is not there since");
	}

	@ParameterizedTest
	@ValueSource(strings = { "{}",
			"{\"zookeeper\":{\"status\":\"UP\",\"details\":{\"store\":\"ZooKeeper\",\"state\":\"CONNECTED\"}}}" })
	void tellsAStoreThatIsBusyFromAnOutage(String components) {
		this.console.answer("health", 200, "{\"status\":\"UP\",\"components\":%s}".formatted(components))
			.answer("locks/cluster", 200, AnsweredConsole.cluster(AnsweredConsole.lock("kept", "shop@b:1")))
			.open("");
		assertThat(this.console.find("#stores")).containsText("✓");
		this.console.answer("locks/cluster", 503, BUSY);
		assertThat(this.console.find("#stores")).containsText("is slow to answer");
		assertThat(this.console.find("#stores")).containsText("2 calls read the locks of the cluster already");
		assertThat(this.console.find("#trouble")).isHidden();
		assertThat(this.console.find("#timeline li")).hasCount(0);
		this.console.tab().evaluate("location.hash = '#locks'");
		assertThat(this.console.find("#locks-rows")).containsText("held by shop@b:1");
	}

	@Test
	void readsBusyLocksAgainAfterAWhile() {
		String busy = "locks/cluster?queueLimit=3&limit=1000&busy=true";
		this.console.tab().clock().install();
		this.console.answer(busy, 503, BUSY).open("");
		this.console.awaitLook("limit=100&");
		this.console.answer(busy, 200, AnsweredConsole.cluster());
		this.console.tab()
			.waitForRequest((request) -> request.url().contains(busy),
					() -> this.console.tab().clock().fastForward(61_000));
	}

	@Test
	void showsLocksWhileHealthIsSilent() {
		this.console.silence("health")
			.answer("locks/cluster", 200, AnsweredConsole.cluster(AnsweredConsole.lock("kept", "shop@b:1")))
			.open("#locks");
		assertThat(this.console.find("#locks-rows")).containsText("held by shop@b:1");
		assertThat(this.console.find("#notes")).containsText("The endpoint health takes too long to answer.");
		assertThat(this.console.find("#age")).hasText("Read from console.test");
	}

	@Test
	void saysSoonThatItsDataAreOld() {
		this.console.tab().clock().install();
		this.console.silence("health").open("");
		assertThat(this.console.find("#notes")).containsText("health takes too long");
		assertThat(this.console.find("#age")).hasText("Read from console.test");
		this.console.silence("locks");
		this.console.awaitLook("locks?");
		this.console.tab().clock().runFor(7_000);
		assertThat(this.console.find("#age").textContent()).startsWith("These data are ");
	}

	@Test
	void asksAsAScriptSoThatNoBrowserAsksForAPassword() {
		this.console.open("");
		Request look = this.console.awaitLook("locks/cluster");
		assertThat(look.headers()).containsEntry("x-requested-with", "XMLHttpRequest");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			401 | The endpoint locks does not take the login of this page: log in again, and load the page again.
			403 | The endpoint locks refuses olga (403): the right to it is missing.
			""")
	void saysWhatItsReaderMayNotRead(int status, String text) {
		this.console.answer("locks", status, "").open("");
		assertThat(this.console.find("#trouble")).hasText(text);
	}

	@Test
	void saysThatAnActMayLackItsTokenAgainstForgery() {
		this.console.answer("locks/-", 403, "").open("#lock?name=free");
		this.console.find("#lock-actions button").click();
		this.console.find("#act-yes").click();
		assertThat(this.console.find("#message"))
			.hasText("olga: hold, free. Refused: The endpoint locks refuses olga (403): the right to it is missing, "
					+ "or a token against forgery, which this page found in no cookie XSRF-TOKEN.");
	}

	@Test
	void saysThatAnActWithoutAnAnswerMayBeDone() {
		this.console.silence("locks/-").open("#lock?name=free");
		this.console.find("#lock-actions button").click();
		this.console.find("#act-yes").click();
		assertThat(this.console.find("#message")).hasText("olga: hold, free. It is not known whether it was done: "
				+ "The endpoint locks takes too long to answer.");
	}

	@Test
	void showsEachPermitOfThreadsWithOneName() {
		String permit = "{\"name\":\"permits\",\"mode\":\"EXCLUSIVE\",\"thread\":\"same\",\"since\":\"2026-11-28T10:00:00Z\",\"valid\":true}";
		this.console.answer("locks/cluster", 501, "{\"error\":\"NOT_SUPPORTED\",\"message\":\"not told\"}")
			.answer("locks?", 200, AnsweredConsole.own(String.join(",", permit, permit, permit), ""))
			.open("#lock?name=permits");
		assertThat(this.console.find("#contenders tbody tr")).hasCount(3);
		assertThat(this.console.find("#lock-picture .dot")).hasCount(3);
		this.console.awaitLook("name=permits");
		this.console.awaitLook("name=permits");
		assertThat(this.console.find("#contenders tbody tr")).hasCount(3);
	}

	@Test
	void findsEachWaiterThatThePageKnows() {
		String wait = "{\"name\":\"kept\",\"mode\":\"EXCLUSIVE\",\"thread\":\"%s\",\"since\":\"2026-11-28T10:00:00Z\"}";
		this.console
			.answer("locks/cluster", 200,
					AnsweredConsole.cluster(AnsweredConsole.lock("kept", "shop@b:1"),
							AnsweredConsole.lock("other", "shop@b:1")))
			.answer("locks?", 200, AnsweredConsole.own("", wait.formatted("first") + "," + wait.formatted("fourth")))
			.open("#locks");
		assertThat(this.console.find("#locks-rows tr")).hasCount(2);
		this.console.find("#filter").fill("fourth");
		assertThat(this.console.find("#locks-rows tr")).hasCount(1);
	}

	@Test
	void showsWhatBlocksWhatWithinOneInstance() {
		String hold = "{\"name\":\"%s\",\"mode\":\"EXCLUSIVE\",\"thread\":\"%s\",\"since\":\"2026-11-28T10:00:00Z\",\"token\":%d,\"valid\":true}";
		String wait = "{\"name\":\"B\",\"mode\":\"EXCLUSIVE\",\"thread\":\"P\",\"since\":\"2026-11-28T10:00:00Z\"}";
		this.console
			.answer("locks/cluster", 200,
					AnsweredConsole.cluster(AnsweredConsole.lock("A", "shop@b:1"),
							AnsweredConsole.lock("B", "shop@b:1")))
			.answer("locks/cluster?name=A", 200, AnsweredConsole.cluster(AnsweredConsole.lock("A", "shop@b:1")))
			.answer("locks?", 200,
					AnsweredConsole.own(hold.formatted("A", "P", 7) + "," + hold.formatted("B", "Q", 7), wait))
			.open("#lock?name=A");
		assertThat(this.console.find("#lock-notes")).containsText("Its holder waits for B");
	}

	@Test
	void skipsToTheContentOfTheView() {
		this.console.open("#jobs");
		assertThat(this.console.find("#jobs")).isVisible();
		this.console.find(".skip").focus();
		this.console.tab().keyboard().press("Enter");
		assertThat(this.console.find("#main")).isFocused();
		assertThat(this.console.find("#jobs")).isVisible();
	}

	@Test
	void keepsNamesApartFromTheTextAroundThem() {
		this.console.answer("locks/-", 409, "{\"message\":\"held\"}").open("#lock?name=%E2%80%AEevil");
		this.console.find("#lock-actions button").click();
		assertThat(this.console.find("#act-text bdi").nth(1)).hasText("\u202Eevil");
		this.console.find("#act-yes").click();
		for (String place : List.of("#message", "#timeline")) {
			assertThat(this.console.find(place + " bdi").nth(2)).hasText("\u202Eevil");
		}
	}

	@Test
	void knowsNamedProvidersWithoutHealth() {
		this.console.in("providers", "billing,stock").answer("health", 200, "{\"status\":\"UP\"}").open("");
		assertThat(this.console.find("#stores li")).hasCount(3);
		assertThat(this.console.find("#stores")).containsText("✓ the store of billing is there");
		assertThat(this.console.find("#stores")).containsText("✓ the store of stock is there");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "#locks", "#lock?name=kept", "#jobs" })
	void fitsANarrowScreen(String address) {
		this.console.in("metrics", "metrics")
			.answer("metrics", 200, "{\"names\":[\"interlock.acquire\"]}")
			.answer("metrics/interlock.acquire", 200,
					"{\"measurements\":[{\"statistic\":\"COUNT\",\"value\":1}],\"availableTags\":[]}")
			.answer("locks/cluster", 200,
					AnsweredConsole.cluster(AnsweredConsole.lock("kept", "shop@b:" + "1".repeat(90))));
		this.console.tab().setViewportSize(320, 800);
		this.console.open(address);
		assertThat(this.console.find("#age")).hasText("Read from console.test");
		assertThat(this.console.find("#chart-hint")).containsText("percentiles-histogram");
		assertThat(this.console.tab()
			.evaluate(
					"[...document.querySelectorAll('section:not([hidden]) *')].filter((each) => each.scrollWidth > each.clientWidth + 1 "
							+ "&& getComputedStyle(each).display !== 'inline' && each.clientWidth > 1).map((each) => each.outerHTML).join()"))
			.isEqualTo("");
		assertThat(this.console.tab().evaluate("document.documentElement.scrollWidth")).isEqualTo(320);
	}

	@Test
	void saysNothingOfHistogramsWhileNothingIsMeasured() {
		this.console.in("metrics", "metrics")
			.in("prometheus", "prometheus")
			.answer("metrics", 200, "{\"names\":[\"interlock.acquire\"]}")
			.answer("prometheus", 200, "")
			.answer("metrics/interlock.acquire", 200,
					"{\"measurements\":[{\"statistic\":\"COUNT\",\"value\":0}],\"availableTags\":[]}")
			.open("");
		assertThat(this.console.find("#timeline-hint")).containsText("Counted before: nothing.");
		assertThat(this.console.find("#chart-hint")).not().containsText("percentiles-histogram");
		this.console.answer("metrics/interlock.acquire", 200,
				"{\"measurements\":[{\"statistic\":\"COUNT\",\"value\":3}],\"availableTags\":[]}");
		assertThat(this.console.find("#chart-hint")).containsText("percentiles-histogram");
	}

	@Test
	void saysThatNoMetersOfLocksAreThere() {
		this.console.in("metrics", "metrics").answer("metrics", 200, "{\"names\":[\"jvm.info\"]}").open("");
		assertThat(this.console.find("#notes")).containsText("management.metrics.enable.interlock");
		assertThat(this.console.find("#timeline-hint")).hasText(Pattern.compile("Seen by this page since [\\d:]+\\."));
	}

}
