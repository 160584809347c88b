#!/bin/bash
# A backfill on Slurm by units: an array whose tasks need no connection, and a last task that commits.
#
#   export ARCHIVE=s3://pages/crawl OUTPUT=s3://text/tables DATES=2011-10-24..2011-12-19
#   shares=$(sbatch --parsable --array=1-64 deploy/slurm-units.sh)
#   sbatch --dependency=afterany:$shares deploy/slurm-units.sh
#
# The last task does the units of tasks that were lost.
#SBATCH --job-name=urltree-units
#SBATCH --cpus-per-task=4
#SBATCH --mem=8G
set -euo pipefail
: "${ARCHIVE:?}" "${OUTPUT:?}" "${DATES:?}"
share=()
if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then
    share=(--units "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT")
fi
exec urltree backfill --job jobs/backfill.toml --dates "$DATES" "${share[@]}" \
    --set archive.location="$ARCHIVE" --set output.location="$OUTPUT" \
    --set run.buckets="${BUCKETS:-256}" \
    --set run.threads="$SLURM_CPUS_PER_TASK" --set run.memory_limit=6GiB \
    --set run.spill_dir="${TMPDIR:-/tmp}"
