package io.interlock.zookeeper.internal.client;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;

import org.apache.zookeeper.client.ConnectStringParser;

import org.springframework.util.StringUtils;

/** Names the servers of a connect string whose hosts the name service does not know. */
final class UnknownHosts {

	private UnknownHosts() {
	}

	/**
	 * Return a sentence, or an empty text if all hosts are known. Blocks while the name
	 * service does.
	 */
	static String in(String connectString) {
		if (!StringUtils.hasText(connectString)) {
			return "";
		}
		List<String> unknown = new ConnectStringParser(connectString).getServerAddresses()
			.stream()
			.map(InetSocketAddress::getHostString)
			.distinct()
			.filter((host) -> !isKnown(host))
			.toList();
		return unknown.isEmpty() ? ""
				: " The name service cannot resolve %s: correct interlock.zookeeper.connect-string."
					.formatted(String.join(", ", unknown));
	}

	private static boolean isKnown(String host) {
		try {
			InetAddress.getByName(host);
			return true;
		}
		catch (UnknownHostException ex) {
			return false;
		}
	}

}
