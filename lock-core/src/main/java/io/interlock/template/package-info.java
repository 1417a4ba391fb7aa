/**
 * Programmatic use: the template that adds deadlines, re-entrance, loss policies and
 * listeners to a {@link io.interlock.provider.LockProvider}.
 */
@NullMarked
package io.interlock.template;

import org.jspecify.annotations.NullMarked;
