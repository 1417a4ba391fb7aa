package io.interlock.sample.browser;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.LoadState;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the live page of two box offices in a real browser. They save screenshots to
 * {@code target/screenshots}.
 */
@Deep
@EnabledIfBrowser
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LivePageIT {

	private static final String SEATS = "seats[1]";

	private static BoxOfficeProcess first;

	private static BoxOfficeProcess second;

	private static Playwright driver;

	private static Browser browser;

	private LivePage page;

	@BeforeAll
	static void open() {
		first = BoxOfficeProcess.first();
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

	@AfterEach
	void nothingIsInTheConsole() {
		assertThat(this.page.troubles()).isEmpty();
		this.page.close();
	}

	@Test
	@Order(1)
	void showsAllInstancesWhileAllIsCalm() {
		this.page = LivePage.wide(browser).open(first);
		this.page.page().locator("#compare-button").click();
		assertThat(this.page.page().locator("#compare-result")).containsText("With the lock: 100 of 200 buyers");
		rush("5ms");
		assertThat(this.page.state(SEATS)).hasText("free");
		assertThat(this.page.instance(first).locator(".session")).containsText("Connected");
		assertThat(this.page.instance(second).locator(".session")).containsText("Connected");
		this.page.screenshot("calm");
	}

	@Test
	@Order(2)
	void startsTheRushAndSellsEverySeatOnce() {
		this.page = LivePage.wide(browser).open(first);
		// Slower than the page offers: it has to outlast the pictures of it.
		this.page.page().evaluate("document.querySelector('#rush-pace').add(new Option('200 ms', '200ms'))");
		this.page.prepareRush("200ms");
		this.page.rushButton().click();
		this.page.awaitWaiting(SEATS, 30);
		Set<String> pictures = new HashSet<>();
		this.page.page().waitForCondition(() -> {
			pictures.add(this.page.picture(SEATS));
			return anyShows(pictures, first.name() + ": holds it") && anyShows(pictures, second.name() + ": holds it");
		});
		assertThat(pictures).hasSizeGreaterThan(1);
		assertThat(this.page.lock(SEATS).locator(".dot:not(.leaving)").count()).isGreaterThan(20);
		assertThat(this.page.state(SEATS)).containsText("held by");
		this.page.screenshot("rush");
		this.page.dark();
		assertThat(this.page.state(SEATS)).containsText("held by");
		this.page.screenshot("dark");
		rushEnds();
		this.page.screenshot("after");
	}

	@Test
	@Order(3)
	void showsALossAndTheRecovery() {
		this.page = LivePage.wide(browser).open(first);
		this.page.prepareRush("100ms");
		this.page.rushButton().click();
		this.page.awaitWaiting(SEATS, 30);
		button(second, "Stall a sale").click();
		assertThat(this.page.state(SEATS)).hasText(heldBy(second, "stalled"));
		button(second, "End the session").click();
		Locator story = this.page.page().locator("#story");
		assertThat(story).containsText("Lost " + SEATS);
		this.page.screenshot("loss");
		assertThat(story).containsText("Session lost");
		assertThat(story).containsText("Connected to ZooKeeper again");
		assertThat(this.page.instance(second).locator(".session")).containsText("Connected");
		rushEnds();
	}

	@Test
	void freesALock() {
		this.page = LivePage.wide(browser).open(first);
		second.hold("freed", "1", 60);
		assertThat(this.page.state("freed[1]")).hasText(heldBy(second, "stalled"));
		this.page.lock("freed[1]").locator(".free").click();
		assertThat(this.page.page().locator("#message"))
			.hasText("freed[1] was taken away from %s.".formatted(second.name()));
		assertThat(this.page.state("freed[1]")).hasText("free");
		assertThat(this.page.page().locator("#story")).containsText("Lost freed[1]");
	}

	@Test
	void asksForALock() {
		this.page = LivePage.wide(browser).open(first);
		second.hold("asked", "1", 60);
		assertThat(this.page.state("asked[1]")).hasText(heldBy(second, "stalled"));
		this.page.lock("asked[1]").locator(".ask").click();
		assertThat(this.page.page().locator("#message"))
			.hasText("%s was asked to give asked[1] up.".formatted(second.name()));
		assertThat(this.page.state("asked[1]")).hasText("free");
		assertThat(this.page.page().locator("#story")).containsText("The holder of asked[1] gives it up");
	}

	@Test
	void isUsedByKeyboard() {
		this.page = LivePage.wide(browser).open(first);
		this.page.prepareRush("5ms");
		this.page.page().locator("body").press("Tab");
		assertThat(this.page.page().locator(".skip")).isFocused();
		this.page.page().keyboard().press("Tab");
		assertThat(this.page.page().locator("#compare-button")).isFocused();
		for (int i = 0; i < 4; i++) {
			this.page.page().keyboard().press("Tab");
		}
		assertThat(this.page.rushButton()).isFocused();
		assertThat(this.page.rushButton()).hasCSS("outline-style", "solid");
		this.page.page().keyboard().press("Enter");
		rushEnds();
		assertThat(this.page.rushButton()).isFocused();
	}

	@Test
	void showsNamesAndKeysAsText() {
		this.page = LivePage.wide(browser).open(first);
		second.hold("<script>alert(1)</script>", "<img src=x onerror=alert(2)>", 60);
		String label = "<script>alert(1)</script>[<img src=x onerror=alert(2)>]";
		assertThat(this.page.lock(label).locator("h3")).hasText(label);
		assertThat(this.page.instance(second).locator(".holds")).containsText(label);
		assertThat(this.page.page().locator("#locks script, #locks img, #instances img, #story img").count()).isZero();
		this.page.lock(label).locator(".free").click();
		assertThat(this.page.page().locator("#story")).containsText("Lost " + label);
	}

	@Test
	void fitsOnAPhone() {
		this.page = LivePage.phone(browser).open(first);
		this.page.prepareRush("100ms");
		this.page.rushButton().click();
		this.page.awaitWaiting(SEATS, 30);
		this.page.page().evaluate("document.querySelector('#locks-title').scrollIntoView()");
		assertThat(this.page.state(SEATS)).containsText("held by");
		this.page.screenshot("phone");
		assertThat(this.page.page().evaluate("document.documentElement.scrollWidth")).isEqualTo(360);
		rushEnds();
	}

	@Test
	void movesNothingWhenThatIsNotWanted() {
		this.page = LivePage.still(browser).open(first);
		second.hold("still", "1", 20);
		assertThat(this.page.lock("still[1]").locator(".baton").first()).hasCSS("transition-duration", "0s");
	}

	@Test
	void asksNothingWhileNobodyLooks() {
		this.page = LivePage.wide(browser);
		this.page.page().clock().install();
		this.page.open(first);
		this.page.page()
			.evaluate("Object.defineProperty(document, 'hidden', { get: () => true });"
					+ " document.dispatchEvent(new Event('visibilitychange'))");
		this.page.page().waitForLoadState(LoadState.NETWORKIDLE);
		AtomicInteger requests = new AtomicInteger();
		this.page.page().onRequest((request) -> requests.incrementAndGet());
		this.page.page().clock().runFor("10:00");
		assertThat(requests).hasValue(0);
	}

	private void rush(String payment) {
		this.page.prepareRush(payment);
		this.page.rushButton().click();
		rushEnds();
	}

	private void rushEnds() {
		assertThat(this.page.page().locator("#rush-result")).containsText("got a seat");
		assertThat(this.page.rushButton()).isEnabled();
		assertThat(this.page.figure("sold")).isEqualTo("100");
		assertThat(this.page.figure("oversold")).isEqualTo("0");
		assertThat(this.page.figure("seats sold more than once")).isEqualTo("0");
	}

	private static boolean anyShows(Set<String> pictures, String text) {
		return pictures.stream().anyMatch((picture) -> picture.contains(text));
	}

	private static Pattern heldBy(BoxOfficeProcess boxOffice, String thread) {
		return Pattern.compile("held by [AB] %s %s-\\d+".formatted(boxOffice.name(), thread));
	}

	private Locator button(BoxOfficeProcess boxOffice, String label) {
		return this.page.instance(boxOffice).getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName(label));
	}

}
