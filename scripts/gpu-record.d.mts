export const SOURCES: string;
export interface GpuRecord {
  /** Hash of the sources it ran on. */
  sources: string;
  /** ISO date and time. */
  at: string;
  options: string;
  device: string;
  passed: number;
  failed: number;
  skipped: number;
}
export function headOf(about: { sources: string; at: string; options: string[] }): string;
export function readRecord(text: string): GpuRecord | undefined;
export function aboutRecord(text: string | undefined, sources: string): string;
