package io.interlock.faults.check;

/**
 * A promise that was broken.
 *
 * @param checker who noticed
 * @param text what happened
 */
public record Violation(String checker, String text) {

}
