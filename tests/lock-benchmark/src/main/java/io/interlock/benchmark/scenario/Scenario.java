package io.interlock.benchmark.scenario;

/**
 * Something that is measured.
 *
 * @since 0.1.0
 */
public interface Scenario {

	/**
	 * Return its name on the command line.
	 * @return the name
	 */
	String name();

	/**
	 * Return its heading.
	 * @return the title
	 */
	String title();

	/**
	 * Return whether it is run when no scenario is named.
	 * @return {@code true} by default
	 */
	default boolean byDefault() {
		return true;
	}

	/**
	 * Measure.
	 * @param site where to measure
	 * @return what came out, as Markdown
	 * @throws Exception if something went wrong; the figures are worth nothing then
	 */
	String run(Site site) throws Exception;

}
