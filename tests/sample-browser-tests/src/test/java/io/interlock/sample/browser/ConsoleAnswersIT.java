package io.interlock.sample.browser;

import java.time.Instant;
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

	private static final String CONNECTED = "{\"status\":\"UP\",\"details\":{\"store\":\"ZooKeeper\",\"state\":\"CONNECTED\"}}";

	private static final String TOO_MANY = "{\"error\":\"TOO_MANY\",\"message\":\"There are 99999 nodes\"}";

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
		this.console.answer("health/zookeeper", 503, """
				{"status":"DOWN","details":{"connectionString":"zk1:2181","state":"LATENT"}}
				""").open("");
		assertThat(this.console.find("#stores")).containsText("✓ the store is there");
		assertThat(this.console.find("#trouble")).isHidden();
		this.console.answer("health/zookeeper", 503, """
				{"status":"DOWN","details":{"store":"ZooKeeper","state":"LOST"}}
				""");
		assertThat(this.console.find("#stores")).containsText("× ZooKeeper is not there since");
	}

	@ParameterizedTest
	@ValueSource(ints = { 404, 200 })
	void tellsAStoreThatIsBusyFromAnOutage(int health) {
		this.console.answer("health/zookeeper", health, CONNECTED)
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

	@ParameterizedTest
	@ValueSource(ints = { 404, 200 })
	void tellsTooManyLocksFromAnOutageAndLooksOneUp(int health) {
		this.console.answer("health/zookeeper", health, CONNECTED)
			.answer("locks/cluster", 503, TOO_MANY)
			.answer("locks/cluster?name=stock&key=42", 200,
					AnsweredConsole.cluster(AnsweredConsole.lock("stock\",\"key\":\"42", "shop@b:1")))
			.open("");
		assertThat(this.console.find("#stores")).containsText("has too many locks to list. They work");
		assertThat(this.console.find("#stores")).containsText("There are 99999 nodes");
		assertThat(this.console.find("#trouble")).isHidden();
		assertThat(this.console.find("#timeline li")).hasCount(0);
		this.console.tab().evaluate("location.hash = '#locks'");
		this.console.find("#filter").fill("stock[42]");
		this.console.find("#lookup a").click();
		assertThat(this.console.find("#lock-title")).hasText("stock[42]");
		assertThat(this.console.find("#lock-state")).hasText("held by shop@b:1");
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
		this.console.silence("health/")
			.answer("locks/cluster", 200, AnsweredConsole.cluster(AnsweredConsole.lock("kept", "shop@b:1")))
			.open("#locks");
		assertThat(this.console.find("#locks-rows")).containsText("held by shop@b:1");
		assertThat(this.console.find("#notes")).containsText("The endpoint health takes too long to answer.");
		assertThat(this.console.find("#age")).hasText("Read from console.test");
	}

	@Test
	void saysSoonThatItsDataAreOld() {
		this.console.tab().clock().install();
		this.console.silence("health/").open("");
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

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					503 | {"error":"UNAVAILABLE","message":"no answer"}              | It is not known whether it was done: no answer.
					503 | {"error":"BUSY","message":"no answer within a second"}     | It is not known whether it was done: no answer within a second.
					502 | <html>                                                     | It is not known whether it was done: The answer has the status 502.
					200 | <html>                                                     | It is not known whether it was done: Something before the application answers for the endpoint locks, such as a proxy.
					503 | {"error":"UNAVAILABLE","message":"Stops: nothing was done"} | Refused: Stops: nothing was done.
					409 | {"error":"HELD","message":"held"}                          | Refused: held.
					501 | {"error":"NOT_SUPPORTED","message":"never"}                | Refused: never.
					""")
	void tellsARefusalFromAnActThatMayBeDone(int status, String answer, String told) {
		this.console.answer("locks/-", status, answer).open("#lock?name=free");
		this.console.find("#lock-actions button").click();
		this.console.find("#act-yes").click();
		assertThat(this.console.find("#message")).containsText(told.substring(0, told.length() - 1));
	}

	@Test
	void tellsAnOutageWhileOtherPartsOfTheHealthAreSilent() {
		this.console.tab().clock().setFixedTime("2026-11-28T12:00:00Z");
		this.console.silence("health").answer("health/interlock", 503, """
				{"status":"DOWN","details":{"store":"PostgreSQL","state":"LOST","answerAge":"PT1H"}}
				""").open("");
		Object since = this.console.tab().evaluate("new Date('2026-11-28T11:00:00Z').toLocaleTimeString('en-GB')");
		assertThat(this.console.find("#stores")).containsText("× PostgreSQL is not there since " + since);
	}

	@Test
	void saysHowOldTheLocksOfAStoreThatIsAwayAre() {
		this.console.tab().clock().install();
		this.console.answer("locks/cluster", 200, AnsweredConsole.cluster(AnsweredConsole.lock("kept", "shop@b:1")))
			.open("");
		assertThat(this.console.find("#age")).hasText("Read from console.test");
		this.console.answer("locks/cluster", 503, AWAY);
		assertThat(this.console.find("#trouble")).containsText("What it keeps is shown as it was at");
		this.console.tab().clock().runFor(7_000);
		assertThat(this.console.find("#age")).containsText("These data are");
		assertThat(this.console.find("#timeline")).containsText("the store is not there (no answer)");
	}

	@Test
	void saysThatItDoesNotKnowWhatItHasNeverRead() {
		String wait = "{\"name\":\"kept\",\"mode\":\"EXCLUSIVE\",\"thread\":\"t\",\"since\":\"2026-11-28T10:00:00Z\"}";
		this.console.answer("locks/cluster", 503, AWAY).answer("locks?", 200, AnsweredConsole.own("", wait)).open("");
		assertThat(this.console.find("#trouble")).containsText("What it keeps is not known.");
		assertThat(this.console.find("#age")).hasText("The locks of the store are not known");
		assertThat(this.console.find("#figures dd").first()).hasText("not known");
		assertThat(this.console.find("#figures dd").nth(1)).hasText("1 or more");
		this.console.tab().evaluate("location.hash = '#lock?name=kept'");
		assertThat(this.console.find("#lock-state")).hasText("holder not known");
	}

	@Test
	void saysNothingOfRunsBeforeTheirAnswer() {
		this.console.silence("locks/runs").open("#jobs");
		this.console.awaitLook("locks/runs");
		assertThat(this.console.find("#jobs")).isVisible();
		assertThat(this.console.find("#no-jobs")).isHidden();
	}

	@Test
	void tellsAProxyThatAnswersWithAPage() {
		this.console.answer("locks?", 200, "<html>").open("");
		assertThat(this.console.find("#trouble"))
			.hasText("Something before the application answers for the endpoint locks, such as a proxy.");
	}

	@Test
	void asksWithTheNameOfTheHolderAndFindsTheFocusAgain() {
		this.console.answer("locks/cluster", 200, AnsweredConsole.cluster(AnsweredConsole.lock("kept", "shop@b:1")))
			.answer("locks/cluster?name=kept&token=7", 200, "{\"message\":\"freed\"}")
			.open("#lock?name=kept");
		this.console.find("#contenders button").last().click();
		assertThat(this.console.find("#act-text")).containsText("from shop@b:1 · t");
		assertThat(this.console.find("#act-yes")).hasClass("primary grave");
		this.console.find("#act-yes").press("Enter");
		assertThat(this.console.find("#message")).containsText("freed");
		this.console.answer("locks/cluster", 200, AnsweredConsole.cluster());
		assertThat(this.console.find("#lock-state")).containsText("Nothing holds it");
		assertThat(this.console.find("#lock-title")).isFocused();
	}

	@Test
	void offersNoHoldWhileThreadsOfThisInstanceWait() {
		String wait = "{\"name\":\"kept\",\"mode\":\"EXCLUSIVE\",\"thread\":\"t\",\"since\":\"2026-11-28T10:00:00Z\"}";
		this.console.answer("locks?", 200, AnsweredConsole.own("", wait)).open("#lock?name=kept");
		assertThat(this.console.find("#lock-notes")).containsText("1 thread of the instance");
		assertThat(this.console.find("#lock-actions button")).hasCount(0);
	}

	@Test
	void keepsWhatWasTypedWhenTheServerRefusesTheTime() {
		this.console.answer("locks/-", 400, "{\"error\":\"INVALID\",\"message\":\"'hold' must be a duration\"}")
			.open("#lock?name=free");
		this.console.find("#lock-actions button").click();
		this.console.find("#act-time").fill("30 min");
		this.console.find("#act-reason").fill("printers");
		this.console.find("#act-yes").click();
		assertThat(this.console.find("#act-problem")).hasText("'hold' must be a duration");
		assertThat(this.console.find("#act-time")).hasValue("30 min");
		assertThat(this.console.find("#act-reason")).hasValue("printers");
	}

	@Test
	void showsEachSpaceOfAName() {
		this.console.open("#lock?name=a%20%20b");
		assertThat(this.console.find("#lock-title bdi")).hasCSS("white-space-collapse", "preserve");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "#locks", "#lock?name=kept", "#jobs" })
	void fitsTextOfTwiceTheSize(String address) {
		this.console
			.answer("locks/cluster", 200,
					AnsweredConsole.cluster(AnsweredConsole.lock("kept", "shop@b:" + "1".repeat(90))))
			.answer("locks/runs", 200,
					"{\"runs\":[{\"name\":\"settle\",\"startedAt\":\"2026-11-28T10:00:00Z\",\"duration\":\"PT1S\",\"instance\":\"a\",\"outcome\":\"success\"}]}");
		this.console.tab().setViewportSize(375, 800);
		this.console.open(address);
		assertThat(this.console.find("#age")).hasText("Read from console.test");
		this.console.tab().evaluate("document.documentElement.style.fontSize = '200%'");
		assertThat(this.console.tab().evaluate("document.documentElement.scrollWidth")).isEqualTo(375);
	}

	@Test
	void tellsATimeThatIncludesAWaitFromThatOfAHold() {
		String holder = "\"node\":\"a\",\"name\":\"shop@b:1\",\"since\":\"2026-11-28T10:00:00Z\",\"age\":\"PT1M\",\"token\":";
		String line = "{\"name\":\"%s\",\"exact\":true,\"contenders\":1,\"omitted\":0,\"queue\":[],\"holders\":[{%s}]}";
		this.console.answer("locks/cluster", 200,
				AnsweredConsole.cluster(line.formatted("node", holder + "7,\"session\":\"0x1\""),
						line.formatted("lease", holder + "8"), line.formatted("own", holder + "9,\"session\":\"0x2\"")))
			.answer("locks?", 200,
					AnsweredConsole
						.own("{\"name\":\"own\",\"thread\":\"t\",\"since\":\"%s\",\"token\":9,\"valid\":true}"
							.formatted(Instant.now().minusSeconds(600)), ""))
			.open("#locks");
		assertThat(this.console.find("#locks-rows tr:has-text('node') td").last()).hasText("up to 1 min 0 s");
		assertThat(this.console.find("#locks-rows tr:has-text('lease') td").last()).hasText("1 min 0 s");
		assertThat(this.console.find("#locks-rows tr:has-text('own') td").last()).containsText("10 min");
	}

}
