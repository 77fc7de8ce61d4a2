// The rules of the house hold, and the check that says so can fail.
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { createRequire } from 'node:module';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve(__dirname, '../..');
const rules = createRequire(path.join(root, 'package.json'))('./.dependency-cruiser.cjs');

async function violations(baseDir: string): Promise<{ modules: number; names: string[] }> {
  const { output } = await cruise(
    ['src', 'remote-runner'],
    { ...rules.options, baseDir, validate: true, ruleSet: { forbidden: rules.forbidden } },
    {
      extensions: ['.ts', '.js'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      exportsFields: ['exports'],
    },
    { tsConfig: extractTSConfig(path.join(root, 'tsconfig.json')) },
  );
  const result = output as ICruiseResult;
  return {
    modules: result.modules.filter((m) => /^(src|remote-runner)\/.*\.ts$/.test(m.source)).length,
    names: [...new Set(result.summary.violations.map((v) => v.rule.name))].sort(),
  };
}

describe('house rules', () => {
  it('hold, over modules that were really seen', async () => {
    const { modules, names } = await violations(root);
    expect(modules).toBeGreaterThan(60);
    expect(names).toEqual([]);
  });

  it('fail where a violation is planted', async () => {
    const { names } = await violations(path.join(root, 'test/fixtures/planted'));
    expect(names).toEqual([
      'kernel-is-a-leaf',
      'leaves-do-no-io',
      'no-cycles',
      'src-sees-the-protocol-only',
      'vscode-only-in-the-editor',
    ]);
  });
});
