// `npm run bench:evaluator`: the evaluator beside the bare alternative on this machine; test/bench/evaluator/main.ts says how.
import { bundle } from './bundle.mjs';
import { ensureBuilt, ensureInstalled, run } from './setup.mjs';

ensureInstalled();
ensureBuilt();
run(process.execPath, [await bundle('test/bench/evaluator/main.ts', 'bench-evaluator'), ...process.argv.slice(2)]);
