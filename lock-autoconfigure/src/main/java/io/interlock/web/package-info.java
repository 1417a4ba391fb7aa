/**
 * Answers over HTTP to requests that a lock has ended.
 */
@NullMarked
package io.interlock.web;

import org.jspecify.annotations.NullMarked;
