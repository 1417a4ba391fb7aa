package io.interlock.testsupport.proxy;

import java.io.IOException;
import java.io.InputStream;

/**
 * Cuts what passes on one connection into pieces. Each piece passes its gate by itself.
 * Each direction is read by a thread of its own.
 */
interface Conversation {

	byte[] END = {};

	/**
	 * Read what the client says.
	 * @param from where to read
	 * @return the next piece, empty at the end of the stream
	 * @throws IOException if nothing more can be read
	 */
	byte[] readRequest(InputStream from) throws IOException;

	/**
	 * Read what the server says.
	 * @param from where to read
	 * @return the next piece, empty at the end of the stream
	 * @throws IOException if nothing more can be read
	 */
	byte[] readReply(InputStream from) throws IOException;

}
