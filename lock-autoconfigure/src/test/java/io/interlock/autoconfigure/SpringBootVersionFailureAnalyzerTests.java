package io.interlock.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockFailureAnalyzer.BootVersion}.
 */
class SpringBootVersionFailureAnalyzerTests {

	private static final String MISSING = "org/springframework/boot/json/JsonWriter$Extractor";

	@Test
	void isRegistered() {
		assertThat(SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, FailureHandler.handleMessage((message, failure) -> {
			}))).hasAtLeastOneElementOfType(LockFailureAnalyzer.BootVersion.class);
	}

	@ParameterizedTest
	@ValueSource(strings = { "3.5.7", "4.0.6" })
	void namesTheVersionThatLacksAType(String version) {
		FailureAnalysis analysis = analyze(version, new NoClassDefFoundError(MISSING));
		assertThat(analysis).isNotNull();
		assertThat(analysis.getDescription()).isEqualTo("Interlock needs Spring Boot 4.1, and the application runs on "
				+ "Spring Boot " + version + ", which lacks " + MISSING + ".");
		assertThat(analysis.getAction()).isEqualTo("Update the application to Spring Boot 4.1 or later.");
	}

	@Test
	void findsItsOwnClassInTheMessageOfAnIntrospection() {
		assertThat(analyze("3.5.7",
				foreign(new IllegalStateException("Failed to introspect Class [io.interlock.autoconfigure.Some]",
						foreign(new NoClassDefFoundError(MISSING))))))
			.isNotNull();
	}

	@Test
	void leavesOtherCausesToOthers() {
		assertThat(analyze("3.5.7", foreign(new NoClassDefFoundError(MISSING)))).isNull();
		assertThat(analyze(String.valueOf(SpringBootVersion.getVersion()), new NoClassDefFoundError(MISSING))).isNull();
	}

	private static <T extends Throwable> T foreign(T failure) {
		failure.setStackTrace(new StackTraceElement[] { new StackTraceElement("com.acme.Shop", "start", null, 1) });
		return failure;
	}

	private static @Nullable FailureAnalysis analyze(String version, Throwable failure) {
		return new LockFailureAnalyzer.BootVersion(version)
			.analyze(foreign(new BeanCreationException("interlockZooKeeperLockProvider", "failed", failure)));
	}

}
