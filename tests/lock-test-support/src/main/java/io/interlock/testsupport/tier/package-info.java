/**
 * The tiers in which tests run.
 */
@NullMarked
package io.interlock.testsupport.tier;

import org.jspecify.annotations.NullMarked;
