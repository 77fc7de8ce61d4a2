import { describe, expect, it } from 'vitest';
import { readHostCompilerDiagnostics } from './host-compiler.js';

describe('readHostCompilerDiagnostics', () => {
  it('reads errors, warnings with their option, and notes', () => {
    const text = [
      'In file included from ks_trampoline.cu:3:',
      'k.cu: In function ‘void f()’:',
      'k.cu:4:7: error: ‘y’ was not declared in this scope',
      '    4 |   x = y;',
      '      |       ^',
      'k.cu:2:5: note: declared here',
      'k.cu:9:3: warning: unused variable ‘z’ [-Wunused-variable]',
      'a/b.h:1:10: fatal error: nowhere.h: No such file or directory',
    ].join('\n');
    expect(readHostCompilerDiagnostics(text)).toEqual([
      {
        file: 'k.cu',
        line: 4,
        column: 7,
        severity: 'error',
        message: '‘y’ was not declared in this scope',
        related: [{ file: 'k.cu', line: 2, column: 5, message: 'declared here' }],
      },
      {
        file: 'k.cu',
        line: 9,
        column: 3,
        severity: 'warning',
        code: '-Wunused-variable',
        message: 'unused variable ‘z’',
      },
      { file: 'a/b.h', line: 1, column: 10, severity: 'error', message: 'nowhere.h: No such file or directory' },
    ]);
  });

  it('keeps where a template was used, in the words of g++', () => {
    const text = [
      'h.cuh: In instantiation of ‘void f(T) [with T = int*]’:',
      'k.cu:12:4:   required from here',
      'h.cuh:3:20: error: invalid operands',
    ].join('\n');
    expect(readHostCompilerDiagnostics(text)).toEqual([
      {
        file: 'h.cuh',
        line: 3,
        column: 20,
        severity: 'error',
        message: 'invalid operands',
        related: [{ file: 'k.cu', line: 12, column: 4, message: 'required from here' }],
      },
    ]);
  });

  it('reads the linker once, and the tool itself when it says nothing else', () => {
    const linker = [
      "/usr/bin/ld: /tmp/ccX.o: in function `go(int*)':",
      "ks_trampoline.cu:(.text+0x12): undefined reference to `absent(int)'",
      'collect2: error: ld returned 1 exit status',
    ].join('\n');
    expect(readHostCompilerDiagnostics(linker)).toEqual([
      {
        file: 'ks_trampoline.cu',
        line: 1,
        severity: 'error',
        code: 'ld',
        message: "undefined reference to `absent(int)'",
      },
    ]);
    expect(readHostCompilerDiagnostics('/usr/bin/ld: cannot find -lnothing: No such file or directory')).toMatchObject([
      { severity: 'error', message: 'cannot find -lnothing: No such file or directory' },
    ]);
    expect(readHostCompilerDiagnostics('g++: error: unrecognized option ‘-x9’')).toMatchObject([
      { severity: 'error', message: 'unrecognized option ‘-x9’' },
    ]);
  });

  it('finds nothing in other text', () => {
    expect(readHostCompilerDiagnostics('hello: world\n  at x:1\n')).toEqual([]);
  });
});
