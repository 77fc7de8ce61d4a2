// The words every kernel gets as its input, in C++ known as `input_words`.
const COUNT = 65536;

/** xorshift32: the same on every machine. */
export function inputWords(): Uint32Array {
  const words = new Uint32Array(COUNT);
  let state = 0x9e3779b9;
  for (let i = 0; i < COUNT; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[i] = state >>> 0;
  }
  return words;
}
