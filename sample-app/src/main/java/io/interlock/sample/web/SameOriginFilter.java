package io.interlock.sample.web;

import java.io.IOException;
import java.util.Set;
import java.util.regex.Pattern;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Lets no page of another origin change anything here. A browser says with {@code Origin}
 * where a page comes from, and with {@code Host} where it believes to send to: both must
 * be the same, and no name that an attacker could have pointed to this machine. A client
 * that is no browser sends no {@code Origin}.
 */
@Component
class SameOriginFilter extends OncePerRequestFilter {

	private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");

	private static final Pattern HOST = Pattern
		.compile("(localhost|\\d{1,3}(\\.\\d{1,3}){3}|\\[[0-9a-fA-F:.]+])(:\\d+)?");

	@Override
	protected boolean shouldNotFilter(HttpServletRequest request) {
		return READING.contains(request.getMethod());
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		String origin = request.getHeader(HttpHeaders.ORIGIN);
		if (origin == null || isSame(request, origin)) {
			chain.doFilter(request, response);
		}
		else {
			response.sendError(HttpServletResponse.SC_FORBIDDEN, "Only the page of this box office may do that");
		}
	}

	private static boolean isSame(HttpServletRequest request, String origin) {
		String host = request.getHeader(HttpHeaders.HOST);
		return host != null && HOST.matcher(host).matches() && origin.equals(request.getScheme() + "://" + host);
	}

}
