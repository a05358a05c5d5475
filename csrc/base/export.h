// Marks what leaves libge_compiler.so; everything else has hidden visibility.
#ifndef GE_BASE_EXPORT_H_
#define GE_BASE_EXPORT_H_

#define GE_API [[gnu::visibility("default")]]

#endif  // GE_BASE_EXPORT_H_
