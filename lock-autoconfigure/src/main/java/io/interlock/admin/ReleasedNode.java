package io.interlock.admin;

import io.interlock.LockId;
import org.jspecify.annotations.Nullable;

/**
 * A node that was taken out of the queue of a lock by force.
 *
 * @param id which lock
 * @param token token of the node
 * @param path path of the node
 * @param owner who made it, as far as the node said so
 * @since 0.1.0
 */
public record ReleasedNode(LockId id, long token, String path, @Nullable NodeOwner owner) {

}
