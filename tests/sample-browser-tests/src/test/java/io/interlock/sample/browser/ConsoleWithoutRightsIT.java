package io.interlock.sample.browser;

import java.util.regex.Pattern;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the console where operators may not act, and where other endpoints are not
 * exposed, in a real browser.
 */
@Deep
@EnabledIfBrowser
class ConsoleWithoutRightsIT {

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
	void hasNoButtonsAndNamesTheProperty() {
		try (BoxOfficeProcess boxOffice = BoxOfficeProcess.first("--management.endpoint.locks.access=read-only");
				ConsolePage console = ConsolePage.open(browser, boxOffice)) {
			boxOffice.hold("kept", "1", 60);
			console.showLock("kept[1]");
			assertThat(console.find("#contenders tbody tr")).hasCount(1);
			assertThat(console.find("section:not([hidden]) button")).hasCount(0);
			assertThat(console.find("#notes")).hasText(
					"Operators hold, ask for and free locks here only with management.endpoint.locks.access=unrestricted.");
			console.show("Overview");
			assertThat(console.find("#chart-hint")).containsText("percentiles-histogram.interlock.acquire=true");
			console.page().setViewportSize(320, 800);
			assertThat(console.page().evaluate("document.documentElement.scrollWidth")).isEqualTo(320);
			assertThat(console.troubles()).isEmpty();
		}
	}

	@Test
	void saysWhatIsNotExposed() {
		try (BoxOfficeProcess boxOffice = BoxOfficeProcess
			.first("--management.endpoints.web.exposure.include=locks,locksconsole");
				ConsolePage console = ConsolePage.open(browser, boxOffice)) {
			boxOffice.hold("kept", "1", 60);
			assertThat(console.find("#notes")).containsText("The endpoint metrics is not exposed");
			assertThat(console.find("#notes")).containsText("the endpoint health is not exposed");
			assertThat(console.find("#stores")).containsText("✓ the store is there");
			console.showLock("kept[1]");
			assertThat(console.find("#lock-state")).containsText(Pattern.compile("held by " + boxOffice.instance()));
			assertThat(console.troubles()).isEmpty();
		}
	}

	@Test
	void knowsTheOwnLocksOfAStoreThatTellsNothing() {
		try (BoxOfficeProcess boxOffice = BoxOfficeProcess.first("--interlock.provider=memory",
				"--management.endpoint.locks.access=unrestricted");
				ConsolePage console = ConsolePage.open(browser, boxOffice)) {
			console.hold("kept", "");
			console.show("Locks");
			assertThat(console.row("kept")).containsText("held by an anonymous operator");
			assertThat(console.find("#notes")).containsText("cannot list the holders of its locks");
			console.expectTroubles("status of 501");
			assertThat(console.troubles()).isEmpty();
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = {
			"401 | The endpoint locks does not take the login of this page: log in again, and load the page again.",
			"403 | The endpoint locks refuses this reader (403): the right to it is missing." })
	void saysWhatItsReaderMayNotRead(int status, String text) {
		try (BoxOfficeProcess boxOffice = BoxOfficeProcess.first();
				ConsolePage console = ConsolePage.open(browser, boxOffice)) {
			boxOffice.hold("kept", "1", 60);
			console.show("Locks");
			assertThat(console.row("kept[1]")).isVisible();
			console.refused(status);
			assertThat(console.find("#trouble")).hasText(text);
			assertThat(console.find("#age")).containsText("These data are");
			assertThat(console.row("kept[1]")).isVisible();
			console.page().unrouteAll();
			assertThat(console.find("#trouble")).isHidden();
			console.expectTroubles("status of " + status);
			assertThat(console.troubles()).isEmpty();
		}
	}

	@Test
	void saysHowOldItsDataAre() {
		BoxOfficeProcess boxOffice = BoxOfficeProcess.first();
		try (ConsolePage console = ConsolePage.open(browser, boxOffice)) {
			boxOffice.hold("kept", "1", 60);
			console.show("Locks");
			assertThat(console.row("kept[1]")).isVisible();
			boxOffice.close();
			assertThat(console.find("#age")).containsText("These data are");
			assertThat(console.find("#trouble")).hasText("This instance does not answer.");
			assertThat(console.row("kept[1]")).isVisible();
		}
		finally {
			boxOffice.close();
		}
	}

}
