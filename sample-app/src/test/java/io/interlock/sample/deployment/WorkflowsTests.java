package io.interlock.sample.deployment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
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

	@ParameterizedTest
	@ValueSource(strings = { "test", "build", "attest", "sign" })
	void releaseTakesNothingFromACache(String job) throws IOException {
		assertThat(steps("release.yml", job)).allSatisfy((step) -> {
			assertThat(step.at("uses").text()).doesNotStartWith("actions/cache");
			assertThat(step.at("with", "cache").exists()).isFalse();
		});
	}

	@Test
	void onlyTheJobThatSignsHasSecrets() throws IOException {
		Tree jobs = workflow("release.yml").at("jobs");
		assertThat(jobs.fields()).containsExactlyInAnyOrder("test", "build", "attest", "sign")
			.filteredOn((job) -> jobs.at(job).text().contains("secrets.") || jobs.at(job, "environment").exists())
			.containsExactly("sign");
		assertThat(jobs.at("sign", "environment").text()).isEqualTo("release");
		assertThat(workflow("release.yml").fields()).doesNotContain("env");
	}

	@Test
	void jobThatSignsRunsNoTestAndNoPluginOfABuild() throws IOException {
		List<Tree> steps = steps("release.yml", "sign");
		assertThat(steps).extracting((step) -> step.at("uses"))
			.filteredOn(Tree::exists)
			.extracting((action) -> action.text().replaceFirst("@.*", ""))
			.containsExactly("actions/checkout", "actions/download-artifact");
		Set<String> commands = steps.stream()
			.map((step) -> step.at("run"))
			.filter(Tree::exists)
			.flatMap((run) -> run.text().replace("\\\n", "").lines())
			.map((line) -> line.strip().split("[ =]", 2)[0])
			.collect(Collectors.toSet());
		assertThat(commands).containsExactlyInAnyOrder("gpg", ".ci/sign", "token", "curl");
		assertThat(Files.readAllLines(Path.of("..", ".ci", "sign"))).filteredOn((line) -> !line.startsWith("#"))
			.isNotEmpty()
			.noneMatch((line) -> line.contains("mvn") || line.contains("npm"));
	}

	@Test
	void nothingIsSignedThatIsNotTestedAndAttested() throws IOException {
		Tree jobs = workflow("release.yml").at("jobs");
		assertThat(jobs.at("sign", "needs").text()).isEqualTo("attest");
		assertThat(jobs.at("attest", "needs").texts()).containsExactly("test", "build");
		assertThat(steps("release.yml", "test")).anyMatch((step) -> step.at("run").text().equals("mvn -B -ntp verify"));
		assertThat(steps("release.yml", "build")).extracting((step) -> step.at("run").text())
			.filteredOn((run) -> run.contains("deploy"))
			.singleElement()
			.asString()
			.contains("-Prelease", "-Dmaven.test.skip");
		assertThat(steps("release.yml", "build")).anyMatch((step) -> step.at("run").text().contains("\"$TAG\""));
	}

	@Test
	void releaseAttestsWhereEachJarComesFromAndWhatItIsMadeOf() throws IOException {
		Tree job = workflow("release.yml").at("jobs", "attest");
		assertThat(job.at("permissions").value())
			.isEqualTo(Map.of("contents", "read", "id-token", "write", "attestations", "write"));
		List<Tree> steps = steps("release.yml", "attest");
		assertThat(steps).extracting((step) -> step.at("uses").text().replaceFirst("@.*", ""))
			.containsExactly("actions/download-artifact", "actions/attest-build-provenance", "actions/attest");
		assertThat(steps.get(1).at("with", "subject-path").text()).isEqualTo("${{ env.ARTIFACT }}*.jar");
		assertThat(steps.get(2).at("with").value()).isEqualTo(
				Map.of("subject-path", "${{ env.ARTIFACT }}.jar", "sbom-path", "${{ env.ARTIFACT }}-cyclonedx.json"));
		List<String> published = Files.readAllLines(Path.of("..", ".ci", "release-check"))
			.stream()
			.filter((line) -> line.startsWith("modules=("))
			.flatMap((line) -> Stream.of(line.replaceAll(".*\\(|\\)", "").split(" ")))
			.filter((module) -> !module.equals("lock-bom"))
			.toList();
		assertThat(job.at("strategy", "matrix", "module").texts()).hasSizeGreaterThan(10)
			.containsExactlyInAnyOrderElementsOf(published);
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
