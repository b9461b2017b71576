#pragma once

// The files of page/, which CMake puts into the program (page_parts.cpp.in).

namespace hone::page {

extern const char* const kHtml;
extern const char* const kStyle;
extern const char* const kScript;

}  // namespace hone::page
