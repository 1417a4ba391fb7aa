package io.interlock.console;

import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.util.StringUtils;
import org.springframework.web.util.HtmlUtils;

/**
 * What the page has to know of its application: where other endpoints are, seen from its
 * own address, and what keeps operators from acting.
 */
final class ConsoleSurroundings {

	static final EndpointId CONSOLE = EndpointId.of("locksconsole");

	private static final List<EndpointId> READ = List.of(CONSOLE, EndpointId.of("locks"), EndpointId.of("metrics"),
			EndpointId.of("prometheus"), EndpointId.of("health"));

	private final Supplier<PathMappedEndpoints> endpoints;

	private final Supplier<String> missing;

	private final Collection<String> providers;

	private final Collection<String> healthParts;

	/**
	 * Create the surroundings of a page.
	 * @param endpoints the endpoints that are exposed, with their paths
	 * @param missing properties that operators need to act; empty if they may
	 * @param providers names of further providers, which have no commas
	 * @param healthParts names of the parts of the health that are stores of locks
	 */
	ConsoleSurroundings(Supplier<PathMappedEndpoints> endpoints, Supplier<String> missing, Collection<String> providers,
			Collection<String> healthParts) {
		this.endpoints = endpoints;
		this.missing = missing;
		this.providers = providers;
		this.healthParts = healthParts;
	}

	/** Write the surroundings into a page. */
	String writeInto(String page, @Nullable String operator) {
		PathMappedEndpoints exposed = this.endpoints.get();
		String up = "../".repeat(StringUtils.countOccurrencesOf(path(exposed, CONSOLE), "/"));
		String written = page;
		for (EndpointId id : READ) {
			String path = path(exposed, id);
			written = set(written, id.toString(), path.isEmpty() ? "" : up + path);
		}
		written = set(written, "providers", String.join(",", this.providers));
		written = set(written, "healthParts", String.join(",", this.healthParts));
		return set(set(written, "missing", this.missing.get()), "operator", (operator != null) ? operator : "");
	}

	private static String path(PathMappedEndpoints exposed, EndpointId id) {
		String path = exposed.getRootPath(id);
		return (path != null) ? path : "";
	}

	private static String set(String page, String name, String value) {
		return page.replace("{" + name + "}", HtmlUtils.htmlEscape(value));
	}

}
