package io.interlock.zookeeper.internal.session;

import org.apache.zookeeper.KeeperException.Code;

/**
 * The codes by which servers answer requests.
 *
 * @since 0.1.0
 */
public final class AnswerCode {

	private AnswerCode() {
	}

	/**
	 * Return what a number means. A server may be newer than its client.
	 * @param number the number in an answer
	 * @return {@link Code#SYSTEMERROR} if this client does not know it
	 */
	public static Code of(int number) {
		try {
			return Code.get(number);
		}
		catch (IllegalArgumentException ex) {
			return Code.SYSTEMERROR;
		}
	}

}
