// `npm run differential -- --target cpu`: the differential suite on a target of this machine; test/differential/main.ts says how.
import { bundle } from './bundle.mjs';
import { ensureBuilt, ensureInstalled, run } from './setup.mjs';

ensureInstalled();
ensureBuilt();
run(process.execPath, [await bundle('test/differential/main.ts', 'differential'), ...process.argv.slice(2)]);
