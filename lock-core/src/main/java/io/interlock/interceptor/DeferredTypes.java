package io.interlock.interceptor;

import java.lang.reflect.Type;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.springframework.core.ResolvableType;

/** Types of work that outlasts a method that returns them, alone or in a wrapper. */
final class DeferredTypes {

	/** By name, because most are optional. */
	private static final Set<String> NAMES = Set.of("java.util.concurrent.Future",
			"java.util.concurrent.CompletionStage", "java.util.concurrent.Flow$Publisher",
			"java.util.stream.BaseStream", "java.util.concurrent.Callable", "java.util.function.Supplier",
			"java.util.Iterator", "org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody",
			"org.reactivestreams.Publisher", "io.reactivex.rxjava3.core.SingleSource",
			"io.reactivex.rxjava3.core.MaybeSource", "io.reactivex.rxjava3.core.CompletableSource",
			"io.reactivex.rxjava3.core.ObservableSource", "io.smallrye.mutiny.Uni", "kotlinx.coroutines.flow.Flow",
			"kotlin.sequences.Sequence", "kotlinx.coroutines.Job");

	private DeferredTypes() {
	}

	static boolean include(Class<?> type) {
		return LockAnnotation.hierarchy(type).stream().anyMatch((each) -> NAMES.contains(each.getName()));
	}

	/** Look into type arguments and arrays at any depth, but not at names of classes. */
	static Optional<Class<?>> within(ResolvableType wrapper) {
		return within(wrapper, new HashSet<>()).findFirst();
	}

	private static Stream<Class<?>> within(ResolvableType wrapper, Set<Type> seen) {
		if (wrapper.toClass() == Class.class || !seen.add(wrapper.getType())) {
			return Stream.empty();
		}
		Stream<ResolvableType> parts = wrapper.isArray() ? Stream.of(wrapper.getComponentType())
				: Stream.of(wrapper.getGenerics());
		return parts.flatMap((part) -> include(part.toClass()) ? Stream.of(part.toClass()) : within(part, seen));
	}

}
