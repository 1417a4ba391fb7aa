/**
 * Vocabulary of distributed locks: what is asked for, what is held, what can go wrong,
 * and the two interfaces to extend.
 */
@NullMarked
package io.interlock;

import org.jspecify.annotations.NullMarked;
