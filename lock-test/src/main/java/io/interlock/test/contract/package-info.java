/**
 * What every provider of locks owes, as tests that the test of a provider inherits.
 */
@NullMarked
package io.interlock.test.contract;

import org.jspecify.annotations.NullMarked;
