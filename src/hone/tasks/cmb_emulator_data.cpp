// cmb_emulator.bin as part of the program, which may be installed anywhere.

#include "hone/tasks/cmb_emulator_data.h"

// Read by the assembler: half a megabyte costs the compiler nothing.
asm(".section .rodata\n"
    ".balign 64\n"
    ".globl hone_cmb_emulator_begin\n"
    "hone_cmb_emulator_begin:\n"
    ".incbin \"" HONE_CMB_EMULATOR
    "\"\n"
    ".globl hone_cmb_emulator_end\n"
    "hone_cmb_emulator_end:\n"
    ".previous\n");

extern "C" const std::byte hone_cmb_emulator_begin[];
extern "C" const std::byte hone_cmb_emulator_end[];

namespace hone {

std::span<const std::byte> cmb_emulator_data() {
  return {hone_cmb_emulator_begin, hone_cmb_emulator_end};
}

}  // namespace hone
