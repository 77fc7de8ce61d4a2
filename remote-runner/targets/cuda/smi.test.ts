// Devices by what nvidia-smi prints: undivided GPUs, MIG devices, and those that CUDA_VISIBLE_DEVICES leaves.
import { describe, expect, it } from 'vitest';
import { readGpus, readMigDevices, usableDevices } from './smi.js';

const csv =
  'GPU-7fdaf0a5-179b-f636-d15d-daf243e3ff16, NVIDIA A100-SXM4-80GB, 8.0, 81920, 580.159.04, Enabled\n' +
  'GPU-d8594bd4-0fc3-8595-e355-7c98138f3b95, NVIDIA A100-SXM4-80GB, 8.0, 81920, 580.159.04, Disabled\n' +
  'GPU-513536b6-7d19-9063-b049-1e69664bb298, NVIDIA H200, 9.0, 143771, 580.159.04, [N/A]\n';
const list =
  'GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-7fdaf0a5-179b-f636-d15d-daf243e3ff16)\n' +
  '  MIG 3g.40gb     Device  0: (UUID: MIG-feb88891-0321-5fef-9c87-d4af3b54259e)\n' +
  '  MIG 1g.10gb     Device  1: (UUID: MIG-a25704ba-3a06-5299-a795-fd7cf4d13973)\n' +
  'GPU 1: NVIDIA A100-SXM4-80GB (UUID: GPU-d8594bd4-0fc3-8595-e355-7c98138f3b95)\n' +
  'GPU 2: NVIDIA H200 (UUID: GPU-513536b6-7d19-9063-b049-1e69664bb298)\n';
// As drivers of 575 and later print it, without what is not read.
const xml = `<?xml version="1.0" ?>
<nvidia_smi_log>
	<gpu id="00000000:10:00.0">
		<mig_mode>
			<current_mig>Enabled</current_mig>
		</mig_mode>
		<mig_devices>
			<mig_device>
				<index>0</index>
				<gpu_instance_id>1</gpu_instance_id>
				<compute_instance_id>0</compute_instance_id>
				<fb_memory_usage>
					<total>40448 MiB</total>
					<used>37 MiB</used>
				</fb_memory_usage>
			</mig_device>
			<mig_device>
				<index>1</index>
				<gpu_instance_id>13</gpu_instance_id>
				<compute_instance_id>0</compute_instance_id>
				<fb_memory_usage>
					<total>9728 MiB</total>
				</fb_memory_usage>
			</mig_device>
		</mig_devices>
		<uuid>GPU-7fdaf0a5-179b-f636-d15d-daf243e3ff16</uuid>
		<fb_memory_usage>
			<total>81920 MiB</total>
		</fb_memory_usage>
	</gpu>
	<gpu id="00000000:15:00.0">
		<mig_devices>
			None
		</mig_devices>
		<uuid>GPU-d8594bd4-0fc3-8595-e355-7c98138f3b95</uuid>
	</gpu>
</nvidia_smi_log>
`;
const gpus = readGpus(csv);
const parts = readMigDevices(list, xml);
const [large, small, whole, other] = ['MIG-feb88891', 'MIG-a25704ba', 'GPU-d8594bd4', 'GPU-513536b6'];
const names = (visible?: string): string[] =>
  usableDevices(gpus, parts, visible).map((d) => d.uuid.split('-').slice(0, 2).join('-'));

describe('devices', () => {
  it('are undivided GPUs and the parts of divided ones', () => {
    expect(names()).toEqual([large, small, whole, other]);
    expect(usableDevices(gpus, parts)[0]).toEqual({
      uuid: 'MIG-feb88891-0321-5fef-9c87-d4af3b54259e',
      name: 'NVIDIA A100-SXM4-80GB MIG 3g.40gb',
      capability: '8.0',
      memoryBytes: 40448 * 2 ** 20,
      driver: '580.159.04',
    });
  });

  it('are found with drivers that know no MIG', () => {
    const older = readGpus(csv.replaceAll(/, (Enabled|Disabled|\[N\/A\])$/gm, ''));
    expect(usableDevices(older, []).map((d) => d.name)).toEqual([
      'NVIDIA A100-SXM4-80GB',
      'NVIDIA A100-SXM4-80GB',
      'NVIDIA H200',
    ]);
  });

  it('a divided GPU without parts is none', () => {
    expect(usableDevices(gpus, []).map((d) => d.name)).toEqual(['NVIDIA A100-SXM4-80GB', 'NVIDIA H200']);
  });

  it.each<[string, string[]]>([
    ['1', [whole]],
    ['2,1', [other, whole]],
    ['0', [large, small]],
    ['GPU-d8594bd4', [whole]],
    ['GPU-d8594bd4-0fc3-8595-e355-7c98138f3b95, 2', [whole, other]],
    ['MIG-a25704ba-3a06-5299-a795-fd7cf4d13973', [small]],
    ['MIG-GPU-7fdaf0a5-179b-f636-d15d-daf243e3ff16/13/0', [small]],
    ['MIG-feb88891,MIG-a25704ba', [large, small]],
    ['1,1', [whole]],
    // The first that names nothing ends the list.
    ['1,7,2', [whole]],
    ['-1', []],
    ['', []],
    ['NoDevFiles', []],
    ['MIG-00000000', []],
    ['1;rm', []],
  ])('CUDA_VISIBLE_DEVICES=%s leaves %j', (visible, expected) => {
    expect(names(visible)).toEqual(expected);
  });

  it('reads nothing from what is no list', () => {
    expect(readGpus('NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver.\n')).toEqual([]);
    expect(readMigDevices('No devices found.\n', '<nvidia_smi_log>')).toEqual([]);
  });
});
