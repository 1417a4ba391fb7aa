package io.interlock.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The Javadoc on the site is that of the modules that this one depends on
 * ({@code .ci/site}).
 */
class JavadocTests {

	@Test
	void everyPublishedModuleWithTypesIsOnTheSite() throws IOException {
		List<String> documented = new ArrayList<>();
		for (Path module : Modules.in(Path.of("..", "..")).toList()) {
			if (isPublished(module) && Files.isDirectory(module.resolve("src/main/java"))) {
				documented.add("<artifactId>" + module.getFileName() + "</artifactId>");
			}
		}
		assertThat(documented).hasSizeGreaterThan(5);
		assertThat(Files.readString(Path.of("pom.xml"))).contains(documented);
	}

	private static boolean isPublished(Path module) throws IOException {
		return !Files.readString(module.resolve("pom.xml")).contains("<maven.deploy.skip>true");
	}

}
