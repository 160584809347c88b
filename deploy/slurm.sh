#!/bin/bash
# A backfill on Slurm: one worker per node, and the driver on the first node.
#
#   ARCHIVE=s3://pages/crawl OUTPUT=s3://text/tables DATES=2011-10-24..2011-12-19 sbatch deploy/slurm.sh
#
# Nothing is encrypted: give certificates (docs/cluster.md) if other users can reach the nodes.
#SBATCH --job-name=urltree
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --mem=32G
set -euo pipefail
: "${ARCHIVE:?}" "${OUTPUT:?}" "${DATES:?}"
port=${PORT:-7070}

srun bash -c "exec urltree worker --listen \"\$(hostname):$port\" --insecure \
    --threads $SLURM_CPUS_PER_TASK --memory 28GiB --spill-dir \"\${TMPDIR:-/tmp}\"" &
workers=$!
trap 'kill "$workers"' EXIT

addresses=$(mktemp)
scontrol show hostnames "$SLURM_JOB_NODELIST" | sed "s/\$/:$port/" > "$addresses"
for _ in $(seq 60); do
    if urltree backfill --job jobs/backfill.toml --dates "$DATES" --workers "file:$addresses" \
        --set archive.location="$ARCHIVE" --set output.location="$OUTPUT"; then
        exit 0
    else
        status=$?
    fi
    # 4: a worker does not answer yet, or the store failed. The same command continues a run.
    [ "$status" -eq 4 ] || exit "$status"
    sleep 5
done
exit 4
