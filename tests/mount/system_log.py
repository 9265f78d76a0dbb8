"""PROGRAM STORE MOUNTPOINT: mounts and unmounts in the sandbox, and prints the messages to /dev/log before and after
its restart. For a mount namespace with a separate /dev."""
import os
import socket
import subprocess
import sys


def start():
    if os.path.exists("/dev/log"):
        os.unlink("/dev/log")
    log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    log.bind("/dev/log")
    log.settimeout(30)
    return log


def line(log):
    return log.recv(65536).decode().rstrip("\0\n")


program, store, mountpoint = sys.argv[1:]
log = start()
subprocess.run([program, "-o", "sandbox=required,log_level=info", store, mountpoint], check=True, timeout=60)
print(line(log))
log.close()
log = start()
subprocess.run([program, "umount", mountpoint], check=True, timeout=60)
print(line(log))
