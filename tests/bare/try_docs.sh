# The documentation site from the source, as a new contributor makes it: git and make, and what `make docs` installs.
. /root/steps.sh
cd /root
step "apt-get update" apt-get update
no g++ gcc cc python3 make
step "apt install git, make" install git make ca-certificates
mkdir hone
tar -xf source.tar -C hone
cd hone
# The pages of the site are those that git tracks.
git init -q .
git add -A
step "make docs: packages, the program, the site, its links" make docs
is build-docs/site/index.html html
echo "                             $(find build-docs/site -name '*.html' | wc -l) pages, $(du -sm build-docs/site | cut -f 1) MB"
