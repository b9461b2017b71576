"""Prints where packages go, relative to the prefix: lib/python3.11/dist-packages on Debian."""

import sysconfig

# Debian's scheme for what the administrator installs has /usr/local built in as {base}/local.
local = "posix_local" in sysconfig.get_scheme_names()
scheme = "posix_local" if local else sysconfig.get_default_scheme()
path = sysconfig.get_path("platlib", scheme, {"base": "", "platbase": ""})
print(path.removeprefix("/local").lstrip("/"))
