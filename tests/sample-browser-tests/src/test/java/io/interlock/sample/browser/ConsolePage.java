package io.interlock.sample.browser;

import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ScreenshotAnimations;

/**
 * The page of the module {@code lock-console} in a profile of its own, with what an
 * operator sees and does there.
 */
final class ConsolePage implements AutoCloseable {

	private static final HttpClient HTTP = HttpClient.newHttpClient();

	private final BrowserContext context;

	private final Page page;

	private final BoxOfficeProcess boxOffice;

	private final List<String> troubles = new ArrayList<>();

	private ConsolePage(Browser browser, BoxOfficeProcess boxOffice) {
		this.boxOffice = boxOffice;
		this.context = browser.newContext(new Browser.NewContextOptions().setViewportSize(1280, 900));
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

	static ConsolePage open(Browser browser, BoxOfficeProcess boxOffice) {
		ConsolePage console = new ConsolePage(browser, boxOffice);
		console.page.navigate(boxOffice.url() + "/actuator/locksconsole");
		return console;
	}

	Page page() {
		return this.page;
	}

	Locator find(String selector) {
		return this.page.locator(selector);
	}

	ConsolePage show(String view) {
		this.page.getByRole(AriaRole.NAVIGATION, new Page.GetByRoleOptions().setName("Views")).getByText(view).click();
		return this;
	}

	Locator row(String label) {
		return this.page.locator("#locks-rows tr")
			.filter(new Locator.FilterOptions()
				.setHas(this.page.locator("bdi").getByText(label, new Locator.GetByTextOptions().setExact(true))));
	}

	ConsolePage showLock(String label) {
		show("Locks");
		row(label).locator("a").click();
		return this;
	}

	/**
	 * Press a button, and confirm what it asks.
	 * @param name the button
	 */
	void act(String name) {
		ask(name);
		this.page.locator("#act-yes").click();
	}

	void ask(String name) {
		this.page.locator("section:not([hidden]) button")
			.filter(new Locator.FilterOptions().setHasText(name))
			.first()
			.click();
		this.page.locator("#act[open]").waitFor();
	}

	/**
	 * Let the endpoint tell of many locks, with a waiter each.
	 */
	ConsolePage withLocks(int locks) {
		this.page.route("**/locks/cluster?*", (route) -> {
			int offset = parameter(route, "offset");
			String page = IntStream.range(offset, Math.min(locks, offset + parameter(route, "limit")))
				.mapToObj((i) -> """
						{"name":"bulk","key":"%1$d","exact":true,"contenders":2,"omitted":0,
						"holders":[{"node":"a","name":"shop@a:1","age":"PT1H","token":1}],
						"queue":[{"node":"b","name":"shop@b:1","age":"PT%1$dS"}]}
						""".formatted(i))
				.collect(Collectors.joining(","));
			route.fulfill(new Route.FulfillOptions().setContentType("application/json")
				.setBody("{\"total\":%d,\"locks\":[%s]}".formatted(locks, page)));
		});
		return this;
	}

	private static int parameter(Route route, String name) {
		Matcher value = Pattern.compile(name + "=(\\d+)").matcher(route.request().url());
		return value.find() ? Integer.parseInt(value.group(1)) : 0;
	}

	/**
	 * Let Spring Security stand before the locks.
	 * @param status how it refuses
	 */
	ConsolePage refused(int status) {
		this.page.route("**/actuator/locks*",
				(route) -> route.fulfill(new Route.FulfillOptions().setStatus(status).setBody("")));
		return this;
	}

	/**
	 * Let the endpoint fail to tell the busy locks, as for many locks in ZooKeeper.
	 */
	ConsolePage withoutBusyLocks() {
		this.page.route("**/locks/cluster?*busy=true*",
				(route) -> route.fulfill(new Route.FulfillOptions().setStatus(503)
					.setContentType("application/json")
					.setBody("{\"message\":\"Too late\"}")));
		return this;
	}

	/**
	 * Save pictures for a wide screen and a phone, in light and in dark.
	 * @param name first part of the names of the files
	 */
	void screenshots(String name) {
		for (int width : new int[] { 1280, 375 }) {
			this.page.setViewportSize(width, (width == 375) ? 812 : 800);
			for (ColorScheme scheme : new ColorScheme[] { ColorScheme.LIGHT, ColorScheme.DARK }) {
				this.page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(scheme));
				this.page.screenshot(new Page.ScreenshotOptions()
					.setPath(Path.of("target", "screenshots",
							"%s-%d-%s.png".formatted(name, width, scheme.name().toLowerCase())))
					.setAnimations(ScreenshotAnimations.DISABLED));
			}
		}
		this.page.setViewportSize(1280, 900);
	}

	/**
	 * Let an operator hold a lock through the endpoint.
	 */
	void hold(String name, String reason) {
		request("POST", "/actuator/locks/-?name=" + encoded(name),
				"{\"hold\":\"10m\",\"reason\":\"%s\"}".formatted(reason));
	}

	/**
	 * Ask this instance for something, as another client of it.
	 */
	String request(String method, String path, String body) {
		return requestLater(method, path, body).join();
	}

	/**
	 * Ask as {@link #request} does, and do not wait for the answer.
	 */
	CompletableFuture<String> requestLater(String method, String path, String body) {
		HttpRequest request = HttpRequest.newBuilder(URI.create(this.boxOffice.url() + path))
			.header("Content-Type", "application/json")
			.method(method, HttpRequest.BodyPublishers.ofString(body))
			.build();
		return HTTP.sendAsync(request, HttpResponse.BodyHandlers.ofString()).thenApply((response) -> {
			if (response.statusCode() >= 300) {
				throw new IllegalStateException("%s %s: %s".formatted(method, path, response.body()));
			}
			return response.body();
		});
	}

	/**
	 * Return how the picture is described in which one waits for the other.
	 */
	static Pattern queue(String label, BoxOfficeProcess holder, BoxOfficeProcess waiter) {
		return Pattern.compile("Queue of %s\\. %s: holds it, 0 waiting\\. %s: 1 waiting\\."
			.formatted(label.replace("[", "\\[").replace("]", "\\]"), holder.instance(), waiter.instance()));
	}

	static String encoded(String text) {
		return URLEncoder.encode(text, StandardCharsets.UTF_8);
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
