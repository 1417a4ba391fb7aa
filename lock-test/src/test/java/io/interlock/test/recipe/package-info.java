/**
 * The code of the page on recipes and of the README, in an application of its own.
 */
@NullMarked
package io.interlock.test.recipe;

import org.jspecify.annotations.NullMarked;
