/**
 * What a client sees when something goes wrong.
 */
@NullMarked
package io.interlock.sample.web;

import org.jspecify.annotations.NullMarked;
