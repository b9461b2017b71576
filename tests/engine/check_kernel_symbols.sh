#!/bin/sh
# check_kernel_symbols.sh OBJECT...
# The kernels are built once per instruction set. A weak symbol in one of these objects (an inline
# function, a template of the standard library) could become the whole program's only copy and stop
# it on machines without those instructions. Only the renamed Eigen may have them.
status=0
for object in "$@"; do
  shared=$(nm -C "$object" | grep -E ' [WVu] ' | grep -v -e hone_eigen_ -e DW.ref.__gxx_personality_v0)
  if [ -n "$shared" ]; then
    printf '%s shares symbols with the rest of the program:\n%s\n' "$object" "$shared"
    status=1
  fi
done
exit $status
