package io.interlock.sample.deployment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what the workflows let into a build and a release.
 */
class WorkflowsTests {

	private static final Path GITHUB = Path.of("..", ".github");

	@ParameterizedTest
	@ValueSource(strings = { "build.yml", "nightly.yml", "release.yml" })
	void actionsAreNamedByCommitAndVersion(String workflow) throws IOException {
		try (Stream<String> lines = Files.lines(GITHUB.resolve("workflows").resolve(workflow))) {
			assertThat(lines.filter((line) -> line.contains("uses:"))).isNotEmpty()
				.allSatisfy((line) -> assertThat(line)
					.matches(" +(- )?uses: [a-z-]+/[a-z-]+@[0-9a-f]{40} # v\\d+\\.\\d+\\.\\d+"));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "build.yml", "nightly.yml", "release.yml" })
	void workflowsMayOnlyReadUnlessAJobSaysMore(String workflow) throws IOException {
		assertThat(workflow(workflow).at("permissions").value()).isEqualTo(Map.of("contents", "read"));
	}

	@Test
	void releaseTakesNothingFromACache() throws IOException {
		assertThat(steps("release.yml", "deploy")).allSatisfy((step) -> {
			assertThat(step.at("uses").text()).doesNotStartWith("actions/cache");
			assertThat(step.at("with", "cache").exists()).isFalse();
		});
	}

	@Test
	void releaseAttestsWhereItsArtifactsComeFrom() throws IOException {
		assertThat(workflow("release.yml").at("jobs", "deploy", "permissions").value())
			.isEqualTo(Map.of("contents", "read", "id-token", "write", "attestations", "write"));
		List<Tree> steps = steps("release.yml", "deploy");
		assertThat(steps.get(steps.size() - 1).at("uses").text()).startsWith("actions/attest-build-provenance@");
		assertThat(steps.get(steps.size() - 1).at("with", "subject-path").text()).contains("/target/", ".jar");
	}

	@Test
	void dependenciesOfAPullRequestAreReviewed() throws IOException {
		assertThat(workflow("build.yml").at("jobs", "dependencies", "if").text())
			.isEqualTo("github.event_name == 'pull_request'");
		assertThat(steps("build.yml", "dependencies"))
			.anyMatch((step) -> step.at("uses").text().startsWith("actions/dependency-review-action@"));
	}

	@Test
	void everyDirectoryWithImagesIsUpdated() throws IOException {
		Tree updates = Tree.documents(GITHUB.resolve("dependabot.yml")).get(0).at("updates");
		assertThat(updates.items())
			.extracting((update) -> update.at("package-ecosystem").text() + " " + update.at("directory").text())
			.contains("docker-compose /deploy/compose", "docker /deploy/kubernetes", "github-actions /", "maven /");
	}

	private static List<Tree> steps(String workflow, String job) throws IOException {
		List<Tree> steps = workflow(workflow).at("jobs", job, "steps").items();
		assertThat(steps).isNotEmpty();
		return steps;
	}

	private static Tree workflow(String name) throws IOException {
		return Tree.documents(GITHUB.resolve("workflows").resolve(name)).get(0);
	}

}
