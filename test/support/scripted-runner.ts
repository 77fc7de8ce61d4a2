// A runner that is real but for its evaluator: the process that tests start, kill and start again.
import { parseOptions } from '../../remote-runner/options.js';
import { run } from '../../remote-runner/runner.js';
import { ScriptedEvaluator, scriptedAbilities } from './scripted-evaluator.js';

run(parseOptions(process.argv, '0.0.0-test', process.env), () =>
  Promise.resolve({ evaluator: new ScriptedEvaluator(), abilities: scriptedAbilities }),
).then(
  (status) => process.exit(status),
  (error: Error) => {
    process.stderr.write(`kernelseek-runner: ${error.message}\n`);
    process.exit(1);
  },
);
