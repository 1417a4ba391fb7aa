package io.interlock.sample.browser;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Request;
import com.microsoft.playwright.Route;

/**
 * The page of the module {@code lock-console} without an application: a test gives the
 * answers of the endpoints, and changes them while the page looks.
 */
final class AnsweredConsole implements AutoCloseable {

	private static final String PAGE = "locksconsole";

	private static final String ENDPOINTS = "http://console.test/actuator/";

	private final BrowserContext context;

	private final Page page;

	private final Map<String, String> surroundings = new HashMap<>(
			Map.of("healthParts", "interlock,zookeeper", "locks", "locks", "metrics", "", "prometheus", "", "health",
					"health", "missing", "", "operator", "olga", PAGE, PAGE, "providers", ""));

	private final Map<String, Answer> answers = new HashMap<>();

	private final List<String> troubles = new ArrayList<>();

	AnsweredConsole(Browser browser) {
		this.context = browser.newContext(new Browser.NewContextOptions().setViewportSize(1280, 900));
		this.page = this.context.newPage();
		this.page.setDefaultTimeout(60_000);
		this.page.onPageError(this.troubles::add);
		this.page.route(ENDPOINTS + "**", this::answer);
		answer("health", 200, "{\"status\":\"UP\",\"components\":{}}");
		answer("health/", 404, "");
		answer("locks", 200, own("", ""));
		answer("locks/cluster", 200, "{\"total\":0,\"locks\":[]}");
		answer("locks/runs", 200, "{\"runs\":[]}");
	}

	/** What the application writes into the page. */
	AnsweredConsole in(String surrounding, String value) {
		this.surroundings.put(surrounding, value);
		return this;
	}

	/** Answer requests whose path and query begin so; the longest beginning counts. */
	AnsweredConsole answer(String beginning, int status, String body) {
		this.answers.put(beginning, new Answer(status, body));
		return this;
	}

	/** Never answer requests whose path and query begin so. */
	AnsweredConsole silence(String beginning) {
		return answer(beginning, 0, "");
	}

	AnsweredConsole open(String address) {
		this.page.navigate(ENDPOINTS + PAGE + address);
		return this;
	}

	/**
	 * What the endpoint tells of locks that threads of this instance hold and wait for.
	 */
	static String own(String held, String waiting) {
		return "{\"counts\":{\"held\":0,\"waiting\":0},\"held\":[%s],\"waiting\":[%s]}".formatted(held, waiting);
	}

	/** Return a lock of the view of the cluster, held by an instance. */
	static String lock(String name, String holder) {
		return """
				{"name":"%s","exact":true,"contenders":1,"omitted":0,"queue":[],"holders":[{"node":"a","name":"%s",
				"owner":{"name":"%1$s","instance":"%2$s","thread":"t"},"age":"PT1M","token":7}]}
				""".formatted(name, holder);
	}

	/** Return the view of the cluster with some locks. */
	static String cluster(String... locks) {
		return "{\"total\":%d,\"locks\":[%s]}".formatted(locks.length, String.join(",", locks));
	}

	private void answer(Route route) {
		URI uri = URI.create(route.request().url());
		String asked = uri.toString().substring(ENDPOINTS.length());
		if (asked.equals(PAGE)) {
			route.fulfill(new Route.FulfillOptions().setContentType("text/html").setBody(html()));
		}
		else if (asked.startsWith(PAGE)) {
			route.fulfill(
					new Route.FulfillOptions().setContentType(asked.endsWith(".css") ? "text/css" : "text/javascript")
						.setBody(file(asked.substring(PAGE.length() + 1))));
		}
		else {
			Answer answer = this.answers.entrySet()
				.stream()
				.filter((each) -> asked.startsWith(each.getKey()))
				.max(Comparator.comparing((each) -> each.getKey().length()))
				.map(Map.Entry::getValue)
				.orElse(new Answer(404, ""));
			if (answer.status() > 0) {
				route.fulfill(new Route.FulfillOptions().setStatus(answer.status())
					.setContentType("application/json")
					.setBody(answer.body()));
			}
		}
	}

	private String html() {
		String written = file("console.html");
		for (Map.Entry<String, String> each : this.surroundings.entrySet()) {
			written = written.replace("{" + each.getKey() + "}", each.getValue());
		}
		return written;
	}

	private static String file(String name) {
		try (InputStream file = AnsweredConsole.class.getResourceAsStream("/io/interlock/console/" + name)) {
			return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Wait for the next look at something, and return its request. */
	Request awaitLook(String part) {
		return this.page.waitForRequest((request) -> request.url().contains(part), () -> {
		});
	}

	Page tab() {
		return this.page;
	}

	Locator find(String selector) {
		return this.page.locator(selector);
	}

	List<String> troubles() {
		return this.troubles;
	}

	@Override
	public void close() {
		this.page.unrouteAll();
		this.context.close();
	}

	/** An answer of an endpoint; none with the status 0. */
	private record Answer(int status, String body) {

	}

}
