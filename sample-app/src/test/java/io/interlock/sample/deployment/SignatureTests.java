package io.interlock.sample.deployment;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import java.util.zip.ZipFile;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Tests for the script that signs a release, with a key of their own.
 */
class SignatureTests {

	private static final String PASSPHRASE = "of a test";

	private static final String ARTIFACT = "io/interlock/lock-core/0.1.0/lock-core-0.1.0";

	@TempDir
	private Path directory;

	@BeforeEach
	void makeAKey() throws Exception {
		for (String tool : new String[] { "gpg", "zip" }) {
			assumeTrue(
					Stream.of(System.getenv("PATH").split(":")).anyMatch((path) -> Files.exists(Path.of(path, tool))),
					"There is no " + tool);
		}
		Files.createDirectory(this.directory.resolve("keys"));
		run(0, "chmod", "700", "keys");
		run(0, "gpg", "--batch", "--passphrase", PASSPHRASE, "--pinentry-mode", "loopback", "--quick-gen-key",
				"test@example.com", "ed25519", "sign");
	}

	@AfterEach
	void endTheAgent() throws Exception {
		run(0, "gpgconf", "--kill", "gpg-agent");
	}

	@Test
	void signsEachFileButChecksumsAndPacksThem() throws Exception {
		stage(ARTIFACT + ".jar", ARTIFACT + ".jar.sha1", ARTIFACT + ".pom",
				"io/interlock/lock-core/maven-metadata.xml");
		sign(0);
		try (ZipFile bundle = new ZipFile(this.directory.resolve("bundle.zip").toFile())) {
			assertThat(bundle.stream().filter((entry) -> !entry.isDirectory()).map((entry) -> entry.getName()))
				.containsExactlyInAnyOrder(ARTIFACT + ".jar", ARTIFACT + ".jar.asc", ARTIFACT + ".jar.sha1",
						ARTIFACT + ".pom", ARTIFACT + ".pom.asc");
		}
		run(0, "gpg", "--batch", "--verify", "staging/" + ARTIFACT + ".jar.asc", "staging/" + ARTIFACT + ".jar");
		Files.writeString(this.directory.resolve("staging").resolve(ARTIFACT + ".jar"), "another");
		run(1, "gpg", "--batch", "--verify", "staging/" + ARTIFACT + ".jar.asc", "staging/" + ARTIFACT + ".jar");
	}

	@Test
	void failsWhereNothingIsStaged() throws Exception {
		stage("io/interlock/lock-core/maven-metadata.xml");
		assertThat(sign(1)).contains("Nothing to sign below staging");
		assertThat(this.directory.resolve("bundle.zip")).doesNotExist();
	}

	private void stage(String... files) throws IOException {
		for (String file : files) {
			Path path = this.directory.resolve("staging").resolve(file);
			Files.createDirectories(path.getParent());
			Files.writeString(path, file);
		}
	}

	private String sign(int status) throws Exception {
		return run(status, Path.of("..", ".ci", "sign").toRealPath().toString(), "staging", "bundle.zip");
	}

	private String run(int status, String... command) throws Exception {
		ProcessBuilder builder = new ProcessBuilder(command).directory(this.directory.toFile())
			.redirectErrorStream(true);
		builder.environment().put("GNUPGHOME", this.directory.resolve("keys").toString());
		builder.environment().put("GPG_PASSPHRASE", PASSPHRASE);
		Process process = builder.start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor()).as(output).isEqualTo(status);
		return output;
	}

}
