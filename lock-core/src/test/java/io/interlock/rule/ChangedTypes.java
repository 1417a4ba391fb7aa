package io.interlock.rule;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Set;

/**
 * Loads all types of some packages once more, in main and test code, and those that have
 * changed with their changes, so that they see each other.
 */
public abstract class ChangedTypes extends ClassLoader {

	private final Set<String> packages;

	private final Map<String, byte[]> changed;

	protected ChangedTypes(ClassLoader parent, Set<String> packages, Map<String, byte[]> changed) {
		super(parent);
		this.packages = packages;
		this.changed = changed;
	}

	static String packageOf(String type) {
		return type.substring(0, Math.max(0, type.lastIndexOf('.')));
	}

	@Override
	protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
		if (!this.packages.contains(packageOf(name))) {
			return super.loadClass(name, resolve);
		}
		synchronized (getClassLoadingLock(name)) {
			Class<?> loaded = findLoadedClass(name);
			return (loaded != null) ? loaded : define(name);
		}
	}

	private Class<?> define(String name) throws ClassNotFoundException {
		byte[] code = this.changed.get(name);
		if (code == null) {
			try (InputStream file = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
				if (file == null) {
					throw new ClassNotFoundException(name);
				}
				code = file.readAllBytes();
			}
			catch (IOException ex) {
				throw new ClassNotFoundException(name, ex);
			}
		}
		return defineClass(name, code, 0, code.length);
	}

}
