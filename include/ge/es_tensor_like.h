// EsTensorLike is declared with the builder that it is used with.
#ifndef GE_ES_TENSOR_LIKE_H_
#define GE_ES_TENSOR_LIKE_H_

#include "ge/es_graph_builder.h"

#endif  // GE_ES_TENSOR_LIKE_H_
