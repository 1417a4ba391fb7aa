package io.interlock.benchmark.start;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.within;

/**
 * Tests for {@link ClassPath}.
 */
class ClassPathTests {

	private Path plain;

	private Path epoll;

	@BeforeEach
	void makeJars(@TempDir Path directory) throws IOException {
		this.plain = jar(directory.resolve("plain-1.0.jar"), "plain/Some.class");
		this.epoll = jar(directory.resolve("epoll-4.2-linux-x86_64.jar"), "META-INF/native/libepoll.so",
				"META-INF/epoll.dll", "epoll/so.class");
	}

	@Test
	void sizeIsThatOfTheFiles() throws IOException {
		ClassPath classPath = new ClassPath(List.of(this.plain, this.epoll));
		assertThat(classPath.megabytes()).isCloseTo((Files.size(this.plain) + Files.size(this.epoll)) / 1e6,
				within(1e-9));
	}

	@Test
	void nativeLibrariesAreFoundInJars() {
		ClassPath classPath = new ClassPath(List.of(this.plain, this.epoll));
		assertThat(classPath.nativeLibraries()).isEqualTo(2);
		assertThat(classPath.nativeMegabytes()).isPositive().isLessThan(classPath.megabytes());
		assertThat(new ClassPath(List.of(this.plain)).nativeLibraries()).isZero();
	}

	@Test
	void addedJarsAreThoseOfOneClassPathOnly() {
		ClassPath with = new ClassPath(List.of(this.plain, this.epoll));
		assertThat(with.without(new ClassPath(List.of(this.plain))).jars()).containsExactly(this.epoll);
	}

	@Test
	void jarOfAnArtifactIsLeftOut() {
		ClassPath classPath = new ClassPath(List.of(this.plain, this.epoll));
		assertThat(classPath.withoutJar("epoll").jars()).containsExactly(this.plain);
		assertThatIllegalStateException().isThrownBy(() -> classPath.withoutJar("absent"))
			.withMessageContaining("'absent'");
	}

	@Test
	void applicationIsPackagedInFrontOfItsJars(@TempDir Path directory) {
		ClassPath application = new ClassPath(List.of(this.plain)).below(StartApplication.class, directory);
		assertThat(application.jars()).hasSize(2).endsWith(this.plain).allMatch(Files::isRegularFile);
		assertThat(application.argument()).isEqualTo(application.jars().get(0) + File.pathSeparator + this.plain);
	}

	@Test
	void missingClassPathSaysWhatToDo(@TempDir Path directory) {
		assertThatIllegalStateException().isThrownBy(() -> ClassPath.of("absent", directory))
			.withMessageContaining("'absent'")
			.withMessageContaining("-Pbenchmark");
	}

	private static Path jar(Path file, String... entries) throws IOException {
		try (ZipOutputStream jar = new ZipOutputStream(Files.newOutputStream(file))) {
			for (String entry : entries) {
				jar.putNextEntry(new ZipEntry(entry));
				jar.write(entry.repeat(100).getBytes());
				jar.closeEntry();
			}
		}
		return file;
	}

}
