/**
 * Locks under the control of an application's tests.
 */
@NullMarked
package io.interlock.test;

import org.jspecify.annotations.NullMarked;
