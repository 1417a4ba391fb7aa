package io.interlock.console;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;

/** The files of the page. Nothing else of the class path can be reached by a name. */
final class ConsoleFiles {

	private static final String PAGE = "console.html";

	static final Set<String> NAMES = Set.of("acts.js", "api.js", "base.css", "charts-view.js", "console.css", "dom.js",
			"format.js", "ids.js", "jobs-view.js", "links.js", "lock-view.js", "locks-view.js", "locks.js", "main.js",
			"messages.js", "meters.js", "overview-view.js", "picture.css", "poller.js", "queue-picture.js", "store.js",
			"timeline.js", "times-chart.js");

	private ConsoleFiles() {
	}

	/**
	 * Return a script or style of the page, or {@code null} if it has none of the name.
	 */
	static @Nullable Resource find(String name) {
		return NAMES.contains(name) ? new ClassPathResource(name, ConsoleFiles.class) : null;
	}

	/** Return the page, before it knows its surroundings. */
	static String page() {
		try {
			return new ClassPathResource(PAGE, ConsoleFiles.class).getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Keeps the files in a native image. */
	static final class Hints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			NAMES
				.forEach((name) -> hints.resources().registerResource(new ClassPathResource(name, ConsoleFiles.class)));
			hints.resources().registerResource(new ClassPathResource(PAGE, ConsoleFiles.class));
		}

	}

}
