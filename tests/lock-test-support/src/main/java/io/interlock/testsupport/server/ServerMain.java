package io.interlock.testsupport.server;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;

import io.interlock.testsupport.process.JavaProcess;
import org.apache.zookeeper.server.ZooKeeperServerMain;
import org.apache.zookeeper.server.embedded.ExitHandler;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;
import org.awaitility.Awaitility;

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
		try {
			Embedded.start(configuration);
		}
		catch (NoClassDefFoundError ex) {
			startOldServer(configuration);
		}
		System.out.println(SERVES);
	}

	/** Before 3.7, a server runs on the thread of its main method. */
	private static void startOldServer(Path configuration) throws IOException {
		new Thread(() -> ZooKeeperServerMain.main(new String[] { configuration.toString() }), "server").start();
		int port = Integer.parseInt(read(configuration).getProperty("clientPort"));
		Awaitility.await()
			.atMost(Duration.ofMillis(START_MILLIS))
			.until(() -> FourLetterWord.ask(port, "srvr").contains("Mode: "));
	}

	/** Loaded where the server has these classes. */
	private static final class Embedded {

		static void start(Path configuration) throws Exception {
			ZooKeeperServerEmbedded.builder()
				.baseDir(configuration.getParent())
				.configuration(read(configuration))
				.exitHandler(ExitHandler.EXIT)
				.build()
				.start(START_MILLIS);
		}

	}

	private static Properties read(Path file) throws IOException {
		Properties properties = new Properties();
		try (Reader reader = Files.newBufferedReader(file)) {
			properties.load(reader);
		}
		return properties;
	}

}
