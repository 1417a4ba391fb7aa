package io.interlock.sample.browser;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import com.microsoft.playwright.options.ScreenshotAnimations;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

/**
 * The live page in a profile of its own, with what a visitor sees and does there.
 */
final class LivePage implements AutoCloseable {

	private final BrowserContext context;

	private final Page page;

	private final List<String> troubles = new ArrayList<>();

	private LivePage(Browser browser, Browser.NewContextOptions options) {
		this.context = browser.newContext(options);
		this.page = this.context.newPage();
		this.page.setDefaultTimeout(60_000);
		this.page.onConsoleMessage((message) -> {
			if (message.type().equals("error") || message.type().equals("warning")) {
				this.troubles.add(message.text());
			}
		});
		this.page.onPageError(this.troubles::add);
		this.page.onDialog((dialog) -> {
			this.troubles.add("Dialog: " + dialog.message());
			dialog.dismiss();
		});
	}

	static LivePage wide(Browser browser) {
		return new LivePage(browser, new Browser.NewContextOptions().setViewportSize(1200, 1380));
	}

	static LivePage phone(Browser browser) {
		return new LivePage(browser, new Browser.NewContextOptions().setViewportSize(360, 1040).setHasTouch(true));
	}

	static LivePage still(Browser browser) {
		return new LivePage(browser, new Browser.NewContextOptions().setReducedMotion(ReducedMotion.REDUCE));
	}

	LivePage open(BoxOfficeProcess boxOffice) {
		return open(boxOffice, 2);
	}

	LivePage open(BoxOfficeProcess boxOffice, int instances) {
		this.page.navigate(boxOffice.url());
		assertThat(this.page.locator(".instance")).hasCount(instances);
		assertThat(this.page.locator(".event")).hasCount(3);
		return this;
	}

	void dark() {
		this.page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.DARK));
	}

	Page page() {
		return this.page;
	}

	Locator lock(String label) {
		return this.page.locator(".lock")
			.filter(new Locator.FilterOptions()
				.setHas(this.page.locator("h3").getByText(label, new Locator.GetByTextOptions().setExact(true))));
	}

	Locator state(String label) {
		return lock(label).locator(".lock-state");
	}

	Locator instance(BoxOfficeProcess boxOffice) {
		return this.page.locator(".instance").filter(new Locator.FilterOptions().setHasText(boxOffice.name()));
	}

	Locator rushButton() {
		return this.page.locator("#rush-button");
	}

	void prepareRush(String payment) {
		this.page.locator("#rush-pace").selectOption(payment);
	}

	void awaitWaiting(String label, int threads) {
		Locator waiting = lock(label).locator("dd").first();
		waiting.waitFor();
		this.page.waitForCondition(() -> Integer.parseInt(waiting.textContent()) >= threads);
	}

	String picture(String label) {
		return String.valueOf(lock(label).locator("svg.queue").getAttribute("aria-label"));
	}

	String figure(String label) {
		return this.page.locator("#rush-figures div")
			.filter(new Locator.FilterOptions()
				.setHas(this.page.locator("dt").getByText(label, new Locator.GetByTextOptions().setExact(true))))
			.locator("dd")
			.textContent();
	}

	/**
	 * Save a picture of one section.
	 * @param name name of the file
	 * @param title selector of its title
	 */
	void screenshotOfSection(String name, String title) {
		this.page.locator("section")
			.filter(new Locator.FilterOptions().setHas(this.page.locator(title)))
			.screenshot(new Locator.ScreenshotOptions().setPath(Path.of("target", "screenshots", name + ".png"))
				.setAnimations(ScreenshotAnimations.DISABLED));
	}

	void screenshot(String name) {
		this.page.screenshot(new Page.ScreenshotOptions().setPath(Path.of("target", "screenshots", name + ".png"))
			.setAnimations(ScreenshotAnimations.DISABLED));
	}

	/**
	 * Forget what the browser says about answers that a test wants.
	 * @param text part of it
	 */
	void expectTroubles(String text) {
		this.troubles.removeIf((trouble) -> trouble.contains(text));
	}

	List<String> troubles() {
		return this.troubles;
	}

	@Override
	public void close() {
		this.context.close();
	}

}
