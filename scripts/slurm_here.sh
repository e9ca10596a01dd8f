#!/bin/sh
# A real Slurm of one node on this machine, in one folder, for tests. Needs root and the packages
# slurmctld slurmd slurm-client munge (scripts/deps.sh extra).
#   scripts/slurm_here.sh start FOLDER    prints the SLURM_CONF to export when a node is idle
#   scripts/slurm_here.sh stop FOLDER     ends what `start` started, by the process ids it kept
set -eu

usage="usage: slurm_here.sh start|stop FOLDER"
[ $# -eq 2 ] || { echo "$usage" >&2; exit 2; }
action=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)

stop_one() {
  [ -f "$1" ] || return 0
  kill "$(cat "$1")" 2>/dev/null || true
  rm -f "$1"
}

if [ "$action" = stop ]; then
  for name in slurmd slurmctld munged; do stop_one "$folder/run/$name.pid"; done
  exit 0
fi
[ "$action" = start ] || { echo "$usage" >&2; exit 2; }
for program in munged slurmctld slurmd sinfo; do
  command -v $program >/dev/null 2>&1 || { echo "slurm_here.sh: '$program' is not installed" >&2; exit 3; }
done

mkdir -p "$folder/run" "$folder/log" "$folder/state" "$folder/spool"
chmod 755 "$folder/run"
if [ ! -f "$folder/munge.key" ]; then
  dd if=/dev/urandom of="$folder/munge.key" bs=1 count=1024 2>/dev/null
  chmod 400 "$folder/munge.key"
fi
munged --key-file="$folder/munge.key" --socket="$folder/run/munge.sock" --pid-file="$folder/run/munged.pid" \
  --log-file="$folder/log/munged.log" --seed-file="$folder/run/seed" --force

host=$(hostname -s)
cat > "$folder/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/run/munge.sock
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/run/slurmctld.pid
SlurmdPidFile=$folder/run/slurmd.pid
SlurmctldLogFile=$folder/log/slurmctld.log
SlurmdLogFile=$folder/log/slurmd.log
SlurmctldPort=16817
SlurmdPort=16818
ReturnToService=2
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=2000 State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF="$folder/slurm.conf"
slurmctld
slurmd
for _ in $(seq 1 60); do
  if sinfo -h -o %T 2>/dev/null | grep -q idle; then
    echo "$SLURM_CONF"
    exit 0
  fi
  sleep 0.5
done
echo "slurm_here.sh: no node became idle; see $folder/log" >&2
exit 1
