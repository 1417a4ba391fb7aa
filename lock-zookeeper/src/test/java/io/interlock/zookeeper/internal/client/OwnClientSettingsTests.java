package io.interlock.zookeeper.internal.client;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;

import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ZKConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The client reads the system properties of ZooKeeper, and TLS classes only for theirs.
 */
class OwnClientSettingsTests {

	private static final String MADE_WITH_TLS = "io.netty.handler.ssl.SslContext";

	private String name = "";

	@AfterEach
	void clear() {
		if (!this.name.isEmpty()) {
			System.clearProperty(this.name);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { ZKConfig.JUTE_MAXBUFFER, ZKConfig.KINIT_COMMAND, ZKConfig.JGSS_NATIVE,
			ZKClientConfig.ZK_SASL_CLIENT_USERNAME, ZKClientConfig.ZK_SASL_CLIENT_CANONICALIZE_HOSTNAME,
			ZKClientConfig.LOGIN_CONTEXT_NAME_KEY, ZKClientConfig.ENABLE_CLIENT_SASL_KEY,
			ZKClientConfig.ZOOKEEPER_SERVER_REALM, ZKClientConfig.DISABLE_AUTO_WATCH_RESET,
			ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, ZKClientConfig.SECURE_CLIENT,
			ZKClientConfig.ZOOKEEPER_REQUEST_TIMEOUT, ZKClientConfig.ZOOKEEPER_SERVER_PRINCIPAL,
			"zookeeper.ssl.keyStore.location", "zookeeper.ssl.trustStore.password", "zookeeper.ssl.quorum.protocol",
			"zookeeper.ssl.authProvider", "zookeeper.fips-mode" })
	void readsWhatZooKeeperReads(String name) {
		this.name = name;
		System.setProperty(name, "7");
		assertThat(new OwnClient.Settings().getProperty(name)).isEqualTo(new ZKClientConfig().getProperty(name));
	}

	@Test
	void leavesTlsAloneWithoutItsProperties() throws Exception {
		try (Isolated classes = new Isolated()) {
			assertThat(classes.make(OwnClient.Settings.class).isLoaded(MADE_WITH_TLS)).isFalse();
			assertThat(classes.make(ZKClientConfig.class).isLoaded(MADE_WITH_TLS)).isTrue();
		}
	}

	/**
	 * The class path of the tests once more, so that no other test has loaded its
	 * classes.
	 */
	private static final class Isolated extends URLClassLoader {

		Isolated() {
			super(Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
				.map(Isolated::url)
				.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
		}

		private static URL url(String entry) {
			try {
				return new File(entry).toURI().toURL();
			}
			catch (MalformedURLException ex) {
				throw new IllegalArgumentException(entry, ex);
			}
		}

		Isolated make(Class<?> type) throws ReflectiveOperationException {
			var constructor = loadClass(type.getName()).getDeclaredConstructor();
			constructor.setAccessible(true);
			constructor.newInstance();
			return this;
		}

		boolean isLoaded(String name) {
			return findLoadedClass(name) != null;
		}

	}

}
