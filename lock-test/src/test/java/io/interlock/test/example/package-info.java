/**
 * The examples of the page on testing, in an application of their own.
 */
@NullMarked
package io.interlock.test.example;

import org.jspecify.annotations.NullMarked;
