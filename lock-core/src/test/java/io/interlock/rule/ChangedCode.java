package io.interlock.rule;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The types of a package with changes of their methods. The sources are not needed, and a
 * change survives whatever leaves its method and what it names there.
 */
public final class ChangedCode extends ChangedTypes {

	/**
	 * Make the changes.
	 * @param member a type of the package
	 * @param changes the changes, also of types in other packages, which are loaded once
	 * more then
	 * @throws IllegalArgumentException if there is nothing that a change could change, or
	 * if its result is not valid
	 */
	public ChangedCode(Class<?> member, List<Change> changes) {
		super(member.getClassLoader(), packages(member, changes), code(member.getClassLoader(), changes));
		changes.forEach(this::verify);
	}

	private static Set<String> packages(Class<?> member, List<Change> changes) {
		Set<String> packages = new HashSet<>(Set.of(member.getPackageName()));
		changes.forEach((change) -> packages.add(packageOf(change.type())));
		return packages;
	}

	private static Map<String, byte[]> code(ClassLoader loader, List<Change> changes) {
		Map<String, byte[]> code = new HashMap<>();
		for (Change change : changes) {
			byte[] before = code.computeIfAbsent(change.type(), (type) -> read(loader, type));
			code.put(change.type(), change.apply(before));
		}
		return code;
	}

	private static byte[] read(ClassLoader loader, String type) {
		try (InputStream file = loader.getResourceAsStream(type.replace('.', '/') + ".class")) {
			if (file == null) {
				throw new IllegalArgumentException("There is no type " + type);
			}
			return file.readAllBytes();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void verify(Change change) {
		try {
			Class.forName(change.type(), true, this);
		}
		catch (ClassNotFoundException | LinkageError ex) {
			throw new IllegalArgumentException("The %s gives no valid code".formatted(change), ex);
		}
	}

}
