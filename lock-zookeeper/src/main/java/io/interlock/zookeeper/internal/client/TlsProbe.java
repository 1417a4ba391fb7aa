package io.interlock.zookeeper.internal.client;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ClientX509Util;
import org.apache.zookeeper.common.X509Exception;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;

/**
 * Finds out whether TLS keeps a client from connecting, which ZooKeeper's client does not
 * tell. It shakes hands as that client does, and asks without TLS for what needs no
 * rights.
 */
final class TlsProbe {

	private static final Log logger = LogFactory.getLog(TlsProbe.class);

	private static final Duration TIME_FOR_SERVER = Duration.ofSeconds(3);

	/** For each answer. Only a silent server takes this long. */
	private static final int STEP_MILLIS = 1000;

	/** A command that servers answer even if they do not allow it. */
	private static final byte[] COMMAND = "srvr".getBytes(StandardCharsets.US_ASCII);

	private final ZKClientConfig config;

	private final @Nullable String bundle;

	/**
	 * Create a probe.
	 * @param config how the client connects
	 * @param bundle name of the SSL bundle that it uses, or {@code null} for none
	 */
	TlsProbe(ZKClientConfig config, @Nullable String bundle) {
		this.config = config;
		this.bundle = bundle;
	}

	/**
	 * Look for a server that can be reached, but not with the TLS of the client. This
	 * takes three seconds for each server at most.
	 * @param connectString the servers
	 * @return what is wrong with the first such server, or {@code null} if there is none
	 */
	@Nullable Finding find(String connectString) {
		List<InetSocketAddress> servers = new ConnectStringParser(connectString).getServerAddresses();
		AtomicReference<@Nullable Finding> found = new AtomicReference<>();
		try {
			BoundedTask.run((task) -> new Thread(task, "interlock-tls-probe"),
					TIME_FOR_SERVER.multipliedBy(servers.size()), () -> {
						for (int i = 0; i < servers.size() && found.get() == null; i++) {
							found.set(ask(servers.get(i).getHostString(), servers.get(i).getPort()));
						}
					});
		}
		catch (ExecutionException ex) {
			logger.debug("Servers could not be asked whether they speak TLS", ex.getCause());
		}
		return found.get();
	}

	private @Nullable Finding ask(String host, int port) throws IOException, X509Exception, GeneralSecurityException {
		InetSocketAddress server = new InetSocketAddress(host, port);
		String address = host + ":" + port;
		if (!isReached(server)) {
			return null;
		}
		if (!this.config.getBoolean(ZKClientConfig.SECURE_CLIENT)) {
			return (!answersWithoutTls(server) && speaksTls(server)) ? Finding.serverSpeaksTls(address) : null;
		}
		IOException failure = handshake(server, socketOfClient());
		if (failure == null) {
			return null;
		}
		if (answersWithoutTls(server)) {
			return Finding.serverSpeaksNoTls(address, this.bundle);
		}
		return isOfTls(failure)
				? Finding.handshakeFailed(address, this.bundle, NestedExceptionUtils.getMostSpecificCause(failure))
				: null;
	}

	/**
	 * Return whether TLS is the reason of a failure. A server that is silent, or hangs up
	 * before it has shown its certificate, has said nothing about TLS: a load balancer
	 * without servers does so.
	 */
	private static boolean isOfTls(IOException failure) {
		Throwable cause = NestedExceptionUtils.getMostSpecificCause(failure);
		return failure instanceof SSLException && !(cause instanceof EOFException || cause instanceof SocketException
				|| cause instanceof SocketTimeoutException);
	}

	private SSLSocket socketOfClient() throws IOException, X509Exception {
		try (ClientX509Util x509 = new ClientX509Util()) {
			return x509.createSSLContextAndOptions(this.config).createSSLSocket();
		}
	}

	private static boolean isReached(InetSocketAddress server) {
		try (Socket socket = new Socket()) {
			connect(server, socket);
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

	private static boolean answersWithoutTls(InetSocketAddress server) {
		try (Socket socket = new Socket()) {
			connect(server, socket);
			socket.getOutputStream().write(COMMAND);
			// An answer is a text. An alert of TLS is not.
			return socket.getInputStream().read() >= ' ';
		}
		catch (IOException ex) {
			return false;
		}
	}

	/**
	 * Return whether a handshake gets as far as to certificates, trusted or not.
	 */
	private static boolean speaksTls(InetSocketAddress server) throws IOException, GeneralSecurityException {
		IOException failure = handshake(server, (SSLSocket) SSLContext.getDefault().getSocketFactory().createSocket());
		return failure == null || (failure instanceof SSLHandshakeException && isOfTls(failure));
	}

	/**
	 * Shake hands, and listen for a moment: a server of TLS 1.3 refuses the certificate
	 * of a client after the handshake. Nothing is said, because a server that ends a
	 * connection without having read all of it takes its alert back.
	 * @return the failure, or {@code null} if there is none
	 */
	private static @Nullable IOException handshake(InetSocketAddress server, SSLSocket socket) {
		try (socket) {
			SSLParameters parameters = socket.getSSLParameters();
			parameters.setEndpointIdentificationAlgorithm("HTTPS");
			socket.setSSLParameters(parameters);
			connect(server, socket);
			socket.startHandshake();
			return refusal(socket);
		}
		catch (IOException ex) {
			return ex;
		}
	}

	private static @Nullable IOException refusal(SSLSocket socket) {
		try {
			return (socket.getInputStream().read() < 0) ? endAfterHandshake() : null;
		}
		catch (SocketTimeoutException ex) {
			return null;
		}
		catch (SSLException ex) {
			return isOfTls(ex) ? ex : endAfterHandshake();
		}
		catch (IOException ex) {
			return endAfterHandshake();
		}
	}

	private static SSLHandshakeException endAfterHandshake() {
		return new SSLHandshakeException("the server has ended the connection after the handshake");
	}

	private static void connect(InetSocketAddress server, Socket socket) throws IOException {
		socket.connect(server, STEP_MILLIS);
		socket.setSoTimeout(STEP_MILLIS);
	}

	/**
	 * Why a server and the client do not get together.
	 *
	 * @param problem what is wrong, the end of a sentence
	 * @param action what to do about it
	 */
	record Finding(String problem, String action) {

		static Finding serverSpeaksTls(String server) {
			return new Finding(server + " speaks TLS, and the client does not",
					"Set interlock.zookeeper.ssl.bundle to the name of an SSL bundle, or write the port without TLS in "
							+ "interlock.zookeeper.connect-string.");
		}

		static Finding serverSpeaksNoTls(String server, @Nullable String bundle) {
			return new Finding("%s answers without TLS, and the client uses TLS %s".formatted(server, with(bundle)),
					"Write the port for TLS in interlock.zookeeper.connect-string (secureClientPort in the configuration "
							+ "of the server), or remove the properties below interlock.zookeeper.ssl.");
		}

		static Finding handshakeFailed(String server, @Nullable String bundle, Throwable cause) {
			return new Finding(
					"TLS with %s fails %s (%s: %s)".formatted(server, with(bundle), cause.getClass().getSimpleName(),
							cause.getMessage()),
					((bundle != null)
							? "Compare the SSL bundle '%s' (interlock.zookeeper.ssl.bundle) with the server."
								.formatted(bundle)
							: "Name an SSL bundle in interlock.zookeeper.ssl.bundle, because without one the client trusts "
									+ "what Java trusts.")
							+ " The trust store of the bundle needs the authority that has signed the certificate of the "
							+ "server. That certificate must be valid today, and name the host as "
							+ "interlock.zookeeper.connect-string does. If the server asks for certificates of clients, "
							+ "the key store of the bundle needs one that the server trusts.");
		}

		private static String with(@Nullable String bundle) {
			return (bundle != null) ? "with the SSL bundle '%s'".formatted(bundle) : "without an SSL bundle";
		}

	}

}
