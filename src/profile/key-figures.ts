// The few figures of a launch that say where its time goes, by the names of Nsight Compute's metrics.
import type { ProfiledLaunch } from '../../remote-runner/protocol.js';

/** Parts of the machine whose throughput is compared with the most they can do. */
export const UNITS = ['SM', 'L1', 'L2', 'DRAM', 'tensor cores'] as const;
export type Unit = (typeof UNITS)[number];

/** Absent: not measured. Shares are of 100. */
export interface KeyFigures {
  /** Under the profiler; never a verdict's time. */
  seconds?: number;
  /** Percent of the speed of light of each part. */
  throughput: Partial<Record<Unit, number>>;
  /** Cycles in which a scheduler issued an instruction, percent. */
  issue?: number;
  occupancy: {
    /** Percent of the warps that a multiprocessor can hold. */
    achieved?: number;
    theoretical?: number;
    /** What allows the fewest blocks per multiprocessor: `registers`, `shared memory`, … All that allow equally few. */
    limiters: string[];
    blocks?: number;
  };
  waves?: number;
  registers?: number;
  sharedBytes?: number;
  /** Bytes read from and written to device memory. */
  dramBytes?: number;
  /** Warp instructions that move spilled registers. */
  spills?: number;
  /** Cycles a warp waits between two instructions, by reason, longest first; waiting for its turn is none. */
  stalls: { reason: string; cycles: number }[];
}

const THROUGHPUT: Record<Unit, string> = {
  SM: 'sm__throughput.avg.pct_of_peak_sustained_elapsed',
  L1: 'l1tex__throughput.avg.pct_of_peak_sustained_elapsed',
  L2: 'lts__throughput.avg.pct_of_peak_sustained_elapsed',
  DRAM: 'gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed',
  'tensor cores': 'sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed',
};
const LIMITS: Record<string, string> = {
  registers: 'launch__occupancy_limit_registers',
  'shared memory': 'launch__occupancy_limit_shared_mem',
  'threads per block': 'launch__occupancy_limit_warps',
  'blocks per multiprocessor': 'launch__occupancy_limit_blocks',
  barriers: 'launch__occupancy_limit_barriers',
};
const STALL = /^smsp__average_warps_issue_stalled_(\w+)_per_issue_active\.ratio$/;
/** The warp was issued, or could have been. */
const NO_WAIT = new Set(['selected', 'not_selected']);

export function keyFigures({ metrics }: ProfiledLaunch): KeyFigures {
  const of = (name: string): number | undefined => metrics[name]?.value;
  const throughput: KeyFigures['throughput'] = {};
  for (const unit of UNITS) {
    const value = of(THROUGHPUT[unit]);
    if (value !== undefined) throughput[unit] = value;
  }
  const [read, written] = [of('dram__bytes_read.sum'), of('dram__bytes_write.sum')];
  return {
    seconds: of('gpu__time_duration.sum'),
    throughput,
    issue: of('smsp__issue_active.avg.pct_of_peak_sustained_active'),
    occupancy: {
      achieved: of('sm__warps_active.avg.pct_of_peak_sustained_active'),
      theoretical: of('sm__maximum_warps_per_active_cycle_pct'),
      ...limits(of),
    },
    waves: of('launch__waves_per_multiprocessor'),
    registers: of('launch__registers_per_thread'),
    sharedBytes: of('launch__shared_mem_per_block'),
    dramBytes: read === undefined || written === undefined ? undefined : read + written,
    spills: of('sass__inst_executed_register_spilling'),
    stalls: Object.entries(metrics)
      .flatMap(([name, { value }]) => {
        const reason = STALL.exec(name)?.[1];
        return reason !== undefined && !NO_WAIT.has(reason) && value > 0 ? [{ reason, cycles: value }] : [];
      })
      .sort((a, b) => b.cycles - a.cycles),
  };
}

function limits(of: (name: string) => number | undefined): { limiters: string[]; blocks?: number } {
  const known = Object.entries(LIMITS).flatMap(([name, metric]) => {
    const blocks = of(metric);
    return blocks === undefined ? [] : [{ name, blocks }];
  });
  if (known.length === 0) return { limiters: [] };
  const blocks = Math.min(...known.map((k) => k.blocks));
  return { blocks, limiters: known.filter((k) => k.blocks === blocks).map((k) => k.name) };
}
