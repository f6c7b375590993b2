/** Of this computer (service/recording/recording-folder.ts), of a channel or of a file. */
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
