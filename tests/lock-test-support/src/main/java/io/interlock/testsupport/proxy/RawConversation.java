package io.interlock.testsupport.proxy;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Bytes of any protocol, in pieces as they come.
 */
final class RawConversation implements Conversation {

	private static final int MAX_PIECE = 16384;

	@Override
	public byte[] readRequest(InputStream from) throws IOException {
		return read(from);
	}

	@Override
	public byte[] readReply(InputStream from) throws IOException {
		return read(from);
	}

	private static byte[] read(InputStream from) throws IOException {
		byte[] buffer = new byte[MAX_PIECE];
		int count = from.read(buffer);
		return (count < 0) ? END : Arrays.copyOf(buffer, count);
	}

}
