package io.interlock.sample.browser;

import java.util.List;
import java.util.regex.Pattern;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the scenes of the live page, on a single box office in a real browser. They
 * save screenshots to {@code target/screenshots}.
 */
@Deep
@EnabledIfBrowser
class ScenesIT {

	private static final Pattern POSITIVE = Pattern.compile("[1-9][0-9,]*");

	private static final List<String> STARTERS = List.of("#rush-button", "#compare-button", "#speed-button");

	private static BoxOfficeProcess boxOffice;

	private static Playwright driver;

	private static Browser browser;

	private LivePage page;

	@BeforeAll
	static void open() {
		boxOffice = BoxOfficeProcess.first();
		driver = Chromium.driver();
		browser = Chromium.launch(driver);
		PlaywrightAssertions.setDefaultAssertionTimeout(60_000);
	}

	@AfterAll
	static void close() {
		if (driver != null) {
			driver.close();
		}
		if (boxOffice != null) {
			boxOffice.close();
		}
	}

	@AfterEach
	void nothingIsInTheConsole() {
		assertThat(this.page.troubles()).isEmpty();
		this.page.close();
	}

	@Test
	void sellsSeatsTwiceOnlyWithoutALock() {
		this.page = LivePage.wide(browser).open(boxOffice, 1);
		compare();
		this.page.screenshotOfSection("compare", "#compare-title");
		this.page.dark();
		this.page.screenshotOfSection("compare-dark", "#compare-title");
	}

	@Test
	void startsNothingElseWhileAHouseIsSold() {
		this.page = LivePage.wide(browser).open(boxOffice, 1);
		try (LivePage other = LivePage.wide(browser).open(boxOffice, 1)) {
			// Slower than the page offers: it has to outlast the looks at it.
			this.page.page().evaluate("document.querySelector('#rush-pace').add(new Option('200 ms', '200ms'))");
			this.page.prepareRush("200ms");
			this.page.rushButton().click();
			for (LivePage each : List.of(this.page, other)) {
				for (String button : STARTERS) {
					assertThat(each.page().locator(button)).isDisabled();
				}
			}
			for (LivePage each : List.of(this.page, other)) {
				for (String button : STARTERS) {
					assertThat(each.page().locator(button)).isEnabled();
				}
			}
		}
	}

	@Test
	void doesNotSayThatALostLockIsHeld() {
		this.page = LivePage.wide(browser).open(boxOffice, 1);
		Locator holds = this.page.instance(boxOffice).locator(".holds");
		// Slower than the page offers: it has to outlast the looks at it.
		this.page.page().evaluate("document.querySelector('#rush-pace').add(new Option('200 ms', '200ms'))");
		this.page.prepareRush("200ms");
		this.page.rushButton().click();
		assertThat(holds).containsText("Holds rush");
		this.page.lock("rush").locator(".free").click();
		assertThat(this.page.page().locator("#story")).containsText("Lost rush");
		assertThat(holds).containsText("rush is not valid");
		assertThat(holds).not().containsText("Holds rush");
		assertThat(this.page.page().locator("#rush-result")).containsText("got a seat");
	}

	@Test
	void saysAtTheTopThatZooKeeperIsStopped() {
		this.page = LivePage.wide(browser).open(boxOffice, 1);
		Locator trouble = this.page.page().locator("#trouble");
		Locator figures = this.page.page().locator("#rush-figures");
		this.page.prepareRush("5ms");
		this.page.rushButton().click();
		assertThat(this.page.page().locator("#rush-result")).containsText("got a seat");
		assertThat(figures).isVisible();
		assertThat(trouble).isHidden();
		this.page.page().locator("#outage-button").click();
		assertThat(trouble).hasText("ZooKeeper is stopped. No lock can be acquired until it runs again.");
		this.page.page()
			.evaluate("window.shown = []; const list = document.querySelector('#rush-figures');"
					+ " new MutationObserver(() => { if (!list.hidden) { window.shown.push(list.textContent); } })"
					+ ".observe(list, { attributes: true, childList: true, subtree: true, characterData: true })");
		this.page.rushButton().click();
		assertThat(this.page.page().locator("#rush-result")).containsText("Nothing was changed");
		assertThat(figures).isHidden();
		assertThat(this.page.page().evaluate("window.shown.join()")).isEqualTo("");
		this.page.page().locator("#outage-button").click();
		assertThat(trouble).isHidden();
		assertThat(this.page.page().locator("#outage-calls")).containsText("200It has the lock, token");
		this.page.expectTroubles("status of 503");
	}

	@Test
	void saysThatSalesRunWithoutLocks() {
		this.page = LivePage.wide(browser).open(boxOffice, 1);
		Locator lead = this.page.page().locator(".lead");
		assertThat(lead).containsText("Every sale runs under a lock");
		this.page.close();
		try (BoxOfficeProcess unlocked = BoxOfficeProcess.first("--sample.locking=false")) {
			this.page = LivePage.wide(browser).open(unlocked, 1);
			lead = this.page.page().locator(".lead");
			assertThat(lead).containsText("Locks are off on " + unlocked.name());
			assertThat(this.page.page().locator("#lead-locked")).isHidden();
		}
	}

	@Test
	void comparesOnAPhoneByKeyboard() {
		this.page = LivePage.phone(browser).open(boxOffice, 1);
		Locator button = this.page.page().locator("#compare-button");
		assertThat(button).isVisible();
		this.page.page().keyboard().press("Tab");
		this.page.page().keyboard().press("Tab");
		assertThat(button).isFocused();
		this.page.page().keyboard().press("Enter");
		compared();
		assertThat(button).isFocused();
		this.page.screenshot("compare-phone");
		assertThat(this.page.page().evaluate("document.documentElement.scrollWidth")).isEqualTo(360);
	}

	@Test
	void countsTheLocksOfARushAtFullSpeed() {
		this.page = LivePage.wide(browser).open(boxOffice, 1);
		this.page.page().locator("#speed-button").click();
		assertThat(this.page.page().locator("#speed-result")).containsText("2,000 seats in",
				new LocatorAssertions.ContainsTextOptions().setTimeout(600_000));
		assertThat(this.page.page().locator("#speed-result")).containsText(", 0 oversold.");
		assertThat(this.page.page().locator("#speed-rate")).hasText(POSITIVE);
		assertThat(this.page.page().locator("#speed-figures dd").first()).hasText("2,000");
		this.page.screenshotOfSection("speed", "#speed-title");
	}

	@Test
	void refusesAWriteThatComesTooLate() {
		this.page = LivePage.wide(browser).open(boxOffice, 1);
		late();
		this.page.screenshotOfSection("late", "#late-title");
		this.page.dark();
		this.page.screenshotOfSection("late-dark", "#late-title");
	}

	@Test
	void refusesAWriteThatComesTooLateOnAPhone() {
		this.page = LivePage.phone(browser).open(boxOffice, 1);
		late();
		this.page.screenshotOfSection("late-phone", "#late-title");
		assertThat(this.page.page().evaluate("document.documentElement.scrollWidth")).isEqualTo(360);
	}

	@Test
	void tellsCallersWhileZooKeeperIsStopped() {
		this.page = LivePage.wide(browser).open(boxOffice, 1);
		Locator button = this.page.page().locator("#outage-button");
		Locator calls = this.page.page().locator("#outage-calls");
		assertThat(button).hasText("Stop ZooKeeper");
		button.click();
		assertThat(this.page.page().locator("#outage-state")).hasText("stopped");
		assertThat(calls).containsText("503Locks are not available. Nothing was changed. Try again later.");
		assertThat(button).hasText("Start ZooKeeper");
		this.page.screenshotOfSection("outage", "#outage-title");
		button.click();
		assertThat(this.page.page().locator("#outage-state")).hasText("running");
		assertThat(calls).containsText("200It has the lock, token");
		assertThat(this.page.instance(boxOffice).locator(".session")).containsText("Connected");
		this.page.expectTroubles("status of 503");
	}

	private void compare() {
		this.page.page().locator("#compare-button").click();
		compared();
	}

	private void compared() {
		Locator result = this.page.page().locator("#compare-result");
		assertThat(result).containsText("With the lock: 100 of 200 buyers got a ticket, 0 oversold, in",
				new LocatorAssertions.ContainsTextOptions().setTimeout(600_000));
		Locator without = this.page.page().locator(".house[data-event='4']");
		Locator with = this.page.page().locator(".house[data-event='5']");
		assertThat(without.locator(".verdict strong")).hasText(POSITIVE);
		assertThat(without.locator(".hall .twice").first()).hasText(POSITIVE);
		assertThat(without.locator(".counts"))
			.hasText(Pattern.compile("[0-9]+ tickets for 100 seats, [0-9]+ seats? sold more than once"));
		assertThat(with.locator(".verdict strong")).hasText("0");
		assertThat(with.locator(".hall .sold")).hasCount(100);
		assertThat(with.locator(".hall .twice")).hasCount(0);
	}

	private void late() {
		this.page.page().locator("#late-button").click();
		assertThat(this.page.page().locator("#late-result"))
			.hasText("Without a fence, the seat is sold twice. Each fence refuses the late write: StaleLockException.");
		Locator unfenced = way("NONE", 2);
		assertThat(unfenced.locator(".refused")).hasCount(0);
		assertThat(unfenced.locator(".taken")).containsText("takes the write: nothing compares token");
		assertThat(unfenced.locator("li").last()).containsText("has 2 tickets for the seat: Grace's and Ada's");
		refused(way("ROW", 1), "refuses the write");
		refused(way("TRANSACTION", 1), "refuses the transaction before it reads");
	}

	private Locator way(String fence, int tickets) {
		Locator way = this.page.page().locator(".way[data-fence='%s']".formatted(fence));
		assertThat(way.locator(".verdict strong")).hasText(Integer.toString(tickets));
		Locator steps = way.locator("li");
		assertThat(steps).hasCount(7);
		String late = steps.first().locator(".token").textContent();
		String newest = steps.last().locator(".token").textContent();
		assertThat(Long.parseLong(late)).isPositive().isLessThan(Long.parseLong(newest));
		assertThat(steps.locator(".token")).hasText(new String[] { late, late, newest, newest, late, late, newest });
		assertThat(steps.last()).hasCSS("opacity", "1");
		return way;
	}

	private static void refused(Locator way, String reason) {
		Locator tokens = way.locator(".token");
		assertThat(way.locator(".refused")).containsText("%s: token %s is below %s".formatted(reason,
				tokens.first().textContent(), tokens.last().textContent()));
		assertThat(way.locator("li").last()).containsText("has 1 ticket for the seat: Grace's");
	}

}
