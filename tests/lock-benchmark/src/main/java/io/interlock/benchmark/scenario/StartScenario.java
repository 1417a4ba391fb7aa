package io.interlock.benchmark.scenario;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.start.ClassArchive;
import io.interlock.benchmark.start.ClassPath;
import io.interlock.benchmark.start.StartApplication;
import io.interlock.benchmark.start.StartedApplication;
import io.interlock.benchmark.start.StartedApplication.Call;
import io.interlock.benchmark.start.StartedApplication.Startup;

/**
 * What the starter costs an application that does nothing else: time to start, size and
 * threads, beside the same application without the starter.
 */
final class StartScenario implements Scenario {

	private static final int STARTS_PER_ROUND = 3;

	private static final double GOAL_SECONDS = 0.25;

	private static final double GOAL_MEGABYTES = 10;

	private static final int GOAL_THREADS = 2;

	/** Largest jars that are named. */
	private static final int NAMED_JARS = 8;

	/** Threads that only take part in a start or a call take a moment to go. */
	private static final long NANOS_TO_SETTLE = TimeUnit.SECONDS.toNanos(2);

	@Override
	public String name() {
		return "start";
	}

	@Override
	public String title() {
		return "An application that starts with the starter and without it";
	}

	@Override
	public String run(Site site) {
		Path directory = site.directory().resolve("start");
		ClassPath without = ClassPath.of("without-starter", directory);
		ClassPath with = ClassPath.of("with-starter", directory);
		String connect = "--interlock.zookeeper.connect-string=" + site.connectString(1);
		ClassPath jars = with.below(StartApplication.class, directory);
		Application plain = new Application("without the starter", without.below(StartApplication.class, directory),
				List.of(connect), false);
		Application starter = new Application("with the starter, defaults", jars, List.of(connect), true);
		Application connected = new Application("with the starter, connected when ready", jars,
				List.of(connect, "--interlock.startup-timeout=20s"), true);
		List<Application> applications = List.of(plain, starter, connected,
				new Application("the same without `aspectjweaver`", jars.withoutJar("aspectjweaver"),
						connected.properties(), true),
				plain.archived("without the starter, AppCDS", directory.resolve("without.jsa")),
				starter.archived("with the starter, defaults, AppCDS", directory.resolve("with.jsa")));
		applications.forEach((application) -> application.start(directory));
		applications.forEach((application) -> application.starts().clear());
		for (int start = 1; start <= STARTS_PER_ROUND * site.rounds(); start++) {
			for (Application application : applications) {
				Startup startup = application.start(directory);
				System.err.printf("start %d, %s: %s%n", start, application.title(), startup);
			}
		}
		return times(applications) + size(without, with) + threads(plain, connected, site, directory);
	}

	private static String times(List<Application> applications) {
		Table table = new Table(List.of("", "start-up, s", "lowest to highest", "more than without", "goal",
				"process start to ready, s", "CPU until ready, s", "classes loaded", "first call, ms"));
		for (Application application : applications) {
			Figures startup = startup(application);
			double more = startup.median() - startup(application.base(applications)).median();
			boolean compared = application.locks();
			table.add(List.of(application.title(), Table.number(startup.median()), startup.range(),
					compared ? Table.number(more) : "",
					compared ? Table.goal(Table.number(GOAL_SECONDS), more <= GOAL_SECONDS) : "",
					application.median((start) -> seconds(start.startup().process())),
					application.median((start) -> seconds(start.startup().cpu())),
					application.median((start) -> start.startup().classes()),
					application.median((start) -> Readings.millis(start.call().nanos()))));
		}
		return table.toString();
	}

	private static Figures startup(Application application) {
		return application.figures((start) -> seconds(start.startup().application()));
	}

	private static double seconds(long nanos) {
		return Readings.seconds(nanos);
	}

	private static String size(ClassPath without, ClassPath with) {
		ClassPath added = with.without(without);
		double more = with.megabytes() - without.megabytes();
		String largest = added.jars()
			.stream()
			.sorted(Comparator.comparingLong(ClassPath::size).reversed())
			.limit(NAMED_JARS)
			.map((jar) -> "`%s` %s".formatted(jar.getFileName(), Table.number(new ClassPath(List.of(jar)).megabytes())))
			.collect(Collectors.joining(", "));
		return """

				Jars: %s MB without the starter, %s MB with it. Added: %s MB (goal %s: %s) in %d jars. \
				Native libraries among them: %d, %s MB. The largest jars, in MB: %s.
				""".formatted(Table.number(without.megabytes()), Table.number(with.megabytes()), Table.number(more),
				Table.number(GOAL_MEGABYTES), verdict(more <= GOAL_MEGABYTES), added.jars().size(),
				added.nativeLibraries(), Table.number(added.nativeMegabytes()), largest);
	}

	private static String threads(Application plain, Application connected, Site site, Path directory) {
		Threads without = plain.threads(directory);
		Threads with = connected.threads(directory);
		List<String> curator = threadsOfCurator(site);
		List<String> own = with.afterCall().stream().filter((name) -> !curator.contains(name)).toList();
		int more = with.afterCall().size() - without.afterCall().size();
		return """

				Threads without the starter: %s. With it: %s; after a call: %s. Added: %d (goal %d: %s). \
				Plain Curator that has locked: %s. Interlock beside it: %s. \
				What an idle application asks the server, and how often, is told by the scenario `idle`.
				""".formatted(Threads.named(without.afterCall()), Threads.named(with.afterStart()),
				Threads.named(with.afterCall()), more, GOAL_THREADS, verdict(more <= GOAL_THREADS),
				Threads.named(curator), Threads.named(own));
	}

	private static List<String> threadsOfCurator(Site site) {
		try (ClientProcess client = new ClientProcess(Contestant.CURATOR_SHARED, site.connectString(1), site)) {
			client.beginCalls(1);
			client.awaitCost();
			return Threads.withoutAddress(client.threads());
		}
	}

	private static String verdict(boolean met) {
		return met ? "met" : "missed";
	}

	/**
	 * An application that is started again and again.
	 *
	 * @param title what it is called in the table
	 * @param classPath its jars
	 * @param jvmOptions options of its JVM
	 * @param properties its properties, as arguments
	 * @param locks whether its annotated method has to be locked
	 * @param starts its starts so far
	 */
	private record Application(String title, ClassPath classPath, List<String> jvmOptions, List<String> properties,
			boolean locks, List<Start> starts) {

		Application(String title, ClassPath classPath, List<String> properties, boolean locks) {
			this(title, classPath, List.of(), properties, locks, new ArrayList<>());
		}

		/** Return this application with its classes in an archive, which is made now. */
		Application archived(String title, Path file) {
			List<String> options = ClassArchive.create(this.classPath, this.properties, file).jvmOptions();
			return new Application(title, this.classPath, options, this.properties, this.locks, new ArrayList<>());
		}

		/** Return the application without the starter that this one compares with. */
		Application base(List<Application> applications) {
			return applications.stream()
				.filter((other) -> !other.locks && other.jvmOptions.isEmpty() == this.jvmOptions.isEmpty())
				.findFirst()
				.orElseThrow();
		}

		Startup start(Path directory) {
			try (StartedApplication application = open(directory)) {
				this.starts.add(new Start(application.startup(), call(application)));
				return application.startup();
			}
		}

		Threads threads(Path directory) {
			try (StartedApplication application = open(directory)) {
				LockSupport.parkNanos(NANOS_TO_SETTLE);
				List<String> afterStart = Threads.withoutAddress(application.threads());
				call(application);
				LockSupport.parkNanos(NANOS_TO_SETTLE);
				return new Threads(afterStart, Threads.withoutAddress(application.threads()));
			}
		}

		private StartedApplication open(Path directory) {
			return StartedApplication.start(this.classPath, this.jvmOptions, this.properties,
					directory.resolve("application.log"));
		}

		private Call call(StartedApplication application) {
			Call call = application.call();
			if (call.intercepted() != this.locks) {
				throw new IllegalStateException("The application '%s' was expected to be %s, and was not"
					.formatted(this.title, this.locks ? "locked" : "unlocked"));
			}
			return call;
		}

		String median(ToDoubleFunction<Start> property) {
			return Table.number(figures(property).median());
		}

		Figures figures(ToDoubleFunction<Start> property) {
			return new Figures(this.starts.stream().mapToDouble(property).toArray());
		}

	}

	/**
	 * One start.
	 *
	 * @param startup how long it took
	 * @param call the first call
	 */
	private record Start(Startup startup, Call call) {

	}

	/**
	 * Names of the threads of an application.
	 *
	 * @param afterStart when it has started
	 * @param afterCall when it has made its first call
	 */
	private record Threads(List<String> afterStart, List<String> afterCall) {

		static List<String> withoutAddress(List<String> names) {
			return names.stream().map((name) -> name.replaceAll("\\(.*\\)", "")).toList();
		}

		static String named(List<String> names) {
			return names.isEmpty() ? "0" : "%d (`%s`)".formatted(names.size(), String.join("`, `", names));
		}

	}

}
