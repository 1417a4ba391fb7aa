package io.interlock.architecture;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The module that a class of main code comes from, by the place of its file: a directory
 * of classes, or a jar.
 */
final class MainModule {

	private static final Pattern PLACE = Pattern
		.compile(".*/(lock-(?:core|zookeeper|autoconfigure|jdbc|redis))(?:/target/classes/|-[^/]*(?<!-tests)\\.jar).*");

	private MainModule() {
	}

	/**
	 * Return the name of the module, or nothing for a class of a test or of another
	 * library.
	 * @param place path or URI of the class, or of what it is in
	 */
	static Optional<String> at(String place) {
		Matcher module = PLACE.matcher(place);
		return module.matches() ? Optional.of(module.group(1)) : Optional.empty();
	}

}
