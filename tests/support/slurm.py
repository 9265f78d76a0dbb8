"""A private Slurm cluster for a test: slurmctld and slurmd on this machine alone, as root."""
import os
import shutil
import socket
import subprocess
import tempfile
import time

from optional import missing_programs

CONFIGURATION = """
ClusterName=plainfs
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={port}
SlurmdPort={other_port}
AuthType=auth/none
CredType=cred/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def why_not():
    """Returns why no cluster can be started, or ""."""
    return missing_programs("slurmctld", "slurmd", "sbatch", "sinfo") or (
        "" if os.geteuid() == 0 else "slurmd requires root"
    )


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


class Slurm:
    """with Slurm(environment): ... – commands with .environment use it. Raises RuntimeError if it does not start."""

    def __init__(self, environment):
        self.folder = tempfile.mkdtemp(prefix="plainfs-test-slurm-")
        self.environment = {
            **environment,
            "SLURM_CONF": os.path.join(self.folder, "slurm.conf"),
            "PATH": environment["PATH"] + ":/usr/sbin",
        }
        self.daemons = []

    def __enter__(self):
        for name in ("state", "spool"):
            os.mkdir(os.path.join(self.folder, name))
        host = socket.gethostname().split(".")[0]
        port, other_port = free_ports(2)
        with open(self.environment["SLURM_CONF"], "w", encoding="ascii") as file:
            file.write(
                CONFIGURATION.format(
                    host=host, user="root", port=port, other_port=other_port, folder=self.folder, cores=os.cpu_count()
                )
            )
        for words in (["slurmctld", "-D", "-i"], ["slurmd", "-D", "-N", host]):
            self.daemons.append(
                subprocess.Popen(words, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            )
        end = time.monotonic() + 60
        while self.state() not in ("idle", "mix"):
            if time.monotonic() > end:
                log = self.log()
                self.__exit__()
                raise RuntimeError("Slurm does not start here: " + log)
            time.sleep(0.2)
        return self

    def state(self):
        return subprocess.run(
            ["sinfo", "-h", "-o", "%t"], env=self.environment, capture_output=True, text=True
        ).stdout.strip()

    def log(self):
        text = ""
        for name in ("slurmctld.log", "slurmd.log"):
            path = os.path.join(self.folder, name)
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    text += file.read()[-1000:]
        return text

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.terminate()
            daemon.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
