/**
 * Code with a rule switched off, so that a simulation has something to find.
 */
@org.jspecify.annotations.NullMarked
package io.interlock.rule;
