/** Where the recordings of this computer lie (service/recording/recording-folder.ts), those of one channel, or one file of it, in the way of writing of its system. */
export function recordedPath(
  dataFolder: string,
  cid?: string,
  file?: { readonly vid: number; readonly format: string | null },
): string {
  const separator = dataFolder.includes('\\') ? '\\' : '/'
  const parts = [
    dataFolder.replace(/[\\/]$/, ''),
    'recordings',
    ...(cid === undefined ? [] : [cid]),
    ...(file === undefined || file.format === null ? [] : [`${file.vid}.${file.format}`]),
  ]
  return parts.join(separator)
}
