package io.interlock.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds the public types against the page that says why each of them is public.
 */
@AnalyzeClasses(packages = "io.interlock", importOptions = MainClasses.class)
class PublicTypesTests {

	private static final Pattern LINE = Pattern.compile("^(?:## ([\\w.]+)|\\| `(\\w+)` \\| (.*) \\|)$",
			Pattern.MULTILINE);

	@ArchTest
	static void publicTypesAreThoseOfThePage(JavaClasses classes) throws IOException {
		List<String> types = classes.stream()
			.filter(JavaClass::isTopLevelClass)
			.filter((type) -> type.getModifiers().contains(JavaModifier.PUBLIC))
			.filter((type) -> !type.getPackageName().contains(".internal"))
			.map(JavaClass::getName)
			.toList();
		Map<String, String> reasons = reasons();
		assertThat(reasons.keySet()).as("types in docs/internals/api.md").containsExactlyInAnyOrderElementsOf(types);
		assertThat(reasons.values()).as("reasons in docs/internals/api.md")
			.allSatisfy((reason) -> assertThat(reason).isNotBlank());
	}

	private static Map<String, String> reasons() throws IOException {
		Map<String, String> reasons = new TreeMap<>();
		String packageName = "";
		Matcher line = LINE.matcher(Files.readString(Path.of("..", "..", "docs", "internals", "api.md")));
		while (line.find()) {
			if (line.group(1) != null) {
				packageName = line.group(1);
			}
			else {
				reasons.put(packageName + "." + line.group(2), line.group(3));
			}
		}
		return reasons;
	}

}
