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

	/** Return what a number means: {@link Code#SYSTEMERROR} if only servers know it. */
	public static Code of(int number) {
		try {
			return Code.get(number);
		}
		catch (IllegalArgumentException ex) {
			return Code.SYSTEMERROR;
		}
	}

}
