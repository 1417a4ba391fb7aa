package io.interlock.proxy;

import java.util.Arrays;

/**
 * What a client asks a server, as numbered by
 * {@code org.apache.zookeeper.ZooDefs.OpCode}.
 */
public enum Operation {

	/**
	 * The request that opens a session or takes it over; it has no number on the wire.
	 */
	CONNECT(Integer.MIN_VALUE),

	CREATE(1),

	DELETE(2),

	EXISTS(3),

	GET_DATA(4),

	SET_DATA(5),

	GET_CHILDREN(8),

	SYNC(9),

	PING(11),

	GET_CHILDREN2(12),

	CHECK(13),

	MULTI(14),

	CREATE2(15),

	CHECK_WATCHES(17),

	REMOVE_WATCHES(18),

	CREATE_CONTAINER(19),

	AUTH(100),

	SET_WATCHES(101),

	SET_WATCHES2(105),

	CLOSE_SESSION(-11),

	/**
	 * What the server sends without being asked.
	 */
	WATCH_EVENT(Integer.MIN_VALUE + 1),

	OTHER(Integer.MIN_VALUE + 2);

	private final int code;

	Operation(int code) {
		this.code = code;
	}

	static Operation of(int code) {
		return Arrays.stream(values()).filter((operation) -> operation.code == code).findFirst().orElse(OTHER);
	}

	/**
	 * Return whether this is sent without anybody doing anything with a lock: what keeps
	 * the session, and the beats of its lease.
	 * @return whether it belongs to the background
	 */
	public boolean isBackground() {
		return this == PING || this == SYNC || this == MULTI;
	}

}
