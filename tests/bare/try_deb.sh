# The three packages, one after the other; what the quickstart does, the Python example, the C++ example.
. /root/steps.sh
cd /root
step "apt-get update" apt-get update
no g++ gcc cc python3

step "apt install hone" install ./hone_*.deb
no g++ gcc cc python3
step "hone run torus, with checks and report" hone run torus --seed 1
grep '^verdict' log
step "hone corner" hone corner runs/torus-1 -o corner.pdf
is corner.pdf PDF
is runs/torus-1/report.html html

step "apt install python3-hone" install ./python3-hone_*.deb
no g++ gcc cc
step "the Python example, to its corner plot" python3 /usr/share/doc/hone/examples/python/quickstart.py
is corner.png PNG

step "apt install libhone-dev, g++, cmake, make" install ./libhone-dev_*.deb g++ cmake make pkg-config
cp -r /usr/share/doc/hone/examples/02-cpp-program .
step "the C++ example: configure" cmake -S 02-cpp-program -B here
step "the C++ example: compile and link" cmake --build here
cd 02-cpp-program
step "the C++ example: run" ../here/epidemic
tail -n 3 /root/log
step "the same by pkg-config" sh -c 'g++ -std=c++20 -O2 epidemic.cpp -o by_pkg_config $(pkg-config --cflags --libs hone)'
