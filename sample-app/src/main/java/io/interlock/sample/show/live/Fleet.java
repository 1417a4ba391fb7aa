package io.interlock.sample.show.live;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.interlock.admin.ContenderOwner;
import io.interlock.admin.LockContender;
import org.jspecify.annotations.Nullable;

/**
 * The instances of the box office, by what a contender says of its own.
 *
 * @param sessions names of the instances by their sessions, in ZooKeeper
 * @param tokens names of the instances by the tokens of their holds: the node of a lock
 * that is kept belongs to no session
 * @param owners names of the instances by their identifiers, which a waiter in a store
 * without sessions has alone
 */
record Fleet(Map<String, String> sessions, Map<Long, String> tokens, Map<String, String> owners) {

	static Fleet of(List<InstanceView> views) {
		Fleet fleet = new Fleet(new HashMap<>(), new HashMap<>(), new HashMap<>());
		views.forEach(fleet::add);
		return fleet;
	}

	private void add(InstanceView view) {
		if (view.session() != null && view.session().id() != null) {
			this.sessions.put(view.session().id(), view.name());
		}
		if (view.id() != null) {
			this.owners.put(view.id(), view.name());
		}
		for (LockView lock : view.locks()) {
			for (LockView.Holder holder : lock.holders()) {
				if (holder.token() != null) {
					this.tokens.put(holder.token(), view.name());
				}
			}
		}
	}

	/** Return the name of an instance, or {@code null} for another client. */
	@Nullable String nameOf(LockContender contender) {
		if (contender.session() != null) {
			return this.sessions.get(contender.session());
		}
		String name = (contender.token() != null) ? this.tokens.get(contender.token()) : null;
		ContenderOwner owner = contender.owner();
		return (name != null || owner == null || owner.instance() == null) ? name : this.owners.get(owner.instance());
	}

}
