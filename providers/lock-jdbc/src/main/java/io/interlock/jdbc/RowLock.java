package io.interlock.jdbc;

import java.sql.Types;
import java.time.Duration;
import java.util.List;

import io.interlock.LockMode;
import io.interlock.jdbc.LockRow.Row;
import io.interlock.lease.LeaseAnswer;
import io.interlock.lease.LeaseContender;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * What a contender does in a transaction that has locked the row of its lock: it removes
 * contenders whose leases are over, and takes the lock, its place among those that wait,
 * or nothing.
 */
final class RowLock {

	private final JdbcClient client;

	private final JdbcStatements sql;

	private final String lock;

	private final LeaseContender contender;

	private final LockRow line;

	RowLock(JdbcClient client, JdbcStatements sql, String lock, LeaseContender contender, LockRow line) {
		this.client = client;
		this.sql = sql;
		this.lock = lock;
		this.contender = contender;
		this.line = line;
	}

	/** Take the lock, a place among the contenders that wait, or nothing. */
	LeaseAnswer take(Duration lease, boolean waits) {
		List<String> dead = this.line.dead();
		if (!dead.isEmpty()) {
			this.client.sql(this.sql.deleteContenders(dead.size())).params(dead).update();
		}
		Row place = this.line.placeOf(this.contender).orElse(null);
		LeaseAnswer answer = take(place, lease.toMillis(), waits);
		boolean joined = !isOwner(answer) && (answer.granted() || waits || place != null);
		setQueued(joined || this.line.hasOthers(this.contender));
		return answer;
	}

	private boolean isOwner(LeaseAnswer answer) {
		return answer.granted() && this.contender.mode() == LockMode.EXCLUSIVE;
	}

	private LeaseAnswer take(@Nullable Row place, long lease, boolean waits) {
		if (this.line.isOwnedBy(this.contender)) {
			own(lease, this.line.ownerToken());
			return LeaseAnswer.granted(this.line.ownerToken());
		}
		if (place != null && place.token() != null) {
			extend(lease);
			return LeaseAnswer.granted(place.token());
		}
		if (this.line.admits(this.contender)) {
			hold(place, lease);
			return LeaseAnswer.granted(this.line.lastToken());
		}
		if (place != null) {
			extend(lease);
		}
		else if (waits) {
			join(lease, null);
		}
		return LeaseAnswer.heldBy(this.line.holderToken());
	}

	private void hold(@Nullable Row place, long lease) {
		if (this.contender.mode() == LockMode.EXCLUSIVE) {
			if (place != null) {
				this.client.sql(this.sql.deleteContender()).param(this.contender.id()).update();
			}
			own(lease, this.line.lastToken());
		}
		else if (place != null) {
			this.client.sql(this.sql.grantContender())
				.params(this.line.lastToken(), lease, this.contender.id())
				.update();
		}
		else {
			join(lease, this.line.lastToken());
		}
	}

	private void own(long lease, long token) {
		this.client.sql(this.sql.own())
			.params(this.contender.id(), ReadableText.of(this.contender.instance()), token, lease, this.lock)
			.update();
	}

	private void extend(long lease) {
		this.client.sql(this.sql.extendContender()).params(lease, this.contender.id()).update();
	}

	private void join(long lease, @Nullable Long token) {
		long turn = this.contender.first() ? -this.line.lastToken() : this.line.lastToken();
		this.client.sql(this.sql.insertContender())
			.params(this.contender.id(), this.lock, ReadableText.of(this.contender.instance()),
					this.contender.mode().name(), this.contender.permits(), turn)
			.param(7, token, Types.BIGINT)
			.param(8, lease)
			.update();
	}

	private void setQueued(boolean queued) {
		if (queued != this.line.queued()) {
			this.client.sql(this.sql.setQueued()).params(queued ? 1 : 0, this.lock).update();
		}
	}

}
