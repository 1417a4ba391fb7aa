package io.interlock.architecture;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.interlock.autoconfigure.InterlockAutoConfiguration;

/**
 * What the build made of this module: descriptors of the same name in other jars of the
 * class path do not count.
 */
final class MainOutput {

	private MainOutput() {
	}

	static String read(String resource) throws IOException {
		return Files.readString(directory().resolve(resource));
	}

	private static Path directory() {
		try {
			return Path
				.of(InterlockAutoConfiguration.class.getProtectionDomain().getCodeSource().getLocation().toURI());
		}
		catch (URISyntaxException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
