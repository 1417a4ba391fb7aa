package io.interlock.testsupport.proxy;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

/**
 * What a client asks a server, as numbered by
 * {@code org.apache.zookeeper.ZooDefs.OpCode}.
 *
 * @since 0.1.0
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

	SET_ACL(7),

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

	DELETE_CONTAINER(20),

	CREATE_TTL(21),

	AUTH(100),

	SET_WATCHES(101),

	SET_WATCHES2(105),

	CLOSE_SESSION(-11),

	/**
	 * What the server sends without being asked.
	 */
	WATCH_EVENT(Integer.MIN_VALUE + 1),

	OTHER(Integer.MIN_VALUE + 2);

	private static final Set<Operation> WRITES = EnumSet.of(CREATE, DELETE, SET_DATA, SET_ACL, MULTI, CREATE2,
			CREATE_CONTAINER, DELETE_CONTAINER, CREATE_TTL);

	private final int code;

	Operation(int code) {
		this.code = code;
	}

	static Operation of(int code) {
		return Arrays.stream(values()).filter((operation) -> operation.code == code).findFirst().orElse(OTHER);
	}

	/**
	 * Return whether clients send this although no lock is asked for or released: what
	 * keeps a session, and the beats of a lease.
	 * @return whether it belongs to the background
	 */
	public boolean isBackground() {
		return this == PING || this == SYNC || this == MULTI;
	}

	/**
	 * Return whether a quorum of servers has to write this down.
	 * @return whether it is a write
	 */
	public boolean isWrite() {
		return WRITES.contains(this);
	}

}
