// `node scripts/record-moments.mjs [STORY…]`: plays the stories anew and writes their traces to test/fixtures/moments/.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { recordStory } from './record.js';
import { STORIES } from './stories.js';

async function main(): Promise<void> {
  const root = path.resolve(__dirname, '..');
  const folder = path.join(root, 'test/fixtures/moments');
  const wanted = process.argv.slice(2);
  await mkdir(folder, { recursive: true });
  for (const story of STORIES) {
    if (wanted.length > 0 && !wanted.includes(story.name)) continue;
    await writeFile(path.join(folder, `${story.name}.jsonl`), await recordStory(story, root));
    console.log(`${story.name} is recorded`);
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
