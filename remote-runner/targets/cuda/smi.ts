// What nvidia-smi prints, as devices: GPUs, the MIG devices that a GPU may be divided into, and which of them may be used.

export interface CudaDevice {
  /** `GPU-…`, or `MIG-…` for a part of a GPU. */
  uuid: string;
  name: string;
  /** `9.0` */
  capability: string;
  memoryBytes: number;
  driver: string;
}

export interface Gpu extends CudaDevice {
  /** Divided: the GPU as a whole runs nothing. */
  isDivided: boolean;
}

export interface MigDevice {
  gpu: string;
  uuid: string;
  /** `3g.40gb` */
  profile: string;
  memoryBytes?: number;
  /** The older way to name it: `MIG-GPU-…/1/0`. */
  alias?: string;
}

/** Fields of --query-gpu; drivers before 450 do not know the last one. */
export const GPU_FIELDS = ['uuid', 'name', 'compute_cap', 'memory.total', 'driver_version', 'mig.mode.current'];

/** One line a GPU of `--query-gpu=FIELDS --format=csv,noheader,nounits`, in the order of their numbers. */
export function readGpus(csv: string): Gpu[] {
  return csv.split('\n').flatMap((line) => {
    const [uuid, name, capability, memory, driver, mig] = line.split(',').map((f) => f.trim());
    if (!uuid?.startsWith('GPU-') || !name || capability === undefined || !/^\d+\.\d+$/.test(capability)) return [];
    const memoryBytes = Number(memory) * 2 ** 20;
    return [{ uuid, name, capability, memoryBytes, driver: driver ?? '', isDivided: mig === 'Enabled' }];
  });
}

/**
 * MIG devices by `nvidia-smi -L`, which alone tells their UUIDs; memory and the ids of their instances by `-q -x`, which numbers
 * them alike.
 */
export function readMigDevices(list: string, xml: string): MigDevice[] {
  const details = new Map<string, { memoryBytes?: number; alias: string }>();
  for (const [, gpu = ''] of xml.matchAll(/<gpu id=[^>]*>([\s\S]*?)<\/gpu>/g)) {
    const uuid = /<uuid>(GPU-[^<]+)<\/uuid>/.exec(gpu.replace(/<mig_devices>[\s\S]*<\/mig_devices>/, ''))?.[1] ?? '';
    for (const [, device = ''] of gpu.matchAll(/<mig_device>([\s\S]*?)<\/mig_device>/g)) {
      const number = (name: string): string => new RegExp(`<${name}>(\\d+)</${name}>`).exec(device)?.[1] ?? '';
      const mib = /<fb_memory_usage>\s*<total>(\d+) MiB/.exec(device)?.[1];
      details.set(`${uuid} ${number('index')}`, {
        memoryBytes: mib === undefined ? undefined : Number(mib) * 2 ** 20,
        alias: `MIG-${uuid}/${number('gpu_instance_id')}/${number('compute_instance_id')}`,
      });
    }
  }
  const found: MigDevice[] = [];
  let gpu = '';
  for (const line of list.split('\n')) {
    gpu = /^GPU \d+: .*\(UUID: (GPU-[\w-]+)\)/.exec(line)?.[1] ?? gpu;
    const [, profile, index, uuid] = /^\s+MIG (\S+)\s+Device\s+(\d+): \(UUID: (MIG-[\w/-]+)\)/.exec(line) ?? [];
    if (profile && uuid) found.push({ gpu, uuid, profile, ...details.get(`${gpu} ${index}`) });
  }
  return found;
}

/**
 * The devices to use, in order: undivided GPUs and MIG devices.
 * @param visible CUDA_VISIBLE_DEVICES. As the driver reads it: numbers of GPUs or beginnings of UUIDs, up to the first that
 * names nothing. A divided GPU stands for its MIG devices.
 */
export function usableDevices(gpus: readonly Gpu[], parts: readonly MigDevice[], visible?: string): CudaDevice[] {
  const whole = ({ isDivided: _, ...device }: Gpu): CudaDevice => device;
  const partsOf = (gpu: Gpu): CudaDevice[] =>
    parts
      .filter((p) => p.gpu === gpu.uuid)
      .map((p) => ({
        ...whole(gpu),
        uuid: p.uuid,
        name: `${gpu.name} MIG ${p.profile}`,
        memoryBytes: p.memoryBytes ?? 0,
      }));
  const devicesOf = (gpu: Gpu): CudaDevice[] => (gpu.isDivided ? partsOf(gpu) : [whole(gpu)]);
  if (visible === undefined) return gpus.flatMap(devicesOf);
  const chosen = new Map<string, CudaDevice>();
  for (const name of visible.split(',').map((v) => v.trim())) {
    const isMig = name.startsWith('MIG-');
    const part = parts.find((p) => isMig && (p.uuid.startsWith(name) || p.alias === name));
    const gpu = /^\d+$/.test(name)
      ? gpus[Number(name)]
      : gpus.find((g) => (isMig ? g.uuid === part?.gpu : name.startsWith('GPU-') && g.uuid.startsWith(name)));
    if (!gpu) break;
    for (const device of devicesOf(gpu)) if (!isMig || device.uuid === part?.uuid) chosen.set(device.uuid, device);
  }
  return [...chosen.values()];
}
