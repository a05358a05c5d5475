/* What every header of the C ABI shares: export mark, version, error objects.
 *
 * Text is UTF-8 and NUL-terminated. Structures begin with struct_size, which the caller sets to
 * sizeof(the structure); fields are only ever appended. No exception leaves a function. Where a
 * parameter `ge_error_t** error` is not NULL, a failing function puts a new error object there,
 * which the caller owns. */
#ifndef GE_C_GE_ABI_H_
#define GE_C_GE_ABI_H_

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define GE_C_API __attribute__((visibility("default")))
#else
#define GE_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the package, "1.2.3". Static text; any thread. */
GE_C_API const char* ge_version(void);

/* One failure. Immutable: any thread may read it, one of them destroys it. */
typedef struct ge_error ge_error_t;
/* "E13024" and the like; lives as long as the error. */
GE_C_API const char* ge_error_code(const ge_error_t* error);
/* What was tried, expected and found, and what to do; lives as long as the error. */
GE_C_API const char* ge_error_message(const ge_error_t* error);
/* NULL is allowed. */
GE_C_API void ge_error_destroy(ge_error_t* error);

#ifdef __cplusplus
}
#endif

#endif /* GE_C_GE_ABI_H_ */
