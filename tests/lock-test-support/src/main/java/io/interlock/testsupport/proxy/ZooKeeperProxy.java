package io.interlock.testsupport.proxy;

import java.util.List;

/**
 * A proxy before a ZooKeeper server that reads what passes: it counts what clients ask,
 * and loses or holds a reply to a chosen request. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class ZooKeeperProxy extends TcpProxy {

	private final Traffic traffic;

	private ZooKeeperProxy(int serverPort, Traffic traffic) {
		super(serverPort, (cut) -> new ZooKeeperConversation(traffic, cut));
		this.traffic = traffic;
	}

	/**
	 * Start a proxy that lets everything pass.
	 * @param serverPort client port of the server on the loopback interface
	 * @return the proxy, which listens on a port of its own choice
	 */
	public static ZooKeeperProxy to(int serverPort) {
		return new ZooKeeperProxy(serverPort, new Traffic());
	}

	/**
	 * Return the requests that were read since the start or since they were forgotten,
	 * without pings and the beats of a lease.
	 * @return the requests, oldest first
	 */
	public List<Operation> requests() {
		return this.traffic.requests((operation) -> !operation.isBackground());
	}

	/**
	 * Return how often something was asked.
	 * @param operation what
	 * @return the number of requests since the start or since they were forgotten
	 */
	public long count(Operation operation) {
		return this.traffic.count((each) -> each == operation);
	}

	/**
	 * Return how many requests there were besides pings and the opening of sessions. A
	 * client that waits for each reply needs a round trip for each of them.
	 * @return the number of requests since the start or since they were forgotten
	 */
	public long roundTrips() {
		return this.traffic.count((operation) -> operation != Operation.CONNECT && operation != Operation.PING);
	}

	/**
	 * Return how many requests a quorum had to write.
	 * @return the number of requests since the start or since they were forgotten
	 */
	public long writes() {
		return this.traffic.count(Operation::isWrite);
	}

	/**
	 * Forget the requests that were read.
	 */
	public void forget() {
		this.traffic.forget();
	}

	/**
	 * Have the next request of a type executed, lose its reply, and reset the connection.
	 * @param operation the type
	 */
	public void loseNextReply(Operation operation) {
		this.traffic.loseNextReply(operation);
	}

	/**
	 * Run an action when the next reply of a type was read from the server and before it
	 * is passed on. The replies behind it on its connection wait for the action.
	 * @param operation the type
	 * @param action what to do
	 */
	public void onNextReply(Operation operation, Runnable action) {
		this.traffic.onNextReply(operation, action);
	}

	@Override
	public void heal() {
		this.traffic.heal();
		super.heal();
	}

}
