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

import io.interlock.annotation.DistributedLock;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.LockAnnotationsAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.CuratorAutoConfiguration;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page that follows a call names the types that run in it, and those on the path are
 * few enough to be read at once.
 */
class HowItWorksPageTests {

	private static final int MAX_TYPES = 25;

	private static final int CALLS = 5;

	private static final Set<String> INTERFACES = Set.of("DistributedLock");

	private static final Pattern PATH = Pattern.compile("<!-- path -->(.*)<!-- /path -->", Pattern.DOTALL);

	private static final Pattern STEP = Pattern.compile("(?m)^\\d+\\. `(\\w+)`");

	private static final Pattern BESIDE = Pattern.compile("<!-- beside -->(.*)<!-- /beside -->", Pattern.DOTALL);

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
	void pageNamesEachTypeThatRuns() throws Exception {
		Set<String> named = new TreeSet<>(beside());
		named.addAll(steps());
		try (TestingServer server = new TestingServer()) {
			new ApplicationContextRunner()
				.withConfiguration(AutoConfigurations.of(CuratorAutoConfiguration.class,
						InterlockAutoConfiguration.class, LockAnnotationsAutoConfiguration.class))
				.withPropertyValues("interlock.zookeeper.connect-string=" + server.getConnectString())
				.withBean(Shop.class)
				.run((context) -> {
					Shop shop = context.getBean(Shop.class);
					shop.sell("first");
					Set<String> running = RunningTypes.duringEach(CALLS, () -> shop.sell("apple"));
					assertThat(running).contains("LockInterceptor", "NodeAttempt").isSubsetOf(named);
					assertThat(running)
						.containsAll(steps().stream().filter((step) -> !INTERFACES.contains(step)).toList());
				});
		}
	}

	private static List<String> steps() throws IOException {
		return found(PATH, STEP);
	}

	private static List<String> beside() throws IOException {
		return found(BESIDE, TYPE);
	}

	private static List<String> found(Pattern part, Pattern type) throws IOException {
		Matcher text = part.matcher(Files.readString(Path.of("..", "..", "docs", "internals", "how-it-works.md")));
		assertThat(text.find()).isTrue();
		return type.matcher(text.group(1)).results().map((result) -> result.group(1)).toList();
	}

	private static Set<String> types() {
		return MainSources.types().collect(Collectors.toSet());
	}

	static class Shop {

		@DistributedLock(name = "stock", key = "#sku")
		public String sell(String sku) {
			return sku;
		}

	}

}
