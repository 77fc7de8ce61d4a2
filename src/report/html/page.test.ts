// The report as a browser reads it: everything is in it, nothing gets out of its place, and no trace makes it too large.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { parse, type DefaultTreeAdapterTypes } from 'parse5';
import { describe, expect, test } from 'vitest';
import { sampleTrace, verdictWith } from '../../../test/support/sample-trace.js';
import { numbered } from '../../../test/support/story-session.js';
import type { SourceFile } from '../../../remote-runner/protocol.js';
import type { TraceEventBody } from '../../session/events.js';
import { fold } from '../../session/fold.js';
import { visible } from './markup.js';
import { reportHtml, wantedSources } from './page.js';

type Element = DefaultTreeAdapterTypes.Element;

const original: SourceFile[] = [{ path: 'k.cu', text: 'int a;\nint b;\n' }];

function reportOf(bodies: readonly TraceEventBody[], more: { text?: string; note?: string } = {}): string {
  const events = numbered(bodies);
  const state = fold(events)!;
  const text = more.text ?? 'int c;\nint b;\n';
  return reportHtml({
    state,
    events,
    original,
    sources: new Map(wantedSources(state).map((id) => [id, [{ path: more.note ?? 'k.cu', text: `${text}// ${id}` }]])),
    warnings: more.note === undefined ? [] : [more.note],
    commands: [{ does: more.note ?? 'again', command: more.note ?? 'kernelseek' }],
    version: '0.1.0',
    madeAt: 0,
  });
}

function elements(html: string): Element[] {
  const found: Element[] = [];
  const walk = (node: DefaultTreeAdapterTypes.Node): void => {
    if ('tagName' in node) found.push(node);
    if ('childNodes' in node) node.childNodes.forEach(walk);
  };
  walk(parse(html));
  return found;
}

function textOf(node: DefaultTreeAdapterTypes.Node): string {
  if ('value' in node && node.nodeName === '#text') return node.value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}

/** A trace in which every text that a stranger may have written is this one. */
function traceOf(text: string): TraceEventBody[] {
  const [started, runner, baseline] = sampleTrace();
  const commit = 'a'.repeat(40);
  const candidate = (id: string, parent?: string): TraceEventBody => ({
    type: 'candidate',
    id,
    ...(parent !== undefined && { parent }),
    author: 'agent',
    commit,
    sourcesSha256: id.slice(1).padStart(64, '1'),
    note: text,
    levels: ['algorithm'],
  });
  const won = { ...verdictWith({ value: 2, mode: 'confirm', faster: true }), warnings: [text] };
  won.scenarios[0]!.id = text;
  won.target = { kind: 'cpu', id: text, name: text, compiler: text, driver: text };
  won.provenance = {
    candidateSha256: text,
    originalSha256: text,
    flags: [text],
    compiler: text,
    seed: text,
    startedAt: text,
  };
  return [
    {
      ...(started as Extract<TraceEventBody, { type: 'started' }>),
      task: text,
      model: text,
      endpoint: text,
      version: text,
      session: text,
    },
    { ...(runner as Extract<TraceEventBody, { type: 'runner' }>), address: text, chosen: text },
    {
      type: 'baseline',
      verdict: { ...(baseline as Extract<TraceEventBody, { type: 'baseline' }>).verdict, target: won.target },
    },
    { type: 'prompt', text },
    { type: 'moment', id: 'm1', kind: 'opening', evidence: text, asked: true, offered: [text] },
    { type: 'question', id: 'q1', moment: 'm1', text, level: 'algorithm', by: 'human', informed: true },
    { type: 'answer', moment: 'm1', question: 'q1', outcome: 'answered', by: 'agent', text, informed: false },
    { type: 'prompt', text, moment: 'm1' },
    {
      type: 'model',
      model: text,
      content: [
        { type: 'text', text },
        { type: 'other', text },
      ],
    },
    { type: 'tool', id: text, name: text, input: { [text]: text }, result: text, isError: true },
    candidate('c1'),
    { type: 'verdict', candidate: 'c1', verdict: verdictWith({ value: 2 }) },
    { type: 'verdict', candidate: 'c1', verdict: won },
    { type: 'incumbent', candidate: 'c1' },
    candidate('c2', 'c1'),
    {
      type: 'verdict',
      candidate: 'c2',
      verdict: {
        ...verdictWith({ status: 'compile_error', message: text }),
        diagnostics: [{ severity: 'error', file: text, line: 1, message: text }],
      },
    },
    { type: 'claim', id: 'l1', text, evidence: text },
    { type: 'trouble', where: 'runner', message: text },
    { type: 'finished', reason: 'agent', message: text },
  ];
}

const ATTACKS = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</title></style></pre></details></svg><iframe src="javascript:alert(1)">',
  '<svg><foreignObject><script>1</script>',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '&lt;script&gt;',
  '&#x3c;script&#x3e;',
  '<plaintext>',
  '<textarea>',
  '<base href=//x>',
  '<meta http-equiv="refresh" content="0;url=//x">',
  '<style>*{display:none}</style>',
  'javascript:alert(1)',
  '#"><b>',
  '`${alert(1)}`',
  '\u0000<\u0000script>',
  '\ud800<b>',
  '\u202e<b>\u2066',
  '\u001b]8;;file:///etc\u0007x',
  '\r<\r\nb>',
  '%3Cscript%3E',
  '+ADw-script+AD4-',
];
const attack = fc
  .array(fc.oneof(fc.constantFrom(...ATTACKS), fc.string({ unit: 'binary', maxLength: 20 })), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.join(''));

const ATTRIBUTES =
  /^(lang|charset|http-equiv|content|name|class|id|href|aria-(label|labelledby|hidden)|role|tabindex|scope|viewbox|d|cx|cy|r|x|y|x1|x2|y1|y2|width|height|rx|text-anchor)$/i;

describe('hostile text', () => {
  const benign = elements(reportOf(traceOf('plain'), { text: 'plain', note: 'plain' }));
  const allowed = new Set(benign.map((e) => e.tagName));

  test('stays text, whatever it is', () => {
    expect(allowed).not.toContain('script');
    fc.assert(
      fc.property(attack, (text) => {
        const html = reportOf(traceOf(text), { text, note: text });
        const found = elements(html);
        // One expectation for all of them: thousands would be slow.
        const strange = found.flatMap(({ tagName, attrs }) => [
          ...(allowed.has(tagName) ? [] : [tagName]),
          ...attrs
            .filter(({ name, value }) => !ATTRIBUTES.test(name) || (name === 'href' && !/^#[a-z0-9-]+$/.test(value)))
            .map(({ name, value }) => `${name}=${value}`),
        ]);
        expect(strange).toEqual([]);
        // What a policy or a page must not get from a stranger.
        const only = (tag: string): number => found.filter((e) => e.tagName === tag).length;
        expect([only('style'), only('title'), only('meta'), only('body')]).toEqual(
          ['style', 'title', 'meta', 'body'].map((tag) => benign.filter((e) => e.tagName === tag).length),
        );
        expect(html).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u0000\u001b]/);
        // And it is there to be read, entities and all.
        const evidence = found.find((e) => e.attrs.some((a) => a.name === 'class' && a.value === 'asking'))!;
        expect(textOf(evidence)).toContain(visible(text));
      }),
      { numRuns: 200 },
    );
  });

  test('the policy allows the one style sheet by its hash, and nothing else', () => {
    const found = elements(reportOf(traceOf('x')));
    const style = found.find((e) => e.tagName === 'style')!;
    const hash = createHash('sha256').update(textOf(style)).digest('base64');
    const policy = found.flatMap((e) => e.attrs).find((a) => a.value.startsWith('default-src'));
    expect(policy?.value).toBe(`default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`);
    expect(textOf(style)).not.toMatch(/url\(|@import|</);
  });

  test('hidden characters in a change are shown by their numbers', () => {
    const html = reportOf(traceOf('x'), { text: 'int a; /*\u202e } \u2066if (b)\u2069 */\n' });
    expect(html).toContain('⟨U+202E⟩ } ⟨U+2066⟩if (b)⟨U+2069⟩');
  });

  test('a text of a million characters is cut, and says so', () => {
    const html = reportOf(traceOf('A'.repeat(1_000_000)), { text: `${'B'.repeat(300_000)}\n` });
    expect(html.length).toBeLessThan(300_000);
    expect(html).toContain('more characters are left out)');
  });
});

/** A session of many candidates with all that comes with them: six events for each. */
function longTrace(candidates: number): TraceEventBody[] {
  const [started, runner, baseline] = sampleTrace();
  const bodies: TraceEventBody[] = [started!, runner!, baseline!];
  for (let i = 1; i <= candidates; i++) {
    const value = 1 + i / candidates + ((i * 7919) % 13) / 20;
    bodies.push(
      { type: 'model', model: 'm', content: [{ type: 'text', text: `I try ${i}. ${'words '.repeat(100)}` }] },
      { type: 'tool', id: `t${i}`, name: 'edit', input: { old: 'a'.repeat(2000) }, result: 'done', isError: false },
      { type: 'moment', id: `m${i}`, kind: 'plateau', evidence: 'five without a gain', asked: true, offered: [] },
      {
        type: 'question',
        id: `q${i}`,
        moment: `m${i}`,
        text: `Which order is only a habit, ${i}?`,
        by: 'agent',
        informed: false,
      },
      { type: 'prompt', text: 'Which order?', moment: `m${i}` },
      {
        type: 'candidate',
        id: `c${i}`,
        ...(i > 1 && { parent: `c${i - 1}` }),
        author: 'agent',
        commit: 'a'.repeat(40),
        sourcesSha256: String(i).padStart(64, '0'),
        note: `attempt ${i}`,
      },
      { type: 'verdict', candidate: `c${i}`, verdict: verdictWith(i % 9 === 0 ? { status: 'wrong' } : { value }) },
    );
    if (i % 100 === 0) {
      bodies.push({
        type: 'verdict',
        candidate: `c${i}`,
        verdict: verdictWith({ value, mode: 'confirm', faster: true }),
      });
      bodies.push({ type: 'incumbent', candidate: `c${i}` });
    }
  }
  return bodies;
}

describe('credit', () => {
  test('levels and questions beside silence at the same kind of moment', () => {
    const moment = (id: string, asked: boolean): TraceEventBody => ({
      type: 'moment',
      id,
      kind: 'plateau',
      evidence: 'five without a gain',
      asked,
      offered: ['which-byte'],
    });
    const question = (id: string, at: string): TraceEventBody => ({
      type: 'question',
      id,
      moment: at,
      known: 'which-byte',
      text: 'Which byte travels twice?',
      level: 'data-movement',
      by: 'agent',
      informed: false,
    });
    const won = (id: string, value: number): TraceEventBody[] => [
      { type: 'candidate', id, author: 'agent', commit: id, sourcesSha256: id.padEnd(64, '0'), note: id },
      { type: 'verdict', candidate: id, verdict: verdictWith({ value }) },
      { type: 'verdict', candidate: id, verdict: verdictWith({ value, mode: 'confirm', faster: true }) },
      { type: 'incumbent', candidate: id },
    ];
    const put = (id: string): TraceEventBody[] => [
      moment(`m${id}`, true),
      question(`q${id}`, `m${id}`),
      {
        type: 'answer',
        moment: `m${id}`,
        question: `q${id}`,
        outcome: 'answered',
        by: 'agent',
        text: 'x',
        informed: false,
      },
      { type: 'prompt', text: 'Which byte travels twice?', moment: `m${id}` },
    ];
    const html = reportOf([
      ...sampleTrace().slice(0, 3),
      ...put('1'),
      ...won('c1', 2),
      ...put('2'),
      ...won('c2', 4),
      { type: 'finished', reason: 'agent', message: 'done' },
    ]);
    const rows = elements(html)
      .filter((e) => e.tagName === 'tr')
      .map((e) => textOf(e).replace(/\s+/g, ' '));
    expect(rows).toContainEqual(expect.stringMatching(/^data movement ?2 ?2\.00× ?no silence to compare/));
    expect(rows).toContainEqual(expect.stringMatching(/^which-byte ?2 ?2\.00×/));
  });
});

describe('long sessions', () => {
  test('10,000 events make a file of bounded size that says what it leaves out', () => {
    const html = reportOf(longTrace(1660));
    expect(longTrace(1660).length).toBeGreaterThan(9_900);
    expect(html.length).toBeLessThan(3_000_000);
    const found = elements(html);
    expect(found.length).toBeLessThan(20_000);
    const text = textOf(found.find((e) => e.tagName === 'body')!);
    const says = (words: RegExp): void => expect(words.test(text), String(words)).toBe(true);
    says(/1160 are left out here/);
    says(/1\d\d\d of 1660 candidates are not drawn/);
    says(/entries are left out/);
    says(/1460 are left out\./);
    // The best and the way to it stay.
    expect(found.some((e) => e.attrs.some((a) => a.name === 'id' && a.value === 'c1600'))).toBe(true);
    says(/steps are left out/);
    // Twice the events, hardly more to open.
    expect(reportOf(longTrace(3320)).length).toBeLessThan(1.3 * html.length);
  });

  test('every link leads somewhere', () => {
    for (const bodies of [longTrace(40), longTrace(1660), traceOf('x'), sampleTrace()]) {
      const found = elements(reportOf(bodies));
      const ids = found.flatMap((e) => e.attrs.filter((a) => a.name === 'id').map((a) => a.value));
      expect(new Set(ids).size).toBe(ids.length);
      const targets = found.flatMap((e) => e.attrs.filter((a) => a.name === 'href').map((a) => a.value.slice(1)));
      expect(targets.filter((target) => !ids.includes(target))).toEqual([]);
    }
  });
});
