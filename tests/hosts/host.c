/* A native host that does what its arguments say, step by step, and prints what came of each.
 *
 *   host STEP...
 *     start, start-local      another component loads the CPython $HOST_LIBPYTHON (symbols global, or local) and starts it
 *     python CODE             the component runs Python code
 *     finalize                the component finalises the interpreter, whoever started it
 *     acquire USER, release USER, shutdown         ge_runtime_*
 *     load, unload                                 ge_passes_*
 *     compile MODEL OUTPUT    ge_atc_main
 *     threads N MODEL OUTPUT  N compiles at once to OUTPUT0, OUTPUT1, ...
 *     cycle N MODEL OUTPUT A B   N times: ASCEND_GE_PY_PASS_PATH A or B in turn, load, compile, unload; memory it took
 *     env NAME=VALUE, unset NAME
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ge/c/ge_atc.h"
#include "ge/c/ge_passes.h"
#include "ge/c/ge_runtime.h"

static void* python;       /* handle of libpython, the component's own */
static void* main_thread;  /* thread state it gave up */

static void* symbol(const char* name) {
  void* found = dlsym(python ? python : RTLD_DEFAULT, name);
  if (!found) {
    fprintf(stderr, "host: no symbol %s\n", name);
    exit(2);
  }
  return found;
}

static void start(int flags) {
  python = dlopen(getenv("HOST_LIBPYTHON"), RTLD_NOW | flags);
  if (!python) {
    fprintf(stderr, "host: %s\n", dlerror());
    exit(2);
  }
  ((void (*)(int))symbol("Py_InitializeEx"))(0);
  main_thread = ((void* (*)(void))symbol("PyEval_SaveThread"))();
  printf("start\n");
}

static void run_python(const char* code) {
  int state = ((int (*)(void))symbol("PyGILState_Ensure"))();
  int failed = ((int (*)(const char*))symbol("PyRun_SimpleString"))(code);
  ((void (*)(int))symbol("PyGILState_Release"))(state);
  printf("python %d\n", failed);
}

static void finalize(void) {
  if (main_thread) {
    ((void (*)(void*))symbol("PyEval_RestoreThread"))(main_thread);
    main_thread = NULL;
  } else {
    ((int (*)(void))symbol("PyGILState_Ensure"))();
  }
  printf("finalize %d\n", ((int (*)(void))symbol("Py_FinalizeEx"))());
}

static void show(const char* what, int code, ge_error_t* error) {
  printf("%s %d%s%s\n", what, code, error ? " " : "", error ? ge_error_message(error) : "");
  ge_error_destroy(error);
}

static void on_problem(void* user, const ge_passes_problem_t* problem) {
  (void)user;
  printf("problem %s: %s\n", problem->hook, problem->message);
}

static void load(void) {
  ge_passes_observer_t observer = {sizeof observer, 0, NULL, on_problem};
  ge_error_t* error = NULL;
  int passes = ge_passes_load(&observer, &error);
  show("load", passes, error);
}

static int compile(const char* model, const char* output) {
  char model_option[4096], output_option[4096];
  snprintf(model_option, sizeof model_option, "--model=%s", model);
  snprintf(output_option, sizeof output_option, "--output=%s", output);
  const char* words[] = {"host",        "--framework=5",  model_option, output_option,
                         "--emit=onnx", "--soc_version=Ascend910B1"};
  return ge_atc_main(sizeof words / sizeof *words, words);
}

struct job {
  const char* model;
  char output[4096];
  int code;
};

static void* work(void* argument) {
  struct job* job = argument;
  job->code = compile(job->model, job->output);
  return NULL;
}

static void compile_on_threads(int n, const char* model, const char* output) {
  pthread_t threads[64];
  static struct job jobs[64];
  if (n > 64) exit(2);
  for (int i = 0; i < n; ++i) {
    jobs[i].model = model;
    snprintf(jobs[i].output, sizeof jobs[i].output, "%s%d", output, i);
    pthread_create(&threads[i], NULL, work, &jobs[i]);
  }
  for (int i = 0; i < n; ++i) {
    pthread_join(threads[i], NULL);
    printf("compile %d\n", jobs[i].code);
  }
}

static long resident_kib(void) {
  char line[256];
  long kib = -1;
  FILE* file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file)) sscanf(line, "RssAnon: %ld", &kib);
  if (file) fclose(file);
  return kib;
}

static void cycle(int n, const char* model, const char* output, const char* a, const char* b) {
  long before = 0;
  for (int i = 0; i < n; ++i) {
    setenv("ASCEND_GE_PY_PASS_PATH", i % 2 ? b : a, 1);
    if (ge_passes_load(NULL, NULL) != 1 || compile(model, output) != 0) printf("cycle %d failed\n", i);
    ge_passes_unload();
    if (i == n / 4) before = resident_kib();
  }
  printf("grown %ld\n", resident_kib() - before);
}

int main(int argc, char** argv) {
  setvbuf(stdout, NULL, _IONBF, 0);
  char** arg = argv + 1;
#define IS(name) (strcmp(step, name) == 0)
#define NEXT (arg < argv + argc ? *arg++ : (exit(2), ""))
  while (arg < argv + argc) {
    const char* step = NEXT;
    ge_error_t* error = NULL;
    if (IS("start")) {
      start(RTLD_GLOBAL);
    } else if (IS("start-local")) {
      start(RTLD_LOCAL);
    } else if (IS("python")) {
      run_python(NEXT);
    } else if (IS("finalize")) {
      finalize();
    } else if (IS("acquire")) {
      int code = ge_runtime_acquire(NEXT, &error);
      show("acquire", code, error);
    } else if (IS("release")) {
      ge_runtime_release(NEXT);
    } else if (IS("shutdown")) {
      ge_runtime_shutdown();
      printf("shutdown\n");
    } else if (IS("load")) {
      load();
    } else if (IS("unload")) {
      ge_passes_unload();
    } else if (IS("compile")) {
      const char* model = NEXT;
      printf("compile %d\n", compile(model, NEXT));
    } else if (IS("threads")) {
      int n = atoi(NEXT);
      const char* model = NEXT;
      compile_on_threads(n, model, NEXT);
    } else if (IS("cycle")) {
      int n = atoi(NEXT);
      const char* model = NEXT;
      const char* output = NEXT;
      const char* a = NEXT;
      cycle(n, model, output, a, NEXT);
    } else if (IS("env")) {
      putenv(NEXT);
    } else if (IS("unset")) {
      unsetenv(NEXT);
    } else {
      fprintf(stderr, "host: no step %s\n", step);
      return 2;
    }
  }
  printf("end\n");
  return 0;
}
