package io.interlock.zookeeper.internal.node;

import java.nio.charset.StandardCharsets;
import java.util.function.Function;

import io.interlock.LockId;
import io.interlock.provider.LockCaller;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.json.JsonWriter;

/**
 * Writes the owners of one instance's lock nodes: a small JSON record for operators who
 * look at it with {@code zkCli.sh get}. No lock depends on it. Where several threads of
 * an instance hold the lock in turn through one node, it names the first.
 * <p>
 * Long texts are cut, so that a record stays below 1 KB. What all records of the instance
 * share is written once, because a record is part of every acquisition. Safe for use by
 * many threads.
 *
 * @since 0.1.0
 */
public final class OwnerRecords {

	public static final int VERSION = 1;

	/** No record is longer. */
	public static final int MAX_BYTES = 4096;

	private static final JsonWriter<Acquisition> ACQUISITION = JsonWriter.of((json) -> {
		addText(json, "thread", (acquisition) -> acquisition.owner().thread(), 100);
		json.add("since", (acquisition) -> acquisition.owner().since());
		addText(json, "name", (acquisition) -> acquisition.id().name(), 140);
		addText(json, "key", (acquisition) -> acquisition.id().key(), 200);
		addText(json, "traceId", (acquisition) -> acquisition.owner().traceId(), 60);
	});

	private final String start;

	private final byte @Nullable [] constant;

	public OwnerRecords(@Nullable String application, String instance, @Nullable String host, @Nullable Long pid) {
		this(application, instance, host, pid, LockData.FULL);
	}

	public OwnerRecords(@Nullable String application, String instance, @Nullable String host, @Nullable Long pid,
			LockData data) {
		this.constant = (data != LockData.FULL) ? constant(instance, data) : null;
		String shared = RecordJson.write(JsonWriter.of((json) -> {
			json.add("version", VERSION);
			addText(json, "application", (self) -> application, 80);
			addText(json, "instance", (self) -> instance, 100);
			addText(json, "host", (self) -> host, 80);
			json.add("pid", pid).whenNotNull();
		}), this);
		this.start = shared.substring(0, shared.length() - 1) + ",";
	}

	private static byte[] constant(String instance, LockData data) {
		String record = RecordJson.write(JsonWriter.of((json) -> {
			json.add("version", VERSION);
			addText(json, "instance", (value) -> (data == LockData.MINIMAL) ? value : null, 100);
		}), instance);
		return record.getBytes(StandardCharsets.US_ASCII);
	}

	public byte[] write(LockId id, LockCaller owner) {
		if (this.constant != null) {
			return this.constant;
		}
		String acquisition = RecordJson.write(ACQUISITION, new Acquisition(id, owner));
		return (this.start + acquisition.substring(1)).getBytes(StandardCharsets.US_ASCII);
	}

	private static <T> void addText(JsonWriter.Members<T> json, String field, Function<T, @Nullable String> text,
			int maxLength) {
		json.add(field, (value) -> RecordJson.cut(text.apply(value), maxLength)).whenNotNull();
	}

	private record Acquisition(LockId id, LockCaller owner) {

	}

}
