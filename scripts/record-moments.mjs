// Records the sessions that the tests of decision moments read; test/moments/main.ts says how.
import { bundle } from './bundle.mjs';
import { ensureBuilt, ensureInstalled, run } from './setup.mjs';

ensureInstalled();
ensureBuilt();
run(process.execPath, [await bundle('test/moments/main.ts', 'record-moments'), ...process.argv.slice(2)]);
