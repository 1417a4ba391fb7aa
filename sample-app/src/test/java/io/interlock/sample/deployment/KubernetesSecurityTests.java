package io.interlock.sample.deployment;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.CuratorAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.ZooKeeperLockAutoConfiguration;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.server.Server;
import io.interlock.testsupport.server.ServerSettings;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server with the settings of the Kubernetes manifest, and a client with the variables
 * of the application in it.
 */
class KubernetesSecurityTests {

	private static final char[] PASSWORD = "changeit".toCharArray();

	private static Path tls;

	private static Server server;

	@BeforeAll
	static void start(@TempDir Path directory) throws Exception {
		tls = directory;
		createSecret();
		Map<String, String> settings = new LinkedHashMap<>();
		manifest().image().settings().forEach((name, value) -> settings.put(name, value.replace("/tls/", tls + "/")));
		settings.keySet()
			.removeIf((name) -> name.startsWith("server.") || name.startsWith("metricsProvider.")
					|| name.equals("secureClientPort"));
		server = Server.secure(directory.resolve("server"), ServerSettings.quick().with(settings));
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	@Test
	void applicationLocksAndOwnsItsNodes() {
		client(Map.of("INTERLOCK_ZOOKEEPER_USERNAME", "orders", "INTERLOCK_ZOOKEEPER_PASSWORD", "secret"))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				try (LockHandle handle = context.getBean(LockTemplate.class).acquire(LockRequest.exclusive("orders"))) {
					assertThat(handle.isValid()).isTrue();
					assertThat(context.getBean(CuratorFramework.class).getACL().forPath("/interlock/orders"))
						.extracting(ACL::getId)
						.allSatisfy((id) -> assertThat(id.toString()).contains("digest").contains("orders:"));
				}
			});
	}

	@Test
	void clientWithoutLoginIsRefused() {
		client(Map.of("INTERLOCK_ZOOKEEPER_ACL", "open")).run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOf(KeeperException.SessionClosedRequireAuthException.class));
	}

	private static ApplicationContextRunner client(Map<String, String> more) {
		Map<String, Object> variables = new LinkedHashMap<>(manifest().environment("Deployment"));
		variables.put("SPRING_SSL_BUNDLE_PEM_ZOOKEEPER_TRUSTSTORE_CERTIFICATE",
				variables.get("SPRING_SSL_BUNDLE_PEM_ZOOKEEPER_TRUSTSTORE_CERTIFICATE")
					.toString()
					.replace("/tls/", tls + "/"));
		variables.put("INTERLOCK_ZOOKEEPER_CONNECTSTRING", server.connectString());
		variables.put("INTERLOCK_PROVIDER", "zookeeper");
		variables.put("INTERLOCK_STARTUPTIMEOUT", "20s");
		variables.putAll(more);
		return new ApplicationContextRunner()
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new SystemEnvironmentPropertySource("manifest-systemEnvironment", variables)))
			.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, CuratorAutoConfiguration.class,
					InterlockAutoConfiguration.class, ZooKeeperLockAutoConfiguration.class));
	}

	private static KubernetesManifestTests manifest() {
		try {
			return new KubernetesManifestTests();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Write the files of the Secret that the head of the manifest describes.
	 */
	private static void createSecret() throws Exception {
		Path keyStore = tls.resolve("server.p12");
		Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
				"-genkeypair", "-alias", "server", "-keyalg", "EC", "-dname", "CN=zookeeper", "-ext",
				"san=dns:localhost", "-ext", "bc=ca:true", "-storetype", "PKCS12", "-keystore", keyStore.toString(),
				"-storepass", new String(PASSWORD))
			.inheritIO()
			.start();
		assertThat(keytool.waitFor()).isZero();
		KeyStore store = KeyStore.getInstance("PKCS12");
		try (InputStream stream = Files.newInputStream(keyStore)) {
			store.load(stream, PASSWORD);
		}
		String key = pem("PRIVATE KEY", store.getKey("server", PASSWORD).getEncoded());
		String certificate = pem("CERTIFICATE", store.getCertificate("server").getEncoded());
		Files.writeString(tls.resolve("tls-combined.pem"), key + certificate);
		Files.writeString(tls.resolve("ca.crt"), certificate);
		Files.writeString(tls.resolve("ca.pem"), certificate);
	}

	private static String pem(String type, byte[] content) {
		return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(type,
				Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(content));
	}

}
