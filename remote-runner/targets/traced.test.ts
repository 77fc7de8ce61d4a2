import { expect, test } from 'vitest';
import { readTraces } from './traced.js';

test('what the candidate’s object refers to is told, what libraries refer to is not, the rest of the output stays', () => {
  const { findings, output } = readTraces(
    [
      'ptxas info    : 0 bytes gmem',
      '/usr/bin/ld: /tmp/tmpxft_000072be_00000000-11_t.o: reference to dlopen',
      '/usr/bin/ld: /usr/local/cuda-13.0/targets/x86_64-linux/lib/libcudart_static.a(cudart_static.o): reference to dlsym',
      '/usr/bin/ld: /lib/x86_64-linux-gnu/libc.so.6: definition of fork',
      '/usr/bin/ld: /tmp/ccX.o: undefined reference to `missing()’',
    ].join('\n'),
  );
  expect(findings.map((f) => f.message)).toEqual([expect.stringMatching(/^it refers to dlopen,/)]);
  expect(output).toBe('ptxas info    : 0 bytes gmem\n/usr/bin/ld: /tmp/ccX.o: undefined reference to `missing()’');
});
