#include "register/register_custom_pass.h"

int ge_no_such_function();
int ge_call() { return ge_no_such_function(); }
