# Cross-compiling for 64-bit ARM (`make test-arm`): Debian's compiler, libraries in HONE_SYSROOT
# (scripts/arm-sysroot), programs started by qemu.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HONE_SYSROOT)
set(CMAKE_SYSROOT ${HONE_SYSROOT})
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# No process of this machine can start the other's programs by itself.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static;-L;${HONE_SYSROOT})
# Libraries that only other libraries need.
set(CMAKE_EXE_LINKER_FLAGS_INIT
  "-Wl,-rpath-link,${HONE_SYSROOT}/usr/lib/aarch64-linux-gnu -Wl,--allow-shlib-undefined")
set(CMAKE_MODULE_LINKER_FLAGS_INIT "${CMAKE_EXE_LINKER_FLAGS_INIT}")
