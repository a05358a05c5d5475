// EsTensorHolder is declared with the builder that it is used with.
#ifndef GE_ES_TENSOR_HOLDER_H_
#define GE_ES_TENSOR_HOLDER_H_

#include "ge/es_graph_builder.h"

#endif  // GE_ES_TENSOR_HOLDER_H_
