package io.interlock.kotlin

import io.interlock.LockHandle
import io.interlock.LockRequest
import io.interlock.template.LockOperations
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.future.asCompletableFuture
import kotlinx.coroutines.future.await
import kotlin.time.Duration
import kotlin.time.toJavaDuration

/**
 * Runs [action] under an exclusive lock, which is released when it returns or throws. The
 * calling thread waits for the lock.
 *
 * @param name name of the lock
 * @param key what narrows the lock, or `null` for one lock of that name
 * @param waitTime how long to wait for other holders, or `null` for the default of the
 * application
 * @throws io.interlock.LockException what [LockOperations.execute] throws
 */
public fun <T> LockOperations.withLock(
	name: String,
	key: Any? = null,
	waitTime: Duration? = null,
	action: (LockHandle) -> T,
): T = execute<T, Exception>(exclusive(name, key, waitTime)) { action(it) }

/**
 * Runs [action] under an exclusive lock without blocking a thread, and releases the lock
 * when it has ended.
 *
 * @param name name of the lock
 * @param key what narrows the lock, or `null` for one lock of that name
 * @param waitTime how long to wait for other holders, or `null` for the default of the
 * application
 * @throws io.interlock.LockException what [LockOperations.executeAsync] fails with
 * @see executeAndAwait
 */
public suspend fun <T> LockOperations.withLockAndAwait(
	name: String,
	key: Any? = null,
	waitTime: Duration? = null,
	action: suspend CoroutineScope.(LockHandle) -> T,
): T = executeAndAwait(exclusive(name, key, waitTime), action)

/**
 * Runs [action] under a lock without blocking a thread, and releases the lock when it has
 * ended. It runs in the context of the caller. A coroutine that is cancelled gives up
 * while it waits for the lock; later its action is cancelled, and the lock is released
 * when that has ended. A coroutine has no thread, so [LockHandle] is the way to the lock,
 * and a lock that is asked for again inside of [action] waits for itself.
 *
 * @param request which lock, and how
 * @throws io.interlock.LockException what [LockOperations.executeAsync] fails with
 */
public suspend fun <T> LockOperations.executeAndAwait(
	request: LockRequest,
	action: suspend CoroutineScope.(LockHandle) -> T,
): T = coroutineScope {
	executeAsync<T>(request) { lock ->
		// A minimal stage cannot be completed by a cancellation before the action has ended.
		async { action(lock) }.asCompletableFuture().minimalCompletionStage()
	}.await()
}

private fun exclusive(name: String, key: Any?, waitTime: Duration?): LockRequest {
	val request = LockRequest.exclusive(name)
	val keyed = if (key != null) request.withKey(key) else request
	return if (waitTime != null) keyed.withWaitTime(waitTime.toJavaDuration()) else keyed
}
