package io.interlock.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Every promise has tests, and the page that is generated from them names some for each.
 */
class GuaranteesTestsPageTests {

	/** Read by the build of the site, which shows the page beside the others. */
	private static final Path PAGE = Path.of("target", "guarantees-tests.md");

	private static final Path DOCS = Path.of("..", "..", "docs");

	private static final Path FAULTS = Path.of("..", "..", "tests", "lock-faults");

	private static final Pattern HEADING = Pattern.compile("(?m)^## (.+)$");

	private static final Pattern TEST = Pattern.compile("(?m)^- \\[`(\\w+)`]\\(([^)]+)\\): ([\\w ]+?)(?: \\(.*\\))?$");

	private static List<Proof> proofs;

	private final String guarantees = Page.of("../../docs/guarantees.md").text();

	@BeforeAll
	static void readTests() throws IOException {
		proofs = Proof.all();
		Files.writeString(PAGE, GuaranteesTestsPage.of(proofs));
	}

	@ParameterizedTest
	@EnumSource
	void pageNamesATestForEachPromise(Promise promise) throws IOException {
		assertThat(sections(Files.readString(PAGE))
			.filter((section) -> section.startsWith(GuaranteesTestsPage.heading(promise) + "\n"))).singleElement()
			.asString()
			.contains("guarantees.md#" + GuaranteesTestsPage.anchor(promise))
			.containsPattern(TEST);
	}

	@Test
	void everyTestOfThePageExists() throws IOException {
		String page = Files.readString(PAGE);
		List<MatchResult> tests = TEST.matcher(page).results().toList();
		assertThat(page.lines().filter((line) -> line.startsWith("- "))).isNotEmpty().hasSameSizeAs(tests);
		assertThat(tests).allSatisfy((test) -> {
			Path file = DOCS.resolve(test.group(2)).normalize();
			if (Files.isDirectory(FAULTS) || !file.startsWith(FAULTS)) {
				assertThat(file).hasFileName(test.group(1) + ".java");
				assertThat(Files.readString(file))
					.containsPattern(testNamed("(?i:" + test.group(3).replace(" ", "") + ")"));
			}
		});
	}

	@Test
	void promisesAreThoseOfThePage() {
		assertThat(HEADING.matcher(this.guarantees).results().map((heading) -> heading.group(1)))
			.startsWith(Arrays.stream(Promise.values()).map(GuaranteesTestsPage::heading).toArray(String[]::new))
			.element(Promise.values().length)
			.isEqualTo("How the promises are tested together");
	}

	@ParameterizedTest
	@EnumSource
	void everyPromiseHasTests(Promise promise) {
		assertThat(proofs).extracting(Proof::promise).contains(promise);
	}

	@ParameterizedTest
	@EnumSource
	void everyPromiseHasAFastTest(Promise promise) {
		assertThat(proofs).anyMatch((proof) -> proof.promise() == promise && !proof.deep());
	}

	@Test
	void promisesNameNoTests() {
		assertThat(this.guarantees).doesNotContain("*Tested by*");
	}

	@Test
	void everyMethodThatProvesIsATest() {
		assertThat(proofs).allSatisfy((proof) -> assertThat(Path.of("..", "..").resolve(proof.file())).content()
			.containsPattern(testNamed(proof.method())));
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
	void everyFaultIsCaused(Fault fault) {
		assumeThat(FAULTS).isDirectory();
		assertThat(proofs).extracting(Proof::fault).contains(fault);
	}

	@Test
	void annotationsAreRead(@TempDir Path directory) throws IOException {
		Path file = Files.writeString(directory.resolve("ExampleTests.java"), """
				class ExampleTests {

					@Test
					@Proves(Promise.VALIDITY)
					@Proves(value = Promise.EXCLUSION, under = Fault.CLOCKS_DIFFER, note = "one, (two)")
					void isSo() {
						String text = "@Proves(Promise.SHUTDOWN)";
					}

				}
				""");
		assertThat(Proof.in(List.of(file))).allMatch((proof) -> proof.method().equals("isSo"))
			.extracting(Proof::promise, Proof::fault, Proof::note)
			.containsExactly(tuple(Promise.VALIDITY, Fault.NONE, ""),
					tuple(Promise.EXCLUSION, Fault.CLOCKS_DIFFER, "one, (two)"));
	}

	@Test
	void deepTestsAreKnownByTheirAnnotations(@TempDir Path directory) throws IOException {
		Path file = Files.writeString(directory.resolve("ExampleTests.java"), """
				class ExampleTests {

					@Test
					@Deep
					@Proves(Promise.VALIDITY)
					void annotated() {
					}

					@Test
					@Tag("deep")
					@Proves(Promise.VALIDITY)
					void tagged() {
					}

					@Deep
					@Nested
					class Inner {

						@Test
						@Proves(Promise.VALIDITY)
						void nested() {
						}

					}

					@Test
					@Tag("other")
					@Proves(Promise.VALIDITY)
					void fast() {
					}

				}
				""");
		assertThat(Proof.in(List.of(file))).extracting(Proof::method, Proof::deep)
			.containsExactlyInAnyOrder(tuple("annotated", true), tuple("tagged", true), tuple("nested", true),
					tuple("fast", false));
	}

	@Test
	void integrationTestsUnderFaultsAreDeep() {
		assumeThat(FAULTS).isDirectory();
		assertThat(proofs).filteredOn((proof) -> proof.file().startsWith(Path.of("..", "..").relativize(FAULTS)))
			.isNotEmpty()
			.allMatch(Proof::deep);
	}

	private static Stream<String> sections(String page) {
		return Arrays.stream(page.split("(?m)^## "));
	}

	private static Pattern testNamed(String method) {
		return Pattern.compile("Test\\b[^;]*\\bvoid " + method + "\\(");
	}

}
