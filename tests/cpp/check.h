// A check that says where and what, and counts; main returns Failures().
#ifndef GE_TESTS_CPP_CHECK_H_
#define GE_TESTS_CPP_CHECK_H_

#include <cstdio>

namespace ge::testing {
inline int& Failures() {
  static int failures = 0;
  return failures;
}
}  // namespace ge::testing

#define CHECK(condition)                                                              \
  do {                                                                                \
    if (!(condition)) {                                                               \
      std::fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #condition); \
      ++::ge::testing::Failures();                                                    \
    }                                                                                 \
  } while (0)

#endif  // GE_TESTS_CPP_CHECK_H_
