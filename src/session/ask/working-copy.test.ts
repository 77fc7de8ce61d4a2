// The agent's working copy: exactly one match or a clear error, and nothing beyond the task's files.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { quoteWith } from './text.js';
import { ToolError, WorkingCopy } from './working-copy.js';

const text = 'int a = 1;\nint b = 2;\n  int c = 1;\n';
const copy = (source = text): WorkingCopy =>
  new WorkingCopy([{ path: 'k.cu', text: source }], new Map([['common.h', '#define N 4\n']]), quoteWith('data'));
const failure = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof ToolError) return error.message;
    throw error;
  }
  throw new Error('expected a ToolError');
};

describe('view', () => {
  test('numbers lines and shows the range asked for', () => {
    expect(copy().view('k.cu')).toBe('<data source="k.cu">\n1  int a = 1;\n2  int b = 2;\n3    int c = 1;\n</data>');
    expect(copy().view('k.cu', 2, 2)).toBe('<data source="k.cu">2  int b = 2;</data>');
    expect(copy().view('common.h')).toContain('#define N 4');
    expect(copy('').view('k.cu')).toContain('<data');
    expect(copy().view('./k.cu', 2, 2)).toBe(copy().view('k.cu', 2, 2));
  });

  test('says what there is where nothing is', () => {
    expect(failure(() => copy().view('/etc/passwd'))).toBe('there is no file "/etc/passwd"; there are: k.cu, common.h');
    expect(failure(() => copy().view('../k.cu'))).toContain('there is no file');
    expect(failure(() => copy().view('k.cu', 9))).toContain('has 3 lines');
  });

  test('a long file comes in pieces that say where to go on', () => {
    const long = copy('x\n'.repeat(4000)).view('k.cu');
    expect(long).toMatch(/4000 lines in all; view on from line 1501/);
  });
});

describe('edit', () => {
  test('replaces the one match, whatever characters it holds', () => {
    const c = copy();
    expect(c.edit('./k.cu', 'int b = 2;', "int b = '$&$1';")).toEqual({ path: 'k.cu', line: 2 });
    expect(c.current()[0]?.text).toBe("int a = 1;\nint b = '$&$1';\n  int c = 1;\n");
  });

  test('no match shows the nearest line; white space that differs is said', () => {
    expect(failure(() => copy().edit('k.cu', 'int bb = 2;', 'x'))).toMatch(
      /does not stand.*\n?.*line 2:\n<data>int b = 2;/,
    );
    expect(failure(() => copy().edit('k.cu', 'int b=2;\nint c = 1;', 'x'))).toMatch(
      /Only white space differs from line 2 on[^]*int b = 2;\n {2}int c = 1;/,
    );
    expect(failure(() => copy().edit('k.cu', '§', 'x'))).toContain('view the file');
  });

  test('several matches are told with their lines, overlapping ones too', () => {
    expect(failure(() => copy().edit('k.cu', '= 1;', 'x'))).toContain('stands 2 times in k.cu, at lines 1, 3');
    expect(failure(() => copy('aaa').edit('k.cu', 'aa', 'x'))).toContain('stands 2 times in k.cu, at line 1;');
  });

  test('read-only and unknown files, empty and pointless edits are refused', () => {
    expect(failure(() => copy().edit('common.h', '4', '5'))).toBe('common.h is read-only; you may edit: k.cu');
    expect(failure(() => copy().edit('../../x', '4', '5'))).toContain('there is no source "../../x"');
    expect(failure(() => copy().edit('k.cu', '', 'x'))).toContain('"old" is empty');
    expect(failure(() => copy().edit('k.cu', 'int b', 'int b'))).toContain('nothing would change');
  });

  test('in a file with CRLF, text as viewed matches and the line ends stay', () => {
    const c = copy(text.replaceAll('\n', '\r\n'));
    expect(c.edit('k.cu', 'int a = 1;\nint b = 2;', 'int a = 3;\n\nint b = 4;').line).toBe(1);
    expect(c.current()[0]?.text).toBe('int a = 3;\r\n\r\nint b = 4;\r\n  int c = 1;\r\n');
  });

  test('property: a unique piece is replaced exactly, everything else stays', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), fc.string(), fc.string(), (before, old, after, fresh) => {
        const whole = before + old + after;
        const c = copy(whole);
        const unique = whole.indexOf(old) === whole.lastIndexOf(old) && !whole.includes('\r');
        fc.pre(unique && old !== fresh);
        c.edit('k.cu', old, fresh);
        expect(c.current()[0]?.text).toBe(before + fresh + after);
      }),
    );
  });
});

test('restore puts every source back to what it is given, in the order of the task', () => {
  const both = [
    { path: 'k.cu', text: 'k' },
    { path: 'a.cu', text: 'a' },
  ];
  const c = new WorkingCopy(both, new Map(), quoteWith('data'));
  c.edit('k.cu', 'k', 'changed');
  c.restore([...both].reverse());
  expect(c.current()).toEqual(both);
});
