export function sourcesHash(root: string, folders?: readonly string[]): string;
