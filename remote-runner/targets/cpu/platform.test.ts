import { expect, it } from 'vitest';
import { missingPlatform, platformFlags } from './platform.js';

const words = (platform: NodeJS.Platform, arch: string, compiler: 'g++' | 'clang++') => {
  const flags = platformFlags(platform, arch, compiler);
  return [flags.native, flags.fast, flags.stacks, flags.library, flags.runtime('libks.so'), flags.host].flat();
};

it('names the processor the way its compilers take it', () => {
  expect(platformFlags('linux', 'x64', 'g++').native).toEqual(['-march=native']);
  expect(platformFlags('linux', 'arm64', 'clang++').native).toEqual(['-mcpu=native']);
});

it('keeps flags of x86 off other processors', () => {
  expect(words('linux', 'x64', 'g++')).toContain('-fcf-protection=none');
  expect(words('linux', 'arm64', 'g++').join(' ')).not.toContain('cf-protection');
});

it('gives the linker of macOS nothing that only ELF linkers know', () => {
  const mac = words('darwin', 'arm64', 'clang++').join(' ');
  expect(mac).toContain('-install_name,@rpath/libks.so');
  expect(mac).not.toMatch(/-z,|-soname|-Bsymbolic|\$ORIGIN|-ldl/);
  expect(words('linux', 'x64', 'g++').join(' ')).toMatch(/-soname,libks\.so.*\$ORIGIN/);
});

it('tells clang++ nothing that only g++ knows', () => {
  expect(words('linux', 'x64', 'clang++').join(' ')).not.toContain('vect-cost-model');
  expect(words('linux', 'x64', 'g++')).toContain('-fvect-cost-model=dynamic');
});

it('never lets the compiler change results', () => {
  for (const compiler of ['g++', 'clang++'] as const)
    expect(words('linux', 'x64', compiler).join(' ')).not.toMatch(
      /-ffast-math|-Ofast|associative|reciprocal|finite-math|unsafe|signed-zeros/,
    );
});

it('points Windows to WSL', () => {
  expect(missingPlatform('win32')).toMatch(/WSL/);
  expect(missingPlatform('linux')).toBeUndefined();
  expect(missingPlatform('darwin')).toBeUndefined();
});
