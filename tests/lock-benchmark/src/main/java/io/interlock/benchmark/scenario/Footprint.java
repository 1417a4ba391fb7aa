package io.interlock.benchmark.scenario;

import java.lang.management.ManagementFactory;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.management.JMException;
import javax.management.ObjectName;

/**
 * The memory and the threads of this JVM, which has to track its native memory.
 *
 * @param heap bytes of the heap after a collection
 * @param stacks committed bytes of the stacks of threads
 * @param threads how many threads
 */
record Footprint(long heap, long stacks, int threads) {

	static final String JVM_OPTION = "-XX:NativeMemoryTracking=summary";

	private static final long KILOBYTE = 1024;

	private static final Pattern STACKS = Pattern.compile("stack: reserved=\\d+KB, committed=(\\d+)KB");

	static Footprint take() throws JMException {
		long heap = (long) (Sample.heapAfterCollection() * KILOBYTE * KILOBYTE);
		return new Footprint(heap, committedStacks(), ManagementFactory.getThreadMXBean().getThreadCount());
	}

	private static long committedStacks() throws JMException {
		Object summary = ManagementFactory.getPlatformMBeanServer()
			.invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "vmNativeMemory",
					new Object[] { new String[] { "summary" } }, new String[] { String[].class.getName() });
		Matcher stacks = STACKS.matcher(String.valueOf(summary));
		if (!stacks.find()) {
			throw new IllegalStateException("The JVM does not track its native memory: " + summary);
		}
		return Long.parseLong(stacks.group(1)) * KILOBYTE;
	}

	static Footprint ofLine(String line) {
		String[] values = line.split(" ");
		return new Footprint(Long.parseLong(values[0]), Long.parseLong(values[1]), Integer.parseInt(values[2]));
	}

	String toLine() {
		return "%d %d %d".formatted(this.heap, this.stacks, this.threads);
	}

}
