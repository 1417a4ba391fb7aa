package io.interlock.architecture;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;

import io.interlock.autoconfigure.InterlockAutoConfiguration;

/**
 * What the build made of a module: descriptors of the same name in other jars of the
 * class path do not count.
 */
final class MainOutput {

	private MainOutput() {
	}

	static String read(String resource) throws IOException {
		return read(InterlockAutoConfiguration.class, resource);
	}

	static String read(Class<?> member, String resource) throws IOException {
		URL classes = member.getProtectionDomain().getCodeSource().getLocation();
		String jar = classes.getPath().endsWith(".jar") ? "jar:%s!/" : "%s";
		try (InputStream stream = URI.create(jar.formatted(classes) + resource).toURL().openStream()) {
			return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
		}
	}

}
