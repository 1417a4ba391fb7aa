package io.interlock.kotlin

import io.interlock.LockId
import io.interlock.LockLostException
import io.interlock.LockNotAcquiredException
import io.interlock.LockRequest
import io.interlock.LockState
import io.interlock.memory.InMemoryLockProvider
import io.interlock.template.LockContext
import io.interlock.template.LockTemplate
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import java.io.IOException
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds

/**
 * Tests for the extension functions.
 */
@Timeout(60)
class LockOperationsExtensionsTests {

	private val provider = InMemoryLockProvider()

	private val locks = LockTemplate(provider)

	@AfterEach
	fun nothingIsHeld() {
		await().untilAsserted { assertThat(provider.grants()).isEmpty() }
	}

	@Test
	fun withLockRunsUnderTheLock() {
		val id = locks.withLock("stock", key = "A-1") { lock ->
			assertThat(LockContext.current().id()).isEqualTo(lock.id())
			lock.id()
		}
		assertThat(id).isEqualTo(LockId("stock", "A-1"))
	}

	@Test
	fun withLockWaitsAsLongAsItIsTold() {
		val other = locks.acquire(LockRequest.exclusive("stock")).detach()
		other.use {
			assertThatExceptionOfType(LockNotAcquiredException::class.java).isThrownBy {
				locks.withLock("stock", waitTime = Duration.ZERO) { }
			}
		}
	}

	@Test
	fun withLockPassesNullAndCheckedExceptions() {
		val nothing: String? = locks.withLock("stock") { null }
		assertThat(nothing).isNull()
		assertThatExceptionOfType(IOException::class.java).isThrownBy {
			locks.withLock("stock") { throw IOException("disk") }
		}
	}

	@Test
	fun coroutinesTakeTurns(): Unit = runBlocking(Dispatchers.Default) {
		var count = 0
		List(50) {
			async {
				locks.withLockAndAwait("stock") {
					val before = count
					yield()
					count = before + 1
				}
			}
		}.awaitAll()
		assertThat(count).isEqualTo(50)
	}

	@Test
	fun actionMaySuspendAndReturnNull(): Unit = runBlocking(Dispatchers.Default) {
		val work = CompletableDeferred<String?>()
		val result = async { locks.withLockAndAwait("stock", key = 7) { work.await() } }
		await().untilAsserted { assertThat(provider.grants()).hasSize(1) }
		work.complete(null)
		assertThat(result.await()).isNull()
	}

	@Test
	fun failureOfAnActionReachesTheCaller() {
		assertThatExceptionOfType(IOException::class.java).isThrownBy {
			runBlocking { locks.withLockAndAwait("stock") { throw IOException("disk") } }
		}
	}

	@Test
	fun contentionReachesTheCaller() {
		val other = locks.acquire(LockRequest.exclusive("stock")).detach()
		other.use {
			assertThatExceptionOfType(LockNotAcquiredException::class.java).isThrownBy {
				runBlocking { locks.withLockAndAwait("stock", waitTime = 20.milliseconds) { } }
			}
		}
	}

	@Test
	fun lossReachesTheCaller() {
		assertThatExceptionOfType(LockLostException::class.java).isThrownBy {
			runBlocking {
				locks.withLockAndAwait("stock") { provider.changeState(LockId("stock", null), LockState.LOST) }
			}
		}
	}

	@Test
	fun cancellingGivesUpTheWait(): Unit = runBlocking(Dispatchers.Default) {
		val other = locks.acquire(LockRequest.exclusive("stock")).detach()
		var begun = false
		val waiter = launch { locks.withLockAndAwait("stock") { begun = true } }
		yield()
		waiter.cancelAndJoin()
		other.close()
		assertThat(begun).isFalse()
	}

	@Test
	fun cancellingEndsTheActionBeforeTheLock(): Unit = runBlocking(Dispatchers.Default) {
		val begun = CompletableDeferred<Unit>()
		var heldAtTheEnd = 0
		val holder = launch {
			locks.withLockAndAwait("stock") {
				try {
					begun.complete(Unit)
					CompletableDeferred<Unit>().await()
				} finally {
					heldAtTheEnd = provider.grants().size
				}
			}
		}
		begun.await()
		holder.cancelAndJoin()
		assertThat(heldAtTheEnd).isEqualTo(1)
	}

}
