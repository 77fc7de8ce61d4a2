// A zip in memory: written by us, or read from a stranger, with every name and every size checked before a byte is unpacked.
import { buffer } from 'node:stream/consumers';
import { fromBuffer, type Entry, type ZipFile } from 'yauzl';
import { ZipFile as Writer } from 'yazl';

/** What a bundle may hold at most, bytes; a real one is far below. */
export const ARCHIVE = { packed: 256 * 2 ** 20, entry: 64 * 2 ** 20, all: 384 * 2 ** 20, entries: 20_000 } as const;

/** Times in an archive would say when it was packed, nothing else. */
const EPOCH = new Date(Date.UTC(1980, 0, 1));

export async function writeArchive(files: ReadonlyMap<string, string>): Promise<Buffer> {
  const zip = new Writer();
  for (const [name, text] of files) zip.addBuffer(Buffer.from(text, 'utf8'), name, { mtime: EPOCH, mode: 0o100644 });
  zip.end();
  return buffer(zip.outputStream);
}

/**
 * @param isExpected tells the names that may be in it: names are looked up, never written to
 * @throws Error for an archive that is none, is too large unpacked, or holds anything else
 */
export async function readArchive(bytes: Buffer, isExpected: (name: string) => boolean): Promise<Map<string, string>> {
  if (bytes.length > ARCHIVE.packed) throw new Error(`it is larger than ${ARCHIVE.packed >> 20} MiB`);
  const zip = await opened(bytes);
  const files = new Map<string, string>();
  let left: number = ARCHIVE.all;
  try {
    if (zip.entryCount > ARCHIVE.entries) throw new Error(`it holds more than ${ARCHIVE.entries} files`);
    for (;;) {
      const entry = await next(zip);
      if (!entry) return files;
      const { fileName, uncompressedSize } = entry;
      if (!isExpected(fileName) || files.has(fileName)) {
        throw new Error(`it holds ${JSON.stringify(fileName.slice(0, 100))}, which is no part of a bundle`);
      }
      if (uncompressedSize > ARCHIVE.entry || uncompressedSize > left) {
        throw new Error(`${fileName} would be too large unpacked`);
      }
      left -= uncompressedSize;
      files.set(fileName, await contentOf(zip, entry));
    }
  } finally {
    zip.close();
  }
}

function opened(bytes: Buffer): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    // A stream that gives more than its entry says is an error of the library.
    const options = { lazyEntries: true, validateEntrySizes: true, strictFileNames: true, autoClose: false };
    fromBuffer(bytes, options, (error, zip) => (error ? reject(error) : resolve(zip)));
  });
}

function next(zip: ZipFile): Promise<Entry | undefined> {
  return new Promise((resolve, reject) => {
    const done = (settle: () => void): void => {
      zip.removeListener('entry', onEntry).removeListener('end', onEnd).removeListener('error', onError);
      settle();
    };
    const onEntry = (entry: Entry): void => done(() => resolve(entry));
    const onEnd = (): void => done(() => resolve(undefined));
    const onError = (error: Error): void => done(() => reject(error));
    zip.on('entry', onEntry).on('end', onEnd).on('error', onError);
    zip.readEntry();
  });
}

async function contentOf(zip: ZipFile, entry: Entry): Promise<string> {
  if (entry.isEncrypted()) throw new Error(`${entry.fileName} is encrypted`);
  const stream = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    zip.openReadStream(entry, (error, content) => (error ? reject(error) : resolve(content)));
  });
  return new TextDecoder('utf-8', { fatal: true }).decode(await buffer(stream));
}
