/**
 * Locks in applications that have the developer tools of Spring Boot.
 */
package io.interlock.devtools;
