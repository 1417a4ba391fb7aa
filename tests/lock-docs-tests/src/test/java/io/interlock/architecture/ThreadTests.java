package io.interlock.architecture;

import java.util.Map;
import java.util.Set;
import java.util.Timer;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.ThreadFactory;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.interlock.internal.LockThreadPools;
import io.interlock.internal.LockThreads;

import org.springframework.core.task.TaskExecutor;
import org.springframework.scheduling.TaskScheduler;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/**
 * Where threads come from.
 */
@AnalyzeClasses(packages = "io.interlock", importOptions = StoreClasses.class)
class ThreadTests {

	private static final Set<Class<?>> MAKERS = Set.of(LockThreads.class, LockThreadPools.class);

	/** Those that make a thread or a pool of their own, by their reasons. */
	private static final Map<String, String> OTHERS = Map.of("io.interlock.template.AsyncThreads$Timer",
			"is a pool itself, because it notes when it lacks a thread; its thread comes from there",
			"io.interlock.LockOperator$OperatorThread", "its type tells that an operator asks on it");

	@ArchTest
	static final ArchRule threadsComeFromOnePlace = noClasses()
		.that(DescribedPredicate.describe("make no threads for others", (type) -> !isMaker(type)))
		.should()
		.accessTargetWhere(DescribedPredicate.describe("a thread or a pool is made", ThreadTests::makes))
		.because("names, daemons, idle times and what a pool may hold are decided there");

	private static boolean isMaker(JavaClass type) {
		return MAKERS.stream().anyMatch(type::isEquivalentTo) || OTHERS.containsKey(type.getName());
	}

	private static boolean makes(JavaAccess<?> access) {
		JavaClass owner = access.getTargetOwner();
		return owner.isEquivalentTo(Executors.class) || (access.getName().equals("<init>") && isOfThreads(owner))
				|| (owner.isEquivalentTo(Thread.class)
						&& access.getName().matches("ofVirtual|ofPlatform|startVirtualThread"));
	}

	private static boolean isOfThreads(JavaClass type) {
		return !type.getPackageName().startsWith("io.interlock") && Set
			.of(Thread.class, ForkJoinWorkerThread.class, ThreadFactory.class, ExecutorService.class, Timer.class,
					TaskExecutor.class, TaskScheduler.class)
			.stream()
			.anyMatch(type::isAssignableTo);
	}

}
