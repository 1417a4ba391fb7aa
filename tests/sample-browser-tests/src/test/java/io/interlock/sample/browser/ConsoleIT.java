package io.interlock.sample.browser;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the console of two box offices with their locks in ZooKeeper, in a real
 * browser. They save screenshots to {@code target/screenshots}.
 */
@Deep
@EnabledIfBrowser
class ConsoleIT {

	private static BoxOfficeProcess first;

	private static BoxOfficeProcess second;

	private static Playwright driver;

	private static Browser browser;

	private ConsolePage console;

	@BeforeAll
	static void open() {
		first = BoxOfficeProcess.first("--management.endpoint.locks.access=unrestricted",
				"--management.metrics.distribution.percentiles-histogram.interlock.acquire=true",
				"--management.metrics.distribution.percentiles-histogram.interlock.hold=true");
		second = first.joined();
		driver = Chromium.driver();
		browser = Chromium.launch(driver);
		PlaywrightAssertions.setDefaultAssertionTimeout(60_000);
	}

	@AfterAll
	static void close() {
		if (driver != null) {
			driver.close();
		}
		if (second != null) {
			second.close();
		}
		if (first != null) {
			first.close();
		}
	}

	@BeforeEach
	void look() {
		this.console = ConsolePage.open(browser, first);
	}

	@AfterEach
	void nothingIsInTheConsole() {
		assertThat(this.console.troubles()).isEmpty();
		this.console.close();
	}

	@Test
	void showsTheOverviewDuringARush() {
		assertThat(this.console.find("#stores")).containsText("✓ ZooKeeper is there");
		this.console.request("POST", "/demo/rush", "{\"buyers\":400,\"eventId\":1,\"payment\":\"20ms\"}");
		second.hold("report", "7", 30);
		first.hold("report", "7", 1);
		assertThat(figure("callers wait")).not().hasText("0");
		assertThat(this.console.find("#figures")).containsText("longest wait: report[7]");
		assertThat(this.console.find(".curve.high").first()).hasAttribute("points", Pattern.compile("[0-9., ]+"));
		assertThat(this.console.find("#chart-hint")).containsText("collected by this page since");
		assertThat(this.console.find(".legend").first()).containsText("99");
		assertThat(this.console.find("#age")).hasText("Read from " + first.name());
		this.console.screenshots("console-overview");
	}

	@Test
	void findsALockAsOneTypes() {
		second.hold("stock", "42", 30);
		second.hold("stock", "43", 30);
		this.console.show("Locks");
		assertThat(this.console.row("stock[42]")).containsText(heldBy(second));
		this.console.find("#filter").pressSequentially("STOCK[43");
		assertThat(this.console.row("stock[43]")).isVisible();
		assertThat(this.console.row("stock[42]")).hasCount(0);
		assertThat(this.console.find("#locks-count")).hasText(Pattern.compile("1 of \\d+"));
		this.console.find("#filter").fill("stalled");
		assertThat(this.console.row("stock[42]")).isVisible();
	}

	@Test
	void showsThousandsOfLocksTheLongestWaitFirst() {
		this.console.withLocks(4990).show("Locks");
		assertThat(this.console.find("#page-number")).hasText("Page 1 of 50");
		assertThat(this.console.find("#locks-rows tr")).hasCount(100);
		assertThat(this.console.find("#locks-rows tr").first()).containsText("bulk[4989]");
		this.console.find("#after").click();
		assertThat(this.console.find("#locks-rows tr").first()).containsText("bulk[4889]");
		this.console.find("#filter").pressSequentially("[123]");
		assertThat(this.console.find("#locks-rows tr")).hasCount(1);
		assertThat(this.console.row("bulk[123]")).containsText("2 min 3 s");
	}

	@Test
	void readsAllLocksWhereTheBusyOnesTakeTooLong() {
		second.hold("slow", "1", 60);
		this.console.withoutBusyLocks().show("Locks");
		assertThat(this.console.row("slow[1]")).containsText("held by");
		assertThat(this.console.find("#trouble")).isHidden();
		this.console.expectTroubles("status of 503");
	}

	@Test
	void showsOneLockWithItsQueue() {
		second.hold("print", "1", 60);
		first.hold("print", "1", 1);
		this.console.showLock("print[1]");
		assertThat(this.console.find("#lock-state")).containsText(heldBy(second));
		assertThat(this.console.find("#lock-picture svg")).hasAttribute("aria-label",
				ConsolePage.queue("print[1]", second, first));
		assertThat(this.console.find("#lock-notes")).containsText("1 thread of the instance that answers waits");
		assertThat(this.console.find("#contenders tbody tr")).hasCount(2);
		this.console.screenshots("console-lock");
		this.console.act("Free by force");
		assertThat(this.console.find("#message")).containsText("an anonymous operator: free by force, print[1]");
		assertThat(this.console.find("#message")).containsText("has lost it");
		assertThat(this.console.find("#lock-state")).not().containsText(heldBy(second));
	}

	@Test
	void asksTheHolder() {
		second.hold("asked", "1", 60);
		this.console.showLock("asked[1]");
		this.console.ask("Ask for it");
		assertThat(this.console.find("#act-text")).containsText("The holder decides");
		assertThat(this.console.find("#act-operator")).hasText("an anonymous operator");
		this.console.find("#act button[value=no]").click();
		assertThat(this.console.find("#lock-state")).containsText(heldBy(second));
		this.console.act("Ask for it");
		assertThat(this.console.find("#message")).containsText("The holder was asked");
		assertThat(this.console.find("#lock-state")).hasText("Nothing holds it, and nothing waits for it.");
	}

	@Test
	void holdsAJobAndResumesIt() {
		this.console.show("Jobs");
		Locator job = this.console.find("#jobs-rows tr").filter(new Locator.FilterOptions().setHasText("settlement"));
		assertThat(job).containsText("✓ success");
		assertThat(job).containsText(Pattern.compile(", \\d+(\\.\\d)? m?s, on " + first.instance()));
		assertThat(job).containsText("kept for a minimum time by");
		this.console.act("Resume");
		assertThat(job).containsText("free");
		this.console.ask("Hold");
		this.console.find("#act-time").fill("10m");
		this.console.find("#act-reason").fill("The printers are down");
		this.console.find("#act-yes").click();
		assertThat(job).containsText("held by an anonymous operator, not before");
		this.console.screenshots("console-jobs");
		this.console.act("Resume");
		assertThat(job).containsText("free");
		this.console.show("Overview");
		assertThat(this.console.find("#timeline")).containsText("an anonymous operator: hold, settlement");
		assertThat(this.console.find("#timeline")).containsText("an anonymous operator: resume, settlement");
	}

	@Test
	void actsOnTheFreeLockThatIsShown() {
		for (String name : List.of("left", "right")) {
			this.console.page().evaluate("location.hash = '#lock?name=%s'".formatted(name));
			assertThat(this.console.find("#lock-title")).hasText(name);
			this.console.ask("Hold");
			assertThat(this.console.find("#act-text")).containsText("Take %s in your name".formatted(name));
			this.console.find("#act button[value=no]").click();
		}
	}

	@Test
	void showsNoLockThatItCannotName() {
		this.console.page().evaluate("location.hash = '#lock?name=any&provider=none'");
		assertThat(this.console.find("#lock-state")).hasText("Whether anything holds it is not known. "
				+ "Lock provider 'none' is not defined: set interlock.providers.none.provider.");
		this.console.page().evaluate("location.hash = '#lock?'");
		assertThat(this.console.find("#locks")).isVisible();
		assertThat(this.console.find("#lock")).isHidden();
		this.console.expectTroubles("status of 400");
	}

	@Test
	void showsTheLockThatWasChosenLast() {
		second.hold("late", "1", 60);
		AtomicReference<Route> late = new AtomicReference<>();
		this.console.page().route("**/locks/cluster?*name=late*", late::set);
		this.console.showLock("late[1]");
		this.console.page().waitForCondition(() -> late.get() != null);
		this.console.page().evaluate("location.hash = '#lock?name=other'");
		assertThat(this.console.find("#lock-title")).hasText("other");
		this.console.page()
			.waitForRequest((request) -> request.url().contains("name=other"), () -> late.get().resume());
		assertThat(this.console.find("#lock-title").textContent()).isEqualTo("other");
		this.console.page().unrouteAll();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void showsWhatBlocksWhat(boolean ofTheInstanceThatAnswers) {
		BoxOfficeProcess holder = ofTheInstanceThatAnswers ? first : second;
		holder.hold("seats", "2", 60);
		this.console.show("Locks");
		assertThat(this.console.row("seats[2]")).containsText(heldBy(holder));
		CompletableFuture<String> rush = this.console.requestLater("POST", "/demo/rush",
				"{\"buyers\":1,\"eventId\":2,\"payment\":\"0ms\"}");
		this.console.showLock("rush");
		assertThat(this.console.find("#lock-notes")).containsText("Its holder waits for seats[2]");
		this.console.find("#lock-notes a").click();
		assertThat(this.console.find("#lock-title")).hasText("seats[2]");
		assertThat(this.console.find("#lock-notes")).containsText("A thread that waits here holds rush");
		this.console.screenshots("console-blocks");
		this.console.act("Free by force");
		assertThat(this.console.find("#lock-notes")).not().containsText("rush");
		assertThat(rush.join()).contains("\"sold\":1");
	}

	@Test
	void saysWhyAnActIsRefused() {
		this.console.hold("moved", "");
		this.console.showLock("moved");
		this.console.ask("Resume");
		String token = String.valueOf(this.console.find("#contenders .token").textContent());
		this.console.request("DELETE", "/actuator/locks/cluster/moved?token=" + token, "");
		this.console.find("#act-yes").click();
		assertThat(this.console.find("#message")).containsText("Refused: ");
		assertThat(this.console.find("#message")).hasClass(Pattern.compile("bad"));
		this.console.expectTroubles("status of 409");
	}

	@Test
	void showsHostileNamesAsText() {
		String markup = "<img src=x onerror=alert(1)>";
		String long300 = "n".repeat(300);
		String arabic = "\u0637\u0644\u0628\u0627\u062a";
		List<String> names = List.of(markup, long300, arabic);
		names.forEach((name) -> this.console.hold(name, markup));
		this.console.show("Locks");
		for (String name : names) {
			assertThat(this.console.row(name)).isVisible();
		}
		this.console.screenshots("console-hostile");
		for (int width : new int[] { 320, 375, 1280, 2000 }) {
			this.console.page().setViewportSize(width, 800);
			assertThat(this.console.page().evaluate("document.documentElement.scrollWidth")).isEqualTo(width);
		}
		for (String name : names) {
			this.console.showLock(name);
			assertThat(this.console.find("#lock-title")).hasText(name);
			assertThat(this.console.find("#contenders")).containsText(markup);
			this.console.act("Resume");
			assertThat(this.console.find("#lock-state")).hasText("Nothing holds it, and nothing waits for it.");
		}
		assertThat(this.console.find("img")).hasCount(0);
	}

	@Test
	void saysThatTheStoreIsAwayAndThatItIsBack() {
		second.hold("kept", "1", 60);
		this.console.show("Locks");
		assertThat(this.console.row("kept[1]")).containsText(heldBy(second));
		this.console.show("Overview");
		assertThat(this.console.find("#stores")).containsText("✓ ZooKeeper is there");
		this.console.request("POST", "/demo/zookeeper/stop", "{\"instance\":\"%s\"}".formatted(first.name()));
		try {
			assertThat(this.console.find("#stores")).containsText("× ZooKeeper is not there since");
			assertThat(this.console.find("#trouble")).containsText("No lock can be acquired in ZooKeeper");
			this.console.screenshots("console-outage");
			this.console.showLock("kept[1]");
			this.console.page().waitForResponse((response) -> response.url().contains("name=kept"), () -> {
			});
			assertThat(this.console.find("#lock-state")).containsText(heldBy(second));
			this.console.page().evaluate("location.hash = '#lock?name=unread'");
			assertThat(this.console.find("#lock-state")).containsText("Whether anything holds it is not known.");
			this.console.show("Overview");
		}
		finally {
			this.console.request("POST", "/demo/zookeeper/start", "{\"instance\":\"%s\"}".formatted(first.name()));
		}
		assertThat(this.console.find("#stores")).containsText("✓ ZooKeeper is there");
		assertThat(this.console.find("#trouble")).isHidden();
		assertThat(this.console.find("#timeline")).containsText("ZooKeeper is there again");
		this.console.expectTroubles("status of 503");
	}

	@Test
	void worksByKeyboard() {
		second.hold("typed", "1", 60);
		this.console.show("Locks");
		this.console.find("#filter").fill("typed");
		this.console.row("typed[1]").locator("a").focus();
		this.console.page().keyboard().press("Enter");
		Locator free = this.console.find("#contenders button").last();
		assertThat(free).hasAccessibleName("Free by force: typed[1]");
		free.focus();
		this.console.page().keyboard().press("Enter");
		assertThat(this.console.find("#act button[value=no]")).isFocused();
		this.console.page().keyboard().press("Escape");
		assertThat(free).isFocused();
		assertThat(this.console.find("#lock-state")).containsText(heldBy(second));
	}

	private static Pattern heldBy(BoxOfficeProcess boxOffice) {
		return Pattern.compile("held by " + boxOffice.instance());
	}

	private Locator figure(String label) {
		return this.console.find("#figures div")
			.filter(new Locator.FilterOptions().setHas(this.console.page().getByText(label)))
			.locator("dd");
	}

}
