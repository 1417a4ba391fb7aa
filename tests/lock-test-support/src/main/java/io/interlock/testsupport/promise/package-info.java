/**
 * What the library promises, and which test proves it.
 */
@NullMarked
package io.interlock.testsupport.promise;

import org.jspecify.annotations.NullMarked;
