# nd_build_flags, an interface target: the flags that every target of the project is compiled with.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

add_library(nd_build_flags INTERFACE)
target_compile_options(nd_build_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>
  $<$<BOOL:${ND_WERROR}>:-Werror>)
target_compile_definitions(nd_build_flags INTERFACE _GNU_SOURCE _FILE_OFFSET_BITS=64
  $<$<BOOL:${ND_TINY_LIMITS}>:ND_TINY_LIMITS=1>)
if(ND_SANITIZE)
  # Reports need the names and lines of functions, and no more: all else makes builds a third longer.
  target_compile_options(nd_build_flags INTERFACE
    -fsanitize=${ND_SANITIZE} -fno-omit-frame-pointer -g1)
  # Undefined behaviour raises SIGILL. AddressSanitizer then shows the line (handle_sigill=1). Reports
  # of UndefinedBehaviorSanitizer would make the command twice as large, and its start longer by half.
  if(ND_SANITIZE MATCHES "undefined")
    target_compile_options(nd_build_flags INTERFACE -fsanitize-undefined-trap-on-error)
  endif()
  string(REPLACE "," ";" nd_runtimes "${ND_SANITIZE}")
  list(REMOVE_ITEM nd_runtimes undefined)
  foreach(runtime IN LISTS nd_runtimes)
    target_link_options(nd_build_flags INTERFACE -fsanitize=${runtime})
  endforeach()
  # Tests start the command thousands of times. It starts in .8 of the time if the loader need not
  # relocate it.
  target_link_options(nd_build_flags INTERFACE
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
endif()
target_link_libraries(nd_build_flags INTERFACE Threads::Threads)
