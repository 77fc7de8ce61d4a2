// `npm run bench:cpu-target`: what the CPU target costs on this machine; test/bench/cpu-target/main.ts says how.
import { bundle } from './bundle.mjs';
import { ensureInstalled, root, run } from './setup.mjs';

ensureInstalled();
process.chdir(root);
run(process.execPath, [await bundle('test/bench/cpu-target/main.ts', 'bench-cpu-target'), ...process.argv.slice(2)]);
