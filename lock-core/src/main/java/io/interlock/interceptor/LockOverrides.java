package io.interlock.interceptor;

/**
 * Overrides of lock annotations by lock name, from the configuration of the application.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockOverrides {

	/**
	 * Return what is different for a lock. Asked on start-up, once for each annotated
	 * method.
	 * @param name name of the lock
	 * @return the override; {@link LockOverride#NONE} to change nothing
	 */
	LockOverride forName(String name);

}
