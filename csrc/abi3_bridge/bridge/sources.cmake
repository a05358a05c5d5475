set(GE_PASS_BRIDGE_SOURCES
  bootstrap.cc
  error_report.cc
  hooks.cc
  holder.cc
  python_side.cc
  registration.cc
  table.cc)
