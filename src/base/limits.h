/* Sizes that a test build shrinks. Buffers, pages and thresholds of a release are so large that
 * tests would seldom meet their edges; built with ND_TINY_LIMITS they are a few elements long. */
#ifndef ND_BASE_LIMITS_H
#define ND_BASE_LIMITS_H

/* The normal size, or the tiny one. */
#ifdef ND_TINY_LIMITS
#define ND_LIMIT(normal, tiny) (tiny)
#else
#define ND_LIMIT(normal, tiny) (normal)
#endif

#endif
