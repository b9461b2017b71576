# The wheel in a virtual environment, with numpy and nothing else: the quickstart, and the Python example.
. /root/steps.sh
cd /root
step "apt-get update" apt-get update
no g++ gcc cc python3
step "apt install python3-venv" install python3-venv
step "python3 -m venv" python3 -m venv env
step "pip install hone, with numpy" env/bin/pip install ./hone-*.whl
no g++ gcc cc
PATH=/root/env/bin:$PATH
step "hone run torus, with checks and report" hone run torus --seed 1
grep '^verdict' log
step "hone corner" hone corner runs/torus-1 -o corner.pdf
is corner.pdf PDF
step "the Python example, to its corner plot" python quickstart.py
is corner.png PNG
