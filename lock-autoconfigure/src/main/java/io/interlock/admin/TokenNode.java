package io.interlock.admin;

import io.interlock.LockId;
import org.jspecify.annotations.Nullable;

/**
 * The node in the queue of a lock that an operator meant by its token.
 *
 * @param id which lock
 * @param token token of the node
 * @param path path of the node
 * @param owner who made it, as far as the node says so
 * @since 0.1.0
 */
public record TokenNode(LockId id, long token, String path, @Nullable NodeOwner owner) {

}
