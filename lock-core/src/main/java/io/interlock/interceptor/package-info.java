/**
 * From an annotated method to a {@link io.interlock.LockRequest}: reading and checking
 * the annotations, evaluating keys, and the advice that runs methods under their lock.
 */
@NullMarked
package io.interlock.interceptor;

import org.jspecify.annotations.NullMarked;
