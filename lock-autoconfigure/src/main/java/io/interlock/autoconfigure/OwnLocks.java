package io.interlock.autoconfigure;

import java.time.Instant;
import java.util.Objects;

import io.interlock.LockId;
import io.interlock.RevocationRequest;
import io.interlock.admin.LockRevoker;
import io.interlock.admin.StaleTokenException;
import io.interlock.template.HeldLocks;
import org.jspecify.annotations.Nullable;

/** Takes away what this instance holds, where no store finds a lock by its token. */
record OwnLocks(HeldLocks locks) implements LockRevoker {

	@Override
	public Target release(LockId id, long token) {
		if (this.locks.held()
			.stream()
			.noneMatch((lock) -> lock.keptUntil() != null && lock.id().equals(id)
					&& Objects.equals(lock.token(), token))) {
			throw new StaleTokenException(id, token);
		}
		return requestRevocation(id, token, null, new RevocationRequest("An operator", Instant.now()));
	}

	@Override
	public Target requestRevocation(LockId id, long token, @Nullable Integer handoff, RevocationRequest request) {
		if (this.locks.requestRevocation((held) -> held.id().equals(id) && held.fencingToken() == token
				&& (handoff == null || handoff == held.handoff()), request) == 0) {
			throw new StaleTokenException(id, token);
		}
		return new Target(id, token, id.toString(), null);
	}

}
