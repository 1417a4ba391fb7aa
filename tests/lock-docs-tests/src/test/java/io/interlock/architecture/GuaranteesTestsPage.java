package io.interlock.architecture;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;

/**
 * The page that shows which tests prove the promises.
 */
final class GuaranteesTestsPage {

	private static final String INTRODUCTION = """
			# Faults and tests of the guarantees

			Which tests prove each of the [promises](guarantees.md), and the faults that they cause.

			This page is generated from the tests, which say with `@Proves` what they prove. \
			The link leads to the class of a test, and the words behind it are the name of its method. \
			A test that is marked with *deep* runs with `mvn -Pdeep verify` only, and every promise has tests \
			that run with `mvn verify` too.
			""";

	private static final Pattern WORD_START = Pattern.compile("(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])");

	private static final Map<String, String> PROPER_NAMES = Map.of("curator", "Curator", "jvm", "JVM");

	private GuaranteesTestsPage() {
	}

	/**
	 * Return the text of the page.
	 */
	static String of(List<Proof> proofs) {
		return INTRODUCTION + Arrays.stream(Promise.values())
			.map((promise) -> section(promise, of(promise, proofs)))
			.collect(Collectors.joining());
	}

	/**
	 * Return the heading of a promise.
	 */
	static String heading(Promise promise) {
		return sentence(promise.name());
	}

	/**
	 * Return the anchor of the heading of a promise.
	 */
	static String anchor(Promise promise) {
		return heading(promise).toLowerCase(Locale.ROOT).replace(' ', '-');
	}

	private static String section(Promise promise, List<Proof> proofs) {
		return "\n## %s\n\n[What is promised](guarantees.md#%s)\n".formatted(heading(promise), anchor(promise))
				+ proofs.stream()
					.collect(Collectors.groupingBy(Proof::fault, TreeMap::new, Collectors.toList()))
					.entrySet()
					.stream()
					.map((tests) -> group(tests.getKey(), tests.getValue()))
					.collect(Collectors.joining());
	}

	private static String group(Fault fault, List<Proof> proofs) {
		String title = (fault == Fault.NONE) ? "" : "\n**%s:**\n".formatted(sentence(fault.name()));
		return proofs.stream().map(GuaranteesTestsPage::line).collect(Collectors.joining("\n", title + "\n", "\n"));
	}

	private static String line(Proof proof) {
		return "- [`%s`](../%s): %s%s%s".formatted(proof.className(), proof.file().toString().replace('\\', '/'),
				words(proof.method()), proof.note().isEmpty() ? "" : " (%s)".formatted(proof.note()),
				proof.deep() ? " (*deep*)" : "");
	}

	private static String sentence(String constant) {
		return constant.charAt(0) + constant.substring(1).toLowerCase(Locale.ROOT).replace('_', ' ');
	}

	private static String words(String method) {
		return WORD_START.splitAsStream(method)
			.map((word) -> word.toLowerCase(Locale.ROOT))
			.map((word) -> PROPER_NAMES.getOrDefault(word, word))
			.collect(Collectors.joining(" "));
	}

	private static List<Proof> of(Promise promise, List<Proof> proofs) {
		return proofs.stream().filter((proof) -> proof.promise() == promise).toList();
	}

}
