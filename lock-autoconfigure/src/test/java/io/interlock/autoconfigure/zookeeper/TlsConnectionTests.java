package io.interlock.autoconfigure.zookeeper;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.server.Server;
import io.interlock.testsupport.server.ServerSettings;
import io.interlock.testsupport.tier.Deep;
import io.interlock.zookeeper.internal.client.Certificates;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

/**
 * Locks over TLS, against servers in JVMs of their own.
 */
@ExtendWith(OutputCaptureExtension.class)
class TlsConnectionTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final LockRequest ORDERS = LockRequest.exclusive("orders").withWaitTime(Duration.ofSeconds(30));

	private static final LockRequest SHORT = LockRequest.exclusive("orders").withWaitTime(Duration.ofMillis(1500));

	private static Certificates serverKey;

	private static Certificates clientKey;

	private static Certificates otherHost;

	/**
	 * Takes any client.
	 */
	private static Server server;

	/**
	 * Takes clients with a certificate only, which is who they are.
	 */
	private static Server strictServer;

	@BeforeAll
	static void startServers(@TempDir Path directory) throws Exception {
		serverKey = Certificates.create(directory, "server", "localhost");
		clientKey = Certificates.create(directory, "client", "localhost");
		otherHost = Certificates.create(directory, "elsewhere", "elsewhere.example");
		server = Server.secure(directory.resolve("any"), settings("none"));
		strictServer = Server.secure(directory.resolve("strict"), settings("need").withJvmOptions(
				"-Dzookeeper.authProvider.x509=org.apache.zookeeper.server.auth.X509AuthenticationProvider"));
	}

	private static ServerSettings settings(String clientAuth) {
		return ServerSettings.quick()
			.with(Map.of("serverCnxnFactory", "org.apache.zookeeper.server.NettyServerCnxnFactory",
					"ssl.keyStore.location", serverKey.keyStore().toString(), "ssl.keyStore.password",
					Certificates.PASSWORD, "ssl.trustStore.location", clientKey.trustStore("PKCS12").toString(),
					"ssl.trustStore.type", "PKCS12", "ssl.trustStore.password", Certificates.PASSWORD, "ssl.clientAuth",
					clientAuth));
	}

	@AfterAll
	static void stopServers() {
		server.close();
		strictServer.close();
	}

	@Test
	void locksWithPemBundle() {
		client(server).withPropertyValues(pem(serverKey))
			.run((context) -> assertLocks(context.getBean(LockTemplate.class)));
	}

	@Test
	void locksWithCertificateOfClientWhereServerDemandsOne() {
		client(strictServer).withPropertyValues(pem(serverKey))
			.withPropertyValues("spring.ssl.bundle.pem.zk.keystore.certificate=" + clientKey.certificatePem(),
					"spring.ssl.bundle.pem.zk.keystore.private-key=" + clientKey.keyPem())
			.run((context) -> assertLocks(context.getBean(LockTemplate.class)));
	}

	@Test
	void locksWithJksBundleAndItsOptions() {
		client(strictServer).withPropertyValues(jks(serverKey))
			.withPropertyValues("spring.ssl.bundle.jks.zk.key.alias=client",
					"spring.ssl.bundle.jks.zk.options.enabled-protocols=TLSv1.3",
					"spring.ssl.bundle.jks.zk.options.ciphers=TLS_AES_128_GCM_SHA256")
			.run((context) -> assertLocks(context.getBean(LockTemplate.class)));
	}

	@Test
	void certificateOfClientOwnsLockNodes() {
		client(strictServer).withPropertyValues(jks(serverKey))
			.withPropertyValues("interlock.zookeeper.acl=creator-all", "interlock.zookeeper.root-path=/by-certificate")
			.run((context) -> {
				assertLocks(context.getBean(LockTemplate.class));
				assertThat(context.getBean(CuratorFramework.class).getACL().forPath("/by-certificate/orders"))
					.extracting(ACL::getId)
					.containsExactly(new Id("x509", "CN=client"));
			});
	}

	@Test
	void certificateThatServerDoesNotAskForIsNoAuthentication() {
		client(server).withPropertyValues(jks(serverKey))
			.withPropertyValues("interlock.zookeeper.acl=creator-all", "interlock.zookeeper.root-path=/by-nobody",
					"interlock.startup-timeout=20s")
			.run((context) -> assertThat(context.getStartupFailure())
				.hasStackTraceContaining("has not authenticated this client"));
	}

	@Test
	void doesNotConnectWithoutCertificateWhereServerDemandsOne() {
		client(strictServer).withPropertyValues(pem(serverKey))
			.run((context) -> assertUnavailable(context.getBean(LockTemplate.class)));
	}

	@Test
	void doesNotConnectToServerThatBundleDoesNotTrust() {
		client(server).withPropertyValues(pem(clientKey))
			.run((context) -> assertUnavailable(context.getBean(LockTemplate.class)));
	}

	@Test
	@Deep
	void doesNotConnectToServerThatJavaDoesNotTrust() {
		client(server).withPropertyValues("interlock.zookeeper.ssl.enabled=true", "interlock.zookeeper.ssl.bundle=")
			.run((context) -> assertUnavailable(context.getBean(LockTemplate.class)));
	}

	@Test
	void doesNotConnectToSecurePortWithoutTls() {
		client(server).withPropertyValues(pem(serverKey))
			.withPropertyValues("interlock.zookeeper.ssl.enabled=false")
			.run((context) -> assertUnavailable(context.getBean(LockTemplate.class)));
	}

	@Test
	void connectsOnceBundleIsReloaded() {
		DefaultSslBundleRegistry bundles = new DefaultSslBundleRegistry("zk", trusting(clientKey));
		client(server).withBean(DefaultSslBundleRegistry.class, () -> bundles).run((context) -> {
			LockTemplate locks = context.getBean(LockTemplate.class);
			assertUnavailable(locks);
			bundles.updateBundle("zk", trusting(serverKey));
			assertLocks(locks);
		});
	}

	@Test
	void endsHandshakeWithHostThatCertificateDoesNotName() throws Exception {
		try (SSLServerSocket socket = socketOf(otherHost)) {
			client("localhost:" + socket.getLocalPort()).withPropertyValues(pem(otherHost)).run((context) -> {
				try (SSLSocket connection = (SSLSocket) socket.accept()) {
					// The alert, or the end of the connection that overtook it.
					assertThatIOException().isThrownBy(() -> readFrom(connection));
				}
			});
		}
	}

	@Test
	void completesHandshakeWithHostThatCertificateNames() throws Exception {
		try (SSLServerSocket socket = socketOf(serverKey)) {
			client("localhost:" + socket.getLocalPort()).withPropertyValues(pem(serverKey)).run((context) -> {
				try (SSLSocket connection = (SSLSocket) socket.accept()) {
					assertThatCode(() -> readFrom(connection)).doesNotThrowAnyException();
				}
			});
		}
	}

	@Test
	void namesBundleAndUsualCausesWhereTlsFails() {
		FailureAnalysis analysis = failure(client(server).withPropertyValues(pem(clientKey)));
		assertThat(analysis.getDescription()).isEqualTo("ZooKeeper at '" + server.connectString()
				+ "' cannot be reached with TLS and the SSL bundle 'zk' within the startup timeout of 500 ms.");
		assertThat(analysis.getAction()).contains("Start ZooKeeper there")
			.contains("The port does not use TLS", "secureClientPort", "interlock.zookeeper.connect-string")
			.contains("The certificate of the server is not trusted", "trust store", "interlock.zookeeper.ssl.bundle")
			.contains("The certificate names another host")
			.contains("The server refuses the protocol or the certificate of this client", "key store");
	}

	@Test
	void namesUsualCausesWhereTlsFailsWithoutBundle() {
		FailureAnalysis analysis = failure(client(server).withPropertyValues("interlock.zookeeper.ssl.enabled=true",
				"interlock.zookeeper.ssl.bundle="));
		assertThat(analysis.getDescription()).contains("cannot be reached with TLS within");
		assertThat(analysis.getAction())
			.contains("Without a bundle, the client trusts the certificates that Java trusts");
	}

	@Test
	void namesTlsAsCauseToClientWithoutIt() {
		FailureAnalysis analysis = failure(client(server).withPropertyValues("interlock.zookeeper.ssl.enabled=false"));
		assertThat(analysis.getDescription()).contains("cannot be reached within");
		assertThat(analysis.getAction())
			.contains("If the server speaks TLS on that port, set interlock.zookeeper.ssl.bundle")
			.contains("interlock.zookeeper.connect-string");
	}

	@Test
	void errorOfTlsIsInTheLogOfTheClient(CapturedOutput output) {
		String logger = "org.apache.zookeeper.ClientCnxnSocketNetty";
		LoggingSystem logging = LoggingSystem.get(getClass().getClassLoader());
		logging.setLogLevel(logger, LogLevel.ERROR);
		try {
			client(server).withPropertyValues(pem(clientKey))
				.run((context) -> await().atMost(PATIENCE)
					.untilAsserted(() -> assertThat(output).contains("unable to find valid certification path")));
		}
		finally {
			logging.setLogLevel(logger, null);
		}
	}

	@Test
	@Deep
	void warnsOfUsualCausesOfTlsWithoutStartupTimeout(CapturedOutput output) {
		client(server).withPropertyValues(pem(clientKey))
			.run((context) -> await().atMost(PATIENCE)
				.untilAsserted(() -> assertThat(output).containsPattern(
						"WARN.*cannot be reached with TLS and the SSL bundle 'zk'.*not trusted.*trust store")));
	}

	@Test
	void tellsThatPasswordOfStoreIsWrong() {
		FailureAnalysis analysis = failure(client(server).withPropertyValues(jks(serverKey))
			.withPropertyValues("spring.ssl.bundle.jks.zk.truststore.password=wrong-secret"));
		assertThat(analysis.getDescription()).startsWith("The SSL bundle 'zk' for ZooKeeper cannot be used: ")
			.contains("password was incorrect");
		assertThat(analysis.getAction()).contains("spring.ssl.bundle")
			.contains("password")
			.doesNotContain("hardware")
			.doesNotContain("wrong-secret");
	}

	private static FailureAnalysis failure(ApplicationContextRunner client) {
		AtomicReference<FailureAnalysis> analysis = new AtomicReference<>();
		client.withPropertyValues("interlock.startup-timeout=500ms")
			.run((context) -> analysis
				.set(new CuratorAutoConfiguration.StartupFailureAnalyzer().analyze(context.getStartupFailure())));
		assertThat(analysis.get()).isNotNull();
		return analysis.get();
	}

	private static ApplicationContextRunner client(Server server) {
		return client(server.connectString());
	}

	private static ApplicationContextRunner client(String connectString) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, CuratorAutoConfiguration.class,
					InterlockAutoConfiguration.class, ZooKeeperLockAutoConfiguration.class))
			.withPropertyValues("interlock.zookeeper.connect-string=" + connectString,
					"interlock.zookeeper.ssl.bundle=zk", "interlock.zookeeper.connection-timeout=20s");
	}

	private static String[] pem(Certificates trusted) {
		return new String[] { "spring.ssl.bundle.pem.zk.truststore.certificate=" + trusted.certificatePem() };
	}

	private static String[] jks(Certificates trusted) {
		return new String[] { "spring.ssl.bundle.jks.zk.truststore.location=file:" + trusted.trustStore("JKS"),
				"spring.ssl.bundle.jks.zk.truststore.type=JKS",
				"spring.ssl.bundle.jks.zk.truststore.password=" + Certificates.PASSWORD,
				"spring.ssl.bundle.jks.zk.keystore.location=file:" + clientKey.keyStore(),
				"spring.ssl.bundle.jks.zk.keystore.type=PKCS12",
				"spring.ssl.bundle.jks.zk.keystore.password=" + Certificates.PASSWORD };
	}

	private static SslBundle trusting(Certificates trusted) {
		return SslBundle.of(new PemSslStoreBundle(null, PemSslStoreDetails.forCertificate(trusted.certificatePem())));
	}

	private static SSLServerSocket socketOf(Certificates owner) throws Exception {
		SslBundle bundle = SslBundle.of(new PemSslStoreBundle(
				PemSslStoreDetails.forCertificate(owner.certificatePem()).withPrivateKey(owner.keyPem()), null));
		SSLServerSocket socket = (SSLServerSocket) bundle.createSslContext()
			.getServerSocketFactory()
			.createServerSocket(0);
		socket.setSoTimeout(20_000);
		return socket;
	}

	private static void readFrom(SSLSocket connection) throws IOException {
		connection.setSoTimeout(20_000);
		connection.startHandshake();
		connection.getInputStream().read();
	}

	private static void assertLocks(LockTemplate locks) {
		try (LockHandle lock = locks.acquire(ORDERS)) {
			lock.verify();
			assertThat(lock.isValid()).isTrue();
		}
	}

	private static void assertUnavailable(LockTemplate locks) {
		long start = System.nanoTime();
		assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(() -> locks.acquire(SHORT));
		assertThat(Duration.ofNanos(System.nanoTime() - start)).as("before the connection timeout")
			.isBetween(Duration.ofMillis(1400), Duration.ofSeconds(19));
	}

}
