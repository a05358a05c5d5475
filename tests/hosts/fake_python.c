/* Pythons that are not what they should be; -D chooses which.
 *
 *   FAKE_VERSION "3.8.1 (main)"   what it says its version is
 *   FAKE_LIBRARY "/path/of.so"    as a program: where it says its shared library is, "" for none
 *
 * As a program it answers the question of the loader's probe; as a library (-shared) it looks like an interpreter that
 * runs already. Everything else in it ends the process: nothing else may be called.
 */
#include <stdio.h>
#include <stdlib.h>

#ifndef FAKE_FREE_THREADED
#define FAKE_FREE_THREADED "false"
#endif
#ifndef FAKE_LIBRARY
#define FAKE_LIBRARY ""
#endif

const char* Py_GetVersion(void) { return FAKE_VERSION; }
int Py_IsInitialized(void) { return 1; }

static void never(void) {
  fputs("a fake interpreter was used\n", stderr);
  abort();
}
int Py_AtExit(void (*function)(void)) { return function ? 0 : -1; }
void Py_InitializeEx(int signals) { (void)signals; never(); }
void* PyEval_SaveThread(void) { never(); return 0; }
int PyGILState_Ensure(void) { never(); return 0; }

int main(void) {
  printf("\nge-interpreter-probe:{\"version\": \"%s\", \"executable\": \"/fake/python\", \"prefix\": \"/fake\", "
         "\"base_prefix\": \"/fake\", \"libpython\": \"%s\", \"library_name\": \"libpython.so\", "
         "\"implementation\": \"cpython\", \"free_threaded\": %s}\n",
         FAKE_VERSION, FAKE_LIBRARY, FAKE_FREE_THREADED);
  return 0;
}
