"""A Slurm of our own for tests: munged, slurmctld and slurmd of Debian's packages on this machine,
with all their files in one directory. Needs root (slurmd insists), but no systemd and no cgroups."""
import os
import shutil
import signal
import socket
import subprocess
import time

CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={directory}/munge.socket
CredType=cred/munge
SlurmctldPort={controller_port}
SlurmdPort={node_port}
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/spool
SlurmctldPidFile={directory}/slurmctld.pid
SlurmdPidFile={directory}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=1,sched_min_interval=1,defer_batch
KillWait=2
NodeName=node NodeHostname={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Slurm:
    """with Slurm(directory) as slurm: slurm.run("sbatch", ...)"""

    def __init__(self, directory):
        self.directory = str(directory)
        self.processes = []
        self.environment = dict(os.environ, SLURM_CONF=f"{self.directory}/slurm.conf")

    @staticmethod
    def missing():
        """Why it cannot work here, or None."""
        if os.getuid() != 0:
            return "slurmd needs root"
        for program in ("munged", "slurmctld", "slurmd", "sbatch"):
            if shutil.which(program) is None:
                return f"{program} is not installed (Debian: slurm-wlm, munge)"
        return None

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        d = self.directory
        for name in ("state", "spool"):
            os.makedirs(f"{d}/{name}")
        os.chmod(d, 0o755)  # munged refuses a socket that others might replace
        with open(f"{d}/munge.key", "wb") as key:
            key.write(os.urandom(1024))
        os.chmod(f"{d}/munge.key", 0o400)
        with open(f"{d}/slurm.conf", "w") as file:
            file.write(CONFIGURATION.format(host=socket.gethostname().split(".")[0], directory=d,
                                            controller_port=free_port(), node_port=free_port()))
        self.launch("munged", "--foreground", "--force", f"--key-file={d}/munge.key",
                    f"--socket={d}/munge.socket", f"--pid-file={d}/munge.pid",
                    f"--log-file={d}/munge.log", f"--seed-file={d}/munge.seed")
        self.wait_for(lambda: os.path.exists(f"{d}/munge.socket"), "munged")
        self.launch("slurmctld", "-D", "-i")
        self.launch("slurmd", "-D", "-N", "node")
        self.wait_for(lambda: "idle" in self.run("sinfo", "-h", "-o", "%T", check=False), "slurmd")

    def launch(self, program, *arguments):
        log = open(f"{self.directory}/{program}.out", "w")
        self.processes.append(subprocess.Popen([program, *arguments], env=self.environment,
                                               stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                               start_new_session=True))

    def wait_for(self, condition, what, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            dead = [p.args[0] for p in self.processes if p.poll() is not None]
            if dead or time.monotonic() > end:
                raise RuntimeError(f"{what} is not ready; ended: {dead}\n{self.logs()}")
            time.sleep(0.1)

    def logs(self):
        text = ""
        for name in ("munged", "slurmctld", "slurmd"):
            path = f"{self.directory}/{name}.out"
            if os.path.exists(path):
                with open(path, errors="replace") as file:
                    text += f"--- {name}\n{file.read()[-3000:]}\n"
        return text

    def run(self, *command, check=True, **options):
        result = subprocess.run(command, env=self.environment, capture_output=True, text=True,
                                check=False, **options)
        if check and result.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {result.stderr}\n{self.logs()}")
        return result.stdout

    def jobs(self):
        """Of those not ended: (id, state, reason) of each task."""
        lines = self.run("squeue", "-h", "-r", "-o", "%i %T %r").splitlines()
        return [tuple(line.split(None, 2)) for line in lines]

    def stop(self):
        if len(self.processes) > 1:
            self.run("scancel", "--user=root", check=False)
        for process in reversed(self.processes):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes = []
