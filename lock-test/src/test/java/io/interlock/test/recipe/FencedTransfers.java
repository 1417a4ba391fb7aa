package io.interlock.test.recipe;

import java.math.BigDecimal;

import io.interlock.LockRequest;
import io.interlock.annotation.DistributedLock;
import io.interlock.template.LockContext;

import org.springframework.stereotype.Service;

/**
 * Transfers whose rows refuse a holder that comes too late.
 */
@Service
class FencedTransfers {

	private final Accounts accounts;

	FencedTransfers(Accounts accounts) {
		this.accounts = accounts;
	}

	@DistributedLock(name = "accounts", keys = { "#from", "#to" })
	public void transfer(long from, long to, BigDecimal amount) {
		this.accounts.add(from, amount.negate(), token(from));
		this.accounts.add(to, amount, token(to));
	}

	private static long token(long id) {
		LockRequest account = LockRequest.exclusive("accounts").withKey(id);
		return LockContext.find(account).orElseThrow().fencingToken();
	}

}
