package io.interlock.autoconfigure.curator;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

import org.apache.zookeeper.server.embedded.ExitHandler;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;

/**
 * A ZooKeeper server that says when it serves and ends with the process that started it.
 */
final class ServerMain {

	static final String SERVES = "serves";

	private static final long START_MILLIS = 60_000;

	private ServerMain() {
	}

	public static void main(String[] args) throws Exception {
		Thread parent = new Thread(ServerMain::endWithInput, "parent");
		parent.setDaemon(true);
		parent.start();
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

	private static void endWithInput() {
		try {
			while (System.in.read() >= 0) {
				Thread.onSpinWait();
			}
		}
		catch (IOException ex) {
			// The parent is gone.
		}
		Runtime.getRuntime().halt(1);
	}

}
