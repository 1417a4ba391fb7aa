package io.interlock.kotlin

import io.interlock.LockException
import io.interlock.LockId
import io.interlock.LockNotAcquiredException
import io.interlock.LockRequest
import io.interlock.annotation.ContentionPolicy
import io.interlock.annotation.DistributedLock
import io.interlock.autoconfigure.InterlockAutoConfiguration
import io.interlock.autoconfigure.LockAnnotationsAutoConfiguration
import io.interlock.interceptor.LockAdvisor
import io.interlock.memory.InMemoryLockProvider
import io.interlock.provider.LockCaller
import io.interlock.template.HeldLocks
import io.interlock.template.ReactiveLockContext
import java.io.IOException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration
import org.springframework.boot.test.context.assertj.AssertableApplicationContext
import org.springframework.boot.test.context.runner.ApplicationContextRunner

/**
 * Tests for suspending functions with a lock annotation.
 */
@Timeout(60)
class SuspendingMethodTests {

	private val contextRunner = ApplicationContextRunner()
		.withConfiguration(
			AutoConfigurations.of(
				AopAutoConfiguration::class.java,
				InterlockAutoConfiguration::class.java,
				LockAnnotationsAutoConfiguration::class.java,
			),
		)
		.withPropertyValues("interlock.provider=memory")

	@Test
	fun isLockedUntilItHasEnded() = withOrders { orders, context ->
		runBlocking(Dispatchers.Default) {
			val result = async { orders.ship(7) }
			val heldLocks = context.getBean(HeldLocks::class.java)
			orders.begun.await()
			assertThat(heldLocks.held()).hasSize(1)
			orders.work.complete("shipped")
			assertThat(result.await()).isEqualTo("shipped orders[7]")
			await().untilAsserted { assertThat(heldLocks.held()).isEmpty() }
		}
	}

	@Test
	fun callsTakeTurns() = withOrders { orders, _ ->
		runBlocking(Dispatchers.Default) { List(50) { async { orders.count() } }.awaitAll() }
		assertThat(orders.count).isEqualTo(50)
	}

	@Test
	fun failureReachesTheCaller() = withOrders { orders, _ ->
		assertThatExceptionOfType(IOException::class.java).isThrownBy { runBlocking { orders.fail(7) } }
	}

	@Test
	fun contentionIsSkippedFailedOrAnsweredByAFallback() = withOrders { orders, context ->
		val other = context.getBean(InMemoryLockProvider::class.java)
			.attempt(LockRequest.exclusive("orders").withKey(7), LockCaller.current())
			.outcome().join().orElseThrow()
		runBlocking {
			assertThat(orders.skip(7)).isNull()
			assertThat(orders.orQueue(7)).isEqualTo("queued 7")
			assertThat(orders.orRefuse(7)).isEqualTo("refused 7: LockNotAcquiredException")
		}
		assertThatExceptionOfType(LockNotAcquiredException::class.java).isThrownBy { runBlocking { orders.soon(7) } }
		other.release()
		orders.work.complete("shipped")
		runBlocking {
			assertThat(orders.skip(7)).isEqualTo("shipped orders[7]")
			assertThat(orders.orQueue(7)).isEqualTo("shipped orders[7]")
		}
	}

	@Test
	fun refusesASuspendingFunctionThatReturnsAFlow() {
		this.contextRunner.withBean(Flows::class.java).run { context ->
			assertThat(context).getFailure().rootCause()
				.hasMessageContaining("Flows.numbers(")
				.hasMessageContaining("The work behind a Flow continues after the lock is released")
		}
	}

	@Test
	fun refusesASuspendingFunctionThatReturnsFlowsInAWrapper() {
		this.contextRunner.withBean(WrappedFlows::class.java).run { context ->
			assertThat(context).getFailure().rootCause()
				.hasMessageContaining("WrappedFlows.numbers(")
				.hasMessageContaining("The work behind a Flow in a List continues after the lock is released")
		}
	}

	/** Proxies are asked for by any method, in an order that the virtual machine chooses. */
	@Test
	fun implementationsThatTheCompilerAddsArePassedOver() = withOrders { _, context ->
		val advisor = context.getBean(LockAdvisor::class.java)
		val methods = Orders::class.java.declaredMethods
		assertThat(methods).anyMatch { it.isSynthetic && it.isAnnotationPresent(DistributedLock::class.java) }
		assertThat(methods.filter { advisor.matches(it, Orders::class.java) }.map { it.name })
			.containsExactlyInAnyOrder("ship", "count", "fail", "skip", "soon", "orQueue", "orRefuse")
	}

	@Test
	fun cancellationReleases() = withOrders { orders, context ->
		val heldLocks = context.getBean(HeldLocks::class.java)
		runBlocking(Dispatchers.Default) {
			val result = async { orders.ship(7) }
			orders.begun.await()
			assertThat(heldLocks.held()).hasSize(1)
			result.cancelAndJoin()
		}
		await().untilAsserted { assertThat(heldLocks.held()).isEmpty() }
	}

	private fun withOrders(test: (Orders, AssertableApplicationContext) -> Unit) {
		this.contextRunner.withBean(Orders::class.java).run { context ->
			test(context.getBean(Orders::class.java).target(), context)
		}
	}

	private fun Orders.target() = this

	open class Orders {

		open val begun = CompletableDeferred<Unit>()

		open val work = CompletableDeferred<String>()

		open var count = 0

		@DistributedLock(name = "orders", key = "#id")
		open suspend fun ship(id: Int): String {
			begun.complete(Unit)
			val lock = ReactiveLockContext.current().awaitSingle()
			return work.await() + " " + lock.id()
		}

		@DistributedLock("count")
		open suspend fun count() {
			val before = count
			yield()
			count = before + 1
		}

		@DistributedLock(name = "orders", key = "#id")
		open suspend fun fail(id: Int): String = throw IOException("disk $id")

		@DistributedLock(name = "orders", key = "#id", onContention = ContentionPolicy.SKIP)
		open suspend fun skip(id: Int): String? = ship(id)

		@DistributedLock(name = "orders", key = "#id", waitTime = "20ms")
		open suspend fun soon(id: Int): String = ship(id)

		@DistributedLock(name = "orders", key = "#id", waitTime = "20ms", fallback = "queue")
		open suspend fun orQueue(id: Int): String = ship(id)

		suspend fun queue(id: Int): String {
			yield()
			return "queued $id"
		}

		@DistributedLock(name = "orders", key = "#id", waitTime = "20ms", fallback = "refuse")
		open suspend fun orRefuse(id: Int): String = ship(id)

		fun refuse(id: Int, reason: LockException): String = "refused $id: ${reason.javaClass.simpleName}"

	}

	open class WrappedFlows {

		@DistributedLock("numbers")
		open suspend fun numbers(): List<Flow<Int>> = listOf(flowOf(1))

	}

	open class Flows {

		@DistributedLock("numbers")
		open suspend fun numbers(): Flow<Int> = flowOf(1)

	}

}
