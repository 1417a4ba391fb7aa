package io.interlock.autoconfigure.curator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.FileSystemUtils;

/**
 * Where an embedded server keeps its files. The base directory is always a temporary one,
 * because the server leaves a configuration file there on every start.
 *
 * @param base the base directory
 * @param data the data directory
 */
record EmbeddedServerDirectory(Path base, Path data) {

	/**
	 * Tells whose it is, if the process was killed and has left it behind.
	 */
	static final String PREFIX = "interlock-zookeeper-%d-".formatted(ProcessHandle.current().pid());

	private static final Log logger = LogFactory.getLog(EmbeddedServerDirectory.class);

	static EmbeddedServerDirectory create(@Nullable Path data) {
		try {
			Path dataDirectory = (data != null) ? Files.createDirectories(data.toAbsolutePath()) : null;
			Path base = Files.createTempDirectory(PREFIX);
			return new EmbeddedServerDirectory(base, (dataDirectory != null) ? dataDirectory : base.resolve("data"));
		}
		catch (IOException ex) {
			throw new EmbeddedZooKeeperException(
					"The embedded ZooKeeper server cannot create its data directory: %s.".formatted(ex),
					"Set interlock.zookeeper.embedded.data-dir to a directory that can be written to.", ex);
		}
	}

	/**
	 * Delete what is temporary.
	 */
	void delete() {
		try {
			FileSystemUtils.deleteRecursively(this.base);
		}
		catch (IOException ex) {
			logger.warn("Failed to delete %s".formatted(this.base), ex);
		}
	}

	@Override
	public String toString() {
		return this.data.startsWith(this.base) ? "a temporary directory" : this.data.toString();
	}

}
