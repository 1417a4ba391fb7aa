/**
 * Conditions of tests that need containers.
 */
@NullMarked
package io.interlock.testsupport.docker;

import org.jspecify.annotations.NullMarked;
