/**
 * What the packages of this library share and applications do not use. It knows no other
 * package, so that each of them may know it, and it may change at any time.
 */
@NullMarked
package io.interlock.internal;

import org.jspecify.annotations.NullMarked;
