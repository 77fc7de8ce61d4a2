#!/usr/bin/env node
// Stands in for Nsight Compute where there is no GPU: its options, its messages and recorded pages; a report that holds the words
// of the run. What it is to play stands in the file `play` beside it.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const args = process.argv.slice(2);
const { play, fixtures } = JSON.parse(readFileSync(path.join(here, 'play'), 'utf8'));
const after = (option) => args[args.indexOf(option) + 1];
appendFileSync(path.join(here, 'calls'), `${JSON.stringify(args)}\n`);

if (args.includes('--import')) {
  const pages = {
    raw: 'raw-base-units.csv',
    details: 'details.csv',
    source: after('--print-source') === 'sass' ? 'source-sass.csv' : 'source-cuda-sass.csv',
  };
  process.stdout.write(readFileSync(path.join(fixtures, 'nvidia', pages[after('--page')])));
} else if (play === 'hang') setInterval(() => undefined, 1000);
else if (play === 'report') {
  process.stdout.write(readFileSync(path.join(fixtures, 'nvidia/ncu-stdout.txt')));
  writeFileSync(after('--export'), 'a report');
} else process.stdout.write(readFileSync(play));
