/**
 * Tests for locks under the control of a test.
 */
@NullMarked
package io.interlock.test;

import org.jspecify.annotations.NullMarked;
