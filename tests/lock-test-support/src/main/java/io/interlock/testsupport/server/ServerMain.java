package io.interlock.testsupport.server;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

import io.interlock.testsupport.process.JavaProcess;
import org.apache.zookeeper.server.embedded.ExitHandler;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;

/**
 * A ZooKeeper server, alone or of an ensemble, that says when it has started and ends
 * with the process that started it.
 */
final class ServerMain {

	static final String SERVES = "serves";

	/**
	 * In an ensemble a server has started before it has found the others.
	 */
	private static final long START_MILLIS = 60_000;

	private ServerMain() {
	}

	public static void main(String[] args) throws Exception {
		JavaProcess.endWithParent();
		Path configuration = Path.of(args[0]);
		ZooKeeperServerEmbedded.builder()
			.baseDir(configuration.getParent())
			.configuration(read(configuration))
			.exitHandler(ExitHandler.EXIT)
			.build()
			.start(START_MILLIS);
		System.out.println(SERVES);
	}

	private static Properties read(Path file) throws IOException {
		Properties properties = new Properties();
		try (Reader reader = Files.newBufferedReader(file)) {
			properties.load(reader);
		}
		return properties;
	}

}
