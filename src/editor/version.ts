// The version this build was made as; esbuild replaces the constant, sources run as `development`.
declare const KERNELSEEK_VERSION: string;

export const VERSION: string = typeof KERNELSEEK_VERSION === 'string' ? KERNELSEEK_VERSION : 'development';
