/**
 * Threads of a test, and ways to wait without noticing an interrupt.
 */
@NullMarked
package io.interlock.testsupport.thread;

import org.jspecify.annotations.NullMarked;
