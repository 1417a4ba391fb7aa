package io.interlock.admin;

import io.interlock.LockId;
import org.jspecify.annotations.Nullable;

/**
 * The contender for a lock that an operator addressed by its token.
 *
 * @param id the lock
 * @param token token of the contender
 * @param path path of its node
 * @param owner owner of the node, as far as its data tells
 * @since 0.1.0
 */
public record RevocationTarget(LockId id, long token, String path, @Nullable ContenderOwner owner) {

}
