// Marks what leaves libge_compiler.so; everything else has hidden visibility.
#ifndef GE_EXPORT_H_
#define GE_EXPORT_H_

// The core's own headers define it too, with the same text.
#define GE_API [[gnu::visibility("default")]]

#endif  // GE_EXPORT_H_
