package io.interlock.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page that follows a call names the types that run in it, and those on the path are
 * few enough to be read at once.
 */
class HowItWorksPageTests {

	private static final int MAX_TYPES = 25;

	private static final Set<String> INTERFACES = Set.of("DistributedLock");

	private static final Pattern PATH = Pattern.compile("<!-- path -->(.*)<!-- /path -->", Pattern.DOTALL);

	private static final Pattern STEP = Pattern.compile("(?m)^\\d+\\. `(\\w+)`");

	private static final Pattern BESIDE = Pattern.compile("<!-- beside -->(.*)<!-- /beside -->", Pattern.DOTALL);

	private static final Pattern DATABASE = Pattern.compile("<!-- database -->(.*)<!-- /database -->", Pattern.DOTALL);

	private static final Pattern TYPE = Pattern.compile("`(\\w+)`");

	@Test
	void pathNamesTypesThatExist() throws IOException {
		assertThat(steps()).startsWith("DistributedLock").hasSizeBetween(2, MAX_TYPES).isSubsetOf(types());
	}

	@Test
	void typesBesideThePathExist() throws IOException {
		assertThat(beside()).isNotEmpty().isSubsetOf(types()).doesNotContainAnyElementsOf(steps());
	}

	@Test
	void pageNamesEachTypeThatRunsAndTellsHowMany() throws Exception {
		Set<String> named = new TreeSet<>(beside());
		named.addAll(steps());
		Set<String> running = RunningCall.onZooKeeper();
		assertThat(running).contains("LockInterceptor", "NodeAttempt").isSubsetOf(named);
		assertThat(running).containsAll(steps().stream().filter((step) -> !INTERFACES.contains(step)).toList());
		assertThat(page()).contains("%d types run on ZooKeeper".formatted(running.size()));
	}

	@Test
	void typesOfADatabaseRunThereAndPageTellsHowMany() throws Exception {
		Set<String> running = RunningCall.onDatabase();
		assertThat(running).contains("LockInterceptor").containsAll(found(DATABASE, TYPE));
		assertThat(page()).contains("%d on H2".formatted(running.size()));
	}

	private static List<String> steps() throws IOException {
		return found(PATH, STEP);
	}

	private static List<String> beside() throws IOException {
		return found(BESIDE, TYPE);
	}

	private static List<String> found(Pattern part, Pattern type) throws IOException {
		Matcher text = part.matcher(page());
		assertThat(text.find()).isTrue();
		return type.matcher(text.group(1)).results().map((result) -> result.group(1)).toList();
	}

	private static String page() throws IOException {
		return Files.readString(Path.of("..", "..", "docs", "internals", "how-it-works.md"));
	}

	private static Set<String> types() {
		return MainSources.types().collect(Collectors.toSet());
	}

}
