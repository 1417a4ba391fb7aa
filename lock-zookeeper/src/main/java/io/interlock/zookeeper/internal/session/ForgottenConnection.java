package io.interlock.zookeeper.internal.session;

import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;

/**
 * Finds a connection that Curator has forgotten, and has it made anew. An event of the
 * last handle that is handled late overwrites what Curator knew of this one
 * ({@code ConnectionState.process}): every request then waits for a connection that is
 * there, and Curator ends the session that nothing is wrong with, or waits forever.
 * Invariant: a connection is cut only after an answer came over it to a client that did
 * not take itself for connected. Answers and events of a handle come in order, so its
 * event had been handled by then; and a handle that is given up has another number.
 * Serves one thread.
 *
 * @since 0.1.0
 */
public final class ForgottenConnection {

	private static final Log logger = LogFactory.getLog(ForgottenConnection.class);

	private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final ClientHandle handle;

	private final Executor threads;

	private final AtomicBoolean looking = new AtomicBoolean();

	private boolean connected = true;

	private long lookedAt;

	public ForgottenConnection(ClientHandle handle, Executor threads) {
		this.handle = handle;
		this.threads = threads;
	}

	/** Look once a second while Curator does not consider itself connected. */
	void lookWhenDue(long now) {
		boolean before = this.connected;
		this.connected = this.handle.isConnected();
		if (this.connected || before) {
			this.lookedAt = now;
		}
		else if (now - this.lookedAt >= INTERVAL_NANOS && this.looking.compareAndSet(false, true)) {
			this.lookedAt = now;
			try {
				// A request for the handle waits until the last one is closed.
				this.threads.execute(this::look);
			}
			catch (Throwable ex) {
				this.looking.set(false);
				throw ex;
			}
		}
	}

	private void look() {
		long number = this.handle.number();
		try {
			ZooKeeper zooKeeper = this.handle.current();
			if (zooKeeper.getState() == ZooKeeper.States.CONNECTED && isForgotten(number)) {
				zooKeeper.exists("/", false, (code, path, context, stat) -> {
					if ((code == Code.OK.intValue() || code == Code.NONODE.intValue()) && isForgotten(number)) {
						makeAnew(zooKeeper);
					}
				}, null);
			}
		}
		catch (IllegalStateException ex) {
			logger.debug("There is no connection to look at", ex);
		}
		finally {
			this.looking.set(false);
		}
	}

	/** Read the number of the handle last, because it is the first to change. */
	private boolean isForgotten(long number) {
		return !this.handle.isConnected() && number == this.handle.number();
	}

	private static void makeAnew(ZooKeeper zooKeeper) {
		logger.warn("Curator considers the connection of session 0x%x interrupted, although it works. It is reopened, "
			.formatted(zooKeeper.getSessionId()) + "and the session remains");
		try {
			zooKeeper.getTestable().closeSocket();
			// The client notices only when it has something to send.
			zooKeeper.exists("/", false, (code, path, context, stat) -> {
			}, null);
		}
		catch (IOException ex) {
			logger.debug("The connection could not be closed; the next check is due in a second", ex);
		}
	}

}
